"""Names of indices as a person would choose them, and distinct along every path.

Passes rename indices to keep them distinct (`k_1`); here each gets its plain name back wherever that is free around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from re import sub

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Derived, Determined
from tadc.ir.expr import Expr, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import Entered, rewrite_in, substitute

__all__ = ["plain_names", "with_distinct_indices"]

# Words that begin or join expressions: `if_` is a name, and printed so `if` would be none.
KEYWORDS = frozenset(["if", "then", "else", "and", "or", "not"])


def plain_names(program: Program) -> Program:
    """The program with every index, derived ones included, under its plain name, numbered where that is taken.

    An index may be called like a tensor in the language (`sum{x} x[x]`), which few targets allow.
    """
    statements = tuple(_plain(s, program.names) for s in program.statements)
    return replace(program, statements=statements)


def with_distinct_indices(e: Expr, around: Iterable[Symbol]) -> Expr:
    """The expression with names of bound indices that are distinct along every path, and none of `around`."""
    return _inner(e, frozenset(around), frozenset())


def _plain(statement: Statement, names: frozenset[Symbol]) -> Statement:
    chosen: set[Symbol] = set()
    values: dict[Symbol, Affine] = {}
    for s, plain in _hints(statement.indices, statement.derived):
        values[s] = symbol(_free(plain, names, chosen))
        chosen.add(str(values[s]))
    body = substitute(statement.body, {s: f for s, f in values.items() if str(f) != s})
    return replace(
        statement,
        indices=tuple(str(values[s]) for s in statement.indices),
        derived=_renamed(statement.derived, values),
        body=_inner(body, names, frozenset(chosen)),
    )


def _inner(e: Expr, names: frozenset[Symbol], names_around: frozenset[Symbol]) -> Expr:
    """`names` are those of the program, of which there may be thousands; `names_around` those of the indices around."""

    def enter(e: Expr, names_around: frozenset[Symbol]) -> Entered[frozenset[Symbol]]:
        if not isinstance(e, Reduce):
            return e, [names_around] * len(e.operands)
        around = set(names_around)
        values: dict[Symbol, Affine] = {}
        for s, plain in _hints(e.indices, e.derived):
            values[s] = symbol(_free(plain, names, around))
            around.add(str(values[s]))
        body = substitute(e.body, {s: f for s, f in values.items() if str(f) != s})
        indices = tuple(str(values[s]) for s in e.indices)
        domain = e.domain.substitute(values)
        return Reduce(e.op, indices, _renamed(e.derived, values), domain, body), [frozenset(around)]

    return rewrite_in(e, names_around, enter)


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
    plain = sub(r"(_\d*)+$", "", name) or name
    free, count = plain, 0
    while free in indices or free in names or free in KEYWORDS:
        count += 1
        free = f"{plain}_{count}"
    return free
