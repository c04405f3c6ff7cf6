"""Batched programs: many calls that differ in some of the inputs, as one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tadc.ir.affine import symbol
from tadc.ir.domain import Determined, Looked
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import rewrite

__all__ = ["batched"]


def batched(program: Program, inputs: Iterable[str], names: Names) -> Program:
    """The program for many values of these inputs, which have a leading index for that.

    So has whatever is computed from them; the rest is computed once. The number of values is the last size.
    """
    size, index = names.fresh("B"), names.fresh("b")
    many = set(inputs)

    def widened(t: Tensor) -> Tensor:
        return replace(t, shape=(symbol(size), *t.shape)) if t.name in many else t

    def at_index(e: Expr) -> Expr:
        match e:
            case Read(tensor, subscripts) if tensor in many:
                return Read(tensor, (symbol(index), *subscripts))
            case Reduce(op, indices, derived, domain, body):
                return Reduce(op, indices, tuple(map(looked, derived)), domain, body)
            case _:
                return e

    def looked(d: Determined) -> Determined:
        if isinstance(d, Looked) and d.tensor in many:
            return replace(d, subscripts=(symbol(index), *d.subscripts))
        return d

    wide_inputs = tuple(map(widened, program.inputs))
    statements: list[Statement] = []
    for s in program.statements:
        if not many.isdisjoint(s.reads):
            many.add(s.target.name)
            body = rewrite(s.body, at_index)
            s = Statement(
                widened(s.target), (index, *s.indices), tuple(map(looked, s.derived)), body
            )
        statements.append(s)
    return replace(
        program,
        sizes=(*program.sizes, size),
        inputs=wide_inputs,
        statements=tuple(statements),
    )
