r"""Periodic boundaries: with `u_{N+1} = u_1`, or where the prose says so, a read beyond an end is one from the other end.

u_{N+1} = u_1, u_0 = u_N          such an equation defines nothing: `u_{j+1}` is `u[wrap(j + 1)]`, and `j` has N values
"periodic boundary conditions"    where no equation tells, this holds for all elements next to an index (a guess)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Application, Binary, Definition, Element, Expression, Name, Note, Number
from tadc.syntax.nodes import Node, nodes, rewritten
from tadc.syntax.tex.calls import listed
from tadc.syntax.tex.left_ranges import length
from tadc.syntax.tex.linear import Linear, linear
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["NO_PERIODS", "Periods", "periods_of", "without_periods", "wrapped_index"]

_SAYS_PERIODIC = re.compile(
    r"(?<!non-)(?<!non)(?<!no )(?<!not )(?<!without )(?<!of )\bperiodic(?:ally)?\s+(?:bound\w+|lattice|grid|chain|ring|domain|box)",
    re.IGNORECASE,
)
_SAYS_MODULO = re.compile(
    r"\b(?:ind(?:ices|exes)|subscripts)\s+(?:\w+\s+){0,3}(?:modulo|mod\b|cyclic\w*|periodic\w*)",
    re.IGNORECASE,
)
_COORDINATES = frozenset("xyzr")  # of points, which may go on beyond the end
_TIMES = ("t", "tau")  # letters of steps, which no boundary of a grid is about


@dataclass(frozen=True, slots=True)
class Periods:
    """The periods of dimensions that equations tell, and whether the prose says that all elements are periodic."""

    of: Mapping[tuple[str, int], str] = field(default_factory=dict)
    is_said: bool = False
    is_of_indices: bool = False  # whether it says so of indices

    def applied(self, definition: Definition, notes: list[Note]) -> Definition:
        """The definition with boundary forms for reads beside an index of periodic dimensions. Raises SyntaxError where an index has other values."""
        if not self.of and not self.is_said:
            return definition
        ranges = {r.name.name: r for r in definition.lefts}
        for node in nodes((definition.body,)):
            if isinstance(node, ast.Reduction):
                ranges |= {r.name.name: r for r in node.ranges}
        periods: dict[str, Name] = {}

        def rule(node: Node) -> Node:
            if not isinstance(node, Element):
                return node
            subscripts = list(node.subscripts)
            for d, s in enumerate(node.subscripts):
                index = _moved_index(s)
                period = self.of.get((node.name.name, d))
                if period is not None or not self.of:
                    _refuse_two(s, ranges)
                if index is None or index.name not in ranges:
                    continue
                if period is not None:
                    _check(ranges[index.name], period, node)
                    periods[index.name] = Name(period, node.span)
                    text = f"`{node.name.name}` is periodic, with the period `{period}`"
                elif self.is_said and not self.is_of_indices and node.name.name in _COORDINATES:
                    raise _unclear_end(node)
                elif self.of or not _begins_first(ranges[index.name]) or index.name in _TIMES:
                    continue
                else:
                    text = "elements beyond an end are those from the other end: the prose says periodic"
                if all(n.text != text for n in notes):
                    notes.append(Note(node.span, text, is_guess=period is None))
                subscripts[d] = Application(Name("wrap", s.span), (s,), s.span)
            return replace(node, subscripts=tuple(subscripts))

        body = rewritten(definition.body, rule)
        lefts = tuple(
            replace(r, extent=periods[r.name.name])
            if r.name.name in periods and r.low is None and r.extent is None
            else r
            for r in definition.lefts
        )
        return replace(definition, lefts=lefts, body=body)


NO_PERIODS = Periods()


def periods_of(statements: Sequence[Statement], prose: str) -> Periods:
    """What equations among the statements, and the prose, tell of periods."""
    found = dict(p for s in statements if (p := _period(s)) is not None)
    is_of_indices = _SAYS_MODULO.search(prose) is not None
    is_said = is_of_indices or _SAYS_PERIODIC.search(prose) is not None
    return Periods(found, is_said=is_said, is_of_indices=is_of_indices)


def without_periods(statements: Sequence[Statement]) -> list[Statement]:
    """The statements without equations that tell periods."""
    return [s for s in statements if _period(s) is None]


def wrapped_index(subscript: Expression) -> Name | None:
    """The `i` of `wrap(i + 1)`, which runs over the whole dimension."""
    match subscript:
        case Application(Name("wrap"), (Binary("+" | "-", Name() as index, Number()),)):
            return index
        case _:
            return None


def _moved_index(subscript: Expression) -> Name | None:
    match subscript:
        case Binary("+" | "-", Name() as index, Number()):
            return index
        case _:
            return None


def _refuse_two(subscript: Expression, ranges: Mapping[str, ast.Range]) -> None:
    """Raise for the `i + k` of two indices: which one goes around is not told."""
    form = linear(subscript)
    if form is None or sum(n in ranges for n, _ in form.terms) < 2:
        return
    shown = subscript.span.text
    raise SyntaxError(
        subscript.span,
        f"`{shown}` may lead beyond an end, and boundaries are periodic here",
        fix=rf"write `\operatorname{{wrap}}({shown})` for an element from the other end",
    )


def _unclear_end(node: Element) -> SyntaxError:
    shown, name = node.span.text, node.name.name
    return SyntaxError(
        node.span,
        f"boundaries are periodic here: beyond the end `{shown}` may be an element from the other end, or a point further on",
        fix=rf"write `${name}_{{N+1}} = {name}_1$` in the prose for the first, or declare one element more for the second, without the word",
    )


def _begins_first(r: ast.Range) -> bool:
    """Whether the index runs from the first element on, as far as is printed."""
    return r.low is None or (isinstance(r.low, Number) and r.low.text in ("0", "1"))


def _check(r: ast.Range, period: str, node: Element) -> None:
    """Raise where the printed range has another length than the period."""
    if r.low is None or r.high is None:
        return
    count = linear(length(r.low, r.high))
    if count != Linear(((period, 1),), 0):
        raise SyntaxError(
            node.span,
            f"`{node.name.name}` has the period `{period}`, and the index `{r.name.name}` another number of values",
            fix=rf"print a range with `{period}` values, `\quad {r.name.name} = 1, \dots, {period}`, or write `\operatorname{{wrap}}({r.name.name}+1)` where it is read",
        )


def _period(statement: Statement) -> tuple[tuple[str, int], str] | None:
    r"""The name, the dimension and the period of `u_{N+1} = u_1`, if it is such an equation."""
    if statement.kind != "definition":
        return None
    left, right = statement.tokens[: statement.equal], statement.right
    sides = [_element(side) for side in (left, right)]
    if sides[0] is None or sides[1] is None or left[0].value != right[0].value:
        return None
    pairs = list(zip(*sides, strict=False))
    moves = [(d, a.plus(b, -1)) for d, (a, b) in enumerate(pairs) if a != b]
    if len(sides[0]) != len(sides[1]) or len(moves) != 1:
        return None
    place, move = moves[0]
    if move.constant or len(move.terms) != 1 or abs(move.terms[0][1]) != 1:
        return None
    name = move.terms[0][0]
    is_beyond = any(n == name for n, _ in (*pairs[place][0].terms, *pairs[place][1].terms))
    return ((left[0].value, place), name) if is_beyond else None


def _element(tokens: Sequence[Token]) -> list[Linear] | None:
    """The subscripts of an element that is all of a side, as forms."""
    found = [inner for name, _, inner in scripted(tokens, "SUB") if name is tokens[0]]
    if len(found) != 1 or len(found[0]) + 4 != len(tokens):
        return None
    forms = [_form(part) for part in listed(found[0])]
    return None if None in forms else [f for f in forms if f is not None]


def _form(tokens: Sequence[Token]) -> Linear | None:
    form, sign = Linear((), 0), 1
    is_term = True  # whether one may begin here
    for t in tokens:
        if t.type in ("PLUS", "MINUS"):
            sign, is_term = (1 if t.type == "PLUS" else -1), True
        elif is_term and t.type == "NAME":
            form, is_term = form.plus(Linear(((t.value, 1),), 0), sign), False
        elif is_term and t.type == "NUM" and t.value.isdigit():
            form, is_term = form.plus(Linear((), int(t.value)), sign), False
        else:
            return None
    return None if is_term else form
