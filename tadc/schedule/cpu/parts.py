"""A sum as one of parts, each over some neighbours in an index, in a statement of their own.

y[j] = sum{k: N} e(j,k)      is      t[b: (N + 7)//8, j] = sum{r: 8} e(j, 8*b + r);  y[j] = sum{b} t[b,j]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Domain, at_least_zero
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import DerivedSize, Statement, Tensor
from tadc.ir.walk import substitute

__all__ = ["Blocks", "in_parts", "sum_of_parts"]


@dataclass(slots=True)
class Blocks:
    """How many blocks of neighbours extents have, as derived sizes of a program; `values` are about how large all sizes are."""

    names: Names
    values: dict[Symbol, int]
    made: dict[tuple[Affine, int], DerivedSize] = field(default_factory=dict)

    def of(self, extent: Affine, length: int) -> Affine:
        """The number of blocks of so many."""
        if length == 1:
            return extent
        if (extent, length) not in self.made:
            name = self.names.fresh("blocks")
            derived = DerivedSize(name, "floor", (extent + (length - 1),), length)
            self.made[extent, length] = derived
            self.values[name] = derived.at(self.values)
        return symbol(self.made[extent, length].name)


def in_parts(
    e: Reduce,
    i: Symbol,
    extent: Affine,
    length: int,
    blocks: Blocks,
    s: Statement,
    box: Mapping[Symbol, Affine],
) -> tuple[Statement, Reduce]:
    """The statement of the sums over `length` values of the index each, of its `extent`, and the sum of these.

    `box` has the indices of the statement `s`, in the order that the parts have them.
    """
    block = blocks.names.fresh(i)
    own = Domain.box({i: extent}).conditions
    rest = Domain.of(c for c in e.domain if c not in own)
    indices = tuple(j for j in e.indices if j != i)
    value = symbol(block)
    if length > 1:
        term = blocks.names.fresh(i)
        value = length * value + symbol(term)
        rest &= Domain.box({term: constant(length)})
        rest &= Domain.of([at_least_zero(extent - 1 - symbol(i))])
        indices = (term, *indices)
    summed = substitute(e.body, {i: value})
    if indices:
        summed = Reduce("sum", indices, (), rest.substitute({i: value}), summed)
    return sum_of_parts({block: blocks.of(extent, length), **box}, summed, s, blocks.names)


def sum_of_parts(
    box: Mapping[Symbol, Affine], summed: Expr, s: Statement, names: Names
) -> tuple[Statement, Reduce]:
    """The statement of the parts, and the sum of them over the first index of the box."""
    target = Tensor(names.fresh(f"{s.target.name}_parts"), tuple(box.values()), s.target.dtype)
    part, count = next(iter(box.items()))
    read = Read(target.name, tuple(map(symbol, box)))
    of_parts = Reduce("sum", (part,), (), Domain.box({part: count}), read)
    return Statement(target, tuple(box), (), summed), of_parts
