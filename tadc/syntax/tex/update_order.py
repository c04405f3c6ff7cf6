r"""Updates one after the other, `v_i \gets w v_i + a_i, \; x_i \gets x_i + v_i`: the second reads the new value in an algorithm, and the old one
in a step that takes all at once. Declared states are read in order; without them it is an error.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["GETS", "with_unclear_order"]

GETS = (r"\gets", r"\leftarrow", r"\longleftarrow")


def with_unclear_order(
    displays: Sequence[Sequence[Statement]], states: Set[str]
) -> list[list[Statement]]:
    """The displays with an error for each name that an update reads, and another one has updated or is going to define."""
    updates = [s for display in displays for s in display if _is_update(s)]
    updated = {s.target for s in updates if _reads(s, s.target)}
    unclear: dict[int, str] = {}
    for n, update in enumerate(updates):
        before = {s.target for s in updates[:n]} & updated
        behind = {s.target for s in updates[n + 1 :]} - updated
        for name in sorted((before | behind) - states - {update.target}):
            if _reads(update, name):
                unclear.setdefault(id(update), name)
    return [
        [_with_error(s, unclear[id(s)]) if id(s) in unclear else s for s in display]
        for display in displays
    ]


def _is_update(statement: Statement) -> bool:
    sign = statement.tokens[statement.equal : statement.equal + 1]
    return statement.kind == "definition" and bool(sign) and sign[0].value in GETS


def _reads(update: Statement, name: str) -> bool:
    return any(t.type == "NAME" and t.value == name for t in update.right)


def _with_error(update: Statement, name: str) -> Statement:
    place = next(t for t in update.right if t.value == name)
    shown = as_printed(name)
    fact = f"`{shown}` may be the value before these updates, or the one that another of them gives"
    fix = f"declare what is updated in order, `%!tadc state {name}[N]`, or give new values names of their own, `{shown}'_i = ..`"
    error = Token("ERROR", fact, place.start, place.end, fix)
    return replace(update, tokens=(*update.tokens, error))
