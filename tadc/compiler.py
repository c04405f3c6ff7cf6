"""The stages of the compiler, in order: text to program, program to derivative, program to what runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.derive.adjoint import adjoint, gradient, jacobian, symbols_of
from tadc.derive.tangent import tangent
from tadc.errors import Source
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.normalize.live import live
from tadc.normalize.plain_names import plain_names
from tadc.normalize.reductions import separate_inner_reductions, separate_reductions
from tadc.normalize.simplify import simplify
from tadc.normalize.solved import solved
from tadc.resolve.resolve import Resolved, resolve
from tadc.syntax import parse_idx

__all__ = [
    "adjoint_program",
    "front",
    "gradient_program",
    "jacobian_program",
    "normalized",
    "tangent_program",
]


def front(
    source: Source, lang: str, name: str, sizes: Mapping[str, int], index_base: int = 0
) -> Resolved:
    """Text to program: parse, resolve, normalize."""
    if lang == "tex":
        from tadc.syntax.tex import parse_tex  # its grammar is loaded only when it is needed

        tree = parse_tex(source)
    else:
        tree = parse_idx(source)
    resolved = resolve(tree, name, sizes, index_base)
    return replace(resolved, program=normalized(resolved.program))


def normalized(program: Program) -> Program:
    """What every program goes through, the user's and derivatives alike."""
    # Derivatives hold copies of reductions inside each other: names are told apart before they are solved.
    program = _solved(plain_names(live(simplify(program))))
    program = _solved(separate_inner_reductions(program, taken_names(program)))
    return plain_names(live(program))


def _solved(program: Program) -> Program:
    """Solved and simplified, until nothing changes: a guard of an inner reduction restricts the outer one's domain."""
    while (next_ := simplify(solved(program))) != program:
        program = next_
    return program


def adjoint_program(program: Program, wrt: Sequence[str]) -> Program:
    names = taken_names(program)
    return normalized(adjoint(separate_reductions(program, names), wrt, names))


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
    return Names((*program.tensors, *symbols_of(program)))
