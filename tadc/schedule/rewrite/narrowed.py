"""Temporaries without the dimensions along which all their elements are equal.

f[i,k] = exp(x[i]);  g[i] = sum{k} f[i,k]*w[k]      is      f[i] = exp(x[i]);  g[i] = sum{k} f[i]*w[k]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.ir.domain import Domain
from tadc.ir.expr import Expr, Read
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import rewrite
from tadc.normalize.in_bounds import reads_are_in_bounds

__all__ = ["narrowed"]


def narrowed(program: Program) -> Program:
    """The program with such temporaries, which everything reads that read the others."""
    kept: dict[str, Sequence[int]] = {}  # the dimensions that are left
    tensors = dict(program.tensors)

    def read(e: Expr) -> Expr:
        if isinstance(e, Read) and e.tensor in kept:
            return Read(e.tensor, tuple(e.subscripts[d] for d in kept[e.tensor]))
        return e

    statements: list[Statement] = []
    for s in program.statements:
        s = replace(s, body=rewrite(s.body, read))
        dimensions = _differing(s, program, tensors)
        if len(dimensions) < len(s.indices):
            kept[s.target.name] = dimensions
            target = replace(s.target, shape=tuple(s.target.shape[d] for d in dimensions))
            tensors[target.name] = target
            s = replace(s, target=target, indices=tuple(s.indices[d] for d in dimensions))
        statements.append(s)
    return replace(program, statements=tuple(statements)) if kept else program


def _differing(s: Statement, program: Program, tensors: Mapping[str, Tensor]) -> Sequence[int]:
    """The dimensions along which elements differ, if others may be left out."""
    every = range(len(s.indices))
    mentioned = s.body.symbols.union(*(d.symbols for d in s.derived))
    dimensions = [d for d in every if s.indices[d] in mentioned]
    left_out = s.target.name not in program.outputs and s.target.name not in s.reads
    if not left_out or len(dimensions) == len(every):
        return every
    # There may be no element along the dimension, and then nothing that may be read either.
    box = {s.indices[d]: s.target.shape[d] for d in dimensions}
    known = program.known & Domain.box(box)
    return dimensions if reads_are_in_bounds(s.body, known, tensors) else every
