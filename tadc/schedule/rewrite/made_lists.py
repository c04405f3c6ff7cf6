"""The lists of a program as they are asked for: of equal keys there is one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Looked
from tadc.ir.element_types import INDEX
from tadc.ir.names import Names
from tadc.ir.program import Program, Tensor
from tadc.schedule.rewrite.list_tensors import Facts, Key, Rows, SortedList
from tadc.schedule.rewrite.matches import Match, Wanted
from tadc.schedule.rewrite.pieces import ListLoop, Pieces

__all__ = ["MadeLists"]


@dataclass(slots=True)
class MadeLists:
    """`made` has the lists by their keys; `tested` the statements with sums that no list shortens, with the points that they try."""

    program: Program
    names: Names
    facts: Facts | None
    made: dict[object, SortedList | Rows] = field(default_factory=dict)
    tested: dict[str, str] = field(default_factory=dict)

    def sorted_by(self, keys: tuple[Key, ...], rank: int) -> SortedList:
        def new() -> SortedList:
            name = "_".join(key.tensor for key in keys if key.dimension is None)
            counts = tuple(self.names.fresh(f"{key.tensor}_keys") for key in keys)
            count = self.names.fresh(f"{name}_positions")
            shape = [symbol(n) for n in counts]
            shape[-1] = shape[-1] + 1
            begin = Tensor(self.names.fresh(f"{name}_ptr"), tuple(shape), INDEX)
            return SortedList(keys, begin, self._positions(name, rank, count), counts, count)

        return self._kept(keys, new)

    def rows(
        self,
        index: Symbol,
        extent: Affine,
        low: tuple[Looked, int],
        high: tuple[Looked, int],
        elements: Affine,
    ) -> Rows:
        def new() -> Rows:
            name = f"{low[0].tensor}_rows"
            keys, count = self.names.fresh(f"{name}_keys"), self.names.fresh(f"{name}_positions")
            begin = Tensor(self.names.fresh(f"{name}_ptr"), (symbol(keys) + 1,), INDEX)
            positions = self._positions(name, 1, count)
            row = Tensor(self.names.fresh(f"{low[0].tensor}_row"), (elements,), INDEX)
            single = row if self.facts is not None and self.facts.single else None
            return Rows(
                index, extent, low, high, elements, begin, positions, (keys,), count, single
            )

        def plain(end: tuple[Looked, int]) -> object:
            d, more = end
            return d.substitute({index: symbol("'row")}, ""), more

        return self._kept((extent, plain(low), plain(high), elements), new)

    def _positions(self, name: str, rank: int, count: Symbol) -> tuple[Tensor, ...]:
        return tuple(
            Tensor(self.names.fresh(f"{name}_perm"), (symbol(count),), INDEX) for _ in range(rank)
        )

    def _kept(self, key: object, new):  # type: ignore[no-untyped-def]
        if key not in self.made:
            self.made[key] = new()
        return self.made[key]

    def matched_by(self, tensor: str, rank: int, wanted: Wanted) -> tuple[SortedList, Tensor]:
        """The list by the distinct elements of a tensor, and the keys of elements of another one in it."""
        key = Key(tensor, constant(0), constant(0), distinct=True)
        made = self.sorted_by((key,), rank)
        of, form = wanted.data.tensor, wanted.of_element
        for m in made.matches:
            if (m.of, m.form, m.divisor) == (of, form, wanted.divisor):
                return made, m.tensor
        shape = self.program.tensors[of].shape
        match = Tensor(self.names.fresh(f"{of}_in_{tensor}"), shape, INDEX)
        matches = (*made.matches, Match(match, of, form, wanted.divisor))
        self.made[(key,)] = made = replace(made, matches=matches)
        return made, match

    def pieces_of(self, loop: ListLoop) -> Pieces:
        """The pieces of the list of a loop."""
        key, made = next(
            (k, m)
            for k, m in self.made.items()
            if isinstance(m, SortedList) and m.begin == loop.begin
        )
        if made.pieces is None:
            made = replace(made, pieces=Pieces.of(made.begin, len(made.keys), self.names))
            self.made[key] = made
        assert made.pieces is not None
        return made.pieces
