"""What no output needs is compiled away."""

from __future__ import annotations

from dataclasses import replace

from tadc.ir.program import Program

__all__ = ["live"]


def live(program: Program) -> Program:
    """The program without the statements that no output depends on. Inputs stay."""
    needed = set(program.outputs)
    kept = []
    for statement in reversed(program.statements):
        if statement.target.name in needed:
            kept.append(statement)
            needed |= statement.reads
    return replace(program, statements=tuple(reversed(kept)))
