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

__all__ = ["unrounded", "wide_temporaries"]


def unrounded(program: Program, dtype: str) -> Program:
    """The program with a temporary in place of each output that it reads, and the output as a copy of that.

    The same program where `dtype`, the type of tensors that declare none, is not one of 16 bits.
    """
    if dtype not in HALF_TYPES:
        return program
    read = frozenset[str]().union(*(s.reads for s in program.statements))
    names = Names((*program.tensors, *program.symbols))
    wide = {
        s.target.name: names.fresh(f"{s.target.name}_wide")
        for s in program.statements
        if s.target.name in read and s.target.name in program.outputs and s.target.dtype is None
    }
    statements: list[Statement] = []
    for s in program.statements:
        own = replace(s, body=_renamed(s.body, wide))
        if s.target.name in wide:
            inside = replace(s.target, name=wide[s.target.name])
            statements.append(replace(own, target=inside))
            copied = Read(inside.name, tuple(map(symbol, s.indices)))
            own = Statement(s.target, s.indices, (), copied)
        statements.append(own)
    return replace(program, statements=tuple(statements))


def wide_temporaries(program: Program, dtype: str) -> Program:
    """A scheduled program whose temporaries declare the type of the arithmetic.

    Its inputs and outputs are of `dtype` where they declare none. Only now, since passes keep types apart.
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


def _renamed(e: Expr, names: Mapping[str, str]) -> Expr:
    def renamed(node: Expr) -> Expr:
        match node:
            case Read(tensor, subscripts) if tensor in names:
                return Read(names[tensor], subscripts)
            case _:
                return node

    return rewrite(e, renamed)
