"""Kernels with loops over lists on a CPU: lanes are neighbours along the last index, or else positions of long lists.

Terms of a list are added up in their order where there is an index beside it, whatever the kernel around them: a sum has the same
bits as one of a piece. A sum of numbers would wait for itself at each addition: lists of at least FEWEST positions are added up
in LANES parts, position `t` to the part `t` modulo LANES. How many parts there are depends on the list alone.

Other long sums beside those over lists, or beside what is read through data, are statements of their own, whose kernels have tiles, or
are products of matrices, as in any program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from math import prod

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import Domain, Looked, at_least_zero
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.range import Bound, Range
from tadc.ir.walk import replaced
from tadc.normalize.reductions import plain_extent
from tadc.schedule.cpu.masked import are_masks
from tadc.schedule.nest.lanes import LaneLimits, accumulated, most_lanes
from tadc.schedule.nest.loop_nest import (
    Accumulate,
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
from tadc.schedule.rewrite.looked_up import data_among, needed
from tadc.schedule.rewrite.rows import always

__all__ = [
    "ends_of_lists",
    "has_list_loops",
    "lanes_along_lists",
    "steps_beside_lists",
    "with_sums_apart_from_data",
]

LONG = 32  # terms of a sum that is rather stored than computed beside a list
LANES = 8  # parts of the sum of a list
FEWEST = 32  # positions of a list with parts: fewer are added up before these are


def has_list_loops(kernel: Kernel) -> bool:
    """Whether data say how long a loop is."""
    data = data_of(kernel.body)
    loops = (s for s in steps_of(kernel.body) if isinstance(s, Loop))
    return any(not data.isdisjoint(s.range.symbols) for s in loops)


def ends_of_lists(
    kernel: Kernel, program: Program, sizes: Mapping[Symbol, int]
) -> dict[Symbol, int]:
    """Where lists begin and end, as if all of one kind had one length; `sizes` has about how large all sizes are."""
    loops = (s for s in steps_of(kernel.body) if isinstance(s, Loop))
    ends = {i for loop in loops for i in loop.range.symbols}
    found: dict[Symbol, int] = {}
    for d in (s.derived for s in steps_of(kernel.body) if isinstance(s, LetIndex)):
        if isinstance(d, Looked) and d.name in ends and d.values is not None:
            keys = prod(n.at(sizes) for n in program.tensors[d.tensor].shape) - 1
            found[d.name] = d.values[1].at(sizes) // max(1, keys) * d.subscripts[-1].constant
    return found


def steps_beside_lists(kernel: Kernel, lane_limits: LaneLimits) -> tuple[Step, ...] | None:
    """The steps for a value of the last index, which has lanes; None where data, loops or tests depend on it, or it has few values. Tests
    of which terms are added are masks of lanes (`masked.py`).
    """
    if not kernel.indices:
        return None
    index = kernel.indices[-1]
    body = tuple(_with_tests_of_lanes_inside(kernel.body, index))
    few = most_lanes(kernel.extents[-1], lane_limits) == 0
    return None if few or _decides(index, body) else body


def _with_tests_of_lanes_inside(steps: Sequence[Step], lane: Symbol) -> Iterator[Step]:
    """The steps, whose terms are tested first for what is the same for all lanes."""
    for step in steps:
        step = map_bodies(step, lambda inner: _with_tests_of_lanes_inside(inner, lane))
        if isinstance(step, Branch) and _is_mask(step, lane):
            assert isinstance(step.condition, Domain)
            of_lane = Domain.of(c for c in step.condition if lane in c.form.symbols)
            rest = Domain.of(c for c in step.condition if lane not in c.form.symbols)
            if rest.conditions:
                step = replace(step, condition=rest, then=(replace(step, condition=of_lane),))
        yield step


def _is_mask(step: Step, lane: Symbol) -> bool:
    """Whether lanes differ in whether they add the terms of a branch, and in nothing else."""
    match step:
        case Branch(Domain() as condition, then, ()) if lane in condition.symbols:
            terms = [s for s in then if isinstance(s, Accumulate)]
            return len(terms) == len(then) and are_masks(terms, {lane})
        case _:
            return False


def lanes_along_lists(kernel: Kernel) -> tuple[Step, ...]:
    """The steps with lanes along long lists, if there is no index beside them, however few values that has."""
    if kernel.indices and not _decides(kernel.indices[-1], kernel.body):
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


def _decides(index: Symbol, steps: Sequence[Step]) -> bool:
    """Whether data, loops or tests depend on the index, but for masks of lanes."""
    return any(index in _decisive(s) and not _is_mask(s, index) for s in steps_of(steps))


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


def with_sums_apart_from_data(
    program: Program, usual: Mapping[Symbol, int]
) -> tuple[Program, frozenset[str]]:
    """The program with such sums in statements of their own, and the tensors of these. `usual` has about how large all sizes are."""
    names = Names((*program.tensors, *program.symbols))
    sizes, values = frozenset(program.parameters), program.size_values(usual)
    statements: list[Statement] = []
    made: set[str] = set()
    for s in program.statements:
        sums = [e for e in always(s.body) if isinstance(e, Reduce)]
        own = {d.name for d in data_among(s.derived)}
        data = own.union(d.name for e in sums for d in data_among(e.derived))
        over_lists = [e for e in sums if not data.isdisjoint(e.domain.symbols)]
        dense = [e for e in sums if e.op == "sum" and e not in over_lists]
        reads: dict[Expr, Expr] = {}
        # Beside what is read through data they are those that do not read it.
        for e in dense if over_lists else [e for e in dense if own and own.isdisjoint(e.symbols)]:
            extents = [plain_extent(i, e.domain, sizes) for i in e.indices]
            if prod(n.at(values) for n in extents if n is not None) < LONG or None in extents:
                continue
            target = replace(s.target, name=names.fresh(f"{s.target.name}_sum"))
            statements.append(Statement(target, s.indices, needed(e.symbols, s.derived), e))
            reads[e] = Read(target.name, tuple(map(symbol, s.indices)))
            made.add(target.name)
        statements.append(replace(s, body=replaced(s.body, reads)) if reads else s)
    return (replace(program, statements=tuple(statements)) if made else program), frozenset(made)
