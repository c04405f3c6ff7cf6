"""Products of matrices inside of other values as tensors, where a library computes them and that is faster by the model of a GPU:

y[i, j] = tanh(sum{k} x[i, k]*w[k, j] + b[j])    is    y_sum[i, j] = sum{k} x[i, k]*w[k, j];  y[i, j] = tanh(y_sum[i, j] + b[j])

So are those of all terms of a sum: a[i, r] = sum{j} b[j, r]*sum{k} x[i, j, k]*c[k, r] reads a_sum[i, j, r] = sum{k} x[i, j, k]*c[k, r].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, prod

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.domain import EVERYWHERE
from tadc.ir.expr import Expr, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import replaced
from tadc.normalize.in_bounds import is_never_empty
from tadc.schedule.gpu.stored_factors import Times
from tadc.schedule.gpu.terms import guards, has_data, terms_of
from tadc.schedule.gpu.turned_operands import element, turned_ways
from tadc.schedule.nest.matrix_product import index_orders, large_product
from tadc.schedule.nest.sizes import Sizes

__all__ = ["with_products_apart"]

WORTH = 1.1  # times as fast


def with_products_apart(
    program: Program, sizes: Sizes, dtype: str, room: int | None, times: Times
) -> Program:
    """The program for these values of all sizes, where `times` has a library's for its products. These are stored in `room` bytes, if that
    is not None.
    """
    names = Names((*program.tensors, *program.symbols))
    left = inf if room is None else room
    statements: list[Statement] = []
    for s in program.statements:
        made: list[Statement] = []
        reads: dict[Expr, Expr] = {}
        free = left
        for e, statements_of in _products(s, program, sizes, names):
            bytes_ = sum(t.target.bytes_at(sizes, dtype) for t in statements_of)
            if bytes_ <= free:
                free -= bytes_
                made += statements_of
                reads[e] = element(statements_of[-1])
        reading = replace(s, body=replaced(s.body, reads))
        if made and times(program, [s])[0] >= WORTH * times(program, [*made, reading])[0]:
            left = free
            statements += [*made, reading]
        else:
            statements.append(s)
    return replace(program, statements=tuple(statements))


def _products(
    s: Statement, program: Program, sizes: Sizes, names: Names
) -> Iterator[tuple[Reduce, list[Statement]]]:
    """The large products that each element of a statement needs, or each term of its sums, and is more than; each with the statements that
    compute it: copies of its factors may come first.
    """
    if has_data(s) or s.derived:
        return
    for e, box in _sums(s, program):
        name = names.copy().fresh(f"{s.target.name}_sum")
        each = [_stored(e, {i: box[i] for i in order}, s, name) for order in index_orders(e, box)]
        made = next(([p] for p in each if large_product(p, program, sizes)), None)
        if made is None:
            ways = (w for p in each for w in turned_ways(p, program, sizes, names))
            made = min(ways, key=lambda way: _copied(way, sizes), default=None)
        if made:
            for t in made:
                names.fresh(t.target.name)
            yield e, made


def _copied(statements: Sequence[Statement], sizes: Sizes) -> int:
    """The elements of all tensors but the last one."""
    return sum(prod(s.target.shape_at(sizes)) for s in statements[:-1])


def _sums(s: Statement, program: Program) -> Iterator[tuple[Reduce, Mapping[Symbol, Affine]]]:
    """Sums that are not all of a statement, with the extents of the indices that they depend on."""
    for e, where in guards(s.body).items():
        if where != EVERYWHERE:
            continue
        if e is not s.body:
            yield e, s.extents
        terms = terms_of(e, {*program.parameters})
        if terms is None or terms.derived or terms.domain.conditions or any(n != constant(0) for n in terms.lows.values()):  # fmt: skip
            continue
        box = {**s.extents, **terms.box}
        for inner, needed in guards(e.body).items():
            used = {i: n for i, n in box.items() if i in inner.symbols}
            if needed == EVERYWHERE and is_never_empty(used.values(), program):
                yield inner, used


def _stored(e: Reduce, box: Mapping[Symbol, Affine], s: Statement, name: str) -> Statement:
    """The statement of a sum for all values of the indices of a box."""
    target = Tensor(name, tuple(box.values()), s.target.dtype)
    return replace(s, target=target, indices=tuple(box), body=e)
