"""Programs whose inputs and outputs have elements of 16 bits: no value is rounded to them before it leaves.

A rounded maximum equals none of the values that it was found among, and rounded parts of a sum lose its digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tadc.ir.affine import symbol
from tadc.ir.element_types import HALF_TYPES, arithmetic
from tadc.ir.expr import Expr, Read
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import rewrite
from tadc.schedule.nest.loop_nest import Store, steps_of
from tadc.schedule.nest.lower import kernels

__all__ = ["unrounded", "wide_temporaries"]


def unrounded(program: Program, dtype: str) -> Program:
    """A scheduled program with a temporary in place of each output that it reads, or adds to where it is stored.

    The output is a copy of that. The same program where `dtype`, the type of tensors that declare none, is not one of
    16 bits.
    """
    if dtype not in HALF_TYPES:
        return program
    again = frozenset[str]().union(*(s.reads for s in program.statements)) | _added_to(program)
    targets = [s.target for s in program.statements]
    names = Names((*program.tensors, *program.symbols))
    wide = {
        t.name: names.fresh(f"{t.name}_wide")
        for t in targets
        if t.name in again and t.name in program.outputs and t.dtype is None
    }
    statements: list[Statement] = []
    for s in program.statements:
        widened = replace(s, body=_renamed(s.body, wide))
        if s.target.name in wide:
            unrounded_target = replace(s.target, name=wide[s.target.name])
            statements.append(replace(widened, target=unrounded_target))
            copied = Read(unrounded_target.name, tuple(map(symbol, s.indices)))
            widened = Statement(s.target, s.indices, (), copied)
        statements.append(widened)
    return replace(program, statements=tuple(statements))


def wide_temporaries(program: Program, dtype: str) -> Program:
    """The program whose temporaries declare the type of the arithmetic: for its kernels, since passes distinguish types.

    Inputs and outputs are of `dtype` where they declare none.
    """
    if dtype not in HALF_TYPES:
        return program
    statements = (
        s
        if s.target.name in program.outputs or s.target.dtype
        else replace(s, target=replace(s.target, dtype=arithmetic(dtype)))
        for s in program.statements
    )
    return replace(program, statements=tuple(statements))


def _added_to(program: Program) -> frozenset[str]:
    """Tensors whose elements are sums while a kernel runs (`rows.py`)."""
    steps = (step for k in kernels(program, "run") for step in steps_of(k.body))
    return frozenset(step.tensor for step in steps if isinstance(step, Store) and step.op)


def _renamed(e: Expr, names: Mapping[str, str]) -> Expr:
    def renamed(node: Expr) -> Expr:
        match node:
            case Read(tensor, subscripts) if tensor in names:
                return Read(names[tensor], subscripts)
            case _:
                return node

    return rewrite(e, renamed)
