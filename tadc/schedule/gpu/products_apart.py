"""Products of matrices inside of other values as tensors, where a library computes them and that is faster by the model of a GPU:

y[i, j] = tanh(sum{k} x[i, k]*w[k, j] + b[j])    is    y_sum[i, j] = sum{k} x[i, k]*w[k, j];  y[i, j] = tanh(y_sum[i, j] + b[j])
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

from tadc.ir.affine import symbol
from tadc.ir.domain import EVERYWHERE
from tadc.ir.expr import Expr, Read
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import replaced
from tadc.schedule.gpu.stored_factors import Times
from tadc.schedule.gpu.terms import guards, has_data
from tadc.schedule.nest.matrix_product import large_product
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
        for product in _products(s, program, sizes, names):
            bytes_ = product.target.bytes_at(sizes, dtype)
            if bytes_ <= free:
                free -= bytes_
                made.append(product)
                reads[product.body] = Read(product.target.name, tuple(map(symbol, s.indices)))
        reading = replace(s, body=replaced(s.body, reads))
        if made and times(program, [s])[0] >= WORTH * times(program, [*made, reading])[0]:
            left = free
            statements += [*made, reading]
        else:
            statements.append(s)
    return replace(program, statements=tuple(statements))


def _products(s: Statement, program: Program, sizes: Sizes, names: Names) -> Iterator[Statement]:
    """Statements of the large products that each element of a statement needs, and is more than."""
    if has_data(s) or s.derived:
        return
    for e, where in guards(s.body).items():
        alone = replace(s, body=e)
        if where == EVERYWHERE and e is not s.body and large_product(alone, program, sizes):
            name = names.fresh(f"{s.target.name}_sum")
            yield replace(alone, target=replace(s.target, name=name))
