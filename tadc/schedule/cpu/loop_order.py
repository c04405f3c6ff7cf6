"""The order of the loops around a kernel's points: what several of them read is still in a cache when the next one does.

    v[w,i,j] = sum{c} a[c,i,j]*b[c,i,j+w]      for all i, then for all w: rows of `a` and `b` come from memory once

The loop over blocks of lanes is one of them: for a few neighbours of a long row, all that is computed from these comes first.

    y[o,p] = sum{c, r} x[c,p+r]*w[o,c,r]       for blocks of p, then for all o
    y[j,i] = x[i,j]                            for blocks of i, then for all j

An order is judged by the bytes that come from outside of the second cache. What a loop's values have in common stays there if all that
one of them reads fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from math import prod

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Derived
from tadc.ir.expr import Read
from tadc.ir.program import Program
from tadc.schedule.choices import Choices
from tadc.schedule.cpu.kernels import CpuKernel
from tadc.schedule.cpu.machine import ITEM_BYTES, LANE_BYTES, Processor
from tadc.schedule.nest.loop_nest import Kernel, LetIndex, Store, has_loops, reads_of, steps_of
from tadc.schedule.nest.runs import trips
from tadc.schedule.nest.surroundings import Surroundings

__all__ = ["with_loops_in_order"]

MOST_LOOPS = 4
LESS = 0.7  # times the bytes of the order that results have in memory: another is worth it
LINE_BYTES = 64
PAGE_BYTES = 2**12
# Bytes: lines in many pages share few sets of a cache, and each page has to be found.
PAGE_COST = 2**11


def with_loops_in_order(
    k: CpuKernel,
    nest: Kernel,
    program: Program,
    dtype: str,
    usual: Mapping[Symbol, int],
    machine: Processor,
    choices: Choices,
) -> CpuKernel:
    """The kernel, made of this loop nest, with the order of its loops that moves least from and to the outside of the second cache."""
    free = not (k.rows or k.in_order or k.cooperative or nest.is_atomic)
    if not free or not 0 < len(k.outer) <= MOST_LOOPS:
        return k
    traffic = _Traffic.of(k, nest, program, dtype, usual, machine)
    innermost = _Blocks(len(k.outer), k.block)

    def of_order(order: Sequence[tuple[Symbol, Affine]]) -> float:
        moved = traffic.bytes_of([i for i, _ in order], innermost)
        return moved / (1.0 if order == k.outer else LESS)

    outer = choices.best(f"loops of {nest.writes[0]}", permutations(k.outer), of_order) or k.outer
    among = [innermost]
    if k.strip:
        places = product(range(len(outer)), _sides(prod(traffic.row.values())))
        among += (_Blocks(*place) for place in places)

    def of_blocks(blocks: _Blocks) -> float:
        moved = traffic.bytes_of([i for i, _ in outer], blocks)
        return moved / (1.0 if blocks == innermost else LESS)

    blocks = choices.best(f"blocks of {nest.writes[0]}", among, of_blocks) or innermost
    return replace(k, outer=outer, around_blocks=blocks.around, block=blocks.side)


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Where the loop over blocks stands, inside of so many others, and how many values a block has."""

    around: int
    side: int


def _sides(row: int) -> Iterator[int]:
    """What a block of a row may have: whole strips of any type, so that they lie alike on every processor."""
    side = 2 * LANE_BYTES // ITEM_BYTES
    while side < row:
        yield side
        side *= 2


@dataclass(frozen=True, slots=True)
class _Traffic:
    """The reads and stores of a kernel, each with the extents of its tensor in memory; how often the loops around its points run, and of how
    many values of each index a point, or a tile, is made.
    """

    accesses: Mapping[Read, tuple[int, ...]]
    item_bytes: Mapping[str, int]
    inside: Mapping[Symbol, int]
    passes: Mapping[Symbol, int]
    quotients: Mapping[Symbol, tuple[Affine, int]]
    row: Mapping[Symbol, int]  # the strip's index, with all its values
    cache_bytes: int
    of_page: int  # bytes that a row in a page of its own counts for at least

    @classmethod
    def of(
        cls,
        k: CpuKernel,
        nest: Kernel,
        program: Program,
        dtype: str,
        usual: Mapping[Symbol, int],
        machine: Processor,
    ) -> _Traffic:
        surroundings = Surroundings.of(nest, program, usual)
        sizes = surroundings.typical
        tensors = program.tensors
        # Beside loops the time of a store is short.
        loops = has_loops(nest.body)
        stores = [
            Read(s.tensor, s.subscripts)
            for s in steps_of(nest.body)
            if isinstance(s, Store) and not loops
        ]
        accesses = {
            e: tuple(max(1, n.at(sizes)) for n in tensors[e.tensor].shape)
            for e in (*reads_of(nest.body), *stores)
            if e.subscripts and e.tensor in tensors
        }
        counts = {side.index: len(side.names) for side in k.sides}
        extents = {i: max(1, n.at(sizes)) for i, n in zip(nest.indices, nest.extents, strict=True)}
        passes = {i: -(-extents[i] // counts.get(i, 1)) for i, _ in k.outer}
        inside = {**trips(nest.body, surroundings.middle), **counts}
        of_strip = [i for i in extents if i not in passes]  # its phases have another name
        row = {i: extents[i] for i in of_strip}
        quotients = {
            s.derived.name: (s.derived.form, s.derived.modulus)
            for s in steps_of(nest.body)
            if isinstance(s, LetIndex) and isinstance(s.derived, Derived)
        }
        item_bytes = {e.tensor: program.item_bytes(e.tensor, dtype) for e in accesses}
        of_page = LINE_BYTES if loops else PAGE_COST
        return cls(
            accesses, item_bytes, inside, passes, quotients, row, machine.cache_bytes, of_page
        )

    def bytes_of(self, order: Sequence[Symbol], blocks: _Blocks) -> float:
        """The bytes that are moved from or to the outside of the cache where loops are in this order, the outermost first."""
        values = {**self.inside, **{i: min(n, blocks.side) for i, n in self.row.items()}}
        moved = {e: self._footprint(e, values) for e in self.accesses}
        for index, runs in self._loops(order, blocks):
            fits = sum(self._footprint(e, values) for e in self.accesses) <= self.cache_bytes
            values[index] = self.row.get(index, runs * values.get(index, 1))
            moved = {
                e: self._footprint(e, values) if fits else runs * before
                for e, before in moved.items()
            }
        return sum(moved.values())

    def _loops(self, order: Sequence[Symbol], blocks: _Blocks) -> Iterator[tuple[Symbol, int]]:
        """The loops around a point, the innermost first: of blocks, and those of the order."""
        of_blocks = [(i, -(-n // blocks.side)) for i, n in self.row.items()]
        of_order = [(i, self.passes[i]) for i in order]
        yield from reversed([*of_order[: blocks.around], *of_blocks, *of_order[blocks.around :]])

    def _footprint(self, e: Read, values: Mapping[Symbol, int]) -> float:
        """The bytes of the lines that are touched, for so many values of each index."""
        item, extents = self.item_bytes[e.tensor], self.accesses[e]
        *outer, run = (
            min(n, self._span(f, values)) for f, n in zip(e.subscripts, extents, strict=True)
        )
        apart = (item * prod(extents[d + 1 :]) for d, n in enumerate(outer) if n > 1)
        is_far = any(step >= PAGE_BYTES for step in apart)
        return prod(outer) * max(self.of_page if is_far else LINE_BYTES, item * run)

    def _span(self, form: Affine, values: Mapping[Symbol, int]) -> float:
        """From the least to the greatest value of the form, with both."""
        span = 1.0
        for s, c in form.terms:
            if s in self.quotients:
                inner, modulus = self.quotients[s]
                span += abs(c) * (self._span(inner, values) - 1) / modulus
            else:
                span += abs(c) * (values.get(s, 1) - 1)
        return span
