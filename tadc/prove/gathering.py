"""Proofs that gradients gather exactly their contributions: design of `derive/gather.py`, seen from the other side.

A read `x[A u + c]` of a statement, at the points `u` of its region, owes the element `b = A u + c` of the gradient of `x`
one term for each `u`. Two things are proved. *Each once*: with a tensor of tags `t[u]` for the derivative, what
derivation and solver make of the read is a sum of tags over loops, and these loops, taken as a relation from
`(b, loop indices)` to `(b, u)`, are injective and reach exactly the points of the region. *As it runs*: in the program of
the derivative itself, the elements of a cotangent that reach an element of a gradient, through whatever statements
are in between, are those that the reads say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tadc import compiler
from tadc.derive.adjoint import scattered
from tadc.derive.gather import gathered
from tadc.derive.uses import Use
from tadc.ir.affine import constant, symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Const, Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.prove.regions import Occurrence, reads_of_statement
from tadc.prove.sets import Sets

if TYPE_CHECKING:
    import islpy

__all__ = ["Owed", "Tagged", "flows", "owed", "tagged"]

ANY_EXTENT = constant(2**40)  # of the tags, whose subscripts are not checked


@dataclass(frozen=True, slots=True)
class Owed:
    """The uses of one read in a statement, and the regions in which it stands.

    `gradient` is the adjoint of the tensor that is read, `cotangent` that of the statement's target.
    """

    statement: Statement
    uses: tuple[Use, ...]
    occurrences: tuple[Occurrence, ...]
    tensor: Tensor
    gradient: str
    cotangent: str


def owed(program: Program, wrt: tuple[str, ...]) -> tuple[Program, list[Owed]]:
    """Contributions that the reads of a program owe to the gradients by `wrt`, and the program in whose terms they are."""
    names = compiler.taken_names(program)
    separated = compiler.reduced(program, names)
    scattering, scatters = scattered(separated, wrt, names)
    seeds = zip(program.outputs, scattering.inputs[len(program.inputs) :], strict=True)
    adjoints: dict[str, str] = {f: seed.name for f, seed in seeds}
    for scatter in scatters:
        pairs = zip(scatter.uses, scatter.adjoints, strict=True)
        adjoints.update({use.read.tensor: adjoint for use, adjoint in pairs})
    result = []
    for scatter in scatters:
        statement = scatter.statement
        reads = list(reads_of_statement(statement))
        groups: dict[object, list[Use]] = {}
        for use in scatter.uses:
            groups.setdefault((use.read, frozenset(use.unknowns)), []).append(use)
        for uses in groups.values():
            read, loops = uses[0].read, set(uses[0].unknowns)
            indices = tuple(
                o
                for o in reads
                if (o.tensor, o.subscripts) == (read.tensor, read.subscripts)
                and set(o.region.loops) == loops
            )
            tensor = scattering.tensors[read.tensor]
            cotangent = adjoints[statement.target.name]
            result.append(
                Owed(statement, tuple(uses), indices, tensor, adjoints[tensor.name], cotangent)
            )
    return scattering, result


@dataclass(frozen=True, slots=True)
class Tagged:
    """The points `(b, u)` that the loops of a use visit; those that they visit `twice`, if there are any."""

    points: islpy.Map
    twice: islpy.Map | None


def tagged(use: Use, tensor: Tensor, program: Program, sets: Sets) -> Tagged:
    """The relation, as derivation and solver make it of a use, from elements to the points that they sum."""
    names = Names((*program.tensors, *program.symbols, *use.unknowns))
    tags = Tensor(names.fresh("t"), (ANY_EXTENT,) * len(use.unknowns))
    tag = Read(tags.name, tuple(map(symbol, use.unknowns)))
    indices = tuple(names.fresh("b") for _ in tensor.shape)
    target = Tensor(names.fresh("dt"), tensor.shape)
    guarded = replace(use, derivative=_guarded(tag, use.derivative))
    statement = Statement(target, indices, (), gathered([guarded], indices))
    program = replace(
        program,
        inputs=(*program.inputs, tags),
        statements=(*program.statements, statement),
        outputs=(target.name,),
    )
    visits, loops = [], []
    for s in compiler.normalized(program).statements:
        for o in reads_of_statement(s):
            if o.tensor == tags.name:
                b = tuple(map(symbol, s.indices))
                visits.append(sets.relation(o.region, b, o.subscripts))
                inner = tuple(map(symbol, o.region.loops))
                loops.append(sets.relation(o.region, inner, (*b, *o.subscripts)))
    empty = sets.nothing(len(indices), len(use.unknowns))
    twice, points = None, empty
    for relation, visit in zip(loops, visits, strict=True):
        if not (points & visit).is_empty():
            twice = points & visit
        elif not relation.is_injective():
            twice = visit
        points |= visit
    return Tagged(points, twice)


def _guarded(tag: Read, derivative: Expr) -> Expr:
    """The tag where the derivative is evaluated."""
    match derivative:
        case Select(Domain() as domain, Const(0) as zero, inner):
            return Select(domain, zero, _guarded(tag, inner))
        case _:
            return tag


def flows(
    program: Program, sources: frozenset[str], sets: Sets
) -> Mapping[str, dict[str, islpy.Map]]:
    """For each tensor of the program, the elements of each of `sources` that its elements are made of.

    Flows are not followed beyond the sources.
    """
    result: dict[str, dict[str, islpy.Map]] = {}
    for s in program.statements:
        element = tuple(map(symbol, s.indices))
        flow: dict[str, islpy.Map] = {}
        for o in reads_of_statement(s):
            behind: Iterator[tuple[str, islpy.Map]]
            read = sets.relation(o.region, element, o.subscripts)
            if o.tensor in sources:
                behind = iter([(o.tensor, read)])
            else:
                further = result.get(o.tensor, {})
                behind = ((t, read.apply_range(m)) for t, m in further.items())
            for t, m in behind:
                flow[t] = (flow[t] | m).coalesce() if t in flow else m
        result[s.target.name] = flow
    return result
