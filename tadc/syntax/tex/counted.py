"""The definitions of a document that count, and the displays that are skipped."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import zip_longest

from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.updates import is_update

__all__ = ["counted"]


def counted(
    displays: Sequence[Sequence[Statement]],
    macros: frozenset[str],
    text: Expansion,
    states: frozenset[str],
    wholes: Set[str] = frozenset(),
    headed: Set[str] = frozenset(),
    functions: Sequence[Statement] = (),
) -> tuple[list[Statement], list[Statement]]:
    """The definitions of the program, and the skipped parts.

    A tensor element always counts, and a state. Another scalar counts if others or `functions` use it, if it sums, reads elements or what others
    define, if it is alone or the document has nothing but scalars, or if its display defines more; or if it reads one of `wholes`, declared tensors, without subscripts, and is not
    `headed` by a list of arguments, whose letters may be called like these.
    """
    candidates = [s for display in displays for s in display if s.kind == "definition"]
    used_in: dict[str, set[int]] = {}
    for number, statement in enumerate((*candidates, *functions)):
        for token in statement.tokens:
            places = used_in.setdefault(token.value, set())
            if len(places) < 2:
                places.add(number)
    tensors = {s.target for s in candidates if not s.is_scalar}
    targets = {s.target for s in candidates if s.tokens[0].type == "NAME"}
    counted, skipped = [], []
    for display in displays:
        in_display = sum(s.kind == "definition" for s in display)
        for statement in display:
            if statement.kind == "definition" and (
                (not statement.is_scalar and _is_readable(statement, macros, text))
                or is_update(statement, states)
                or len(candidates) == 1
                or in_display > 1
                or (len(used_in[statement.target]) > 1 and statement.tokens[0].type == "NAME")
                or statement.reads(tensors)
                or any(t.value in targets - {statement.target} for t in statement.right)
                or statement.has_reduction
                or any(t.type in _SUMS for t in statement.right)
                or (statement.target not in headed and _reads_whole(statement, wholes))
            ):
                counted.append(statement)
            elif statement.kind != "shape":
                skipped.append(statement)
    if not counted:  # a document of numbers alone
        counted = [s for s in skipped if s.kind == "definition" and s.tokens[0].type == "NAME"]
        skipped = [s for s in skipped if s not in counted]
    return counted, skipped


def _reads_whole(statement: Statement, wholes: Set[str]) -> bool:
    """Whether a declared tensor stands on the right side without subscripts: what is defined is no number then."""
    right = statement.right
    return any(
        t.type == "NAME" and t.value in wholes and (after is None or after.type not in _SCRIPTS)
        for t, after in zip_longest(right, right[1:])
    )


_SCRIPTS = ("SUB", "LPAR", "LSQB")
_SUMS = ("TOP", "NORM_L", "ANGLE_L")  # signs that sum over what is not written


def _is_readable(statement: Statement, macros: frozenset[str], text: Expansion) -> bool:
    """Whether its name is one; or an own macro, which should be one and is an error."""
    first = statement.tokens[0]
    is_macro = first.type == "ERROR" and text.text[first.start : first.end] in macros
    return first.type in ("NAME", "LPAR", "LGROUP", "SOFTMAX", "FUNC", "CALLED") or is_macro
