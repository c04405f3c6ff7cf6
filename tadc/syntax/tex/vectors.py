r"""Matrices and vectors as index notation, where shapes are declared: `\mathbf{x}_i^\top \mathbf{w}` is `sum{d} x[i, d]*w[d]`.

A tensor that is written with fewer subscripts than it has dimensions is what is left: a vector, or a matrix. Products,
transposes, norms and inner products of these then have one meaning, or are errors that say which to write. The builder
writes them as applications of commands, `\top`, `\cdot`, `\odot`, `\norm2`, `\inner`, `\element`, `\softmax`; after this
there are none.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Application, Binary, Definition, Element, Expression, Name, Number
from tadc.syntax.nodes import Node, nodes, parts, rewritten
from tadc.syntax.tex.commands import ONES
from tadc.syntax.tex.conditional_order import with_order
from tadc.syntax.tex.known_tensors import Known
from tadc.syntax.tex.unclear_vectors import (
    is_bare_product,
    last_factor,
    refuse_element,
    refuse_numbered,
    refuse_starred,
    refuse_undeclared,
    refuse_unknown,
    unclear_factors,
)
from tadc.syntax.tex.vector_functions import applied, reduction
from tadc.syntax.tex.vector_operations import is_softmax, operation, refuse_softmax, squares
from tadc.syntax.tex.vector_products import (
    SQUARE,
    declared_behind,
    is_identity,
    power,
    product,
    quotient,
    total,
)
from tadc.syntax.tex.vector_values import (
    EACH,
    Subscripts,
    Value,
    declaration,
    diagonal_matrix,
    elementwise,
    identity,
    is_capital,
    plain_product,
    rebuilt,
    scalar,
    what,
)
from tadc.trampoline import descend

__all__ = ["in_index_notation"]

MOST_NESTED = 100  # operations of vectors inside each other
_OF_NUMBERS = ("\\cdot", "\\ast", EACH)  # signs between numbers, too


def in_index_notation(known: Known, definition: Definition) -> tuple[Definition, bool]:
    """The definition in index notation, and whether it was none; `known` learns of it. Raises SyntaxError for what has no one meaning."""
    known.begin(definition)
    definition = with_order(known, definition)
    known.in_elements = known.vectors_in_elements(definition)
    target = definition.target.name
    if not _is_needed(known, definition):
        known.define(target, known.ranks.get(target, len(definition.lefts)))
        return replace(definition, body=rewritten(definition.body, plain_product)), False
    _refuse_deep(definition.body)
    value = Walk(known).value(definition.body)
    if value.is_row and not value.is_plain and not known.has_all(definition):
        raise SyntaxError(
            value.span,
            f"{what(value).rstrip(',')}, is what the right side comes to: what follows a transpose is a number as far as the document tells",
            fix=declared_behind(known, definition.body)
            or r"declare the shape of what follows it, `x \in \mathbb{R}^{N}`",
        )
    lefts = definition.lefts
    if value.rank:
        refuse_undeclared(known, definition)
    if _is_element_of(known, definition, value.rank):
        known.guess(
            "the left side is an element of what stands on the right, which has none of its indices",
            definition.span,
        )
        known.define(target, len(lefts))
        return replace(definition, body=value.at(known.lefts)), True
    declared = known.ranks.get(target)
    if value.inner is not None and lefts and declared is None and target[:1].islower():
        raise SyntaxError(
            value.span,
            f"`{value.span.text}` may be a number, the inner product of two rows, or a matrix at each index",
            fix=r"write `x_i^\top y_i` for the inner product; for the matrices give the left side a capital letter, `S_i`",
        )
    if declared is not None and declared != len(lefts) + value.rank:
        raise SyntaxError(
            definition.span,
            f"`{definition.target.span.text}` has {declared} dimensions, {len(lefts)} subscripts here, and the right"
            f" side has {value.rank} more",
            fix="give both sides the same dimensions",
        )
    if value.diagonal is not None and not lefts and target in known.wholes:
        known.diagonals.add(target)  # its elements are those of its diagonal
        value = value.diagonal
    new = tuple(known.fresh(definition.target.span) for _ in range(value.rank))
    body = value.at(new)
    known.define(target, 2 if target in known.diagonals else len(lefts) + value.rank)
    if is_softmax(known, definition.body) and value.rank == 2:
        known.softmaxed.add(target)
    more = tuple(ast.Range(name, name.span) for name in new)
    return replace(definition, lefts=(*lefts, *more), body=body), True


def _is_element_of(known: Known, definition: Definition, rank: int) -> bool:
    r"""Whether it is `A_{ij} = F M^\top`, an element of a product that is written whole: the right side has no index of it."""
    names = {n.name for n in nodes((definition.body,)) if isinstance(n, Name)}
    is_open = known.ranks.get(definition.target.name, rank) == rank and rank > 0
    return is_open and rank == len(known.lefts) and not names & {n.name for n in known.lefts}


def _is_needed(known: Known, definition: Definition) -> bool:
    for node in nodes((definition.body,)):
        match node:
            case Application(Name(name)) if name.startswith("\\") and name not in _OF_NUMBERS:
                return True
            case Element(Name(name), subscripts) if known.ranks.get(name, 0) > len(subscripts):
                return True
            case Name(name) if name == ONES:
                return True
            case Binary("*", Name(a), Name(b)) if {a, b} <= known.capitals:
                return True  # a product of matrices
            case Binary("**", Name(name), ast.Unary()) if name in known.capitals:
                return True  # an inverse
            case Name(name) if known.ranks.get(name, 0) > 0 and name not in known.indices:
                return True
            case _:
                pass
    return False


class Walk:
    """One right side as a value; `scaled` is what stands in front of matrices, by the product, until something tells what it is."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.scaled: dict[int, tuple[Expression, Sequence[object]]] = {}

    def value(self, body: Expression) -> Value:
        value: Value = descend(self._walk(body))
        for factor, extent in self.scaled.values():
            refuse_element(self.known, factor, "in front of", extent)
        return value

    def _walk(self, e: Node) -> Generator[Any, Any, Value]:
        match e:
            case Element(name, subscripts):
                return _read(self.known, name, subscripts, e)
            case Name(name) if name == ONES:
                return Value(1, lambda _: Number("1", e.span), e.span)
            case Name():
                return _read(self.known, e, (), e)
            case Number():
                return scalar(e)
            case ast.Unary():
                operand: Value = yield self._walk(e.operand)
                return replace(operand, at=lambda i: replace(e, operand=operand.at(i)), span=e.span)
            case Binary(operator, left, right) if operator in ("+", "-"):
                a: Value | None = (
                    None if is_identity(self.known, left) else (yield self._walk(left))
                )
                b: Value | None = (
                    None if is_identity(self.known, right) else (yield self._walk(right))
                )
                if a is None:
                    if b is not None and b.rank == 2:
                        a = identity(left, b)
                    else:
                        a = yield self._walk(left)
                if b is None:
                    b = identity(right, a) if a.rank == 2 else (yield self._walk(right))
                return total(self.known, e, a, b)
            case Binary("*", left, right):
                before, behind = (yield self._walk(left)), (yield self._walk(right))
                if before.rank == 2 and behind.rank == 0:
                    refuse_unknown(self.known, right, "behind a matrix", "a vector")
                    refuse_element(self.known, right, "behind", before.extents[-1:])
                if before.rank == 0 and behind.rank == 2:
                    self.scaled[id(e)] = last_factor(left), behind.extents[:1]
                if behind.rank == 1:
                    self.scaled.pop(id(left), None)  # `\alpha_{ij} W h_j`
                is_read = isinstance(right, (Name, Element))
                if before.rank == 0 and behind.rank == 1 and is_read and is_capital(left):
                    refuse_unknown(self.known, left, "in front of a vector", "a matrix")
                if before.rank == 1 and behind.rank == 0 and is_capital(right):
                    refuse_unknown(self.known, right, "behind a vector", "a matrix")
                refuse_softmax(self.known, right, before, behind)
                return product(self.known, e.span, "", before, behind)
            case Binary("**", Application(Name("\\norm2"), (inner,)), Number("2")):
                return squares(self.known, (yield self._walk(inner)), e.span)
            case Binary("**", Name(name), Number("2")) if name in self.known.in_elements:
                self.known.guess(SQUARE, e.span)
                return squares(self.known, (yield self._walk(e.left)), e.span)
            case Binary("**", base, exponent):
                return power(self.known, e, (yield self._walk(base)), (yield self._walk(exponent)))
            case Binary(_, left, right):
                return quotient(e, (yield self._walk(left)), (yield self._walk(right)))
            case Application(Name("\\each"), (left, right)):
                return product(
                    self.known,
                    e.span,
                    "\\odot",
                    (yield self._walk(left)),
                    (yield self._walk(right)),
                )
            case Application(Name("\\cdot" | "\\odot" | "\\ast" as sign), (left, right)):
                a, b = (yield self._walk(left)), (yield self._walk(right))
                if sign == "\\odot" and a.rank == b.rank == 2 and is_bare_product(right):
                    factors = (yield self._walk(right.left)), (yield self._walk(right.right))
                    if all(f.rank == 2 for f in factors):
                        raise unclear_factors(e.span)
                if sign == "\\cdot":
                    refuse_softmax(self.known, right, a, b)
                refuse_numbered(self.known, left, a, b)
                refuse_numbered(self.known, right, b, a)
                return product(self.known, e.span, sign, a, b)
            case Application(Name(name), args) if name.startswith("\\"):
                values = []
                for arg in args if name != "\\element" else args[:1]:
                    values.append((yield self._walk(arg)))
                return operation(self.known, e, name, values)
            case Application():
                return applied(self.known, e, (yield from self._parts(e)))
            case ast.Choice():
                return elementwise(e, (yield from self._parts(e)))
            case ast.Reduction():
                return reduction(e, (yield from self._parts(e)))
            case _:
                return rebuilt(e, (yield from self._parts(e)))

    def _parts(self, node: Node) -> Generator[Any, Any, list[Value]]:
        values = []
        for part in parts(node):
            if isinstance(part, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)):
                inner = yield from self._parts(part)
                values.append(elementwise(part, inner))
            else:
                values.append((yield self._walk(part)))
        return values


def _read(known: Known, name: Name, subscripts: Subscripts, e: Name | Element) -> Value:
    rank = max(known.ranks.get(name.name, 0) - len(subscripts), 0)
    if isinstance(e, Name) and rank == 0 and name.name in known.capitals - known.indices:
        raise SyntaxError(
            e.span,
            f"`{e.span.text}` may be a vector or a matrix, and nothing declares it",
            fix=declaration(e),
        )
    if rank == 0 or (isinstance(e, Name) and name.name in known.indices):
        refuse_starred(known, e)
        return scalar(e)
    if name.name in known.diagonals:
        diagonal = Value(1, lambda i: Element(name, i, e.span), e.span)
        whole = diagonal_matrix(diagonal, e.span)
        return whole if rank == 2 else Value(rank, lambda i: whole.at((*subscripts, *i)), e.span)
    extents = tuple(known.extents.get(name.name, ())[len(subscripts) :])
    if name.name in known.columns and len(subscripts) == 1:
        extents = tuple(known.extents[name.name][:1])
        return Value(1, lambda i: Element(name, (*i, *subscripts), e.span), e.span, extents=extents)
    return Value(rank, lambda i: Element(name, (*subscripts, *i), e.span), e.span, extents=extents)


def _refuse_deep(root: Expression) -> None:
    todo: list[tuple[Node, int]] = [(root, 0)]
    while todo:
        node, level = todo.pop()
        if level > MOST_NESTED:
            raise SyntaxError(
                node.span,
                "vectors and matrices stand in very many brackets here",
                fix="give the inner parts statements of their own",
            )
        todo += [(part, level + 1) for part in parts(node)]
