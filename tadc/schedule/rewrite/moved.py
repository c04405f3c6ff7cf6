"""Expensive values that depend on a combination of indices alone are computed once for each value of that.

y[i] = sum{j} sin(x[i + j])*w[j]      is      t[n] = sin(x[n]);  y[i] = sum{j} t[i + j]*w[j]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.bounds import bounded
from tadc.ir.canonical import free_indices
from tadc.ir.domain import Domain, between
from tadc.ir.expr import Call, Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.walk import postorder, substitute
from tadc.schedule.rewrite.rows import is_expensive
from tadc.schedule.rewrite.separate import Around, Separation, separated

__all__ = ["moved_values"]

FEW_TERMS = 6


def moved_values(program: Program, names: Names) -> Program:
    """The program with such values as statements."""
    return separated(program, names, _moved)


def _moved(separation: Separation, e: Expr, around: Around) -> Expr:
    match e:
        case Reduce("sum", [_, _, *_], ()):
            return _moved_part(separation, e, around)
        case _ if len(e.symbols - separation.sizes) < 2:
            return e
        case Reduce("sum", _, ()):
            pass
        case Reduce():
            return e
        case Call("div"):
            pass
        case _ if not is_expensive(e):
            return e
    return _at_combination(separation, e, around) or e


def _moved_part(separation: Separation, e: Reduce, around: Around) -> Expr:
    """The sum with the sum over one of its indices moved, whose range says nothing of the others."""
    for index in e.indices:
        own = Domain.of(c for c in e.domain if index in c.form.symbols)
        others = tuple(i for i in e.indices if i != index)
        if not set(others).isdisjoint(own.symbols) or _saves_little(e, index):
            continue
        inner = Reduce("sum", (index,), (), own, e.body)
        read = _at_combination(separation, inner, replace(around, known=around.known & e.domain))
        if read is not None:
            rest = Domain.of(c for c in e.domain if index not in c.form.symbols)
            return Reduce("sum", others, (), rest, read)
    return e


def _saves_little(e: Reduce, index: Symbol) -> bool:
    """Whether few terms are fewer with the sum over the index moved, and none is expensive: its value is stored, and read again."""
    trips = {b.range.index: b.range.trips for b in bounded(e).each}
    of_index = trips.pop(index, None)
    numbers = [n for n in trips.values() if n is not None]
    if of_index is None or len(numbers) < len(trips) or any(map(is_expensive, postorder(e.body))):
        return False
    return (of_index - 1) * (prod(numbers) - 1) < FEW_TERMS


def _at_combination(separation: Separation, e: Expr, around: Around) -> Expr | None:
    """A read of the value, stored for each value of a combination of indices; None if there is no such one."""
    free = set(free_indices(e, separation.sizes))
    for form, extent in _combinations(e, separation, free):
        combined = free & set(form.symbols)
        index = next(i for i in sorted(combined) if abs(form.coefficient(i)) == 1)
        name = separation.names.fresh(index)
        c = form.coefficient(index)
        # form = n  <=>  index = index + c*(n - form)
        there = substitute(e, {index: symbol(index) + c * (symbol(name) - form)})
        inside = all(implies(around.known, c) for c in between(0, form, extent - 1))
        if inside and combined.isdisjoint(free_indices(there, separation.sizes)):
            read = separation.stored(there, {**around.extents, name: extent}, "moved")
            if read is not None:
                return substitute(read, {name: form})
    return None


def _combinations(
    e: Expr, separation: Separation, free: set[str]
) -> Iterator[tuple[Affine, Affine]]:
    """The subscripts made of several indices, each with the extent of its dimension."""
    for node in postorder(e):
        if isinstance(node, Read):
            shape = separation.tensors[node.tensor].shape
            for form, extent in zip(node.subscripts, shape, strict=True):
                combined = free & set(form.symbols)
                if len(combined) > 1 and any(abs(form.coefficient(i)) == 1 for i in combined):
                    yield form, extent
