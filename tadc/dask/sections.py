"""Parts of a sum that are made of the sections in which one call adds it up: so that the bits are those of that call.

Cuts are moved from the ends of chunks to the nearest ends of sections. A task computes each section of its part by itself, and the
last one adds up all of them as the call does. Other parts are added up in an order of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from tadc import compiler
from tadc.blocks.block import Blocked
from tadc.blocks.boxes import Box, Interval
from tadc.bounded_cache import BoundedCache
from tadc.dask.tasks import Section, Slices
from tadc.ir.expr import Reduce
from tadc.ir.program import Program
from tadc.options import Options
from tadc.schedule.cpu.kernels import CpuKernel, has_few_elements
from tadc.schedule.sections import Sections, has_lanes_of, is_section_of, sections_of

__all__ = ["OneCall", "parts_of_sections", "section_at", "usual_sizes"]


_KERNELS: BoundedCache[Mapping[str, CpuKernel]] = BoundedCache(64)  # of programs at sizes


def usual_sizes(
    block: Blocked, sizes: Mapping[str, int], sections: Sections | None
) -> tuple[tuple[str, int], ...]:
    """The extents of the whole, by which schedules are chosen: so a block has the bits of the whole."""
    extents = block.whole.tensors[block.target].shape_at(sizes)
    usual = {n: extents[d] for n, d in zip(block.extents, block.dimensions, strict=False)}
    if sections is not None:
        usual[block.extents[-1]] = sections.end - sections.first
    for tensor, windows in block.windows.items():
        whole = block.whole.tensors[tensor].shape_at(sizes)
        for w, n in zip(windows, whole, strict=True):
            if w.is_own:
                usual[w.extent.symbols[0]] = n
    return tuple(usual.items())


class OneCall:
    """The kernels of a call on one machine, whose bits the blocks of a call on Dask arrays have where they add up alike.

    `program` is that of the call, and `sizes` are all of them. Nothing is lowered before somebody asks.
    """

    def __init__(
        self, program: Program, sizes: Mapping[str, int], dtype: str, options: Options
    ) -> None:
        self.program, self.sizes, self.dtype, self.options = program, sizes, dtype, options

    @cached_property
    def kernels(self) -> Mapping[str, CpuKernel]:
        return self._kernels(self.program, self.sizes)

    def sections(
        self, program: Program, target: str, through: tuple[str, ...], reader: str
    ) -> Sections | None:
        """The sections in which the call adds up the reduction of `target`, which has one block; None where it adds up otherwise, or
        no part of it can add up as it does.

        `target` is a tensor of `program`, and in the call a part of the right side of `reader`, or that itself.
        """
        if not has_few_elements(program.tensors[target].shape):
            return None
        kernel = self.kernels.get(reader)
        found = kernel and sections_of(kernel, self._values)
        body = program.definitions[target].body
        if not kernel or not found or not isinstance(body, Reduce):
            return None
        if found.index not in body.indices:
            return None
        box = tuple((0, n) for n in program.tensors[target].shape_at(self.sizes))
        dimensions = tuple(range(len(box)))
        part = compiler.section_program(program, target, dimensions, found.index, through)
        first = found.first, min(found.first + found.length, found.end)
        sizes = part.at(box, (first,), self.sizes, self.dtype).sizes
        section = replace(part.program, usual=usual_sizes(part, self.sizes, found))
        own = self._of_block(section, target, sizes)
        return found if own and is_section_of(own, kernel) else None

    def adds_up_alike(
        self, block: Program, target: str, sizes: Mapping[str, int], reader: str
    ) -> bool:
        """Whether sums of a block of `target` have the lanes of those in the call, as far as its kernels tell.

        In the call a kernel may add up several sums at once, in fewer lanes each, and BLAS may multiply matrices.
        """
        kernel, own = self.kernels.get(reader), self._of_block(block, target, sizes)
        return kernel is not None and own is not None and has_lanes_of(own, kernel)

    @property
    def _values(self) -> Mapping[str, int]:
        return self.program.size_values({s: self.sizes[s] for s in self.program.sizes})

    def _of_block(self, block: Program, target: str, sizes: Mapping[str, int]) -> CpuKernel | None:
        return self._kernels(block, sizes).get(target)

    def _kernels(self, program: Program, sizes: Mapping[str, int]) -> Mapping[str, CpuKernel]:
        dtype, options = self.dtype, self.options
        values = tuple(sizes[s] for s in program.sizes)
        return _KERNELS.of(
            (program, values, dtype, repr(options)),
            lambda: compiler.cpu_kernels(program, sizes, dtype, options),
        )


def parts_of_sections(sections: Sections, parts: Sequence[Interval]) -> list[Interval]:
    """The parts, which are all of the sum, with each cut at the nearest end of a section; none where sections are longer than parts."""
    if (parts[0][0], parts[-1][1]) != (sections.first, sections.end):
        return []
    if sections.length * len(parts) > sections.end - sections.first:
        return []
    inner = {sections.nearest(high) for _, high in parts[:-1]}
    return list(pairwise(sorted({sections.first, *inner, sections.end})))


def section_at(
    block: Blocked,
    box: Box,
    interval: Interval,
    part: Mapping[str, Box],
    sizes: Mapping[str, int],
    dtype: str,
) -> Section:
    """A section of a part: its sizes, and where its inputs stand in those of the part."""
    placed = block.at(box, (interval,), sizes, dtype)
    places = tuple(_place(placed.boxes[t], part[t]) for t in block.tensors)
    return Section({s: placed.sizes[s] for s in block.program.sizes}, places)


def _place(inner: Box, outer: Box) -> Slices:
    """The place of a box in the one around it; where nothing is read, it may be any."""
    pairs = zip(inner, outer, strict=True)
    starts = (
        (min(max(low, first), max(first, last - (high - low))) - first, high - low)
        for (low, high), (first, last) in pairs
    )
    return tuple(slice(start, start + length) for start, length in starts)
