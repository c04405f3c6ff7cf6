"""Sums of products of two tensors as products of matrices, whose rows, columns and inner dimension may be several indices each.

    s[b,h,i,j] = sum{d} q[b,i,h,d]*k[b,j,h,d]       is, for each b and h, a matrix of i and d times one of d and j
    dw[o,c] = sum{n,i,j} dy[n,o,i,j]*x[n,c,i,j]     is a sum over n of matrices of o and (i,j) times those of (i,j) and c

Indices are one dimension of a matrix where they stand side by side in both tensors that have them. Of the rest of the result's
each value is a product of its own; the products for values of the rest of the sum's are added up, in order.

Elements lie in memory row by row, so a dimension may have the numbers of two indices, and two dimensions those of one:

    dx[n,d] = sum{g,k} dp[n,g,k]*w[d,128*g+k]       is a matrix of n and (g,k) times one of (g,k) and d
    dw[d,j] = sum{n} x[n,d]*dp[n,j//128,j%128]      is a matrix of d and n times one of n and j
    y[n,j] = sum{k} x[n,64*(j//64)+k]*w[j//64,k,j%64]     is, for each j//64, a matrix of n and k times one of k and j%64
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Derived, Domain, divisions
from tadc.ir.expr import Call, Expr, Read, Reduce
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import substitute
from tadc.normalize.reductions import plain_extent

__all__ = ["FEWEST", "Contraction", "Factor", "contraction", "factor_of", "is_for_blas"]

FEWEST = 2**15  # multiplications of a product for which BLAS is faster
SHORT = 128  # the shortest side of matrices for which it is, where a kernel reads neighbours
MANY_ROWS = 64  # times the columns
NEAR = 512  # elements: those that lie further apart in memory get into each other's way in caches

Indices: TypeAlias = tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class Factor:
    """A tensor with an index for each of its dimensions."""

    tensor: str
    indices: Indices

    def has_neighbours(self, group: Indices) -> bool:
        """Whether the indices stand side by side, in this order."""
        places = [self.indices.index(i) for i in group]
        return places == list(range(places[0], places[0] + len(group)))

    def ends_with(self, group: Indices) -> bool:
        """Whether neighbours along the group are neighbours in memory."""
        return self.indices[-len(group) :] == group

    def behind(self, group: Indices) -> Indices:
        """The indices whose extents are the distance of neighbours along the group, multiplied."""
        return self.indices[self.indices.index(group[-1]) + 1 :]


@dataclass(frozen=True, slots=True)
class Contraction:
    """`result = sum left*right`: matrices of `rows` by `inner`, and of `inner` by `columns`, one for all values of `outer`, and for
    those of `added`, whose products are added up. All are tuples of indices, whose `extents` are those of the dimensions.

    Columns are neighbours in the result, and in each matrix one of its two groups is.
    """

    left: Factor
    right: Factor
    result: Factor
    rows: Indices
    columns: Indices
    inner: Indices
    outer: Indices
    added: Indices
    extents: Mapping[Symbol, Affine]

    def weight(self, sizes: Mapping[Symbol, int]) -> tuple[int, int]:
        """How large the matrices are: the multiplications of a product, then how even its sides are."""
        counts = {i: n.at(sizes) for i, n in self.extents.items()}
        sides = [prod(counts[i] for i in group) for group in (self.rows, self.columns, self.inner)]
        return prod(sides), min(sides)


def contraction(
    statement: Statement, program: Program, sizes: Mapping[Symbol, int]
) -> Contraction | None:
    """The contraction that the statement is; None if it is anything else, has elements of several types, neighbours in memory
    that are in no matrix, or small matrices. `sizes` has about how large all sizes are.
    """
    match statement.body:
        case Reduce("sum", added, (), domain, Call("mul", (Read() as a, Read() as b))):
            pass
        case _:
            return None
    of_sum = {i: n for i in added if (n := plain_extent(i, domain, frozenset(program.parameters)))}
    indices, extents, values = _digits_of_result(statement)
    extents |= of_sum
    factors = [_whole(substitute(r, values), program.tensors[r.tensor], extents) for r in (a, b)]
    if not indices or None in factors:
        return None
    left, right = (f for f in factors if f)
    result = Factor(statement.target.name, indices)
    every = {*indices, *added}
    types = {program.tensors[f.tensor].dtype for f in (left, right, result)}
    if (
        len(types) > 1
        or {*left.indices, *right.indices} != every
        or not {*added} <= {*left.indices} & {*right.indices}
        or domain != Domain.box(of_sum)
    ):
        return None
    candidates = [
        c for sides in ((left, right), (right, left)) for c in _products(*sides, result, extents)
    ]
    best = max(candidates, key=lambda c: c.weight(sizes), default=None)
    return best if best and best.weight(sizes)[0] >= FEWEST else None


def is_for_blas(c: Contraction, sizes: Mapping[Symbol, int]) -> bool:
    """Whether BLAS is faster than a kernel with lanes along the columns: where no side is short, neighbouring columns are none in the
    right matrix, which is not so small beside the rows that a copy costs nothing, neighbours along the inner dimension lie far apart in
    the left one, or a kernel's lanes had short pieces of the columns, those of one index of several. `sizes` are those of the program.
    """
    extents = {i: n.at(sizes) for i, n in c.extents.items()}
    rows, columns = (prod(extents[i] for i in group) for group in (c.rows, c.columns))
    strided = not c.right.ends_with(c.columns) and rows < MANY_ROWS * columns
    apart = prod(extents[i] for i in c.left.behind(c.inner))
    _, shortest = c.weight(sizes)
    in_pieces = len(c.columns) > 1 and extents[c.columns[-1]] < SHORT <= 2 * shortest
    return shortest >= SHORT or in_pieces or strided or apart > NEAR


def factor_of(read: Read) -> Factor | None:
    """The tensor with its indices; None where a subscript is no index, or one stands twice."""
    indices = tuple(form.as_symbol() for form in read.subscripts)
    known = tuple(i for i in indices if i is not None)
    return Factor(read.tensor, known) if len({*known}) == len(indices) else None


def _digits_of_result(s: Statement) -> tuple[Indices, dict[Symbol, Affine], dict[Symbol, Affine]]:
    """The indices of the statement, of which one whose quotient it needs is the quotient and, under its own name, the remainder;
    their extents; and what such an index was.
    """
    quotients: dict[Symbol, list[Derived]] = {}
    for d in divisions(s.derived):
        quotients.setdefault(d.form.as_symbol() or "", []).append(d)
    indices: list[Symbol] = []
    extents = dict(s.extents)
    values: dict[Symbol, Affine] = {}
    for i, extent in s.extents.items():
        match quotients.get(i):
            case [Derived(name, _, modulus)] if (
                extent.content % modulus == extent.constant % modulus == 0
            ):
                indices.append(name)
                extents |= {name: extent // modulus, i: constant(modulus)}
                values[i] = modulus * symbol(name) + symbol(i)
        indices.append(i)
    return tuple(indices), extents, values


def _whole(read: Expr, tensor: Tensor, extents: Mapping[Symbol, Affine]) -> Factor | None:
    """The tensor with indices that number all of its elements, row by row; None where they do not."""
    assert isinstance(read, Read)
    indices: list[Symbol] = []
    for form, extent in zip(read.subscripts, tensor.shape, strict=True):
        digits = _digits(form, extent, extents)
        if digits is None:
            return None
        indices += digits
    return Factor(tensor.name, tuple(indices)) if len({*indices}) == len(indices) else None


def _digits(form: Affine, extent: Affine, extents: Mapping[Symbol, Affine]) -> list[Symbol] | None:
    """The indices that count to the extent with the form as digits of a number do; None where they do not."""
    place = constant(1)
    digits: list[Symbol] = []
    for i, c in sorted(form.terms, key=lambda term: term[1]):
        if i not in extents or constant(c) != place:
            return None
        digits.insert(0, i)
        place = c * extents[i]
    return digits if digits and form.constant == 0 and place == extent else None


def _products(
    left: Factor, right: Factor, result: Factor, extents: Mapping[Symbol, Affine]
) -> Iterator[Contraction]:
    """All ways to multiply matrices."""
    of_left, of_right, of_result = ({*f.indices} for f in (left, right, result))
    rows = list(_groups(result, left, of_left & of_result - of_right))
    columns = [
        g for g in _groups(result, right, of_right & of_result - of_left) if result.ends_with(g)
    ]
    inner = list(_groups(left, right, (of_left & of_right) - of_result))
    for r, c, k in product(rows, columns, inner):
        if (left.ends_with(r) or left.ends_with(k)) and (right.ends_with(c) or right.ends_with(k)):
            outer = tuple(i for i in result.indices if i not in (*r, *c))
            added = tuple(i for i in left.indices if i not in of_result and i not in k)
            yield Contraction(left, right, result, r, c, k, outer, added, extents)


def _groups(one: Factor, other: Factor, among: set[Symbol]) -> Iterator[Indices]:
    """The runs of these indices that stand side by side in both tensors."""
    for start in range(len(one.indices)):
        for end in range(start + 1, len(one.indices) + 1):
            group = one.indices[start:end]
            if among.issuperset(group) and other.has_neighbours(group):
                yield group
