"""Names of indices as a person would choose them, and distinct along every path.

Passes rename indices to keep them distinct (`k_1`); here each gets its plain name back wherever that is free around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import lru_cache
from re import sub
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Derived, Determined
from tadc.ir.expr import Expr, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import Entered, postorder, rewrite_in, with_symbols

__all__ = ["plain_names", "with_distinct_indices"]

_Renamed: TypeAlias = tuple[tuple[Symbol, Symbol], ...]  # each with another name
_Scope: TypeAlias = tuple[frozenset[Symbol], _Renamed]  # the names of the indices around

# Words that begin or join expressions: `if_` is a name, and printed so `if` would be none.
KEYWORDS = frozenset(["if", "then", "else", "and", "or", "not"])


def plain_names(program: Program) -> Program:
    """The program with every index, derived ones included, under its plain name, numbered where that is taken.

    An index may be called like a tensor in the language (`sum{x} x[x]`), which few targets allow.
    """
    alike: dict[Symbol, set[Symbol]] = {}
    for name in program.names:
        alike.setdefault(_without_number(name), set()).add(name)
    statements = tuple(_plain(s, _clashing(s, alike)) for s in program.statements)
    return replace(program, statements=statements)


def _clashing(s: Statement, alike: Mapping[Symbol, Set[Symbol]]) -> frozenset[Symbol]:
    """The names that indices of the statement may not have, of all names by their plain ones."""
    hints = _hints(s.indices, s.derived)
    for e in postorder(s.body):
        if isinstance(e, Reduce):
            hints += _hints(e.indices, e.derived)
    plain = {_without_number(name) for _, name in hints}
    return frozenset(name for each in plain for name in alike.get(each, ()))


def with_distinct_indices(e: Expr, around: Iterable[Symbol]) -> Expr:
    """The expression with names of bound indices that are distinct along every path, and none of `around`."""
    return _inner(e, frozenset(around), frozenset(), ())


@lru_cache(maxsize=4096)
def _plain(statement: Statement, names: frozenset[Symbol]) -> Statement:
    chosen: dict[Symbol, Symbol] = {}
    around: set[Symbol] = set()
    for s, plain in _hints(statement.indices, statement.derived):
        chosen[s] = _free(plain, names, around)
        around.add(chosen[s])
    return replace(
        statement,
        indices=tuple(chosen[s] for s in statement.indices),
        derived=_renamed(statement.derived, {s: symbol(new) for s, new in chosen.items()}),
        body=_inner(statement.body, names, frozenset(around), _changing(chosen)),
    )


def _inner(
    e: Expr,
    names: frozenset[Symbol],
    names_around: frozenset[Symbol],
    renamed: _Renamed,
) -> Expr:
    """`names` are those of the program, of which there may be thousands; `names_around` those of the indices around, some of them
    `renamed`.
    """

    def enter(e: Expr, scope: _Scope) -> Entered[_Scope]:
        names_around, renamed = scope
        values = {s: symbol(new) for s, new in renamed}
        if isinstance(e, Reduce):
            around = set(names_around)
            bound: dict[Symbol, Symbol] = {}
            for s, plain in _hints(e.indices, e.derived):
                bound[s] = _free(plain, names, around)
                around.add(bound[s])
            values |= {s: symbol(new) for s, new in bound.items()}
            indices = tuple(bound[i] for i in e.indices)
            domain, derived = e.domain.substitute(values), _renamed(e.derived, values)
            renamed = _changing({**dict(renamed), **bound})
            names_around = frozenset(around)
            e = Reduce(e.op, indices, derived, domain, e.body)
        else:
            e = with_symbols(e, values)
        within = (tuple((s, new) for s, new in renamed if s in o.symbols) for o in e.operands)
        return e, [(names_around, each) for each in within]

    return rewrite_in(e, (names_around, renamed), enter)


def _changing(names: Mapping[Symbol, Symbol]) -> _Renamed:
    return tuple((s, new) for s, new in names.items() if s != new)


def _hints(
    indices: tuple[Symbol, ...], derived: tuple[Determined, ...]
) -> list[tuple[Symbol, Symbol]]:
    """The symbols with their plain names: derived indices are quotients, and text has no name for them."""
    return [
        *((i, i) for i in indices),
        *((d.name, "q" if isinstance(d, Derived) else d.tensor) for d in derived),
    ]


def _renamed(
    derived: tuple[Determined, ...], values: Mapping[Symbol, Affine]
) -> tuple[Determined, ...]:
    return tuple(d.substitute(values, str(values[d.name])) for d in derived)


def _free(name: Symbol, names: Set[Symbol], indices: Set[Symbol]) -> Symbol:
    """The name without a number at its end, or with the first number that is free."""
    plain = _without_number(name)
    free, count = plain, 0
    while free in indices or free in names or free in KEYWORDS:
        count += 1
        free = f"{plain}_{count}"
    return free


def _without_number(name: Symbol) -> Symbol:
    return sub(r"(_\d*)+$", "", name) or name
