r"""Bold letters as vectors, where a document writes transposes, norms or inner products: `\mathbf{w}^\top \mathbf{x}_i`.

Small bold letters that nothing declares are vectors then, `\mathbf{x}_i` at each of its indices; a capital may be a vector or a
matrix, and has to be declared. Without such operations a small one is a vector where it is added to one, `W \mathbf{x} + \mathbf{b}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from tadc.syntax.tex.script_tokens import LONGEST_SCRIPT, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token, bars, behind_scripts, closing_brackets

__all__ = ["NO_BOLD", "Bold", "bold_names", "with_arrows_in_bold", "with_bold_letters"]

_OPERATIONS = frozenset(("TOP", "NORM_L", "ANGLE_L"))
_TRANSPOSES = (r"\top", r"\intercal")


class Bold(NamedTuple):
    """Names that are written bold everywhere: those of vectors, of vectors beside others, capitals without subscripts, and with some."""

    vectors: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    capitals: frozenset[str] = frozenset()
    numbered: frozenset[str] = frozenset()


NO_BOLD = Bold()


_BOLD_IN_TEXT = re.compile(
    r"\\(?:mbox|text|hbox)\s*\{\s*\\boldmath\s*\$\s*(\\[A-Za-z]+|[A-Za-z])\s*\$\s*\}"
)


def with_bold_letters(text: str) -> str:
    r"""The text with `\bm{W}` for the `\mbox{\boldmath $W$}` of old papers, as long as before."""
    return _BOLD_IN_TEXT.sub(lambda m: f"\\bm{{{m[1]}}}".ljust(len(m[0])), text)


def with_arrows_in_bold(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with letters under arrows, `\vec{r}_i`, as those of vectors in bold; their names stay, `r_vec`."""
    return [
        replace(t, note="bold")
        if t.type == "NAME" and t.value.endswith("_vec") and not t.note
        else t
        for t in tokens
    ]


def bold_names(
    definitions: Sequence[Statement], known: Set[str], functions: Sequence[Statement] = ()
) -> Bold:
    """The bold names of right sides that are not `known`; most count where some definition, or one of `functions`, has an operation of
    vectors alone.
    """
    tokens = [t for d in definitions for t in d.right]  # in lists of arguments nobody minds
    styles: dict[str, set[bool]] = {}
    for token in tokens:
        if token.type == "NAME":
            styles.setdefault(token.value, set()).add(token.note == "bold")
    bold = {n for n, found in styles.items() if found == {True}} - known
    bold -= {d.target for d in definitions}
    with_subscripts = {name.value for d in definitions for name, _, _ in scripted(d.tokens, "SUB")}
    bare = set(_bare(definitions))
    small = {n for n in bold if not _begins_capital(n) and not n[0].isdigit()}
    added = frozenset(small - with_subscripts)
    every = (*definitions, *functions)
    if not any(_has_operation(d.tokens) or _maps_vectors(d) for d in every):
        return Bold(added=added)
    capitals = {n for n in bold if _begins_capital(n)}
    return Bold(
        frozenset(small - (with_subscripts & bare)),
        added,
        frozenset(capitals - with_subscripts),
        frozenset(capitals & with_subscripts),
    )


def _begins_capital(name: str) -> bool:
    r"""Whether the letter is a capital; the step `\Delta\mathbf{r}` is one of a small letter."""
    return name.removeprefix("Delta_")[:1].isupper()


def _has_operation(tokens: Sequence[Token]) -> bool:
    pairs = pairwise(tokens)
    closing = closing_brackets(tokens)
    if any(
        token.type == "CDOT" and _is_of_bold(tokens[place + 1 : closing.get(place, place)])
        for place, token in enumerate(tokens[:-1], 1)
        if tokens[place].type in ("LPAR", "LSQB")
    ):
        return True  # `(\mathbf{x}_i - \mathbf{a}) \cdot (\mathbf{y}_i - \mathbf{b})`
    raised = [(name, inner) for name, _, inner in scripted(tokens, "SUP") if name.note == "bold"]
    above = [(name, inner[0].value) for name, inner in raised if len(inner) == 1]
    if any(value in ("T", *_TRANSPOSES) or (value == "2" and _is_small(n)) for n, value in above):
        return True
    if any(_is_small(a) and _is_small(b) for a, b in _side_by_side(tokens)):
        return True  # `\mathbf{w} \mathbf{x}_i`: no numbers, and which product of vectors is asked
    return (
        any(
            before.type in _OPERATIONS
            or (before.type in ("BAR_L", "CDOT") and token.note == "bold")
            or (_is_bold_capital(before) and token.note == "bold")  # `\mathbf{W} \mathbf{x}`
            or (_is_bold_capital(before) and _is_inverse(tokens, place + 1))
            for place, (before, token) in enumerate(pairs)
        )
        or any(
            closing - opening < LONGEST_SCRIPT and _is_of_bold(tokens[opening + 1 : closing])
            for opening, closing in bars(tokens)
        )
    )


def _side_by_side(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """The names that follow each other, scripts aside."""
    closing = closing_brackets(tokens)
    for place, token in enumerate(tokens):
        behind = behind_scripts(tokens, place + 1, closing)
        if token.type == "NAME" and behind < len(tokens) and tokens[behind].type == "NAME":
            yield token, tokens[behind]


def _maps_vectors(definition: Statement) -> bool:
    r"""Whether it is `\mathbf{y} = W \mathbf{x}`: bold letters on both sides, with a plain capital in front of one, which may be a matrix."""
    first = definition.tokens[0]
    return first.note == "bold" and any(
        a.type == "NAME" and not a.note and len(a.value) == 1 and a.value.isupper() and _is_small(b)
        for a, b in pairwise(definition.right)
    )


def _is_small(token: Token) -> bool:
    """Whether it is a small letter in bold."""
    return token.type == "NAME" and token.note == "bold" and token.value[0].islower()


def _is_bold_capital(token: Token) -> bool:
    return token.type == "NAME" and token.note == "bold" and token.value[0].isupper()


def _is_inverse(tokens: Sequence[Token], place: int) -> bool:
    """Whether what stands there is the power -1."""
    return [t.value for t in tokens[place + 2 : place + 4]] == ["-", "1"] and tokens[
        place
    ].type == "SUP"


def _is_of_bold(inner: Sequence[Token]) -> bool:
    r"""Whether it is the `\sum_i \mathbf{v}_i` of `|\sum_i \mathbf{v}_i|`: sums and differences of bold letters alone."""
    in_scripts = {id(t) for kind in ("SUB", "SUP") for _, _, n in scripted(inner, kind) for t in n}
    outside = [t for t in inner if t.type == "NAME" and id(t) not in in_scripts]
    places = [n for n, t in enumerate(inner) if t.type == "RED"]
    limits = {id(t) for n in places for t in inner[n:] if t.type == "NAME" and t.note != "bold"}
    names = [t for t in outside if id(t) not in limits]
    return bool(names) and all(t.note == "bold" for t in names)


def _bare(definitions: Sequence[Statement]) -> Iterator[str]:
    """The names that stand somewhere without subscripts."""
    for d in definitions:
        for token, behind in zip(d.tokens, (*d.tokens[1:], None), strict=True):
            if token.type == "NAME" and (behind is None or behind.type != "SUB"):
                yield token.value
