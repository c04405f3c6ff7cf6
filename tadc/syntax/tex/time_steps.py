r"""Steps in time of declared states: `x_{t+1} = x_t + h v_t` and `x^{(k+1)}_i = ..` update `x`, where a line declares `%!tadc state x[N]`.

The letter of the step is left out of the states, below or above them. Formulas are updates in the order of the text: a new value is
read where an earlier formula has computed it, and an old one before it is overwritten, or in a `%!tadc step {`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tadc.syntax.tex.calls import listed
from tadc.syntax.tex.script_tokens import comma, scripted
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.token_list import Token

__all__ = ["TimeSteps", "next_steps", "remedy"]


def next_steps(definitions: Sequence[Statement]) -> dict[str, str]:
    """The names that left sides define at a next step, `x^{t+1}`, and the letters of the steps."""
    found: dict[str, str] = {}
    for d in definitions:
        for name, _, inner in scripted(d.tokens[: d.equal], "SUP"):
            plain = _plain(inner)
            if [t.type for t in plain] == ["NAME", "PLUS", "NUM"] and plain[2].value == "1":
                found[name.value] = plain[0].value
    return found


def remedy(name: str, letter: str, dimensions: int) -> str:
    """What to write for a formula that is a step in time: lines that make it one."""
    extents = ", ".join(("N", "M", "K", "L")[:dimensions])
    shape = f"[{extents}]" if extents else ""
    return (
        f"`%!tadc state {name}{shape}` in front of all makes it a step, from the old `{name}` to the new one, with the extents of `{name}` at one step;"
        f" for several, write a line `repeat {letter}: T {{` behind `%!tadc` in front of the formulas, and one with a brace behind them"
    )


@dataclass(slots=True)
class TimeSteps:
    """The states with their numbers of dimensions, and whether all formulas see the values before a step."""

    ranks: Mapping[str, int]
    is_simultaneous: bool = False
    _updated: set[str] = field(default_factory=set)  # so far

    def __call__(self, tokens: Sequence[Token]) -> list[Token]:
        """The tokens of a display with its steps as updates; to be called in the order of the text."""
        if not self.ranks:
            return list(tokens)
        result: list[Token] = []
        for row in _rows(tokens):
            result += self._row(row)
        return result

    def _row(self, row: list[Token]) -> list[Token]:
        place = next((n for n, (t, d) in enumerate(depths(row)) if d == 0 and t.type in _SIGNS), -1)
        if place < 0:
            return row
        start = next((n for n, t in enumerate(row) if t.type == "NAME"), place)
        step = self._step(row, start)
        if step is None:
            return row
        name = row[start].value
        left = self._without_step(row[:place], step, is_left=True, own=name)
        right = self._without_step(row[place + 1 :], step, is_left=False, own=name)
        self._updated.add(name)
        return [*left, replace(row[place], type="DEF", value=r"\gets"), *right]

    def _step(self, row: Sequence[Token], start: int) -> str | None:
        """The letter of the step, if the row begins with the next value of a state."""
        if start >= len(row) or row[start].value not in self.ranks:
            return None
        for kind in ("SUP", "SUB"):
            for name, _, inner in scripted(row[: start + 40], kind):
                if name is row[start]:
                    for part in listed(_plain(inner)):
                        if [t.type for t in part] == ["NAME", "PLUS", "NUM"] and part[
                            2
                        ].value == "1":
                            return part[0].value
        return None

    def _without_step(
        self, tokens: Sequence[Token], letter: str, *, is_left: bool, own: str
    ) -> list[Token]:
        """The tokens with the states as they stand in one step."""
        found: dict[int, tuple[Token, str, Sequence[Token]]] = {}
        for kind in ("SUB", "SUP"):
            for name, place, inner in scripted(tokens, kind):
                if name.value in self.ranks:
                    found[place] = (name, kind, inner)
        result: list[Token] = []
        place = 0
        while place < len(tokens):
            if place not in found:
                result.append(tokens[place])
                place += 1
                continue
            name, kind, inner = found[place]
            end = place + 2 + len(inner)
            result += self._script(name, kind, tokens[place : end + 1], letter, is_left, own)
            place = end + 1
        return result

    def _script(
        self,
        name: Token,
        kind: str,
        script: Sequence[Token],
        letter: str,
        is_left: bool,
        own: str,
    ) -> list[Token]:
        sign, opening, *inner, closing = script
        parts = listed(_plain(inner))
        if kind == "SUP" and len(parts) > 1:
            return list(script)
        kept: list[list[Token]] = []
        for part in parts:
            moment = _moment(part, letter)
            if moment is None:
                kept.append(part)
            elif (error := self._refused(name, moment, closing, is_left, own)) is not None:
                return [error]
        if len(kept) == len(parts):
            return list(script)
        if not kept:
            return []
        joined = [t for part in kept for t in (comma(part[0]), *part)][1:]
        return [sign, opening, *joined, closing]

    def _refused(
        self, name: Token, moment: int, closing: Token, is_left: bool, own: str
    ) -> Token | None:
        """The error of a value that is not there any more, or not yet."""
        is_new = name.value in self._updated and not self.is_simultaneous
        if is_left or moment == int(is_new):
            return None
        if moment == 0:
            fact = f"the old value of `{name.value}` is read, which a formula before this one overwrites"
            fix = r"write a line `step {` behind `%!tadc` in front of these formulas, and one with a brace behind them, or change their order"
        elif moment == 1:
            fact = f"the new value of `{name.value}` is read where it is not computed yet"
            fix = "put its formula before this one"
            if name.value == own:
                fix = "write a sweep that reads its own values as .idx text: `repeat i = 0..N-1 { x[i] <- .. }`"
        else:
            fact = "a step reads the values before it, and no others"
            fix = "declare a state for each step that is read, and hand them on"
        return Token("ERROR", fact, name.start, closing.end, fix)


_SIGNS = ("EQ", "DEF")


def _plain(inner: Sequence[Token]) -> list[Token]:
    """The script without brackets around all of it."""
    kinds = [t.type for t in inner]
    in_brackets = len(kinds) > 2 and (kinds[0], kinds[-1]) == ("LPAR", "RPAR")
    return list(inner[1:-1] if in_brackets else inner)


def _moment(part: Sequence[Token], letter: str) -> int | None:
    """How many steps after the old value it is; None for another index."""
    kinds = [t.type for t in part]
    if kinds == ["NAME"] and part[0].value == letter:
        return 0
    if kinds in (["NAME", "PLUS", "NUM"], ["NAME", "MINUS", "NUM"]) and part[0].value == letter:
        number = int(part[2].value) if part[2].value.isdigit() else 2
        return number if kinds[1] == "PLUS" else -number
    return None


def _rows(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens between line breaks, commas and wide blanks outside of brackets, with the separators in front."""
    rows: list[list[Token]] = [[]]
    for token, depth in depths(tokens):
        if depth == 0 and token.type in ("BREAK", "QUAD", "COMMA", "TEXT"):
            rows.append([])
        rows[-1].append(token)
    return rows
