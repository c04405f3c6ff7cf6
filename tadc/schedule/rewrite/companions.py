"""Index tensors that are read along a list are stored in its order, beside it: a read less for each position.

    sum{t} f(src[perm[ptr[b] + t]])    becomes    sum{t} f(ordered[ptr[b] + t])    with `ordered[p] = src[perm[p]]`

The new tensors, the *companions* of lists, are further inputs of the program, made where lists are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tadc.ir.domain import Determined, Looked
from tadc.ir.expr import Expr, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import rewrite
from tadc.schedule.rewrite.list_tensors import Companion, Listed, Rows, SortedList

__all__ = ["with_companions"]


def with_companions(made: Listed) -> Listed:
    """The program with the companions of its lists as its last inputs."""
    ordered = _Ordered(
        made.program, made.lists, Names((*made.program.tensors, *made.program.symbols))
    )
    statements = tuple(map(ordered.statement, made.program.statements))
    companions = tuple(ordered.made.values())
    inputs = (*made.program.inputs, *(c.tensor for c in companions))
    program = replace(made.program, inputs=inputs, statements=statements)
    return replace(made, program=program, companions=companions)


@dataclass(slots=True)
class _Ordered:
    program: Program
    lists: tuple[SortedList | Rows, ...]
    names: Names
    made: dict[tuple[str, str], Companion] = field(default_factory=dict)

    @property
    def of_lists(self) -> set[str]:
        """The tensors of lists that have an element for each position of index tensors: they are read where they stand."""
        lists = (each for each in self.lists if isinstance(each, SortedList))
        return {m.tensor.name for each in lists for m in each.matches}

    def statement(self, s: Statement) -> Statement:
        return replace(s, body=rewrite(s.body, self._rule))

    def _rule(self, e: Expr) -> Expr:
        if not isinstance(e, Reduce) or not any(isinstance(d, Looked) for d in e.derived):
            return e
        return Reduce(e.op, e.indices, tuple(self._derived(e.derived)), e.domain, e.body)

    def _derived(self, derived: tuple[Determined, ...]) -> Iterable[Determined]:
        known = {d.name: d for d in derived if isinstance(d, Looked)}
        for d in derived:
            yield self._in_order(d, known) if isinstance(d, Looked) else d

    def _in_order(self, d: Looked, known: Mapping[str, Looked]) -> Looked:
        """The data index looked up in the order of a list, if it is looked up at the positions of one."""
        found = [known.get(form.as_symbol() or "") for form in d.subscripts]
        places = [p for p in found if p is not None]
        if not places or len(places) < len(found) or d.tensor in self.of_lists:
            return d
        for each in self.lists:
            if not isinstance(each, SortedList) or [p.tensor for p in places] != [
                t.name for t in each.positions
            ]:
                continue
            shapes = (self.program.tensors[t].shape for t in (d.tensor, each.of[0]))
            if len({p.subscripts for p in places}) == 1 and len(set(shapes)) == 1:
                companion = self._companion(d.tensor, each)
                return replace(
                    d,
                    tensor=companion.tensor.name,
                    subscripts=places[0].subscripts,
                    inside=places[0].inside,
                )
        return d

    def _companion(self, tensor: str, each: SortedList) -> Companion:
        key = tensor, each.begin.name
        if key not in self.made:
            own = each.positions[0].name.removesuffix("_perm")
            like = self.program.tensors[each.positions[0].name]  # as wide as these
            ordered = replace(like, name=self.names.fresh(f"{own}_{tensor}"))
            self.made[key] = Companion(ordered, tensor, each.begin.name)
        return self.made[key]
