"""Sections of a long sum: what threads of a CPU share of it, so that those who compute it in parts can get the bits of one call.

    s = sum{k: N} e(k)    is    p[t] = sum of e(k) over the t-th of at most 64 sections of equal length;  s = p[0] + p[1] + ..

in a tree of pairs. A part of the sum has its bits if it is made of whole sections, each computed by itself, as `Program.is_section`
says, and all of them are added up in that tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tadc.ir.affine import Symbol
from tadc.ir.expr import Read
from tadc.schedule.cpu.kernels import CpuKernel
from tadc.schedule.nest.loop_nest import (
    Accumulator,
    Chunks,
    Lanes,
    LaneSums,
    Step,
    Store,
    Strips,
    bodies,
    steps_of,
)
from tadc.schedule.nest.sizes import Sizes

__all__ = ["Sections", "has_lanes_of", "is_section_of", "sections_of"]


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections of the reduction's index `index` from `first` to before `end`: of `length` values each, but the last.

    `slots` are the leaves of the tree that adds them up, a power of two; those without a section are neutral elements.
    """

    index: Symbol
    first: int
    end: int
    length: int
    slots: int

    def nearest(self, value: int) -> int:
        """The end of a section that is nearest to a value of the index."""
        count = (value - self.first + self.length // 2) // self.length
        return min(max(self.first, self.first + count * self.length), self.end)

    def within(self, low: int, high: int) -> list[tuple[int, tuple[int, int]]]:
        """The sections of a part that begins and ends where sections do: the slot of each, and its values."""
        firsts = range(low, high, self.length)
        return [((k - self.first) // self.length, (k, min(k + self.length, high))) for k in firsts]


def sections_of(kernel: CpuKernel, sizes: Sizes) -> Sections | None:
    """The sections of the reductions in a kernel, at these values of all sizes; None where it has none, or various ones."""
    found = {_sections(c, sizes) for c in _shared(kernel)}
    return found.pop() if len(found) == 1 else None


def is_section_of(kernel: CpuKernel, whole: CpuKernel) -> bool:
    """Whether the kernel adds up a section in the order in which the other one does, and only stores the result."""
    inner, outer = _shared(kernel), _shared(whole)
    if [c.count for c in inner] != [1] or not _only_stores(kernel):
        return False
    alike = all(_outline(c.body) == _outline(inner[0].body) for c in outer)
    return alike and kernel.lane_bytes == whole.lane_bytes


def has_lanes_of(kernel: CpuKernel, whole: CpuKernel) -> bool:
    """Whether the sums of a kernel are in lanes as those of the other one are, which may compute more."""
    return {*_lanes(kernel.body)} <= {*_lanes(whole.body)}


def _sections(chunks: Chunks, sizes: Sizes) -> Sections | None:
    first, last = chunks.range.ends_at(sizes)
    if first > last:
        return None
    length = chunks.length(last + 1 - first)
    return Sections(chunks.range.index, first, last + 1, length, chunks.count)


def _shared(kernel: CpuKernel) -> list[Chunks]:
    """The loops that threads share."""
    own = kernel.cooperative and not kernel.outer
    return [s for s in kernel.body if isinstance(s, Chunks)] if own else []


def _only_stores(kernel: CpuKernel) -> bool:
    """Whether nothing is done with its sums but that they are stored: a factor that left the sum would be in every section."""
    stores = [s for s in kernel.body if isinstance(s, Store)]
    others = [s for s in kernel.body if not isinstance(s, (Accumulator, Chunks, Store))]
    return not others and all(isinstance(s.value, Read) and not s.value.subscripts for s in stores)


def _outline(steps: Sequence[Step]) -> tuple[object, ...]:
    """The kinds of loops, one inside the other: the same for several sums as for one."""
    loops = (s for s in steps if bodies(s) and not isinstance(s, Lanes))
    return tuple(dict.fromkeys((_kind(s), *map(_outline, bodies(s))) for s in loops))


def _kind(step: Step) -> tuple[object, ...]:
    match step:
        case Strips():
            return Strips, step.lanes, step.times, step.divided, bool(step.between)
        case LaneSums():
            return LaneSums, step.lanes
        case _:
            return (type(step),)


def _lanes(steps: Sequence[Step]) -> Iterator[tuple[object, ...]]:
    for s in steps_of(steps):
        if isinstance(s, (Strips, LaneSums)) and any(op == "sum" for _, op in s.sums):
            yield type(s), s.lanes
