r"""Displays that say what the elements of something are called: `\mathbf{x} = [x_1, \dots, x_n]^\top` defines nothing, where no formula reads
the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.calls import listed
from tadc.syntax.tex.sides import sides_of
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import OPENERS, Token, closing_brackets

__all__ = ["without_lists_of_elements"]


def without_lists_of_elements(displays: Sequence[Sequence[Statement]]) -> list[list[Statement]]:
    """The displays with such lists as what is skipped."""
    read = {
        (t.value, t.note)
        for display in displays
        for s in display
        if s.kind == "definition" and not _lists_elements(s)
        for t in s.right
    }
    return [
        [
            replace(s, kind="skipped")
            if s.kind == "definition" and _lists_elements(s) and not read & _wholes(s)
            else s
            for s in display
        ]
        for display in displays
    ]


def _wholes(statement: Statement) -> set[tuple[str, str]]:
    """The names, with their styles, that the statement has for the whole."""
    sides, _ = sides_of(statement.tokens)
    return {(side[0].value, side[0].note) for side in sides[:-1] if side}


def _lists_elements(statement: Statement) -> bool:
    r"""Whether the last side is `\{l_1, \dots, l_N\}^\top`, elements of one name after commas."""
    sides, _ = sides_of(statement.tokens)
    side = sides[-1] if len(sides) > 1 else []
    end = closing_brackets(side).get(0, 0) if side and side[0].type in OPENERS else 0
    behind = [t.type for t in side[end + 1 :]]
    is_turned = behind in (["SUP", "LBRACE", "TOP", "RBRACE"], ["SUP", "LBRACE", "NAME", "RBRACE"])
    if not end or (behind and not is_turned):
        return False
    parts = [p for p in listed(side[1:end]) if p]
    elements = [p for p in parts if not _is_dots(p)]
    names = {p[0].value for p in elements}
    are_elements = all([t.type for t in p[:3]] == ["NAME", "SUB", "LBRACE"] for p in elements)
    return len(elements) < len(parts) and len(names) == 1 and are_elements


def _is_dots(part: Sequence[Token]) -> bool:
    return [t.type for t in part] == ["DOTS"]
