"""Statements that are a matrix product, or a batch of them: `c[b,i,j] = sum{k} a[b,i,k]*b[b,k,j]`, transposed or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Domain, between
from tadc.ir.expr import Call, Read, Reduce
from tadc.ir.program import Program, Statement
from tadc.schedule.nest.loop_nest import Kernel

__all__ = ["MatrixProduct", "large_product", "left_to_blas", "matrix_product"]

WORTH = 2**24  # multiplications: with fewer, calling a library costs a GPU more than it saves


@dataclass(frozen=True, slots=True)
class MatrixProduct:
    """`rows x inner` times `inner x columns`, for each point of `batch`, which all three tensors have in front.

    `left` and `right` are tensors, each with whether its last two dimensions are the other way round.
    """

    batch: tuple[tuple[Symbol, Affine], ...]
    rows: Affine
    columns: Affine
    inner: Affine
    left: tuple[str, bool]
    right: tuple[str, bool]
    result: str


def large_product(
    statement: Statement, program: Program, sizes: Mapping[Symbol, int]
) -> MatrixProduct | None:
    """The product that the statement is, if it is large for these values of all sizes."""
    product = matrix_product(statement, program)
    if product is None:
        return None
    extents = (product.rows, product.columns, product.inner, *(n for _, n in product.batch))
    return product if prod(n.at(sizes) for n in extents) >= WORTH else None


def left_to_blas(
    kernel: Kernel, program: Program, sizes: Mapping[Symbol, int]
) -> MatrixProduct | None:
    """The large product that is all that the kernel computes; `program` has the types of its tensors."""
    statement, *others = kernel.statements
    return None if others else large_product(statement, program, sizes)


def matrix_product(statement: Statement, program: Program) -> MatrixProduct | None:
    """The product that the statement is; None if it is anything else, or its elements have several types."""
    if len(statement.indices) < 2 or statement.derived:
        return None
    *batch, i, j = statement.indices
    match statement.body:
        case Reduce("sum", (k,), (), domain, Call("mul", (Read() as a, Read() as b))):
            pass
        case _:
            return None
    tensors = program.tensors
    *leading, rows, columns = statement.target.shape
    front = tuple(map(symbol, batch))

    def side(read: Read, outer: Symbol, extent: Affine) -> tuple[bool, Affine] | None:
        """Whether the read's last two dimensions are `k, outer`, and the extent of `k`; None if neither way."""
        shape = tensors[read.tensor].shape
        for flipped, pair in ((False, (outer, k)), (True, (k, outer))):
            if read.subscripts == (*front, *map(symbol, pair)):
                inner = shape[-2] if flipped else shape[-1]
                whole = (*leading, inner, extent) if flipped else (*leading, extent, inner)
                return (flipped, inner) if shape == whole else None
        return None

    for left, right in ((a, b), (b, a)):
        one, other = side(left, i, rows), side(right, j, columns)
        if (
            one
            and other
            and one[1] == other[1]
            and domain == Domain.of(between(0, symbol(k), one[1] - 1))
        ):
            types = {tensors[t].dtype for t in (left.tensor, right.tensor)} | {
                statement.target.dtype
            }
            if len(types) > 1:
                return None
            pairs = tuple(zip(batch, leading, strict=True))
            return MatrixProduct(
                pairs,
                rows,
                columns,
                one[1],
                (left.tensor, one[0]),
                (right.tensor, not other[0]),
                statement.target.name,
            )
    return None
