"""Removal of dead parts: statements that no output depends on, outputs and inputs that are not requested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.ir.element_types import INDEX
from tadc.ir.program import Program

__all__ = ["live", "only", "part", "read_inputs", "stages", "with_inputs"]


def live(program: Program) -> Program:
    """The program without the statements that no output depends on. Inputs stay."""
    needed = set(program.outputs)
    kept = []
    for statement in reversed(program.statements):
        if statement.target.name in needed:
            kept.append(statement)
            needed |= statement.reads
    return replace(program, statements=tuple(reversed(kept)))


def only(program: Program, outputs: Sequence[str]) -> Program:
    """The program with these outputs alone. Inputs stay."""
    return live(replace(program, outputs=tuple(outputs)))


def read_inputs(program: Program) -> tuple[str, ...]:
    """The inputs that a statement reads, or that are outputs."""
    read = {name for s in program.statements for name in s.reads} | set(program.outputs)
    return tuple(t.name for t in program.inputs if t.name in read)


def with_inputs(program: Program, kept: Sequence[str]) -> Program:
    """The program with these inputs alone, of which the others are not read."""
    assert set(read_inputs(program)) <= set(kept), "an input that is read is dropped"
    return replace(program, inputs=tuple(t for t in program.inputs if t.name in kept))


def part(program: Program, outputs: Sequence[str], values: Sequence[str]) -> Program:
    """The part of the program that computes `outputs` from these `values`, inputs or not.

    Its inputs are those of the program that it reads, in their order, then the values that no input is.
    """
    kept = [s for s in program.statements if s.target.name not in values]
    inner = live(replace(program, statements=tuple(kept), outputs=tuple(outputs)))
    read = {name for s in inner.statements for name in s.reads} | set(values)
    inputs = [t for t in program.inputs if t.name in read]
    known = {t.name for t in inputs}
    inputs += [program.tensors[v] for v in values if v not in known]
    return replace(inner, inputs=tuple(inputs))


def stages(program: Program) -> tuple[Program, Program] | None:
    """The statements that compute index tensors, of real numbers there, and the rest of the program, whose inputs these are.

    The first has those index tensors that follow from no other one; None without any.
    """
    waiting: set[str] = set()  # index tensors that a statement defines, and what follows from them
    ready: list[str] = []
    for s in program.statements:
        if s.reads & waiting:
            waiting.add(s.target.name)
        elif s.target.dtype == INDEX:
            ready.append(s.target.name)
            waiting.add(s.target.name)
    if not ready:
        return None
    made = set(ready)
    computed = tuple(
        replace(s, target=replace(s.target, dtype="float64", values=None))
        if s.target.name in made
        else s
        for s in program.statements
        if s.target.name in made or s.target.name not in waiting
    )
    first = live(replace(program, statements=computed, outputs=tuple(ready)))
    rest = replace(
        program,
        inputs=(*program.inputs, *(program.tensors[n] for n in ready)),
        statements=tuple(s for s in program.statements if s.target.name not in made),
    )
    return first, live(rest)
