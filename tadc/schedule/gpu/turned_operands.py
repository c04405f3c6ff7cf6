"""Contractions as products of matrices, by copies in which indices of one kind lie side by side, where a library computes these and that is faster
by the model of a GPU:

r[i, j, a, b] = sum{k, c} t[i, k, a, c]*w[k, j, c, b]    is    r_left[i, a, k, c] = t[i, k, a, c];  r_right[k, c, j, b] = w[k, j, c, b];
                                                               r_product[i, a, j, b] = sum{k, c} r_left[i, a, k, c]*r_right[k, c, j, b];
                                                               r[i, j, a, b] = r_product[i, a, j, b]

Of the three tensors those are copied that have to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import inf, prod
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.expr import Call, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.normalize.in_bounds import is_never_empty
from tadc.schedule.gpu.stored_factors import Times
from tadc.schedule.nest.matrix_product import indices_of, large_product
from tadc.schedule.nest.sizes import Sizes

__all__ = ["element", "turned_ways", "with_turned_operands"]

LARGE = 2**26  # products of two elements: of fewer copies cost more than they save
WORTH = 1.1  # times as fast

_Indices: TypeAlias = tuple[Symbol, ...]


def with_turned_operands(
    program: Program, sizes: Sizes, dtype: str, room: int | None, times: Times
) -> Program:
    """The program for these values of all sizes, where `times` has a library's for its products. Copies are stored in `room` bytes, if that is
    not None.
    """
    names = Names((*program.tensors, *program.symbols))
    left = inf if room is None else room
    statements: list[Statement] = []
    for s in program.statements:
        best, least, stored = [s], 0.0, 0
        for way in turned_ways(s, program, sizes, names):
            made = way if way[-1].target == s.target else [*way, replace(s, body=element(way[-1]))]
            bytes_ = sum(t.target.bytes_at(sizes, dtype) for t in made if t.target != s.target)
            if bytes_ <= left:
                least = least or times(program, [s])[0] / WORTH
                seconds, _ = times(program, made)
                if seconds < least:
                    best, least, stored = made, seconds, bytes_
        left -= stored
        for t in best:
            if t.target != s.target:
                names.fresh(t.target.name)
        statements += best
    return replace(program, statements=tuple(statements))


def turned_ways(
    s: Statement, program: Program, sizes: Sizes, names: Names
) -> Iterator[list[Statement]]:
    """Statements of copies, and of a large product that the statement is then, or a copy of: the first that are found for each choice of what is
    copied.
    """
    match s.body:
        case Reduce("sum", summed, (), _, Call("mul", (Read() as a, Read() as b))):
            pass
        case _:
            return
    extents = {**_extents(a, program), **_extents(b, program), **s.extents}
    known = extents.keys() == {*s.indices, *summed} and is_never_empty(extents.values(), program)
    if s.derived or not known or prod(n.at(sizes) for n in extents.values()) < LARGE:
        return
    if large_product(s, program, sizes):
        return
    for turned in product((False, True), repeat=3):
        each = (
            _copied(s, orders, extents, program, names.copy())
            for orders in _orders(turned, indices_of(a), indices_of(b), s.indices)
        )
        if made := next((m for m in each if _has_product(m, program, sizes)), None):
            yield made


def _extents(read: Read, program: Program) -> dict[Symbol, Affine]:
    """Those of the dimensions in which a read has an index alone; none if it has anything else."""
    return dict(zip(indices_of(read), program.tensors[read.tensor].shape, strict=False))


def _orders(
    turned: Sequence[bool], left: _Indices, right: _Indices, target: _Indices
) -> Iterator[tuple[_Indices, ...]]:
    """Orders of the indices of both factors and of the result, of which some are `turned`: those of a kind lie side by side."""
    of_left, of_right, of_target = turned
    result = target if not of_target else left if not of_left else right
    shared = tuple(i for i in result if i in left and i in right and i in target)
    rows = tuple(i for i in (left if of_target else target) if i in left and i not in right)
    columns = tuple(i for i in (right if of_target else target) if i in right and i not in left)
    inner = tuple(i for i in (right if of_left else left) if i in left and i not in target)

    def ways(is_turned: bool, own: _Indices, one: _Indices, other: _Indices) -> list[_Indices]:
        either = [(*shared, *one, *other), (*shared, *other, *one)]
        return sorted(either, key=lambda o: o[-1:] != own[-1:]) if is_turned else [own]

    return product(
        ways(of_left, left, rows, inner),
        ways(of_right, right, inner, columns),
        ways(of_target, target, rows, columns),
    )


def _copied(
    s: Statement,
    orders: Sequence[_Indices],
    extents: Mapping[Symbol, Affine],
    program: Program,
    names: Names,
) -> list[Statement]:
    """The statements in which both factors and the result have their indices in these orders: copies, and the product."""
    assert isinstance(s.body, Reduce)
    e, (*of_factors, of_result) = s.body, orders
    before, factors = list[Statement](), list[Read]()
    for read, order, side in zip(e.body.operands, of_factors, ("left", "right"), strict=True):
        assert isinstance(read, Read)
        if order != indices_of(read):
            dtype = program.tensors[read.tensor].dtype
            name = names.fresh(f"{s.target.name}_{side}")
            before.append(
                Statement(Tensor(name, tuple(extents[i] for i in order), dtype), order, (), read)
            )
            read = element(before[-1])
        factors.append(read)
    body = Reduce(e.op, e.indices, e.derived, e.domain, Call("mul", tuple(factors)))
    if of_result == s.indices:
        return [*before, replace(s, body=body)]
    name = names.fresh(f"{s.target.name}_product")
    target = Tensor(name, tuple(extents[i] for i in of_result), s.target.dtype)
    return [*before, Statement(target, of_result, (), body)]


def element(s: Statement) -> Read:
    """What the statement stores for its indices."""
    return Read(s.target.name, tuple(map(symbol, s.indices)))


def _has_product(made: Sequence[Statement], program: Program, sizes: Sizes) -> bool:
    """Whether the last of the statements is a large product of matrices."""
    known = replace(program, statements=(*program.statements, *made[:-1]))
    return large_product(made[-1], known, sizes) is not None
