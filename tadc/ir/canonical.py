"""Expressions that are equal but for the names of indices: their free indices in order, and a form that no names are in."""

from __future__ import annotations

from collections.abc import Sequence, Set

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Expr, IndexValue, Read, Reduce, Select
from tadc.ir.walk import Entered, postorder, rewrite_in, substitute

__all__ = ["bound_names", "canonical", "free_indices"]


def free_indices(e: Expr, sizes: Set[Symbol]) -> list[Symbol]:
    """The indices that the expression depends on, in the order in which they are met."""
    free = e.symbols - sizes
    met: dict[Symbol, None] = {}
    for node in postorder(e):
        match node:
            case Read(_, subscripts):
                met |= dict.fromkeys(s for form in subscripts for s in form.symbols)
            case IndexValue(form):
                met |= dict.fromkeys(form.symbols)
            case Select(Domain() as domain) | Reduce(domain=domain):
                met |= dict.fromkeys(domain.symbols)
            case _:
                pass
    return [s for s in met if s in free]


def canonical(e: Expr, free: Sequence[Symbol]) -> Expr:
    """The expression with its free indices called by their numbers, and its bound ones by where they are bound."""
    called = substitute(e, {s: symbol(f"'{n}") for n, s in enumerate(free)})
    return rewrite_in(called, 0, _with_bound_names)


def _with_bound_names(e: Expr, depth: int) -> Entered[int]:
    """The expression with the indices that it binds called by where that is, so many reductions deep."""
    if not isinstance(e, Reduce):
        return e, [depth] * len(e.operands)
    names = {i: f"'{depth}.{n}" for n, i in enumerate(bound_names(e))}
    values = {i: symbol(name) for i, name in names.items()}
    derived = tuple(d.substitute(values, names[d.name]) for d in e.derived)
    indices = tuple(names[i] for i in e.indices)
    domain, body = e.domain.substitute(values), substitute(e.body, values)
    return Reduce(e.op, indices, derived, domain, body), [depth + 1]


def bound_names(e: Reduce) -> tuple[Symbol, ...]:
    """The indices of a reduction, and the derived ones."""
    return (*e.indices, *(d.name for d in e.derived))
