"""Loops over few values written out, and values that all lanes share computed once: what compilers do not do for lanes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Comparison, Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.walk import postorder, with_operands
from tadc.schedule.nest.lanes import Varying, accumulated
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Branch,
    Kernel,
    Let,
    LetIndex,
    Loop,
    Step,
    Store,
    has_loops,
    map_bodies,
    names_of,
    steps_of,
    values_of,
    with_values,
)
from tadc.schedule.nest.unrolled import at_points

__all__ = ["Simplification"]

FEW = 4  # values of a loop
MOST = 16  # steps that a loop makes


@dataclass(slots=True)
class Simplification:
    """Simplifies steps of a kernel for lanes that are neighbours in an index; `locals` are those of the kernel and new ones.

    Loops of at most `few` values are written out.
    """

    names: Names
    locals: set[str]
    lane: Symbol = ""
    few: int = FEW

    @classmethod
    def of(cls, kernel: Kernel, lane: Symbol = "") -> Simplification:
        names = Names(names_of(kernel))
        return cls(names, set(kernel.locals), lane)

    def of_steps(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """The steps in lanes."""
        written_out = self.written_out(steps)
        varying = Varying.of({self.lane}, written_out)
        return tuple(self._shared(written_out, varying))

    def written_out(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """The steps with short loops written out."""
        return tuple(self._written_out(steps, in_loop=False))

    # ------------------------------------------------------------------ short loops

    def _written_out(self, steps: Iterable[Step], *, in_loop: bool) -> Iterator[Step]:
        """The steps, with short loops of sums that begin in another loop written out: they are not worth a loop of their own.

        Others stay: with several points side by side, or strided reads, registers would not hold all values.
        """
        steps = tuple(steps)
        begun = {s.local for s in steps if isinstance(s, Accumulator)} if in_loop else set()
        declared = {s.derived.name for s in steps if isinstance(s, LetIndex)}
        for step in steps:

            def written_out(
                body: tuple[Step, ...], within: bool = in_loop or isinstance(step, Loop)
            ) -> Iterator[Step]:
                return self._written_out(body, in_loop=within)

            inner = map_bodies(step, written_out)
            match inner:
                case Loop(r, body) if (
                    not has_loops(body)
                    and r.trips is not None
                    and r.trips <= self.few
                    and r.trips * len(list(steps_of(body))) <= MOST
                    and begun.issuperset(accumulated(inner))
                    and accumulated(inner)
                ):
                    own = {s.derived.name for s in steps_of(body) if isinstance(s, LetIndex)}
                    for n, value in enumerate(r.values_at({})):
                        values = {r.index: constant(value)}
                        # A body is a scope no more: what it declares has another name in each.
                        is_taken = n > 0 or not own.isdisjoint(declared)
                        indices, locals_ = self._renamed(body) if is_taken else ({}, {})
                        declared |= own
                        yield from at_points(body, indices | values, locals_)
                case _:
                    yield inner

    def _renamed(self, body: Sequence[Step]) -> tuple[dict[Symbol, Affine], dict[str, str]]:
        """New names for the derived indices and the locals that steps declare."""
        steps = list(steps_of(body))
        indices = dict.fromkeys(s.derived.name for s in steps if isinstance(s, LetIndex))
        locals_ = {s.local for s in steps if isinstance(s, (Let, Accumulator))}
        return (
            {i: symbol(self.names.fresh(i)) for i in indices},
            {t: self._local(t) for t in sorted(locals_)},
        )

    def _local(self, hint: str) -> str:
        local = self.names.fresh(hint)
        self.locals.add(local)
        return local

    # ------------------------------------------------------------------ values that lanes share

    def _shared(self, steps: Sequence[Step], varying: Varying) -> Iterator[Step]:
        """The steps, before each of them the shared values that it may not need: a compiler dares not read what they read."""
        for step in steps:
            if isinstance(step, (Let, Accumulator, Accumulate, Assign, Store)):
                named: dict[Expr, Expr] = {}
                values = tuple(self._with_names(e, varying, named) for e in values_of(step))
                for e, read in named.items():
                    assert isinstance(read, Read)
                    yield Let(read.tensor, e)
                yield with_values(step, values)
            elif isinstance(step, (Loop, Branch)):
                yield map_bodies(step, lambda inner: self._shared(tuple(inner), varying))
            else:
                yield step

    def _with_names(self, root: Expr, varying: Varying, named: dict[Expr, Expr]) -> Expr:
        """The expression with reads of locals for what lanes share of its choices by values."""
        done: dict[Expr, Expr] = {}
        shared = {e for e in postorder(root) if self._is_shared(e, varying)}
        chosen = set[Expr]()
        for e in postorder(root):
            if isinstance(e, Select) and isinstance(e.condition, Comparison):
                chosen |= self._outermost((e.then, e.otherwise), shared)
        if not chosen:
            return root
        for e in postorder(root):
            if e in chosen:
                named.setdefault(e, Read(self._local("t"), ()))
                done[e] = named[e]
            else:
                done[e] = with_operands(e, tuple(done[o] for o in e.operands))
        return done[root]

    def _outermost(self, roots: Sequence[Expr], shared: set[Expr]) -> set[Expr]:
        """The outermost shared values that are evaluated whenever one of the roots is, but for choices by values."""
        found: set[Expr] = set()
        waiting = list(roots)
        while waiting:
            e = waiting.pop()
            if e in shared:
                found.add(e)
            elif not (isinstance(e, Select) and isinstance(e.condition, Domain)):
                waiting += e.operands
        return found

    def _is_shared(self, e: Expr, varying: Varying) -> bool:
        """Whether the value is the same for all lanes, and is read from memory."""
        nodes = list(postorder(e))
        return (
            isinstance(e, (Call, Read))
            and any(isinstance(n, Read) and n.subscripts for n in nodes)
            and not any(isinstance(n, Select) for n in nodes)
            and varying.symbols.isdisjoint(e.symbols)
            and varying.locals.isdisjoint(n.tensor for n in nodes if isinstance(n, Read))
        )
