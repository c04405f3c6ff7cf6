"""The stages of the compiler, in order: text to program, program to derivative, program to what runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from tadc.derive.adjoint import adjoint, gradient, jacobian
from tadc.derive.tangent import tangent
from tadc.errors import Source
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.normalize.live import live
from tadc.normalize.plain_names import plain_names
from tadc.normalize.reductions import separate_inner_reductions, separate_reductions
from tadc.normalize.simplify import simplify
from tadc.normalize.solved import solved
from tadc.resolve.resolve import Resolved, resolve
from tadc.schedule.common import common
from tadc.schedule.shared import shared
from tadc.syntax import ast, parse_idx

__all__ = [
    "adjoint_program",
    "front",
    "gradient_program",
    "jacobian_program",
    "named_extents",
    "normalized",
    "tangent_program",
    "vjp_programs",
]


def front(
    source: Source, lang: str, name: str, sizes: Mapping[str, int], index_base: int = 0
) -> Resolved:
    """Text to program: parse, resolve, normalize."""
    parsed = _parsed(source, lang)
    resolved = resolve(parsed, name, sizes, index_base)
    return replace(resolved, program=normalized(resolved.program), skipped=parsed.skipped)


def named_extents(source: Source, lang: str) -> dict[str, tuple[str, int]]:
    """The sizes that are the whole extent of an input's dimension, by name: the input and the dimension."""
    found: dict[str, tuple[str, int]] = {}
    for item in _parsed(source, lang).items:
        if isinstance(item, ast.TensorDeclaration) and item.kind == "input":
            for d, extent in enumerate(item.extents or ()):
                if isinstance(extent, ast.Name):
                    found.setdefault(extent.name, (item.name.name, d))
    return found


def _parsed(source: Source, lang: str) -> ast.Program:
    if lang == "tex":
        from tadc.syntax.tex import parse_tex  # its grammar is loaded only when it is needed

        return parse_tex(source)
    return parse_idx(source)


def normalized(program: Program) -> Program:
    """What every program goes through, the user's and derivatives alike."""
    # Derivatives hold copies of reductions inside each other: names are told apart before they are solved.
    program = _solved(plain_names(live(simplify(program))))
    program = _solved(separate_inner_reductions(program, taken_names(program)))
    return plain_names(live(program))


def _solved(program: Program) -> Program:
    """Solved and simplified, until nothing changes: a guard of an inner reduction restricts the outer one's domain.

    Or until a form comes back: the same bounds may be written in one quotient or in another.
    """
    seen: set[Program] = set()
    while program not in seen:
        seen.add(program)
        program = simplify(solved(program))
    return program


def adjoint_program(program: Program, wrt: Sequence[str]) -> Program:
    names = taken_names(program)
    return normalized(adjoint(separate_reductions(program, names), wrt, names))


def vjp_programs(program: Program, wrt: Sequence[str]) -> tuple[Program, Program]:
    """The adjoint in two halves: what needs no cotangent, with the program's outputs; and the gradients from there.

    The first gives the outputs, then the residuals: tensors that the second reads, and nothing else. The second takes
    the inputs, the residuals, then the cotangents.
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
    residuals = tuple(s.target for s in first if s.target.name in read)
    kept = (t.name for t in residuals if t.name not in program.outputs)
    forward = replace(
        both, inputs=program.inputs, statements=tuple(first), outputs=(*program.outputs, *kept)
    )
    inputs = (*program.inputs, *residuals, *cotangents)
    backward = replace(both, inputs=inputs, statements=tuple(second), outputs=gradients)
    return live(forward), backward


def _early(program: Program, stay: Set[str]) -> Program:
    """The program with all statements but those of `stay` as early as they can be, for others to read them."""
    statements = [s for s in program.statements if s.target.name in stay]
    for s in (s for s in program.statements if s.target.name not in stay):
        place = max((n for n, t in enumerate(statements, 1) if t.target.name in s.reads), default=0)
        while place < len(statements) and statements[place].target.name not in stay:
            place += 1
        statements.insert(place, s)
    return replace(program, statements=tuple(statements))


def tangent_program(program: Program, wrt: Sequence[str]) -> Program:
    names = taken_names(program)
    return normalized(tangent(separate_reductions(program, names), wrt, names))


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
