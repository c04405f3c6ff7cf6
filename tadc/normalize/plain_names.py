"""Names of indices as a person would choose them, and distinct along every path.

Passes rename indices to keep them apart (`k_1`); here each gets its plain name back wherever that is free around it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Set
from dataclasses import replace
from re import sub
from typing import Any

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Derived
from tadc.ir.expr import Expr, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import descend, substitute, with_operands

__all__ = ["plain_names", "told_apart"]

# Words that begin or join expressions: `if_` is a name, and printed so `if` would be none.
KEYWORDS = frozenset(["if", "then", "else", "and", "or", "not"])


def plain_names(program: Program) -> Program:
    """The program with every index, derived ones included, under its plain name, numbered where that is taken.

    An index may be called like a tensor in the language (`sum{x} x[x]`), which few targets allow.
    """
    statements = tuple(_plain(s, program.names) for s in program.statements)
    return replace(program, statements=statements)


def told_apart(e: Expr, around: Iterable[Symbol]) -> Expr:
    """The expression with names of bound indices that are distinct along every path, and none of `around`."""
    return descend(_walk(e, frozenset(around), frozenset(), {}))


def _plain(statement: Statement, names: frozenset[Symbol]) -> Statement:
    own: set[Symbol] = set()
    values: dict[Symbol, Affine] = {}
    for s, plain in _hints(statement.indices, statement.derived):
        values[s] = symbol(_free(plain, names, own))
        own.add(str(values[s]))
    body = substitute(statement.body, {s: f for s, f in values.items() if str(f) != s})
    return replace(
        statement,
        indices=tuple(str(values[s]) for s in statement.indices),
        derived=_renamed(statement.derived, values),
        body=descend(_walk(body, names, frozenset(own), {})),
    )


def _walk(
    e: Expr,
    names: frozenset[Symbol],
    own: frozenset[Symbol],
    done: dict[tuple[Expr, frozenset[Symbol]], Expr],
) -> Generator[Any, Any, Expr]:
    """`names` are those of the program, of which there may be thousands; `own` those of the indices around."""
    key = (e, own)
    if key not in done:
        if isinstance(e, Reduce):
            around = set(own)
            values: dict[Symbol, Affine] = {}
            for s, plain in _hints(e.indices, e.derived):
                values[s] = symbol(_free(plain, names, around))
                around.add(str(values[s]))
            changed = {s: f for s, f in values.items() if str(f) != s}
            body = yield _walk(substitute(e.body, changed), names, frozenset(around), done)
            indices = tuple(str(values[s]) for s in e.indices)
            derived = _renamed(e.derived, values)
            done[key] = Reduce(e.op, indices, derived, e.domain.substitute(values), body)
        else:
            operands = []
            for operand in e.operands:
                operands.append((yield _walk(operand, names, own, done)))
            done[key] = with_operands(e, tuple(operands))
    return done[key]


def _hints(
    indices: tuple[Symbol, ...], derived: tuple[Derived, ...]
) -> list[tuple[Symbol, Symbol]]:
    """The symbols with what they are to be called: derived indices are quotients, and text has no name for them."""
    return [*((i, i) for i in indices), *((d.name, "q") for d in derived)]


def _renamed(derived: tuple[Derived, ...], values: Mapping[Symbol, Affine]) -> tuple[Derived, ...]:
    return tuple(
        Derived(str(values[d.name]), d.form.substitute(values), d.modulus) for d in derived
    )


def _free(name: Symbol, names: Set[Symbol], own: Set[Symbol]) -> Symbol:
    """The name without a number at its end, or with the first number that is free."""
    plain = sub(r"(_\d*)+$", "", name) or name
    free, count = plain, 0
    while free in own or free in names or free in KEYWORDS:
        count += 1
        free = f"{plain}_{count}"
    return free
