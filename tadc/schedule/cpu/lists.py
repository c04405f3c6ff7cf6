"""Kernels with loops over lists on a CPU: lanes are neighbours along the last index, or else positions of long lists.

Terms of a list are added up in their order where there is an index beside it, whatever the kernel around them: a sum has the same
bits as one of a piece. A sum of numbers would wait for itself at each addition: lists of at least FEWEST positions are added up
in LANES parts, position `t` to the part `t` modulo LANES. How many parts there are depends on the list alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from tadc.ir.affine import Symbol
from tadc.ir.domain import Domain, at_least_zero
from tadc.ir.range import Bound, Range
from tadc.schedule.cpu.sums import part_of
from tadc.schedule.nest.lanes import accumulated, lane_limits_of, most_lanes, strips
from tadc.schedule.nest.loop_nest import (
    Branch,
    Kernel,
    Lanes,
    LetIndex,
    Loop,
    Step,
    Strips,
    data_of,
    has_loops,
    map_bodies,
    steps_of,
)

__all__ = ["has_list_loops", "lanes_along_lists", "lanes_beside_lists"]

LANES = 8  # parts of the sum of a list
FEWEST = 32  # positions of a list with parts: fewer are added up before these are


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
    if lanes == 0 or _decides(index, kernel):
        return None
    return (strips(part_of(index), kernel.body, lanes),)


def lanes_along_lists(kernel: Kernel) -> tuple[Step, ...]:
    """The steps with lanes along long lists, if there is no index beside them, however few values that has."""
    if kernel.indices and not _decides(kernel.indices[-1], kernel):
        return kernel.body
    return tuple(_along_lists(kernel.body, data_of(kernel.body)))


def _along_lists(steps: Sequence[Step], data: Set[Symbol]) -> Iterator[Step]:
    for step in steps:
        match step:
            case Loop(r, body) if not has_loops(body) and not data.isdisjoint(r.symbols):
                yield _long_in_lanes(step)
            case Loop() | Branch():
                yield map_bodies(step, lambda inner: _along_lists(inner, data))
            case _:
                yield step


def _long_in_lanes(loop: Loop) -> Step:
    """The loop in lanes where it has many values; the loop itself if it does anything but accumulate."""
    r, sums = loop.range, accumulated(loop)
    if not sums or len(r.lows) != 1 or any(b.divisor != 1 for b in r.bounds):
        return loop
    low = r.lows[0].form
    is_long = Domain.of(at_least_zero(high.form - low - (FEWEST - 1)) for high in r.highs)
    short = Range(r.index, r.lows, (*r.highs, Bound(low + (FEWEST - 2))))
    laned = Strips(r, (Lanes(loop.body),), loop.body, (), LANES, tuple(sums.items()))
    return Branch(is_long, (laned,), (Loop(short, loop.body),))


def _decides(index: Symbol, kernel: Kernel) -> bool:
    """Whether data, loops or tests depend on the index."""
    return any(index in _decisive(step) for step in steps_of(kernel.body))


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
