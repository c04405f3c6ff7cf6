"""`f.prove()`: that a program and its gradients are right for all sizes at once, as equality of Presburger sets.

These are proved: every read is inside its tensor; every gradient gathers exactly the points whose read reaches its
element, each once; the loop nests that run store every element once, and read what their statements say. Not proved is
the arithmetic between the reads, which `f.check()` compares with numeric differentiation.

isl (Verdoolaege, "isl: An Integer Set Library for the Polyhedral Model", ICMS 2010) decides each question exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from tadc.ir.affine import Symbol, symbol
from tadc.ir.program import Program
from tadc.prove.gathering import Owed, flows, owed, tagged
from tadc.prove.regions import (
    Occurrence,
    reads_of_kernel,
    reads_of_statement,
    stores_of_kernel,
)
from tadc.prove.sets import Sets
from tadc.resolve.bounds import ReadCheck
from tadc.schedule.nest.loop_nest import Kernel
from tadc.schedule.nest.lower import kernels
from tadc.schedule.rewrite.program import scheduled

__all__ = ["Proof", "Report", "prove"]


@dataclass(frozen=True, slots=True)
class Proof:
    """One fact about a program; `counterexample` says where it does not hold, None where it does."""

    mode: str
    subject: str
    fact: str
    counterexample: str | None = None

    @property
    def holds(self) -> bool:
        return self.counterexample is None


@dataclass(frozen=True, slots=True)
class Report:
    """The proofs of a program, true when all hold. `sizes` are those that were numbers; the others are any."""

    sizes: Mapping[str, int]
    proofs: tuple[Proof, ...]

    def __bool__(self) -> bool:
        return all(p.holds for p in self.proofs)

    def __str__(self) -> str:
        numbers = ", ".join(f"{s} = {n}" for s, n in self.sizes.items())
        lines = [f"for {numbers}, and all other sizes" if numbers else "for all sizes"]
        width = max((len(p.subject) for p in self.proofs), default=0)
        for p in self.proofs:
            verdict = "proved" if p.holds else f"WRONG: {p.counterexample}"
            lines.append(f"{p.mode:<8}  {p.subject:<{width}}  {p.fact}: {verdict}")
        return "\n".join(lines)


def prove(
    program: Program, checks: Sequence[ReadCheck], adjoint: Program | None, wrt: Sequence[str]
) -> Iterator[Proof]:
    """The proofs of a program and of its adjoint by `wrt`. `checks` are the conditions on the program's reads that every call tests.

    Raises BackendError without islpy.
    """
    yield from _in_bounds("primal", program, checks)
    yield from _nests("primal", program, checks)
    if adjoint is not None:
        yield from _in_bounds("adjoint", adjoint, checks)
        yield from _gathered(program, checks, adjoint, tuple(wrt))
        yield from _nests("adjoint", adjoint, checks)


def _in_bounds(mode: str, program: Program, checks: Sequence[ReadCheck]) -> Iterator[Proof]:
    sets = Sets.of(program, checks)
    tested = {(c.tensor, c.subscripts) for c in checks}
    for s in program.statements:
        reads = list(reads_of_statement(s))
        wrong = next(filter(None, (_outside(o, program, sets) for o in reads)), None)
        by_call = [_text(o) for o in reads if (o.tensor, o.subscripts) in tested]
        fact = "reads are inside their tensors"
        if by_call:
            fact += f", where calls have tested {', '.join(dict.fromkeys(by_call))}"
        if reads:
            yield Proof(mode, s.target.name, fact, wrong)


def _text(o: Occurrence) -> str:
    return f"{o.tensor}[{', '.join(map(str, o.subscripts))}]"


def _outside(o: Occurrence, program: Program, sets: Sets) -> str | None:
    outside = sets.elements(o) - sets.box(program.tensors[o.tensor].shape)
    if outside.is_empty():
        return None
    places = _coordinates(o.tensor, program)
    return f"{_text(o)} leaves its tensor, {sets.sample(outside, places)}"


def _gathered(
    program: Program, checks: Sequence[ReadCheck], adjoint: Program, wrt: tuple[str, ...]
) -> Iterator[Proof]:
    scattering, owes = owed(program, wrt)
    sets = Sets.of(scattering, checks)
    for each in owes:
        read = f"{each.tensor.name}[{', '.join(map(str, each.uses[0].read.subscripts))}]"
        fact = f"gathers the points of {each.statement.target.name} that read {read}, each once"
        yield Proof("adjoint", each.gradient, fact, _wrong_points(each, scattering, sets))
    seeds = frozenset(t.name for t in adjoint.inputs[len(program.inputs) :])
    yield from _flowing(adjoint, owes, seeds, Sets.of(adjoint, checks))


def _wrong_points(each: Owed, program: Program, sets: Sets) -> str | None:
    """A counterexample where the loops of the uses differ from the points at which the read stands; None without one."""
    left = list(each.occurrences)
    for use in each.uses:
        u = tuple(map(symbol, use.unknowns))
        names = (*(f"element[{d}]" for d in range(len(each.tensor.shape))), *use.unknowns)
        relation = tagged(use, each.tensor, program, sets)
        if relation.twice is not None:
            return f"a point counts twice, {sets.sample(relation.twice, names)}"
        wrong = f"the read stands {len(each.occurrences)} times, and is used more often"
        for n, o in enumerate(left):
            needed, all_ = (sets.relation(r, o.subscripts, u) for r in (o.needed, o.region))
            differs = _difference(needed, relation.points, names, sets, all_)
            if differs is None:
                del left[n]
                break
            wrong = differs if n == 0 else wrong
        else:
            return wrong
    return None


def _difference(
    needed: Any, actual: Any, names: Sequence[str], sets: Sets, allowed: Any = None
) -> str | None:
    """A point of the one relation that is not in the other; where more is `allowed` than needed, one that is not."""
    missing, surplus = needed - actual, actual - (needed if allowed is None else allowed)
    if not missing.is_empty():
        return f"a point is missing, {sets.sample(missing, names)}"
    if not surplus.is_empty():
        return f"a point is too much, {sets.sample(surplus, names)}"
    return None


def _flowing(
    adjoint: Program, owes: Sequence[Owed], seeds: Set[str], sets: Sets
) -> Iterator[Proof]:
    """Proofs that in the adjoint program itself cotangents reach the gradients that the reads imply, and no others."""
    needed: dict[tuple[str, str], Any] = {}
    allowed: dict[tuple[str, str], Any] = {}
    names: dict[tuple[str, str], list[str]] = {}
    for each in owes:
        a = tuple(map(symbol, each.statement.indices))
        key = each.gradient, each.cotangent
        names[key] = [f"{each.gradient}[{d}]" for d in range(len(each.tensor.shape))]
        names[key] += [f"{each.cotangent}[{d}]" for d in range(len(a))]
        for o in each.occurrences:
            for relations, region in ((needed, o.needed), (allowed, o.region)):
                relation = sets.relation(region, o.subscripts, a)
                relations[key] = relations[key] | relation if key in relations else relation
    cotangents = frozenset(c for _, c in needed) | seeds
    by_seed = flows(adjoint, cotangents, sets)
    for (gradient, cotangent), relation in needed.items():
        if gradient in by_seed:
            flow = by_seed[gradient].get(cotangent, relation - relation)
            key = gradient, cotangent
            wrong = _difference(relation, flow, names[key], sets, allowed[key])
            fact = f"gathers the elements of {cotangent} that its reads reach"
            yield Proof("adjoint", gradient, fact, wrong)


def _coordinates(tensor: str, program: Program) -> list[str]:
    return [f"{tensor}[{d}]" for d in range(len(program.tensors[tensor].shape))]


def _nests(mode: str, program: Program, checks: Sequence[ReadCheck]) -> Iterator[Proof]:
    """Proofs that the loop nests that run store all elements, each once, and read the elements that their statements read."""
    run = scheduled(program)
    sets = Sets.of(run, checks)
    for kernel in kernels(run, mode):
        subject = ", ".join(kernel.writes)
        yield Proof(mode, subject, "every element is stored once", _unstored(kernel, run, sets))
        wrong = _misread(kernel, run, sets)
        yield Proof(mode, subject, "loops visit what the sums say", wrong)


def _unstored(kernel: Kernel, program: Program, sets: Sets) -> str | None:
    stores = list(stores_of_kernel(kernel))
    for t in kernel.writes:
        shape = program.tensors[t].shape
        names = _coordinates(t, program)
        stored = sets.box(shape) - sets.box(shape)
        for o in (o for o in stores if o.tensor == t):
            elements = sets.elements(o)
            loops = tuple(map(symbol, o.region.loops))
            again = stored & elements
            if (
                not again.is_empty()
                or not sets.relation(o.region, loops, o.subscripts).is_injective()
            ):
                twice = again if not again.is_empty() else elements
                return f"stored twice, {sets.sample(twice, names)}"
            stored = stored | elements
        if wrong := _difference(sets.box(shape), stored, names, sets):
            return wrong
    return None


def _misread(kernel: Kernel, program: Program, sets: Sets) -> str | None:
    """A counterexample where the elements that a nest reads for a point differ from those of its statements; None without one."""
    stored = {s.target.name for s in kernel.statements}
    by_nest = _by_tensor(reads_of_kernel(kernel), kernel.indices, stored, sets)
    by_statements: dict[str, Any] = {}
    for s in kernel.statements:
        point = s.indices[: len(kernel.indices)]
        if set(kernel.indices) <= set(s.indices):  # a running sum may keep others than the first
            point = kernel.indices
        for t, m in _by_tensor(reads_of_statement(s), point, stored, sets).items():
            by_statements[t] = by_statements[t] | m if t in by_statements else m
    for t in by_statements.keys() | by_nest.keys():
        m = by_nest.get(t) or by_statements[t]
        expected, actual = (by.get(t, m - m) for by in (by_statements, by_nest))
        names = [*kernel.indices, *_coordinates(t, program)]
        if wrong := _difference(expected, actual, names, sets):
            return f"{t}: {wrong}"
    return None


def _by_tensor(
    reads: Iterable[Occurrence], indices: Sequence[Symbol], excluded: Set[str], sets: Sets
) -> dict[str, Any]:
    """The elements of each tensor that are read, by the indices; without tensors of the kernel itself."""
    point = tuple(map(symbol, indices))
    relations: dict[str, Any] = {}
    for o in reads:
        if o.tensor not in excluded:
            m = sets.relation(o.region, point, o.subscripts)
            relations[o.tensor] = relations[o.tensor] | m if o.tensor in relations else m
    return relations
