"""The scatter form of an adjoint, with atomic additions: the baseline, as it is written by hand.

A thread for each element of the statement, or for each point of its sums too. Values that several points of the innermost
loops add to one element are first added up in a register.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from tadc.derive.adjoint import Scatter
from tadc.ir.affine import Affine, Symbol
from tadc.ir.bounds import Bounds, bounded
from tadc.ir.domain import Domain
from tadc.ir.expr import Const, Expr, Read, Reduce
from tadc.ir.program import Program
from tadc.ir.walk import descend, rewrite, tensors_read
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

__all__ = ["scatter_kernels"]


def scatter_kernels(
    program: Program, scatters: Sequence[Scatter], mode: str, *, points: bool
) -> tuple[Kernel, ...]:
    """The kernels of `program`, then one for each scatter. With `points` a thread is a point of the loops too, where
    their ranges are those of extents.
    """
    read = {t for s in scatters for use in s.uses for t in tensors_read(use.derivative)}
    written = {t for s in scatters for t in s.adjoints}
    needed = (read | written) & {s.target.name for s in program.statements}
    before = kernels(live(replace(program, outputs=(*program.outputs, *sorted(needed)))), mode)
    scattering = []
    for n, s in enumerate(scatters, len(before)):
        name = f"{program.name}_{mode}_{n}"
        scattering.append(_Nest.of(s, program, points=points).kernel(name, program))
    return tuple(replace(k, body=without_unused(k.body)) for k in (*before, *scattering))


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
    box: dict[Symbol, Affine]
    bounds: Bounds
    adds: tuple[Store, ...]
    lowering: Lowering

    @classmethod
    def of(cls, s: Scatter, program: Program, *, points: bool) -> _Nest:
        statement, use = s.statement, s.uses[0]
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
        around = {*program.tensors, *sizes, *use.unknowns, *(d.name for d in use.derived)}
        adds = tuple(
            Store(name, u.read.subscripts, _normal(u.derivative, around), "sum", atomic=True)
            for name, u in zip(s.adjoints, s.uses, strict=True)
        )
        taken = {*program.tensors, *program.symbols, *use.unknowns}
        lowering = Lowering.of([a.value for a in adds], taken)
        ranges = Reduce("sum", _ordered(loops, domain), use.derived, domain, Const(1))
        return cls(s, box, bounded(ranges), adds, lowering)

    def kernel(self, name: str, program: Program) -> Kernel:
        block, inner = Block(None), Block(None)
        block.steps += [LetIndex(d) for d in self.bounds.derived]
        self._loops(0, inner)
        if self.bounds.tests:
            block.steps.append(Branch(Domain.of(self.bounds.tests), tuple(inner.steps)))
        else:
            block.steps += inner.steps
        reads = {t for a in self.adds for t in tensors_read(a.value)}
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
