"""Choices of lanes of which both branches are computed: one calls a function.

    for lane: y = x > 0 ? log(1 + exp(x)) : 0      is      for lane: t = log(1 + exp(x));  y = t & mask(x > 0)

A compiler would put the call into a branch of its own for each lane, also where it stands before the choice. A branch may
be computed where it is not taken if what it reads is there: elements at indices that run through whole dimensions, and what
is read behind a comparison of values, which says nothing of indices but of data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Comparison, Expr, Read, Select
from tadc.ir.program import Tensor
from tadc.ir.walk import postorder
from tadc.schedule.nest.loop_nest import (
    Assign,
    Branch,
    Kernel,
    Lanes,
    Let,
    LetIndex,
    Step,
    Strips,
    bodies,
    data_of,
    map_bodies,
    steps_of,
    values_of,
)
from tadc.schedule.rewrite.rows import is_expensive

__all__ = ["BothBranches", "choices_computed"]


def choices_computed(
    kernel: Kernel, steps: Sequence[Step], tensors: Mapping[str, Tensor]
) -> frozenset[Expr]:
    """The choices in lanes of which both branches are computed."""
    both = BothBranches.of(kernel, steps, tensors)
    return frozenset(_choices(steps, frozenset(), both))


def _choices(steps: Iterable[Step], lanes: frozenset[Symbol], both: BothBranches) -> Iterator[Expr]:
    for step in steps:
        inside = lanes | {step.range.index} if isinstance(step, Strips) else lanes
        if isinstance(step, Lanes) and lanes:
            for e in postorder(v for s in steps_of(step.body) for v in values_of(s)):
                if isinstance(e, Select) and both.are_computed(
                    e.condition, (e.then, e.otherwise), lanes
                ):
                    yield e
        for body in bodies(step):
            yield from _choices(body, inside, both)


@dataclass(frozen=True, slots=True)
class BothBranches:
    """What decides about choices of a kernel: the extents of its indices, its tensors, the indices that it makes, those among them that
    are data, and the locals that take a function to compute.
    """

    extents: Mapping[Symbol, Affine]
    tensors: Mapping[str, Tensor]
    derived: frozenset[Symbol]
    looked: frozenset[Symbol]
    called: frozenset[str]

    @classmethod
    def of(
        cls, kernel: Kernel, steps: Sequence[Step], tensors: Mapping[str, Tensor]
    ) -> BothBranches:
        called = set[str]()
        for step in steps_of(steps):
            if isinstance(step, (Let, Assign)) and _calls((step.value,), called):
                called.add(step.local)
        derived = frozenset(s.derived.name for s in steps_of(steps) if isinstance(s, LetIndex))
        extents = dict(zip(kernel.indices, kernel.extents, strict=True))
        own = {*kernel.reads, *kernel.writes}  # a local may be called like another tensor
        of_kernel = {name: t for name, t in tensors.items() if name in own}
        return cls(extents, of_kernel, derived, data_of(steps), frozenset(called))

    def are_computed(
        self, condition: Domain | Comparison, branches: Iterable[Expr], lanes: Set[Symbol]
    ) -> bool:
        """Whether all lanes compute both branches of a choice, where they differ in the indices `lanes`."""
        nodes = list(postorder(branches))
        reads = [n for n in nodes if isinstance(n, Read) and n.subscripts]
        if isinstance(condition, Domain):
            if (self.derived | lanes).isdisjoint(condition.symbols):
                return False
            if not all(map(self._is_there, reads)):
                return False
        elif any(not self.looked.isdisjoint(r.symbols) for r in reads):
            return False
        return _calls(nodes, self.called)

    def _is_there(self, read: Read) -> bool:
        """Whether the element exists for all values of the kernel's indices."""
        tensor = self.tensors.get(read.tensor)
        if tensor is None:  # a row of locals
            return False
        through = (self.extents.get(form.as_symbol() or "") for form in read.subscripts)
        return all(n == extent for n, extent in zip(through, tensor.shape, strict=True))

    def flat(self, steps: Iterable[Step], lanes: Set[Symbol]) -> Iterator[Step]:
        """The steps of lanes, with values that are chosen in place of branches that assign them."""
        for step in steps:
            step = map_bodies(step, lambda inner: self.flat(inner, lanes))
            flat = self._flat(step, lanes) if isinstance(step, Branch) else []
            yield from flat or [step]

    def _flat(self, branch: Branch, lanes: Set[Symbol]) -> list[Step]:
        """Steps that compute both branches, which assign to locals alone, and then choose; none where that is not to be."""
        then, otherwise = _assigned(branch.then), _assigned(branch.otherwise)
        if then is None or otherwise is None:
            return []
        values = [
            s.value for s in (*branch.then, *branch.otherwise) if isinstance(s, (Let, Assign))
        ]
        if not self.are_computed(branch.condition, values, lanes):
            return []
        chosen = dict.fromkeys((*then, *otherwise))
        if any(isinstance(n, Read) and n.tensor in chosen for n in postorder(values_of(branch))):
            return []  # the first that is chosen would change the condition
        lets = [s for s in (*branch.then, *branch.otherwise) if isinstance(s, Let)]
        return [
            *lets,
            *(
                Assign(
                    v,
                    Select(
                        branch.condition,
                        then.get(v, Read(v, ())),
                        otherwise.get(v, Read(v, ())),
                    ),
                )
                for v in chosen
            ),
        ]


def _assigned(steps: Sequence[Step]) -> dict[str, Expr] | None:
    """What the steps assign to locals, if they do nothing else and read none of these."""
    if not all(isinstance(s, (Let, Assign)) for s in steps):
        return None
    assigned = {s.local: s.value for s in steps if isinstance(s, Assign)}
    read = {
        n.tensor for n in postorder(v for s in steps for v in values_of(s)) if isinstance(n, Read)
    }
    several = len(assigned) < sum(isinstance(s, Assign) for s in steps)
    return None if several or not read.isdisjoint(assigned) else assigned


def _calls(nodes: Iterable[Expr], called: Set[str]) -> bool:
    return any(
        is_expensive(n) if isinstance(n, Call) else isinstance(n, Read) and n.tensor in called
        for n in postorder(nodes)
    )
