"""The tensors that lists are made of, and programs that have them as inputs.

A list of an index tensor is two or more tensors of indices: the positions sorted by their elements, a tensor for each
dimension, and where those of each key begin. Rows are lists of the rows of ragged sums by the elements that they hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Looked
from tadc.ir.program import Program, Tensor
from tadc.schedule.rewrite.matches import Match
from tadc.schedule.rewrite.pieces import Pieces

__all__ = ["Companion", "Facts", "Key", "Listed", "Rows", "SortedList", "factor"]

OF_DATA = 64  # a size that data decide, for schedules: each call would have another one


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a list: the elements of `tensor` from `low` to `high`, both affine in the sizes; or the places in a `dimension` of it;
    or the numbers of its `distinct` elements, one for each of the `positions`, and one more.

    Elements of `tensor` stand `apart` from the positions, so many places along each dimension, as those of another column do; which
    elements those are for which there is no place does not matter.
    """

    tensor: str
    low: Affine
    high: Affine
    dimension: int | None = None
    distinct: bool = False
    apart: tuple[int, ...] = ()

    def count_at(self, sizes: Mapping[Symbol, int], positions: int) -> int:
        """How many keys there are."""
        return positions + 1 if self.distinct else max(1, (self.high - self.low + 1).at(sizes))

    def __str__(self) -> str:
        if self.distinct:
            return f"{self.tensor} has each of its elements"
        what = self.tensor
        if self.dimension is not None:
            what = f"dimension {self.dimension} of {self.tensor}"
        elif self.apart:
            what = f"{self.tensor}, {self.apart} places further,"
        return f"{what} = {self.low}..{self.high}"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the lists of a call: it chooses a schedule, and changes no bits of sums that are in pieces.

    `short`: no list has more than PIECE positions; else long ones are cut into pieces, statements of their own. `single`: no element
    is in several rows.
    """

    short: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True)
class SortedList:
    """The positions of index tensors of one shape, sorted by their elements, those of equal keys ascending.

    `begin` has a dimension for each key, the last one longer by one: the keys' numbers from their `low`. `positions` has
    for each dimension of the tensors the place of every position in it; `count` is the size that they all have.
    """

    keys: tuple[Key, ...]
    begin: Tensor
    positions: tuple[Tensor, ...]
    counts: tuple[Symbol, ...]  # of the keys, each a size
    count: Symbol
    pieces: Pieces | None = None
    matches: tuple[Match, ...] = ()  # of a list by distinct elements

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        pieces = self.pieces.tensors if self.pieces else ()
        return (self.begin, *self.positions, *pieces, *(m.tensor for m in self.matches))

    @property
    def sizes(self) -> tuple[Symbol, ...]:
        pieces = (self.pieces.count,) if self.pieces else ()
        return (*self.counts, self.count, *pieces)

    @property
    def usual(self) -> tuple[tuple[Symbol, int], ...]:
        """The sizes that data decide, as schedules have them."""
        return ((self.pieces.count, OF_DATA),) if self.pieces else ()

    @property
    def of(self) -> tuple[str, ...]:
        """The index tensors that it is made from."""
        return tuple(key.tensor for key in self.keys if key.dimension is None)

    @property
    def is_distinct(self) -> bool:
        """Whether its key are the distinct elements of a tensor."""
        return self.keys[0].distinct


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that hold each element: row `i` is `first[i] .. last[i]`, both affine in elements of index tensors.

    `low` and `high` give these for the row `index`, of which there are `extent`; elements are 0..`elements`-1.
    Where each element is in one row at most there may be only that row of it, `row`, or -1.
    """

    index: Symbol
    extent: Affine
    low: tuple[Looked, int]
    high: tuple[Looked, int]
    elements: Affine
    begin: Tensor
    positions: tuple[Tensor, ...]
    counts: tuple[Symbol, ...]
    count: Symbol
    row: Tensor | None = None

    @property
    def is_apart(self) -> bool:
        """Whether the ends are those of consecutive rows, `ptr[i]` and `ptr[i + 1]`, which do not overlap where they ascend."""
        return self.low[0].tensor == self.high[0].tensor

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return (self.row,) if self.row else (self.begin, *self.positions)

    @property
    def sizes(self) -> tuple[Symbol, ...]:
        return () if self.row else (*self.counts, self.count)

    @property
    def usual(self) -> tuple[tuple[Symbol, int], ...]:
        """The sizes that data decide, as schedules have them."""
        return () if self.row or self.is_apart else ((self.count, OF_DATA),)

    @property
    def of(self) -> tuple[str, ...]:
        """The index tensors that it is made from."""
        return tuple(dict.fromkeys((self.low[0].tensor, self.high[0].tensor)))


@dataclass(frozen=True, slots=True)
class Companion:
    """The elements of the tensor `of`, an index tensor or the rows of elements, in the order of the list that begins at `begin`."""

    tensor: Tensor
    of: str
    begin: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A program whose last inputs are the tensors of `lists` and their companions, in order; its last sizes are those of the lists.

    `tested` has statements with sums that no list shortens, by name, and how many points are tried for each element.
    """

    program: Program
    lists: tuple[SortedList | Rows, ...]
    tested: Mapping[str, str]
    companions: tuple[Companion, ...] = ()

    @property
    def size_texts(self) -> dict[Symbol, str]:
        """What `sizes_at` has, as text in the sizes of the program."""
        found: dict[Symbol, str] = {}
        for each in self.lists:
            if isinstance(each, Rows):
                elements = factor(each.elements)
                pairs = elements if each.is_apart else f"{factor(each.extent)}*{elements}"
                found |= dict.fromkeys(each.counts, elements) | {each.count: pairs}
                continue
            positions = "*".join(map(factor, self.program.tensors[each.of[0]].shape)) or "1"
            spans = (
                f"({positions} + 1)" if key.distinct else factor(key.high - key.low + 1)
                for key in each.keys
            )
            found |= dict(zip(each.counts, spans, strict=True))
            found[each.count] = positions
        return found

    def sizes_at(self, sizes: Mapping[Symbol, int], pairs: int | None = None) -> dict[Symbol, int]:
        """The most that the sizes of lists may be for these values of all others, without long lists; as if ends of rows ascended.

        Other windows have `pairs` elements together, if that is a number.
        """
        found: dict[Symbol, int] = {}
        for each in self.lists:
            if isinstance(each, Rows):
                elements = max(1, each.elements.at(sizes))
                most = elements * max(1, each.extent.at(sizes)) if pairs is None else pairs
                count = elements if each.is_apart else max(1, most)
                found |= dict.fromkeys(each.counts, elements) | {each.count: count}
                continue
            positions = prod(n.at(sizes) for n in self.program.tensors[each.of[0]].shape)
            counts = (*(key.count_at(sizes, positions) for key in each.keys), max(1, positions))
            found |= dict(zip(each.sizes, counts, strict=True))
        return found


def factor(form: Affine) -> str:
    """The form as a factor in a product that is read."""
    return str(form) if form.is_atom else f"({form})"
