"""Reads of a tensor at places that are far apart, as reads of inputs of their own.

    y[i: N] = x[i] - x[wrap(i-1)]       is, for blocks,       y[i: N] = x[i] - (if i <= 0 then x_1[N-1+i] else x[i-1])

Both are `x`. A block has one slice of an input, which would be all of `x` for the first block here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tadc.blocks.footprints import PlacedRead, placed_reads
from tadc.integer import implies
from tadc.ir.affine import Affine
from tadc.ir.domain import between
from tadc.ir.element_types import INDEX
from tadc.ir.expr import Expr, Read
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.walk import rewrite

__all__ = ["with_far_reads_apart"]

NEAR = 64  # elements that reads of one slice are apart at most, where their places differ by sizes


def with_far_reads_apart(
    program: Program, computed: Collection[str], names: Names
) -> tuple[Program, dict[str, str]]:
    """The program with further inputs, and the tensors that these are parts of.

    Reads in the statements of the tensors `computed` count, of others than these.
    """
    statements = [s for s in program.statements if s.target.name in computed]
    groups: dict[str, list[list[PlacedRead]]] = {}
    for s in statements:
        for placed in placed_reads(s.body, s.box, s.derived):
            name = placed.read.tensor
            if name not in computed and program.tensors[name].dtype != INDEX:
                _add(placed, groups.setdefault(placed.read.tensor, []), program)
    tensors: dict[str, str] = {}
    renamed: dict[Expr, Expr] = {}
    for tensor, (_, *others) in groups.items():
        for group in others:
            name = names.fresh(tensor)
            tensors[name] = tensor
            for read in (p.read for p in group):
                renamed.setdefault(read, Read(name, read.subscripts))
    if not tensors:
        return program, {}
    own = (replace(program.tensors[tensor], name=name) for name, tensor in tensors.items())
    moved = tuple(
        replace(s, body=rewrite(s.body, lambda e: renamed.get(e, e))) if s in statements else s
        for s in program.statements
    )
    return replace(program, inputs=(*program.inputs, *own), statements=moved), tensors


def _add(placed: PlacedRead, groups: list[list[PlacedRead]], program: Program) -> None:
    """Add the read to the first group that it is near, or to one of its own."""
    for group in groups:
        if any(placed.read is p.read for p in group) or _is_near(placed, group[0], program):
            group.append(placed)
            return
    groups.append([placed])


def _is_near(placed: PlacedRead, other: PlacedRead, program: Program) -> bool:
    """Whether the reads differ by less than a slice, or by indices, where the first is evaluated."""
    pairs = zip(placed.read.subscripts, other.read.subscripts, strict=True)
    return all(_is_short(a - b, placed, program) for a, b in pairs)


def _is_short(distance: Affine, placed: PlacedRead, program: Program) -> bool:
    if distance.is_constant:
        return abs(distance.constant) <= NEAR
    if not any(s in program.parameters for s in distance.symbols):
        return True
    known = program.known & placed.domain
    return all(implies(known, c) for c in between(-NEAR, distance, NEAR))
