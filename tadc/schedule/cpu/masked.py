"""Terms that some lanes add and others do not, and values that they choose, without branches.

    for lane: if first + lane <= j: s[lane] = fma(a[first + lane], b[j], s[lane])
    is
    t = b[j]
    for lane: sum = fma(first + lane <= j ? a[first + lane] : 0, t, s[lane]);  s[lane] = first + lane <= j ? sum : s[lane]

GCC makes masks of selections, but no vectors of a function that is called in a branch, nor of a choice of which a branch reads
what is the same for all lanes. That is read before them, where it exists: it may be that no lane takes part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from tadc.ir.affine import Symbol
from tadc.ir.domain import Condition, Domain, Looked, between
from tadc.ir.expr import Const, Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.program import Tensor
from tadc.ir.walk import Entered, postorder, rewrite, rewrite_in
from tadc.schedule.cpu.both_branches import BothBranches
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Assign,
    Branch,
    Kernel,
    Lanes,
    Let,
    LetIndex,
    Step,
    Store,
    Strips,
    map_bodies,
    names_in,
    names_of,
)

__all__ = ["are_masks", "with_masks"]


def with_masks(
    kernel: Kernel, steps: Sequence[Step], tensors: Mapping[str, Tensor]
) -> tuple[Kernel, tuple[Step, ...]]:
    """The steps with such terms in lanes masked, and the kernel, which has what all lanes read as further locals."""
    both = BothBranches.of(kernel, steps, tensors)
    masks = _Masks(both.tensors, Names(names_of(kernel) | names_in(steps)), both)
    changed = tuple(masks.steps(steps, frozenset()))
    return replace(kernel, locals=kernel.locals.union(masks.made)), changed


@dataclass(slots=True)
class _Masks:
    tensors: Mapping[str, Tensor]
    names: Names
    both: BothBranches
    made: list[str] = field(default_factory=list)

    def steps(self, steps: Sequence[Step], lanes: frozenset[Symbol]) -> Iterator[Step]:
        """The steps; lanes differ in the indices."""
        for step in steps:
            match step:
                case Strips(range=r):
                    yield replace(step, body=tuple(self.steps(step.body, lanes | {r.index})))
                case Lanes(body) if lanes:
                    yield from self._lanes(body, lanes)
                case _:
                    yield map_bodies(step, lambda inner: self.steps(inner, lanes))

    def _lanes(self, body: Sequence[Step], lanes: frozenset[Symbol]) -> Iterator[Step]:
        """What all lanes read, and the lanes."""
        body = tuple(self.both.flat(body, lanes))
        derived = [s.derived for s in body if isinstance(s, LetIndex)]
        varying = lanes.union(d.name for d in derived)
        stored = {s.tensor for s in body if isinstance(s, Store)}
        shared: dict[Expr, Let] = {}
        changed: list[Step] = []
        for step in body:
            terms = _terms(step, varying)
            if not terms or any(isinstance(d, Looked) for d in derived):
                if isinstance(step, (Let, Assign, Accumulate, Store)):
                    value = self._choosing(step.value, varying, stored, shared)
                    step = replace(step, value=value)
                changed.append(step)
                continue
            assert isinstance(step, Branch) and isinstance(step.condition, Domain)
            for term in terms:
                value = self._everywhere(term.value, step.condition, varying, shared)
                changed.append(replace(term, value=value, where=step.condition))
        yield from shared.values()
        yield Lanes(tuple(changed))

    def _everywhere(
        self, value: Expr, where: Domain, varying: frozenset[Symbol], shared: dict[Expr, Let]
    ) -> Expr:
        """The value, which reads nothing but elements that exist."""

        def read(e: Expr) -> Expr:
            if not isinstance(e, Read) or not e.subscripts:
                return e
            if not varying.isdisjoint(e.symbols):
                return Select(where, e, Const(0))
            return self._before(e, shared)

        return rewrite(value, read)

    def _choosing(
        self, value: Expr, varying: frozenset[Symbol], stored: Set[str], shared: dict[Expr, Let]
    ) -> Expr:
        """The value, in which lanes that choose differently read nothing that is the same for all."""

        def read(e: Expr, chosen: bool) -> Entered[bool]:
            match e:
                case Select(condition):
                    by_lane = not isinstance(condition, Domain) or not varying.isdisjoint(
                        condition.symbols
                    )
                    branches = [chosen or by_lane] * 2
                    return e, [chosen] * (len(e.operands) - 2) + branches
                case Read(tensor) if (
                    chosen
                    and tensor in self.tensors
                    and tensor not in stored
                    and varying.isdisjoint(e.symbols)
                ):
                    return self._before(e, shared), ()
                case _:
                    return e, [chosen] * len(e.operands)

        return rewrite_in(value, False, read)

    def _before(self, e: Read, shared: dict[Expr, Let]) -> Read:
        """What is read before the lanes, where it exists."""
        if e not in shared:
            inside = Domain.of(self._inside(e))
            self.made.append(self.names.fresh("t"))
            shared[e] = Let(self.made[-1], Select(inside, e, Const(0)) if e.subscripts else e)
        return Read(shared[e].local, ())

    def _inside(self, e: Read) -> Iterator[Condition]:
        for form, extent in zip(e.subscripts, self.tensors[e.tensor].shape, strict=True):
            yield from between(0, form, extent - 1)


def _terms(step: Step, varying: frozenset[Symbol]) -> list[Accumulate]:
    """What the step adds, if it is a branch that does nothing else, and that not all lanes take alike."""
    match step:
        case Branch(Domain() as condition, then, ()) if not varying.isdisjoint(condition.symbols):
            terms = [s for s in then if isinstance(s, Accumulate)]
            return terms if len(terms) == len(then) and are_masks(terms, varying) else []
        case _:
            return []


def are_masks(terms: Sequence[Accumulate], varying: Set[Symbol]) -> bool:
    """Whether no choice in the values of terms may protect what lanes read: there is none, or lanes read the same."""
    nodes = list(postorder(term.value for term in terms))
    reads = (e for e in nodes if isinstance(e, Read) and e.subscripts)
    return not any(isinstance(e, Select) for e in nodes) or all(
        varying.isdisjoint(e.symbols) for e in reads
    )
