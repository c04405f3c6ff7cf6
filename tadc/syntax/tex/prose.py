r"""Definitions in the prose behind a formula: "where $\bar{x} = \frac{1}{n} \sum_{i=1}^n x_i$ is the mean"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tadc.syntax.tex.statements import Statement

__all__ = ["says_where", "spoken_definitions"]

LONGEST_SENTENCE = 400  # characters before a formula that are looked at

_SENTENCE = re.compile(r"[.:;]\s|\n\s*\n|\\end\{\w+\*?\}|\\\]|\$\$")
_DEFINES = re.compile(r"\b(?:where|with|here|let|define[sd]?|denotes?|denoted)\b", re.IGNORECASE)
_SUPPOSES = re.compile(
    r"\b(?:if|when|whenever|since|because|such|assum\w*|suppos\w*|unless|iff|impl\w+|note|satisf\w+|without)\b",
    re.IGNORECASE,
)


def says_where(before: str) -> bool:
    """Whether the sentence that `before` ends with introduces what a letter stands for, and supposes nothing."""
    last = before[-LONGEST_SENTENCE:]
    end = max((m.end() for m in _SENTENCE.finditer(last)), default=0)
    sentence = last[end:]
    return _DEFINES.search(sentence) is not None and _SUPPOSES.search(sentence) is None


def spoken_definitions(
    displays: Sequence[Sequence[Statement]], spoken: Sequence[Statement]
) -> list[Statement]:
    """The definitions among `spoken` of what displays read and do not define, from elements of tensors; the first of each."""
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    defined = {s.target for s in definitions}
    read = {t.value for s in definitions for t in s.tokens[s.equal :] if t.type == "NAME"}
    found: dict[str, Statement] = {}
    more = True
    while more:
        more = False
        for s in spoken:
            if s.kind == "definition" and s.target in read - defined and _is_formula(s):
                found[s.target] = s
                defined.add(s.target)
                read |= {t.value for t in s.tokens[s.equal :] if t.type == "NAME"}
                more = True
    return list(found.values())


def _is_formula(statement: Statement) -> bool:
    """Whether the right side sums or reads elements, and none of what is defined: `x_{ij} = x_{ji}` is a property."""
    right = statement.tokens[statement.equal :]
    reads_itself = any(t.value == statement.target for t in right)
    has_elements = any(t.type == "SUB" for t in right)
    return not reads_itself and has_elements and right[-1].type != "ERROR"
