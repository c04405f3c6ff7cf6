"""Statements that are a matrix product, or a batch of them: `c[b,i,j] = sum{k} a[b,i,k]*b[b,k,j]`, transposed or not.

Several indices that lie side by side in all tensors that have them count as one: `y[b,t,o] = sum{d} x[b,t,d]*w[d,o]` is a product of `B*T` rows. One
factor may be the same for all of a batch, `y[n,o,p,q] = sum{c} x[n,c,p,q]*w[o,c]`, and a batch may stand between rows and columns: all that is needed
is that in each tensor rows, columns and matrices are so far apart, and that neighbours of one kind lie side by side. Where matrices are apart in two ways,
as the heads of `s[b,h,i,j] = sum{d} q[b,i,h,d]*k[b,j,h,d]`, it is several such products, one for each value of an *outer* index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal, TypeAlias

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Read, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder
from tadc.schedule.nest.loop_nest import Kernel

__all__ = [
    "MatrixProduct",
    "Operand",
    "index_orders",
    "indices_of",
    "large_product",
    "large_products",
    "left_to_blas",
    "matrix_product",
]

WORTH = 2**24  # multiplications: with fewer, calling a library costs a GPU more than it saves
LEAST = 16  # rows, columns and terms of products with joint indices: of thinner ones a library makes nothing better
MOST = 2**31 - 1  # of each number that a library is told

MOST_CALLS = 256  # of a statement
WORTH_OF_CALL = (
    2**27
)  # multiplications of each of several calls: with fewer it is over before the next one begins

Axis: TypeAlias = Literal["outer", "batch", "rows", "columns", "inner"]
_Indices: TypeAlias = tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor whose dimensions are those of `axes`, in its order; the last is no batch."""

    tensor: str
    axes: tuple[Axis, ...]


@dataclass(frozen=True, slots=True)
class MatrixProduct:
    """`rows x inner` times `inner x columns`, for each value of `batch`, if that is an axis of the result, and that for each of `outer`.

    Of each axis there are the extents of the indices that it has. The columns of the result lie side by side.
    """

    extents: tuple[tuple[Axis, tuple[Affine, ...]], ...]
    left: Operand
    right: Operand
    result: Operand

    @property
    def is_plain(self) -> bool:
        """Whether rows, columns and terms have one index each, and all three tensors the batch in front, which may have several."""
        single = all(len(n) == 1 for axis, n in self.extents if axis != "batch")
        fronts = [o.axes[0] for o in (self.left, self.right, self.result)]
        axes = dict(self.extents)
        return single and "outer" not in axes and ("batch" not in axes or fronts == ["batch"] * 3)

    def counts(self, sizes: Mapping[str, int]) -> dict[Axis, int]:
        """The number of values of each axis."""
        return {axis: prod(n.at(sizes) for n in extents) for axis, extents in self.extents}

    def calls(self, sizes: Mapping[str, int]) -> int:
        """How often a library is called: for each value of `outer`."""
        return self.counts(sizes).get("outer", 1)


def large_product(
    statement: Statement, program: Program, sizes: Mapping[str, int]
) -> MatrixProduct | None:
    """The product that the statement is, if it is large for these values of all sizes: that of the fewest calls."""
    large = (p for p in _products(statement, program) if _is_large(p, sizes))
    return min(large, key=lambda p: p.calls(sizes), default=None)


def _is_large(product: MatrixProduct, sizes: Mapping[str, int]) -> bool:
    counts = product.counts(sizes)
    calls = product.calls(sizes)
    if calls > 1 and (calls > MOST_CALLS or prod(counts.values()) < WORTH_OF_CALL * calls):
        return False
    if prod(counts.values()) < WORTH or product.is_plain:
        return prod(counts.values()) >= WORTH
    operands = (product.left, product.right, product.result)
    largest = max(prod(counts[axis] for axis in o.axes) for o in operands)
    thinnest = min(n for axis, n in counts.items() if axis not in {"outer", "batch"})
    return largest <= MOST and thinnest >= LEAST


def large_products(program: Program, sizes: Mapping[str, int]) -> frozenset[str]:
    """The tensors that are large products for these sizes, and nothing else."""
    values = program.size_values({s: sizes[s] for s in program.sizes})
    each = (s for s in program.statements if large_product(s, program, values))
    return frozenset(s.target.name for s in each)


def left_to_blas(
    kernel: Kernel, program: Program, sizes: Mapping[str, int]
) -> MatrixProduct | None:
    """The large product that is all that the kernel computes; `program` has the types of its tensors."""
    statement, *others = kernel.statements
    return None if others else large_product(statement, program, sizes)


def matrix_product(statement: Statement, program: Program) -> MatrixProduct | None:
    """The product that the statement is; None if it is anything else, or its elements have several types."""
    return next(_products(statement, program), None)


def _products(statement: Statement, program: Program) -> Iterator[MatrixProduct]:
    """The products that the statement is: another of its indices may be the batch."""
    if len(statement.indices) < 2 or statement.derived:
        return
    match statement.body:
        case Reduce("sum", summed, (), domain, Call("mul", (Read() as a, Read() as b))):
            pass
        case _:
            return
    tensors = program.tensors
    if len({statement.target.dtype, *(tensors[r.tensor].dtype for r in (a, b))}) > 1:
        return
    found = indices_of(a), indices_of(b)
    extents = dict(statement.extents)
    for read, indices in zip((a, b), found, strict=True):
        for i, n in zip(indices, tensors[read.tensor].shape, strict=False):
            if extents.setdefault(i, n) != n:
                return
    if extents.keys() != {*statement.indices, *summed}:
        return
    if set(domain) != set(Domain.box({i: extents[i] for i in summed})):
        return
    of_a, of_b = found
    if not set(summed) <= set(of_a) & set(of_b):
        return
    for (left, of_left), (right, of_right) in (((a, of_a), (b, of_b)), ((b, of_b), (a, of_a))):
        for axes in _groups(statement.indices, of_left, of_right, summed):
            orders = [_order(i, axes) for i in (of_left, of_right, statement.indices)]
            if all(orders) and orders[2][-1] == "columns":
                operands = [Operand(name, order) for name, order in zip((left.tensor, right.tensor, statement.target.name), orders, strict=True)]  # fmt: skip
                sizes = tuple((axis, tuple(extents[i] for i in each)) for axis, each in axes.items())  # fmt: skip
                yield MatrixProduct(sizes, *operands)


def indices_of(read: Read) -> _Indices:
    """The indices that a read has, each alone and once; none if it has anything else."""
    symbols = [form.as_symbol() for form in read.subscripts]
    found = tuple(s for s in symbols if s)
    return found if len({*found}) == len(symbols) else ()


def _groups(
    target: _Indices, left: _Indices, right: _Indices, summed: _Indices
) -> Iterator[dict[Axis, _Indices]]:
    """The indices of each axis, in the ways that there may be."""
    shared = tuple(i for i in target if i in left and i in right)
    rows = tuple(i for i in target if i in left and i not in right)
    columns = tuple(i for i in target if i in right and i not in left)
    inner = tuple(i for i in left if i in summed)
    batches: list[tuple[_Indices, _Indices]] = [(shared, ())]
    if not shared:  # a factor may be the same for all of a batch
        batches += [((i,), ()) for i in target]
        batches += [(tuple(target[:n]), ()) for n in range(2, len(target))]
    elif len(shared) > 1:
        batches += [(_without(shared, (i,)), (i,)) for i in shared]
    for batch, outer in batches:
        axes: dict[Axis, _Indices] = {"outer": outer, "batch": batch, "rows": _without(rows, batch), "columns": _without(columns, batch), "inner": inner}  # fmt: skip
        if axes["rows"] and axes["columns"]:
            yield {axis: each for axis, each in axes.items() if each}


def _without(indices: _Indices, others: _Indices) -> _Indices:
    return tuple(i for i in indices if i not in others)


def _order(indices: _Indices, axes: Mapping[Axis, _Indices]) -> tuple[Axis, ...]:
    """The axes that the indices are one after the other; none where some lie between others, or no matrix has neighbours side by side."""
    order: list[Axis] = []
    rest: Sequence[Symbol] = indices
    while rest:
        found = next((a for a, each in axes.items() if tuple(rest[: len(each)]) == each), None)
        if found is None:
            return ()
        order.append(found)
        rest = rest[len(axes[found]) :]
    return tuple(order) if order and order[-1] not in {"outer", "batch"} and len(order) >= 2 else ()


def index_orders(e: Reduce, box: Iterable[Symbol]) -> Iterator[tuple[Symbol, ...]]:
    """Orders of a product's indices: that in which they stand, and those in which one factor has them and then the other."""
    every = tuple(box)
    yield every
    reads = [r for r in postorder((e.body,)) if isinstance(r, Read)]
    for each in (reads, reads[::-1]):
        read = (i for r in each for form in r.subscripts for i in form.symbols)
        found = tuple(dict.fromkeys(i for i in read if i in every))
        if len(found) == len(every):
            yield found
