"""Sizes that are small in a call, as numbers: a compiler unrolls loops over them, and keeps the values read in registers."""

from __future__ import annotations

from collections.abc import Mapping

from tadc.ir.affine import Symbol
from tadc.ir.expr import Reduce
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.normalize.live import live
from tadc.normalize.simplify import simplify

__all__ = ["with_numbers", "with_short_sums"]


def with_short_sums(program: Program, few: Mapping[Symbol, int]) -> Program:
    """The program for those of the sizes `few`, which are small, that bound a reduction."""
    bounding = _bounding(program) if few else set()
    short = {s: n for s, n in few.items() if s in bounding}
    return with_numbers(program, short) if short else program


def with_numbers(program: Program, sizes: Mapping[Symbol, int]) -> Program:
    """The program for these values of some sizes: one branch remains of a choice by them, and tensors that only the other one
    read are not computed.
    """
    return live(simplify(program.specialised(sizes)))


def _bounding(program: Program) -> set[Symbol]:
    return {
        symbol
        for s in program.statements
        for e in postorder(s.body)
        if isinstance(e, Reduce)
        for symbol in e.domain.symbols
    }
