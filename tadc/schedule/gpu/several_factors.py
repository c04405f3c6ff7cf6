"""Sums of products of three factors and more as products of two, where a library computes these and that is faster by the model of a GPU:

y[i, j] = sum{k} x[i, k]*d[k]*w[k, j]    is    y_factor[i, k] = x[i, k]*d[k];  y[i, j] = sum{k} y_factor[i, k]*w[k, j]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.expr import Call, Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder
from tadc.normalize.in_bounds import is_never_empty
from tadc.schedule.gpu.stored_factors import Times
from tadc.schedule.gpu.terms import has_data, terms_of
from tadc.schedule.nest.matrix_product import large_product
from tadc.schedule.nest.sizes import Sizes

__all__ = ["with_two_factors"]

MOST = 5  # factors
WORTH = 1.1  # times as fast


def with_two_factors(
    program: Program, sizes: Sizes, dtype: str, room: int | None, times: Times
) -> Program:
    """The program for these values of all sizes, where `times` has a library's for its products. Factors are stored in `room` bytes, if that is
    not None.
    """
    names = Names((*program.tensors, *program.symbols))
    left = room
    statements: list[Statement] = []
    for s in program.statements:
        best, least = [s], 0.0
        for made in _ways(s, program, names):
            bytes_ = sum(t.target.bytes_at(sizes, dtype) for t in made[:-1])
            tensors = replace(program, statements=(*program.statements, *made[:-1]))
            if (left is not None and bytes_ > left) or not large_product(made[-1], tensors, sizes):
                continue
            least = least or times(program, [s])[0] / WORTH
            seconds, _ = times(program, made)
            if seconds < least:
                best, least = made, seconds
        left = left and left - sum(t.target.bytes_at(sizes, dtype) for t in best[:-1])
        for t in best[:-1]:
            names.fresh(t.target.name)
        statements += best
    return replace(program, statements=tuple(statements))


def _ways(s: Statement, program: Program, names: Names) -> Iterator[list[Statement]]:
    """The statements of two factors and of their product, in the ways that there are."""
    e = s.body
    if has_data(s) or s.derived or not isinstance(e, Reduce) or e.op != "sum":
        return
    factors = _factors(e.body)
    terms = terms_of(e, {*program.parameters})
    if not 2 < len(factors) <= MOST or terms is None or terms.derived or terms.domain.conditions:
        return
    if any(low != constant(0) for low in terms.lows.values()):
        return
    box = {**s.extents, **terms.box}
    if not is_never_empty(box.values(), program):
        return
    first, *others = factors
    for count in range(len(others)):
        for some in combinations(others, count):
            rest = [f for f in others if f not in some]
            made: list[Statement] = []
            own = names.copy()
            both = [_stored(each, box, s, own, made) for each in ([first, *some], rest)]
            product = replace(
                s, body=Reduce(e.op, e.indices, (), e.domain, Call("mul", tuple(both)))
            )
            yield [*made, product]


def _factors(body: Expr) -> list[Expr]:
    """The factors of a product, none of which has a sum; none where two are alike."""
    factors: list[Expr] = []
    waiting = [body]
    while waiting:
        e = waiting.pop()
        if isinstance(e, Call) and e.function == "mul":
            waiting += reversed(e.operands)
        else:
            factors.append(e)
    nodes = postorder(tuple(factors))
    has_sums = any(isinstance(n, Reduce) for n in nodes)
    return [] if has_sums or len({*factors}) < len(factors) else factors


def _stored(
    factors: Sequence[Expr],
    box: Mapping[Symbol, Affine],
    s: Statement,
    names: Names,
    made: list[Statement],
) -> Expr:
    """What stands for a product of factors: the only one, if it is read, else an element of a tensor that is made."""
    if len(factors) == 1 and isinstance(factors[0], Read):
        return factors[0]
    value = reduce(lambda a, b: Call("mul", (a, b)), factors)
    used = {i: n for i, n in box.items() if i in value.symbols}
    target = Tensor(names.fresh(f"{s.target.name}_factor"), tuple(used.values()), s.target.dtype)
    made.append(Statement(target, tuple(used), (), value))
    return Read(target.name, tuple(map(symbol, used)))
