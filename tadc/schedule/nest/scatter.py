"""The scatter form of an adjoint, with atomic additions: the baseline, as it is written by hand.

A thread for each element of the statement, or for each point of its sums too. Values that several points of the innermost
loops add to one element are first added up in a register.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from tadc.derive.adjoint import Scatter
from tadc.derive.uses import Use
from tadc.ir.affine import Affine, Symbol
from tadc.ir.bounds import Bounds, bounded
from tadc.ir.domain import Domain, Looked
from tadc.ir.expr import Const, Expr, Read, Reduce
from tadc.ir.program import Program
from tadc.ir.walk import descend, rewrite, substitute, tensors_read
from tadc.normalize.live import live
from tadc.normalize.plain_names import with_distinct_indices
from tadc.normalize.reductions import plain_extent
from tadc.normalize.simplify import simplified
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Branch,
    Kernel,
    LetIndex,
    Store,
)
from tadc.schedule.nest.lower import Block, Lowering, kernels, loop_of, without_unused
from tadc.schedule.nest.scatter_data import Points, points_over_data, with_scattered_sums
from tadc.schedule.rewrite.looked_up import has_data
from tadc.schedule.rewrite.safe_loads import safely_loaded

__all__ = ["scatter_kernels"]


def scatter_kernels(
    program: Program, scatters: Sequence[Scatter], mode: str, *, points: bool
) -> tuple[Kernel, ...]:
    """The kernels of `program`, then one for each scatter. With `points` a thread is a point of the loops too, where
    their ranges are those of extents. Where data are looked up, sums over lists are scatters as well, each after its zeros.

    Raises BackendError where something else runs over a list.
    """
    read = {t for s in scatters for use in s.uses for t in _read_by(use)}
    written = {t for s in scatters for t in s.adjoints}
    needed = (read | written) & {s.target.name for s in program.statements}
    program = live(replace(program, outputs=(*program.outputs, *sorted(needed))))
    sums: dict[str, Scatter] = {}
    if has_data(program):
        program, sums = with_scattered_sums(program)
        stored = (s.target.name for s in program.statements)  # which scatters read and add to
        program = safely_loaded(replace(program, outputs=tuple(stored)))

    def nest(s: Scatter) -> Kernel | None:
        found = _points_of(s, program, points=points)
        return None if found is None else _Nest.of(s, found, program).kernel("", program)

    made: list[Kernel | None] = []
    for k in kernels(program, mode):
        made.append(k)
        made += [nest(sums[s.target.name]) for s in k.statements if s.target.name in sums]
    made += map(nest, scatters)
    return tuple(
        replace(k, name=f"{program.name}_{mode}_{n}", body=without_unused(k.body))
        for n, k in enumerate(k for k in made if k is not None)
    )


def _read_by(use: Use) -> set[str]:
    """The tensors that the value which is added, and its place, are made of."""
    return {
        *tensors_read(use.derivative),
        *(d.tensor for d in use.derived if isinstance(d, Looked)),
    }


def _points_of(s: Scatter, program: Program, *, points: bool) -> Points | None:
    """The points of a scatter; None where it has none."""
    statement, use = s.statement, s.uses[0]
    if any(isinstance(d, Looked) for d in use.derived):
        return points_over_data(s, program, points=points)
    sizes = set(program.parameters)
    box = statement.extents
    loops = [i for i in use.unknowns if i not in box]
    domain = Domain.of(c for c in use.domain if c not in statement.box.conditions)
    plain = {i: plain_extent(i, domain, sizes) for i in loops}
    for i, extent in plain.items():
        if points and extent is not None:
            box[i] = extent
            loops.remove(i)
            domain = Domain.of(c for c in domain if {*c.form.symbols} - sizes != {i})
    return Points(box, Reduce("sum", _ordered(loops, domain), use.derived, domain, Const(1)), {})


def _normal(e: Expr, around: Set[Symbol]) -> Expr:
    return with_distinct_indices(rewrite(e, simplified), around)


def _ordered(loops: Sequence[Symbol], domain: Domain) -> tuple[Symbol, ...]:
    """The indices, each after those that its bounds depend on."""
    waiting = list(loops)
    order: list[Symbol] = []
    while waiting:
        i = next(i for i in waiting if _is_bounded(i, set(waiting) - {i}, domain))
        waiting.remove(i)
        order.append(i)
    return tuple(order)


def _is_bounded(index: Symbol, inner: Set[Symbol], domain: Domain) -> bool:
    """Whether the index has a bound on both sides that needs none of `inner`."""
    outer = (c for c in domain if c.relation == ">=" and inner.isdisjoint(c.form.symbols))
    return {c.form.coefficient(index) > 0 for c in outer if index in c.form.symbols} == {
        True,
        False,
    }


@dataclass(frozen=True, slots=True)
class _Nest:
    """The loops of a scatter, and in them the additions of each use: to which element, and how much."""

    scatter: Scatter
    box: Mapping[Symbol, Affine]
    bounds: Bounds
    adds: tuple[Store, ...]
    lowering: Lowering

    @classmethod
    def of(cls, s: Scatter, points: Points, program: Program) -> _Nest:
        ranges, values = points.ranges, points.values
        bound = (*points.box, *ranges.indices, *(d.name for d in ranges.derived))
        around = {*program.tensors, *program.parameters, *bound}
        adds = tuple(
            Store(
                name,
                tuple(form.substitute(values) for form in u.read.subscripts),
                _normal(substitute(u.derivative, values), around),
                "sum",
                atomic=True,
            )
            for name, u in zip(s.adjoints, s.uses, strict=True)
        )
        taken = {*program.tensors, *program.symbols, *bound}
        lowering = Lowering.of([a.value for a in adds], taken)
        return cls(s, points.box, bounded(ranges), adds, lowering)

    def kernel(self, name: str, program: Program) -> Kernel:
        block, inner = Block(None), Block(None)
        block.steps += [LetIndex(d) for d in self.bounds.derived]
        self._loops(0, inner)
        if self.bounds.tests:
            block.steps.append(Branch(Domain.of(self.bounds.tests), tuple(inner.steps)))
        else:
            block.steps += inner.steps
        looked = (*self.bounds.derived, *(d for b in self.bounds.each for d in b.derived))
        reads = {d.tensor for d in looked if isinstance(d, Looked)}
        reads |= {t for a in self.adds for t in tensors_read(a.value)}
        writes = {a.tensor for a in self.adds}
        return Kernel(
            name,
            (self.scatter.statement,),
            tuple(self.box),
            tuple(self.box.values()),
            tuple(block.steps),
            frozenset(self.lowering.locals),
            tuple(t for t in program.tensors if t in reads),
            tuple(t for t in program.tensors if t in writes),
        )

    def _loops(self, depth: int, block: Block) -> None:
        """The loops from `depth` on, and the additions to elements that are the same for all of them."""
        each = self.bounds.each
        if depth == len(each):
            for a in self.adds:
                value = descend(self.lowering.value(a.value, block))
                if self._depth(a) == depth:
                    block.steps.append(replace(a, value=value))
                else:
                    block.steps.append(Accumulate(self._sum(a), "sum", value))
            return
        sums = [a for a in self.adds if self._depth(a) == depth]
        block.steps += [Accumulator(self._sum(a), Const(0)) for a in sums]
        inner = Block(block)
        self._loops(depth + 1, inner)
        block.steps += loop_of(each[depth], tuple(inner.steps))
        block.steps += [replace(a, value=Read(self._sum(a), ())) for a in sums]

    def _depth(self, add: Store) -> int:
        """Inside how many loops the element is another for each value."""
        mentioned = {s for form in add.subscripts for s in form.symbols}
        depths = [0]
        for k, b in enumerate(self.bounds.each, 1):
            if not mentioned.isdisjoint((b.range.index, *(d.name for d in b.derived))):
                depths.append(k)
        return max(depths)

    def _sum(self, add: Store) -> str:
        """The register of the use."""
        local = f"sum_{self.adds.index(add)}"
        self.lowering.locals.add(local)
        return local
