"""Parts of a program as functions, one for all that differ in names alone: the rounds of a loop that is written out are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tadc.ir.expr import Expr, Read
from tadc.ir.program import Program, Statement
from tadc.ir.walk import rewrite

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["Part", "Parts"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part under names of its own: `called` are the function's, by those in the program; `inputs` those in the program, in the function's order."""

    function: Function
    inputs: tuple[str, ...]
    called: dict[str, str]

    def names(self, values: Sequence[str]) -> tuple[str, ...]:
        """The function's names of these values."""
        return tuple(self.called[v] for v in values)

    def tangent(self, wrt: Sequence[str]) -> Function:
        return self.function.tangent(self.names(wrt))

    def adjoint(self, wrt: Sequence[str]) -> Function:
        return self.function.adjoint(self.names(wrt))


class Parts:
    """The parts of one program."""

    def __init__(self, f: Function) -> None:
        self._f = f
        self._found: dict[Program, Function] = {}

    def part(self, after: Sequence[str], before: Sequence[str], kept: Sequence[str]) -> Part:
        """The part from the values `before` and `kept` to those `after`."""
        f = self._f._derivative("part", (*after, "|", *before, *kept))
        program = f.program
        own = (*before, *kept, *after, *(s.target.name for s in program.statements))
        places = {name: f"'{n}" for n, name in enumerate(dict.fromkeys(own))}
        first = self._found.setdefault(_renamed(program, places), f)
        pairs = zip(program.tensors, first.program.tensors, strict=True)
        return Part(first, f.inputs, dict(pairs))


def _renamed(program: Program, names: dict[str, str]) -> Program:
    """The program with other names for tensors."""

    def rule(e: Expr) -> Expr:
        match e:
            case Read(name, subscripts) if name in names:
                return Read(names[name], subscripts)
            case _:
                return e

    def renamed(s: Statement) -> Statement:
        target = replace(s.target, name=names.get(s.target.name, s.target.name))
        return replace(s, target=target, body=rewrite(s.body, rule))

    return replace(
        program,
        inputs=tuple(replace(t, name=names.get(t.name, t.name)) for t in program.inputs),
        statements=tuple(map(renamed, program.statements)),
        outputs=tuple(names.get(n, n) for n in program.outputs),
        given=tuple(map(renamed, program.given)),
    )
