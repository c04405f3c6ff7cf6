"""Kernels with loops over lists on a CPU: lanes are neighbours along the last index, or there are none.

Terms of a list are added up in their order, whatever the kernel around them: a sum has the same bits as one of a piece.
"""

from __future__ import annotations

from collections.abc import Mapping

from tadc.ir.affine import Symbol
from tadc.ir.domain import Domain
from tadc.schedule.cpu.sums import part_of
from tadc.schedule.nest.lanes import lane_limits_of, most_lanes, strips
from tadc.schedule.nest.loop_nest import Branch, Kernel, LetIndex, Loop, Step, data_of, steps_of

__all__ = ["has_list_loops", "lanes_beside_lists"]


def has_list_loops(kernel: Kernel) -> bool:
    """Whether data say how long a loop is."""
    data = data_of(kernel.body)
    loops = (s for s in steps_of(kernel.body) if isinstance(s, Loop))
    return any(not data.isdisjoint(s.range.symbols) for s in loops)


def lanes_beside_lists(kernel: Kernel, usual: Mapping[Symbol, int]) -> tuple[Step, ...] | None:
    """The steps for all values of the last index, in lanes; None where data, loops or tests depend on it, or it has few values."""
    if not kernel.indices:
        return None
    index = kernel.indices[-1]
    lanes = most_lanes(kernel.extents[-1], lane_limits_of(usual))
    if lanes == 0 or any(index in _decisive(step) for step in steps_of(kernel.body)):
        return None
    return (strips(part_of(index), kernel.body, lanes),)


def _decisive(step: Step) -> set[Symbol]:
    """The symbols that decide which points there are."""
    match step:
        case LetIndex(d):
            return set(d.symbols)
        case Loop(r):
            return set(r.symbols)
        case Branch(Domain() as domain):
            return set(domain.symbols)
        case _:
            return set()
