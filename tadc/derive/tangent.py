"""The tangent program: J times the tangents, by forward accumulation over the expression graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.derive.products import Products, plus
from tadc.derive.reductions import Shares, active, with_ties
from tadc.ir.affine import symbol
from tadc.ir.expr import Call, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder
from tadc.normalize.masks import Marks

__all__ = ["tangent"]


def tangent(program: Program, wrt: Sequence[str], names: Names) -> Program:
    """Inputs: those of `program`, then a tangent `d<input>` for each of `wrt`. Outputs: `d<output>`."""
    reached = active(program, wrt)
    program, ties = with_ties(program, reached, names)
    tensors = program.tensors
    tangents = {
        x: Tensor(names.derivative(f"d{x}"), tensors[x].shape, tensors[x].dtype) for x in wrt
    }
    outputs = {f: names.derivative(f"d{f}") for f in program.outputs}
    inputs = frozenset(t.name for t in program.inputs)
    marks = Marks.of(program)
    called = {x: t.name for x, t in tangents.items()}
    statements: list[Statement] = []
    for statement in program.statements:
        name = statement.target.name
        products = Products(marks.judge(statement))
        change = (
            _tangent(statement, called, Shares(statement, ties, products, names))
            if name in reached
            else None
        )
        if change is not None or name in outputs:
            target = replace(
                statement.target, name=outputs.get(name) or names.derivative(f"d{name}")
            )
            statements.append(replace(statement, target=target, body=change or Const(0)))
            marks.note(statements[-1], masked=False)
            if change is not None:
                called[name] = target.name
    for f in (f for f in program.outputs if f in inputs):
        statements.append(_copy(tensors[f], called.get(f), outputs[f]))
    return replace(
        program,
        inputs=(*program.inputs, *tangents.values()),
        statements=(*program.statements, *statements),
        outputs=tuple(outputs.values()),
    )


def _copy(tensor: Tensor, source: str | None, name: str) -> Statement:
    """The tangent of an output that is an input: that input's own."""
    indices = tuple(f"i{d}" for d in range(len(tensor.shape)))
    body = Read(source, tuple(map(symbol, indices))) if source else Const(0)
    return Statement(replace(tensor, name=name), indices, (), body)


def _tangent(statement: Statement, tangents: Mapping[str, str], shares: Shares) -> Expr | None:
    """The change of a statement's value with its reads; None is zero."""
    change: dict[Expr, Expr | None] = {}
    for node in postorder(statement.body):
        match node:
            case Read(tensor, subscripts):
                change[node] = Read(tangents[tensor], subscripts) if tensor in tangents else None
            case Call():
                total: Expr | None = None
                for _, contribution in shares.products.tangents(node, change):
                    total = plus(total, contribution)
                change[node] = total
            case Select(condition, then, otherwise):
                a, b = change[then], change[otherwise]
                if a is None and b is None:
                    change[node] = None
                else:
                    change[node] = Select(condition, a or Const(0), b or Const(0))
            case Reduce(_, indices, derived, domain, inner):
                d = change[inner]
                change[node] = (
                    None
                    if d is None
                    else Reduce("sum", indices, derived, domain, shares.of(node, d))
                )
            case Const() | IndexValue():
                change[node] = None
    return change[statement.body]
