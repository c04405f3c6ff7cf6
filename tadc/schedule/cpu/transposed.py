"""Copies of tensors whose neighbours are far apart, for sums that read each element many times.

    s[i,j] = sum{k} (a[i,k] + b[j,k])**2      is      t[k,j] = b[j,k];  s[i,j] = sum{k} (a[i,k] + t[k,j])**2

Then lanes are neighbours in `j`: no lanes are combined, and several points side by side share what they read. Where lanes are terms of
a sum, its operands are copied so that they read neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from math import inf, prod
from typing import TypeVar

from tadc.ir.affine import Symbol, symbol
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder, rewrite
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.cpu.kernels import lanes_of_box
from tadc.schedule.cpu.lane_cost import (
    REPEATED,
    cost_of_sums,
    elements_of,
)
from tadc.schedule.cpu.quotient_loops import with_loops_over_quotients
from tadc.schedule.cpu.short import Simplification
from tadc.schedule.cpu.tile import is_plain
from tadc.schedule.nest.lanes import most_lanes
from tadc.schedule.nest.layout import Layout
from tadc.schedule.nest.loop_nest import (
    Kernel,
    Loop,
    Step,
    has_loops,
    map_bodies,
    reads_of,
    steps_of,
    values_of,
    with_values,
)
from tadc.schedule.nest.lower import kernels
from tadc.schedule.nest.row_locals import rows_as_locals
from tadc.schedule.nest.runs import trips
from tadc.schedule.nest.surroundings import Surroundings

__all__ = ["copy_of", "permuted", "with_transposed_reads"]

Item = TypeVar("Item")

OFTEN = 16  # reads of an element
COPIED = 40.0  # the cost of an element of a copy, whose neighbours are read far from each other
WORTH = 1.5  # times as fast
# Times as slow lanes of sums are, which are combined and share no reads: where no sum is in another, and all that other lanes read are
# neighbours.
NEAR = 1.3


def with_transposed_reads(
    program: Program,
    mode: str,
    usual: Mapping[Symbol, int],
    left_out: Set[str] = frozenset(),
    kept: Set[str] = frozenset(),
    choices: Choices = BY_MODEL,
) -> Program:
    """The program with such copies as statements, but for the kernels `left_out`, and those of the tensors that are `kept`.

    `usual` has about how large all sizes are.
    """
    names = Names((*program.tensors, *program.symbols))
    copies: dict[tuple[str, int], Tensor] = {}
    of: dict[str, tuple[set[Symbol], dict[str, int]]] = {}
    own = {s.target.name: s for s in program.statements}
    for k in kernels(program, mode):
        lanes, chosen = set[Symbol](), dict[str, int]()
        if k.name not in left_out:
            lanes, chosen = _chosen(k, program, usual, kept, choices)
        for s in k.statements if chosen else ():
            name = s.target.name
            called = dict(zip(s.indices, own[name].indices, strict=True))
            called |= {i: i for i in _summed(own[name].body)}
            if mentioned := {called[i] for i in lanes if i in called}:
                of[name] = mentioned, chosen
    statements: list[Statement] = []
    for s in program.statements:
        if s.target.name not in of:
            statements.append(s)
            continue
        lanes, chosen = of[s.target.name]

        def read(e: Expr, lanes: Set[Symbol] = lanes, chosen: Mapping[str, int] = chosen) -> Expr:
            if not isinstance(e, Read) or e.tensor not in chosen:
                return e
            dimension = chosen[e.tensor]
            if lanes.isdisjoint(e.subscripts[dimension].symbols):
                return e
            if (e.tensor, dimension) not in copies:
                copy = copy_of(program.tensors[e.tensor], dimension, names)
                copies[e.tensor, dimension] = copy.target
                statements.append(copy)
            return Read(copies[e.tensor, dimension].name, permuted(e.subscripts, dimension))

        body = rewrite(s.body, read)  # copies stand before what reads them
        statements.append(replace(s, body=body))
    return replace(program, statements=tuple(statements)) if copies else program


def _chosen(
    kernel: Kernel,
    program: Program,
    usual: Mapping[Symbol, int],
    kept: Set[str],
    choices: Choices,
) -> tuple[set[Symbol], dict[str, int]]:
    """The index of lanes, or those of sums, and the tensors to be copied, each with the dimension that becomes its last."""
    kernel = rows_as_locals(with_loops_over_quotients(kernel))
    if not is_plain(kernel):
        return set(), {}
    surroundings = Surroundings.of(kernel, program, usual)
    limits = surroundings.lane_limits
    extents = dict(zip(kernel.indices, kernel.extents, strict=True))
    box = [i for i, n in extents.items() if most_lanes(n, limits) != 0]
    of_sums = cost_of_sums(kernel.body, limits, trips(kernel.body, surroundings.middle))
    layout = Layout.of(program, surroundings.typical)
    points = prod(n.at(surroundings.middle) for n in extents.values())

    def in_lanes(k: Kernel, most: float = inf) -> tuple[float, Symbol]:
        """The least cost in lanes of an index, and which, if no loop counts for more than `most`."""
        each = lanes_of_box(k, surroundings, layout, most)
        return min(((n.total, n.of) for n in each), default=(inf, ""))

    now, _ = in_lanes(kernel)
    each: dict[Symbol, dict[str, int]] = {}
    costs: dict[Symbol, float] = {}
    for lane in reversed(box):
        strided = _strided(kernel, program, lane, surroundings.middle)
        copied = {tensor: place for tensor, place in strided.items() if tensor not in kept}
        if copied:
            elements = sum(
                elements_of(program.tensors[t].shape, surroundings.middle) for t in copied
            )
            made = replace(kernel, body=_with_copies(kernel.body, lane, copied))
            cost, of = in_lanes(made)
            if of == lane:
                each[lane] = copied
                costs[lane] = cost + COPIED * elements / points

    loops = [s for s in steps_of(kernel.body) if isinstance(s, Loop)]
    are_single = not any(has_loops(s.body) for s in loops)

    def is_better(lane: Symbol) -> bool:
        """Whether it is faster than lanes without copies, and than lanes of sums, whose cost is known for loops that run as often as is
        assumed.
        """
        made = replace(kernel, body=_with_copies(kernel.body, lane, each[lane]))
        reads = [e for e in reads_of(made.body) if e.subscripts]
        near = not any(lane in form.symbols for e in reads for form in e.subscripts[:-1])
        beside_sums = of_sums * (NEAR if near and are_single else 1 / WORTH)
        return costs[lane] * WORTH < now and in_lanes(made, REPEATED)[0] < beside_sums

    better = {lane: is_better(lane) for lane in costs}
    ranked = sorted(costs, key=lambda lane: costs[lane])
    best = choices.best(f"copies for {kernel.writes[0]}", ranked, lambda lane: not better[lane])
    if best is not None and choices.whether(f"whether {kernel.writes[0]} has copies", better[best]):
        return {best}, each[best]
    of_lanes, _ = in_lanes(kernel, REPEATED)
    summed, copied, cost = _for_sums(kernel, program, surroundings, kept)
    if choices.whether(
        f"whether the sums of {kernel.writes[0]} have copies", cost * WORTH < min(of_sums, of_lanes)
    ):
        return summed, copied
    return set(), {}


def _summed(e: Expr) -> set[Symbol]:
    """The indices of all sums in the expression."""
    return {i for n in postorder(e) if isinstance(n, Reduce) for i in n.indices}


def _for_sums(
    kernel: Kernel, program: Program, surroundings: Surroundings, kept: Set[str]
) -> tuple[set[Symbol], dict[str, int], float]:
    """The indices of the innermost sums, the tensors to be copied for lanes of these, and the cost per element with the copies."""
    sizes = surroundings.middle
    body = Simplification.of(kernel).written_out(kernel.body)
    inner = [s for s in steps_of(body) if isinstance(s, Loop) and not has_loops(s.body)]
    summed = {loop.range.index for loop in inner}
    copied: dict[str, int] = {}
    for lane in sorted(summed):
        strided = _strided(kernel, program, lane, sizes)
        copied |= {t: d for t, d in strided.items() if t not in kept and copied.get(t, d) == d}
    if not copied:
        return summed, {}, inf
    for lane in sorted(summed):
        body = _with_copies(body, lane, copied)
    return summed, copied, cost_of_sums(body, surroundings.lane_limits, trips(body, sizes))


def _strided(
    kernel: Kernel, program: Program, lane: Symbol, sizes: Mapping[Symbol, int]
) -> dict[str, int]:
    """The tensors that are read with the lane's index as an outer subscript, often, with the number of that."""
    extents = {i: n.at(sizes) for i, n in zip(kernel.indices, kernel.extents, strict=True)}
    points = prod(extents.values())
    often = trips(kernel.body, sizes)
    copied: dict[str, int] = {}
    for e in reads_of(kernel.body):
        places = [d for d, form in enumerate(e.subscripts) if lane in form.symbols]
        if len(places) != 1 or places[0] == len(e.subscripts) - 1:
            continue
        if e.subscripts[places[0]].coefficient(lane) != 1:
            continue
        reads = points * prod(often.values())
        if reads >= OFTEN * elements_of(program.tensors[e.tensor].shape, sizes):
            copied[e.tensor] = places[0]
    return copied


def _with_copies(
    steps: Sequence[Step], lane: Symbol, copied: Mapping[str, int]
) -> tuple[Step, ...]:
    """The steps as if the copies were read under the tensors' own names."""

    def moved(e: Expr) -> Expr:
        if (
            isinstance(e, Read)
            and e.tensor in copied
            and lane in e.subscripts[copied[e.tensor]].symbols
        ):
            return Read(e.tensor, permuted(e.subscripts, copied[e.tensor]))
        return e

    def each(step: Step) -> Step:
        step = with_values(step, tuple(rewrite(e, moved) for e in values_of(step)))
        return map_bodies(step, lambda body: map(each, body))

    return tuple(map(each, steps))


def permuted(items: Sequence[Item], dimension: int) -> tuple[Item, ...]:
    return (*items[:dimension], *items[dimension + 1 :], items[dimension])


def copy_of(tensor: Tensor, dimension: int, names: Names) -> Statement:
    """The statement that copies a tensor with that dimension as its last."""
    indices = [names.fresh(f"i{d}") for d in range(len(tensor.shape))]
    target = Tensor(
        names.fresh(f"{tensor.name}_t"), permuted(tensor.shape, dimension), tensor.dtype
    )
    read = Read(tensor.name, tuple(map(symbol, indices)))
    return Statement(target, permuted(indices, dimension), (), read)
