"""Functions of numbers and reductions that are applied to vectors, at each of their elements."""

from __future__ import annotations

from dataclasses import replace

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Application, Binary
from tadc.syntax.nodes import Node, with_parts
from tadc.syntax.tex.commands import words
from tadc.syntax.tex.known_tensors import Known
from tadc.syntax.tex.vector_operations import norm, over_all
from tadc.syntax.tex.vector_products import is_number
from tadc.syntax.tex.vector_values import Value, rebuilt, unequal, what

__all__ = ["applied", "reduction"]

_ELEMENTWISE = words(
    """exp expm1 log log1p sqrt sin cos tan tanh sinh cosh sigmoid relu softplus gelu silu erf sign max min atan2
    asin acos atan round floor ceil erfc abs"""
)


def applied(known: Known, e: Application, values: list[Value]) -> Value:
    rank = max((v.rank for v in values), default=0)
    if rank == 0:
        return rebuilt(e, values)
    name = e.function.name
    if name == "abs" and rank == 1:
        if _is_put_in(e):
            raise SyntaxError(
                e.span,
                f"{what(values[0]).rstrip(',')}, is put in here: the norm, or the absolute value of each element?",
                fix=r"apply the function to an element, `f(x_i)`; for a norm, write `\|x\|` in the function",
            )
        if _adds_number(known, e.args[0], values[0]):
            raise SyntaxError(
                e.span,
                f"{what(values[0]).rstrip(',')}, adds a number to each element: are the bars a norm, or absolute values?",
                fix=r"write elements, `|x_i - a|`, or `\|x\|` for the norm",
            )
        return norm(known, e, "2", values[0])
    if name == "abs" and rank == 2 and _may_be_determinant(e, values[0]):
        raise SyntaxError(
            e.span,
            f"bars around {what(values[0]).rstrip(',')}, may stand for its determinant, or for the absolute value of each element",
            fix=r"write elements, `|A_{ij}|`; a determinant is an input of its own",
        )
    if name in ("max", "min") and len(values) == 1:
        return over_all(known, rank, name, values[0].at, e.span)
    is_of_matrices = name in ("exp", "log", "sqrt") and not known.is_elementwise
    if name not in _ELEMENTWISE or (is_of_matrices and rank > 1):
        raise SyntaxError(
            e.span,
            f"`{name}` of {what(values[0])} has no one meaning",
            fix=r"write it of an element, `\exp(x_i)`; for a norm, `\|x\|`",
        )
    if any(v.rank not in (0, rank) for v in values):
        raise unequal(e.span, values[0], values[1])
    whole = next(v for v in values if v.rank)
    return Value(
        rank,
        lambda i: replace(e, args=tuple(v.at(i if v.rank else ()) for v in values)),
        e.span,
        whole.is_row,
        whole.extents,
        whole.is_plain,
    )


def reduction(e: ast.Reduction, values: list[Value]) -> Value:
    body = values[-1]
    if body.rank and e.op.name not in ("sum", "mean"):
        raise SyntaxError(
            e.span,
            f"`{e.op.name}` of {what(body)} has no one meaning",
            fix="write it of an element, with all its subscripts",
        )
    before = values[:-1]
    return replace(
        body,
        at=lambda i: with_parts(e, (*(v.at(()) for v in before), body.at(i))),
        span=e.span,
    )


def _adds_number(known: Known, e: Node, value: Value) -> bool:
    """Whether it is a vector plus or minus a number, so that what stands around is about elements."""
    is_sum = isinstance(e, Binary) and e.operator in ("+", "-") and value.rank == 1
    return (
        is_sum and isinstance(e, Binary) and (is_number(known, e.left) or is_number(known, e.right))
    )


def _may_be_determinant(e: Application, value: Value) -> bool:
    """Whether bars stand around a matrix that may be square."""
    is_square = len(value.extents) < 2 or value.extents[0] == value.extents[1]
    return e.function.span.text != "abs" and is_square


def _is_put_in(e: Application) -> bool:
    """Whether the function of the document that it stands in was applied elsewhere, which its name tells."""
    place = e.function.span
    return place.start < e.span.start or place.end > e.span.end
