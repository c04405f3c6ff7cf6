"""Terms that some lanes add and others do not, and values that they choose, without branches.

    for lane: if first + lane <= j: s[lane] = fma(a[first + lane], b[j], s[lane])
    is
    t = b[j]
    for lane: sum = fma(first + lane <= j ? a[first + lane] : 0, t, s[lane]);  s[lane] = first + lane <= j ? sum : s[lane]

GCC makes masks of selections, but no vectors of a function that is called in a branch, nor of a choice of which a branch reads
what is the same for all lanes. That is read before them, where it exists: it may be that no lane takes part. A choice that all lanes make alike
is made before them, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import IntEnum

from tadc.ir.affine import Symbol
from tadc.ir.domain import EVERYWHERE, Condition, Domain, Looked, between
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


class _Behind(IntEnum):
    """What may keep a value from being computed."""

    NOTHING = 0
    A_CHOICE = 1  # that all lanes make alike, or a condition of the step
    LANES = 2  # which choose differently


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
                    always = not isinstance(step, Accumulate) or step.where == EVERYWHERE
                    behind = _Behind.NOTHING if always else _Behind.A_CHOICE
                    value = self._choosing(step.value, behind, varying, stored, shared)
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
        self,
        value: Expr,
        behind: _Behind,
        varying: frozenset[Symbol],
        stored: Set[str],
        shared: dict[Expr, Let],
    ) -> Expr:
        """The value, in which lanes that choose differently read nothing that is the same for all, and what all choose alike stands before."""

        def is_shared(e: Expr) -> bool:
            return varying.isdisjoint(e.symbols) and all(
                r.tensor in self.tensors and r.tensor not in stored
                for r in postorder(e)
                if isinstance(r, Read)
            )

        def read(e: Expr, behind: _Behind) -> Entered[_Behind]:
            match e:
                case Select(Domain()) if behind is _Behind.NOTHING and is_shared(e):
                    return self._named(e, e, shared), ()
                case Select(condition):
                    alike = isinstance(condition, Domain) and varying.isdisjoint(condition.symbols)
                    branch = _Behind.LANES if not alike else max(behind, _Behind.A_CHOICE)
                    branches = [max(behind, branch)] * 2
                    return e, [behind] * (len(e.operands) - 2) + branches
                case Read() if behind is _Behind.LANES and is_shared(e):
                    return self._before(e, shared), ()
                case _:
                    return e, [behind] * len(e.operands)

        return rewrite_in(value, behind, read)

    def _before(self, e: Read, shared: dict[Expr, Let]) -> Read:
        """What is read before the lanes, where it exists."""
        value = Select(Domain.of(self._inside(e)), e, Const(0)) if e.subscripts else e
        return self._named(e, value, shared)

    def _named(self, e: Expr, value: Expr, shared: dict[Expr, Let]) -> Read:
        if e not in shared:
            self.made.append(self.names.fresh("t"))
            shared[e] = Let(self.made[-1], value)
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
