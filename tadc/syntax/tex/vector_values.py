r"""Expressions of vectors and matrices before their subscripts are written: what they are made of, and what errors call them."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from tadc.errors import Source, Span, SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Application, Binary, Element, Expression, Name, Number
from tadc.syntax.nodes import Node, key, nodes, with_parts
from tadc.syntax.tex.commands import words

__all__ = [
    "ASKS",
    "EACH",
    "ONE",
    "Subscripts",
    "Value",
    "declaration",
    "diagonal_matrix",
    "elementwise",
    "extents_of_product",
    "identity",
    "is_capital",
    "normalized",
    "numbers",
    "plain_product",
    "rebuilt",
    "reduced",
    "scalar",
    "scalar_of",
    "unequal",
    "what",
]

EACH = (
    "\\each"  # the product of elements in a function of numbers, which may be applied to a vector
)
Subscripts: TypeAlias = tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """An expression of `rank` dimensions without subscripts; `at` writes the element at some. A row is a vector transposed.

    `extents` are those of its dimensions as far as declarations tell; nothing is known where there are none. A `plain` row is
    one without a sign of transposition, such as the `x W` of authors whose vectors are rows. A matrix that is 0 elsewhere has its
    `diagonal`; an outer product of equal lengths the `inner` one, which it is where vectors are rows.
    """

    rank: int
    at: Callable[[Subscripts], Expression]
    span: Span
    is_row: bool = False
    extents: tuple[object, ...] = ()
    is_plain: bool = False
    diagonal: Value | None = None
    inner: Value | None = None


def diagonal_matrix(diagonal: Value, span: Span) -> Value:
    """The matrix with this vector on its diagonal."""

    def at(i: Subscripts) -> Expression:
        equal = ast.Comparison((i[0], i[1]), ("==",), span)
        return ast.Choice(equal, diagonal.at(i[:1]), Number("0", span), span)

    return Value(2, at, span, extents=diagonal.extents * 2, diagonal=diagonal)


def numbers(args: Sequence[Node]) -> Subscripts:
    """The arguments of a command, which are no conditions."""
    return cast(Subscripts, tuple(args))


def extents_of_product(left: Value, right: Value) -> tuple[object, ...]:
    """The extents of a product of matrices or vectors, as far as declarations tell; nothing where some are unknown."""
    before, after = left.extents[:-1], right.extents[1:]
    is_known = len(before) == left.rank - 1 and len(after) == right.rank - 1
    return (*before, *after) if is_known else ()


ONE = key(Number("1", Span(Source("1"), 0, 1)))


def identity(e: Expression, beside: Value) -> Value:
    r"""The matrix `I`, `\lambda I_n` or `I / c` that is added to another one. Raises SyntaxError where that is not square."""
    if len(beside.extents) == 2 and len({*beside.extents}) == 2 and None not in beside.extents:
        raise SyntaxError(
            e.span,
            f"`I` is the identity beside {what(beside)} which is not square as it is declared",
            fix="give both extents one size, or declare what `I` is: `%!tadc input I[N, M]`",
        )
    diagonal = _diagonal(e)

    def at(i: Subscripts) -> Expression:
        equal = ast.Comparison((i[0], i[1]), ("==",), e.span)
        return ast.Choice(equal, diagonal, Number("0", e.span), e.span)

    return Value(2, at, e.span)


def _diagonal(e: Expression) -> Expression:
    """The elements on the diagonal of a multiple of the identity."""
    match e:
        case Binary("/", over, under):
            return Binary("/", _diagonal(over), under, e.span)
        case Binary("*", factor, _):
            return factor
        case _:
            return Number("1", e.span)


def scalar(e: Expression) -> Value:
    return Value(0, lambda _: e, e.span)


def scalar_of(make: Callable[[], Expression], span: Span) -> Value:
    return Value(0, lambda _: make(), span)


def rebuilt(node: Any, values: Sequence[Value]) -> Value:
    """The node of numbers."""
    for value in values:
        if value.rank:
            raise SyntaxError(
                value.span,
                f"{what(value)} stands where a number is expected",
                fix="write an element of it, with all its subscripts",
            )
    return Value(0, lambda _: with_parts(node, tuple(v.at(()) for v in values)), node.span)


def elementwise(node: Any, values: Sequence[Value]) -> Value:
    """The node at each element of those of its parts that are no numbers, such as a choice by the signs of a vector."""
    rank = max((v.rank for v in values), default=0)
    whole = next((v for v in values if v.rank), None)
    if whole is None:
        return rebuilt(node, values)
    for value in values:
        if value.rank not in (0, rank) or (value.rank and value.is_row != whole.is_row):
            raise unequal(node.span, whole, value)
    return Value(
        rank,
        lambda i: with_parts(node, tuple(v.at(i if v.rank else ()) for v in values)),
        node.span,
        whole.is_row,
        whole.extents,
        whole.is_plain,
    )


def reduced(op: str, k: Name, body: Expression, span: Span) -> Expression:
    return ast.Reduction(Name(op, span), (ast.Range(k, span),), None, body, span)


def normalized(x: Expression, total: Expression, span: Span) -> Expression:
    return Application(Name("exp", span), (Binary("-", x, total, span),), span)


def plain_product(node: Node) -> Node:
    match node:
        case Application(Name("\\cdot" | "\\ast" | "\\each"), (left, right)):
            a, b = numbers((left, right))
            return Binary("*", a, b, node.span)
        case _:
            return node


# ---------------------------------------------------------------------- errors

ASKS = {
    "\\top": "a transpose",
    "\\dagger": "a transpose",
    "\\inner": "an inner product",
    "\\tr": "a trace",
    "\\diag": "a diagonal",
}


def what(value: Value) -> str:
    kinds = {0: "a number", 1: "a row" if value.is_row else "a vector", 2: "a matrix"}
    what = kinds.get(value.rank, f"a tensor of {value.rank} dimensions")
    return f"`{value.span.text}`, {what},"


def unequal(span: Span, left: Value, right: Value, fix: str = "") -> SyntaxError:
    same = r"give both the same dimensions; what is a vector is declared, `x \in \mathbb{R}^{N}`"
    return SyntaxError(
        span,
        f"{what(left)} and {what(right).rstrip(',')} stand on both sides of a sign",
        fix=fix or same,
    )


def is_capital(e: Expression) -> bool:
    r"""Whether it is a capital letter, as matrices have; or the step of one, `\Delta W`."""
    base = e.name.removeprefix("Delta_").split("_")[0] if isinstance(e, Name) else ""
    return base[:1].isupper() and (len(base) == 1 or base in _GREEK_MATRICES)


_GREEK_MATRICES = words("Sigma Lambda Phi Psi Theta")


def declaration(e: Expression, indices: Set[str] | None = None) -> str:
    """What declares the first tensor of an expression as a vector, or as one at each index that it has here; a capital alone as a matrix.
    Where the `indices` are given, none of them has a shape, and other letters below a name are its label.
    """
    reads = (n for n in nodes((e,)) if isinstance(n, Element | Name))
    read = next(reads, Name("x", e.span))
    if isinstance(read, Name) and read.name in (indices or ()):
        return rf"write the vector of each `{read.span.text}` with the index below it, `\mathbf{{r}}_{{{read.name}}}`, and declare its shape"
    letters = [s.name if isinstance(s, Name) else "" for s in getattr(read, "subscripts", ())]
    base = read if isinstance(read, Name) else read.name
    name, count = base.name, len(letters)
    is_label = indices is not None and count == 1 and letters[0].isupper()
    if is_label and letters[0] not in (indices or ()):
        name, count = f"{name}_{letters[0]}", 0
    is_matrix = not count and is_capital(base)
    taken = {n.name for n in nodes((e,)) if isinstance(n, Name)} | {name}
    every = [n for n in ("D", "P", "N", "M", "K", "L", "Q", "R") if n not in taken] or ["D"]
    extents = ", ".join(
        (*every[2 - ("P" in taken) - ("D" in taken) :][: count + is_matrix], every[0])
    )
    last = rf"N \times {every[0]}" if is_matrix else every[0]
    shown = read.span.text if len(read.span.text) <= 20 else "x"
    return rf"declare its shape: `%!tadc input {name}[{extents}]`, or `${shown} \in \mathbb{{R}}^{{{last}}}$` in the prose"
