r"""Transposes, inner products, traces, norms and softmaxes of vectors and matrices, `\top`, `\inner`, `\tr`, `\norm2`, `\softmax`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tadc.errors import Span, SyntaxError, counted
from tadc.syntax import ast
from tadc.syntax.ast import Application, Binary, Expression, Name, Number
from tadc.syntax.nodes import Node, nodes, substituted
from tadc.syntax.tex.known_tensors import Known
from tadc.syntax.tex.vector_values import (
    ASKS,
    Subscripts,
    Value,
    declaration,
    diagonal_matrix,
    normalized,
    numbers,
    reduced,
    scalar_of,
    unequal,
    what,
)

__all__ = ["is_softmax", "norm", "operation", "over_all", "refuse_softmax", "squares"]


def operation(known: Known, e: Application, name: str, values: list[Value]) -> Value:
    first = values[0]
    if name == "\\element":
        return _element(known, e, first)
    if name == "\\given":
        raise SyntaxError(
            e.span,
            "a conditional stands where a number is expected",
            fix="write the element with its indices in the order of the dimensions, `p_{ij}` for `p(i | j)`; or declare its shape, and that of"
            " another tensor with one of these indices, where the extents differ: `%!tadc input p[.., ..]`",
        )
    if first.rank == 0 and name != "\\softmax":
        raise SyntaxError(
            first.span,
            f"`{first.span.text}` is a number as far as the document tells, and {ASKS.get(name, 'this')} is of a vector or matrix",
            fix=declaration(first.at(()), known.indices),
        )
    match name:
        case "\\top" | "\\dagger":
            if name == "\\dagger" and first.rank == 2:
                raise SyntaxError(
                    e.span,
                    f"`{e.span.text}` may be the adjoint, the transpose of a real matrix, or the pseudoinverse",
                    fix=r"write `A^\top` for the transpose; a pseudoinverse is an input of its own",
                )
            if first.rank > 2:
                raise SyntaxError(
                    e.span,
                    "the transpose of more than two dimensions",
                    fix="write its subscripts",
                )
            if first.diagonal is not None:
                return first
            return Value(
                first.rank,
                lambda i: first.at(i[::-1]),
                e.span,
                first.rank == 1 and not first.is_row,
                first.extents[::-1],
            )
        case "\\inner":
            second = values[1]
            if first.rank != second.rank:
                raise unequal(e.span, first, second)
            return over_all(
                known,
                first.rank,
                "sum",
                lambda i: Binary("*", first.at(i), second.at(i), e.span),
                e.span,
            )
        case "\\tr":
            if first.rank != 2:
                raise SyntaxError(
                    e.span,
                    f"the trace is of a matrix, and this is {what(first)}",
                    fix=r"write `\operatorname{tr}(A)`",
                )

            def trace() -> Expression:
                k = known.fresh(e.span)
                return reduced("sum", k, first.at((k, k)), e.span)

            return scalar_of(trace, e.span)
        case "\\diag":
            return _diagonal(e, first)
        case "\\softmax":
            return _softmax(known, e, first)
        case _:
            return norm(known, e, name.removeprefix("\\norm"), first)


def _diagonal(e: Application, inner: Value) -> Value:
    """The matrix with a vector on its diagonal."""
    if inner.rank == 1:
        return diagonal_matrix(replace(inner, is_row=False), e.span)
    raise SyntaxError(
        e.span,
        f"`diag` of {what(inner)} may be its diagonal, a vector, or the matrix that has nothing else",
        fix=r"write the elements, `d_i = A_{ii}`, and the matrix as that of a vector, `\operatorname{diag}(d)`",
    )


def _element(known: Known, e: Application, base: Value) -> Value:
    subscripts = numbers(e.args[1:])
    if base.rank < len(subscripts):
        raise SyntaxError(
            e.span,
            f"what stands in the brackets is {what(base).rstrip(',')}, and it has {counted(len(subscripts), 'subscript')}",
            fix="write subscripts on names, or declare the shapes of what stands in the brackets: "
            + declaration(base.at(())).removeprefix("declare its shape: "),
        )
    return Value(base.rank - len(subscripts), lambda i: base.at((*subscripts, *i)), e.span)


def norm(known: Known, e: Application, kind: str, inner: Value) -> Value:
    if kind == "2" and inner.rank == 1:
        return _root(squares(known, inner, e.span), e.span)
    if kind == "F":
        return _root(squares(known, inner, e.span, of_any=True), e.span)
    if kind in ("1", "inf") and inner.rank == 1:
        op = "sum" if kind == "1" else "max"
        return over_all(
            known, 1, op, lambda i: Application(Name("abs", e.span), (inner.at(i),), e.span), e.span
        )
    raise SyntaxError(
        e.span,
        f"the norm of {what(inner)} is not told by this",
        fix=r"write `\|A\|_F` for the root of the sum of squares, `\|x\|_1`, `\|x\|_2` and `\|x\|_\infty` for vectors, or the sum",
    )


def _root(value: Value, span: Span) -> Value:
    return scalar_of(lambda: Application(Name("sqrt", span), (value.at(()),), span), span)


def squares(known: Known, inner: Value, span: Span, *, of_any: bool = False) -> Value:
    if inner.rank == 0:
        raise SyntaxError(
            inner.span,
            f"`{inner.span.text}` is a number as far as the document tells, and a norm is of a vector",
            fix=declaration(inner.at(()), known.indices),
        )
    if inner.rank > 1 and not of_any:
        return norm(known, Application(Name("\\norm2", span), (), span), "2", inner)
    two = Number("2", span)
    return over_all(known, inner.rank, "sum", lambda i: Binary("**", inner.at(i), two, span), span)


def over_all(
    known: Known, rank: int, op: str, body: Callable[[Subscripts], Expression], span: Span
) -> Value:
    """The reduction of a vector's or matrix's elements."""

    def at() -> Expression:
        k = tuple(known.fresh(span) for _ in range(rank))
        ranges = tuple(ast.Range(name, span) for name in k)
        return ast.Reduction(Name(op, span), ranges, None, body(k), span)

    return scalar_of(at, span)


def is_softmax(known: Known, e: Node) -> bool:
    r"""Whether it is a softmax without an index, or a name that is defined as one."""
    if isinstance(e, Name):
        return e.name in known.softmaxed
    return isinstance(e, Application) and e.function.name == "\\softmax" and len(e.args) == 1


def refuse_softmax(known: Known, e: Node, left: Value, value: Value) -> None:
    r"""Raise for `V \operatorname{softmax}(K^\top Q)`, where papers mean that columns add up to 1, and others rows."""
    if left.rank and value.rank == 2 and is_softmax(known, e):
        raise SyntaxError(
            e.span,
            "something multiplies the softmax of a matrix from the left: do its rows add up to 1, or its columns?",
            fix=r"write it by elements, `A_{ij} = \operatorname{softmax}_i(S_{ij})` for columns and `\operatorname{softmax}_j` for rows",
        )


def _softmax(known: Known, e: Application, value: Value) -> Value:
    """`exp(x - logsumexp x)` over the index that is named, or over the last dimension."""
    index = e.args[1] if len(e.args) > 1 else _left_index(known, value)
    if isinstance(index, Name):

        def at_index(i: Subscripts) -> Expression:
            k = known.fresh(e.span)
            body = substituted(value.at(i), {index.name: k}, known.taken)
            return normalized(value.at(i), reduced("logsumexp", k, body, e.span), e.span)

        return replace(value, at=at_index, span=e.span)
    if value.rank not in (1, 2):
        raise SyntaxError(
            e.span,
            f"the softmax of {what(value)} does not say over which index",
            fix=r"write it below: `\operatorname{softmax}_j(x_{ij})`, or declare the shape of what it is applied to",
        )

    def at(i: Subscripts) -> Expression:
        k = known.fresh(e.span)
        total = reduced("logsumexp", k, value.at((*i[:-1], k)), e.span)
        return normalized(value.at(i), total, e.span)

    if value.rank == 2:
        known.guess("the softmax of a matrix is that of each of its rows", e.span)
    return replace(value, at=at, span=e.span)


def _left_index(known: Known, value: Value) -> Name | None:
    r"""The `i` of `p_i = \operatorname{softmax}(z_i)`: the one index of the left side, of a number that has it."""
    if value.rank or len(known.lefts) != 1:
        return None
    (left,) = known.lefts
    is_read = any(isinstance(n, Name) and n.name == left.name for n in nodes((value.at(()),)))
    return left if is_read else None
