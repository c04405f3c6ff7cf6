"""The stages of the compiler, in order: text to program, program to derivative, program to what runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from tadc.derive.adjoint import adjoint, gradient, jacobian
from tadc.derive.tangent import tangent
from tadc.errors import Source
from tadc.ir.affine import symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Expr, Read
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import rewrite
from tadc.normalize.live import live
from tadc.normalize.plain_names import plain_names
from tadc.normalize.reductions import separate_inner_reductions, separate_reductions
from tadc.normalize.simplify import simplified_statement, simplify
from tadc.normalize.solved import solved_statement
from tadc.progress import stage
from tadc.resolve.resolve import Resolved, resolve
from tadc.schedule.rewrite.common import common
from tadc.schedule.rewrite.shared import shared
from tadc.syntax import ast, parse_idx

__all__ = [
    "adjoint_program",
    "front",
    "gradient_program",
    "jacobian_program",
    "jvp_program",
    "normalized",
    "parsed",
    "tangent_program",
    "vjp_program",
    "vjp_programs",
]


def front(
    source: Source, lang: str, name: str, sizes: Mapping[str, int], index_base: int = 0
) -> Resolved:
    """Text to program: parse, resolve, normalize."""
    with stage("reading the program"):
        tree = parsed(source, lang)
    with stage("finding ranges of indices"):
        resolved = resolve(tree, name, sizes, index_base)
    return replace(resolved, program=normalized(resolved.program), skipped=tree.skipped)


def parsed(source: Source, lang: str) -> ast.Program:
    """The syntax tree of a text."""
    if lang == "tex":
        from tadc.syntax.tex.parse import parse_tex  # its grammar is loaded only when it is needed

        return parse_tex(source)
    return parse_idx(source)


def normalized(program: Program) -> Program:
    """What every program goes through, the user's and derivatives alike."""
    # Derivatives hold copies of reductions inside each other: names are told apart before they are solved.
    program = _solved(plain_names(live(simplify(program))))
    settled = frozenset(program.statements)
    program = _solved(separate_inner_reductions(program, taken_names(program)), settled)
    return plain_names(live(program))


def _solved(program: Program, settled: Set[Statement] = frozenset()) -> Program:
    """The program with every statement solved but those of `settled`, which are."""
    known = program.known
    statements = []
    count = len(program.statements)
    with stage(f"solving {count} statement{'s' * (count != 1)}", count) as step:
        for s in program.statements:
            statements.append(s if s in settled else _settled(s, known))
            step()
    return replace(program, statements=tuple(statements))


def _settled(statement: Statement, known: Domain) -> Statement:
    """Solved and simplified, until nothing changes: a guard of an inner reduction restricts the outer one's domain.

    Or until a form comes back: the same bounds may be written in one quotient or in another.
    """
    seen: set[Statement] = set()
    while statement not in seen:
        seen.add(statement)
        statement = simplified_statement(solved_statement(statement, known))
    return statement


def adjoint_program(program: Program, wrt: Sequence[str]) -> Program:
    names = taken_names(program)
    return normalized(adjoint(separate_reductions(program, names), wrt, names))


def vjp_program(program: Program, wrt: Sequence[str]) -> Program:
    """The outputs and the gradients as one program: the adjoint, with what the program gives as outputs before."""
    names = taken_names(program)
    both = adjoint(separate_reductions(program, names), wrt, names)
    return normalized(replace(both, outputs=(*program.outputs, *both.outputs)))


def vjp_programs(program: Program, wrt: Sequence[str]) -> tuple[Program, Program]:
    """The adjoint in two halves: what needs no cotangent, with the program's outputs; and the gradients from there.

    The first gives the outputs, then the residuals: tensors that the second reads, and nothing else. The second takes
    the inputs, the residuals, then the cotangents. No output is a residual, since a caller may change it: what the
    second reads of one is a copy.
    """
    names = taken_names(program)
    separated = separate_reductions(program, names)
    both = adjoint(separated, wrt, names)
    gradients = both.outputs
    both = normalized(replace(both, outputs=(*program.outputs, *gradients)))
    both = _early(live(common(both)), {s.target.name for s in separated.statements})
    both = live(shared(common(both)))
    later = {t.name for t in both.inputs} - {t.name for t in program.inputs}
    cotangents = tuple(t for t in both.inputs if t.name in later)
    later |= set(gradients)  # and what depends on a cotangent
    first: list[Statement] = []
    second: list[Statement] = []
    for s in both.statements:
        if later.isdisjoint((s.target.name, *s.reads)):
            first.append(s)
        else:
            second.append(s)
            later.add(s.target.name)
    read = {name for s in second for name in s.reads}
    kept = [s.target for s in first if s.target.name in read]
    copies = _copies([t for t in kept if t.name in program.outputs], taken_names(both))
    residuals = [copies[t.name].target if t.name in copies else t for t in kept]
    forward = replace(
        both,
        inputs=program.inputs,
        statements=(*first, *copies.values()),
        outputs=(*program.outputs, *(t.name for t in residuals)),
    )

    def from_copy(e: Expr) -> Expr:
        if isinstance(e, Read) and e.tensor in copies:
            return Read(copies[e.tensor].target.name, e.subscripts)
        return e

    backward = replace(
        both,
        inputs=(*program.inputs, *residuals, *cotangents),
        statements=tuple(replace(s, body=rewrite(s.body, from_copy)) for s in second),
        outputs=gradients,
    )
    return live(forward), backward


def _copies(tensors: Iterable[Tensor], names: Names) -> dict[str, Statement]:
    """A statement for each tensor, by its name, that gives its elements to another one."""
    copies = {}
    for t in tensors:
        indices = tuple(f"i{d}" for d in range(len(t.shape)))
        body = Read(t.name, tuple(map(symbol, indices)))
        copies[t.name] = Statement(replace(t, name=names.fresh(t.name)), indices, (), body)
    return copies


def _early(program: Program, stay: Set[str]) -> Program:
    """The program with all statements but those of `stay` as early as they can be, for others to read them."""
    # Those before the first that stays, those after it, after the second, ..
    after: list[list[Statement]] = [[]]
    place: dict[str, int] = {}
    for s in program.statements:
        if s.target.name in stay:
            after.append([s])
            place[s.target.name] = len(after) - 1
    for s in program.statements:
        if s.target.name not in stay:
            place[s.target.name] = max((place.get(name, 0) for name in s.reads), default=0)
            after[place[s.target.name]].append(s)
    return replace(program, statements=tuple(s for group in after for s in group))


def tangent_program(program: Program, wrt: Sequence[str]) -> Program:
    names = taken_names(program)
    return normalized(tangent(separate_reductions(program, names), wrt, names))


def jvp_program(program: Program, wrt: Sequence[str]) -> Program:
    """The program's outputs and their tangents, from the inputs of the tangent program.

    The outputs are copies: tangents read what was computed, and not what 16 bits keep of it.
    """
    names = taken_names(program)
    both = tangent(separate_reductions(program, names), wrt, names)
    copies = _copies((both.tensors[f] for f in program.outputs), names)
    values = (s.target.name for s in copies.values())
    statements = (*both.statements, *copies.values())
    return normalized(replace(both, statements=statements, outputs=(*values, *both.outputs)))


def gradient_program(program: Program, wrt: Sequence[str], prefix: str = "d") -> Program:
    names = taken_names(program)
    called = {x: f"{prefix}{x}" for x in wrt}
    return normalized(gradient(separate_reductions(program, names), called, names))


def hvp_program(program: Program, wrt: Sequence[str]) -> Program:
    """The tangent of the gradient, which is called otherwise than the tangents: `d<input>` is theirs."""
    return tangent_program(gradient_program(program, wrt, prefix="g"), wrt)


def jacobian_program(program: Program, x: str, output: str) -> Program:
    names = taken_names(program)
    return normalized(jacobian(separate_reductions(program, names), x, names, output=output))


def taken_names(program: Program) -> Names:
    """A supply of names that differ from every tensor, index and size of the program."""
    return Names((*program.tensors, *program.symbols))
