r"""Sums that cover more than a product: in `-\sum_i y_i \log p_i + (1 - y_i) \log(1 - p_i)` nothing else binds the `i` of the second term."""

from __future__ import annotations

from collections.abc import Generator, Sequence, Set
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Binary, Definition, Expression, Note
from tadc.syntax.nodes import free_names
from tadc.trampoline import descend

__all__ = ["with_wide_sums"]

MOST_TERMS = 100
_Sign: TypeAlias = Literal["+", "-"]


def with_wide_sums(definition: Definition, known: Set[str], notes: list[Note]) -> Definition:
    r"""The definition with terms moved into the sum in front of them, where they have its index, and where neither the left side nor
    `known`, the names of sizes and inputs, has it; in the parts of quotients too. A term with some of the indices of one sum,
    `\sum_{i,j} a_{ij} + b_i`, is left.
    """
    others = known | {r.name.name for r in definition.lefts}
    return replace(definition, body=descend(_wide(definition.body, others, notes)))


def _wide(e: Expression, others: Set[str], notes: list[Note]) -> Generator[Any, Any, Expression]:
    """The expression with such sums; `others` are the names that are bound around it."""
    match e:
        case Binary("/", over, under):
            new = (yield _wide(over, others, notes)), (yield _wide(under, others, notes))
            return e if new == (over, under) else replace(e, left=new[0], right=new[1])
        case Binary("*", left, right):
            new = (yield _wide(left, others, notes)), (yield _wide(right, others, notes))
            return e if new == (left, right) else replace(e, left=new[0], right=new[1])
        case Binary("+" | "-"):
            terms = []
            for sign, term in _terms(e):
                terms.append((sign, (yield _wide(term, others, notes))))
            return _joined(e, terms, others, notes)
        case ast.Unary(operand):
            inner = yield _wide(operand, others, notes)
            return e if inner is operand else replace(e, operand=inner)
        case ast.Application(_, (Binary() | ast.Reduction() as argument,)):
            inner = yield _wide(argument, others, notes)
            return e if inner is argument else replace(e, args=(inner,))
        case _:
            return e


def _joined(
    e: Expression,
    terms: Sequence[tuple[_Sign, Expression]],
    others: Set[str],
    notes: list[Note],
) -> Expression:
    """The sum of the terms, each with those behind it that its own sums have to bind."""
    if not 1 < len(terms) <= MOST_TERMS:
        return e
    result: list[tuple[_Sign, Expression]] = []
    for sign, term in terms:
        inner = _innermost(result[-1][1]) if result else []
        indices = [r.name.name for sum_ in inner for r in sum_.ranges]
        free = {n for n in free_names(term) if n in indices and n not in others}
        own = {r.name.name for r in inner[-1].ranges} if inner else set()
        if inner and own and own <= free and not _is_closed(inner[-1], term):
            before_sign, before = result[-1]
            if sign == "-" and (before_sign == "-" or _is_negative(before)):
                raise _two_minuses(term)
            result[-1] = before_sign, _with_term(before, sign, term)
            listed = ", ".join(f"`{n}`" for n in sorted(free))
            text = f"the sum covers the terms behind it with {listed}, which nothing else binds"
            notes.append(Note(term.span, text, is_guess=True))
        else:
            result.append((sign, term))
    body = result[0][1]
    for sign, term in result[1:]:
        body = Binary(sign, body, term, e.span)
    return body


def _is_negative(term: Expression) -> bool:
    """Whether it begins with a minus sign."""
    while isinstance(term, Binary) and term.operator in ("*", "/"):
        term = term.left
    return isinstance(term, ast.Unary)


def _two_minuses(term: Expression) -> SyntaxError:
    return SyntaxError(
        term.span,
        r"`- \sum_i a_i - b_i` may be `- \sum_i (a_i - b_i)`, as the sum covers both, or `- \sum_i (a_i + b_i)`, as authors mean it who sum negative terms",
        fix="put brackets around what the sum covers, with the sign that is meant",
    )


def _is_closed(inner: ast.Reduction, term: Expression) -> bool:
    """Whether a bracket closes between the sum and the term behind it."""
    between = inner.span.source.text[inner.span.end : term.span.start]
    return any(sign in between for sign in ")]")


def _terms(e: Expression) -> list[tuple[_Sign, Expression]]:
    """The terms of a sum with the signs in front of them; that of the first is part of it."""
    terms: list[tuple[_Sign, Expression]] = []
    while len(terms) <= MOST_TERMS:
        match e:
            case Binary("+" | "-" as sign, left, right):
                terms.append((sign, right))
                e = left
            case _:
                break
    return [("+", e), *reversed(terms)]


def _innermost(term: Expression) -> list[ast.Reduction]:
    r"""The sums that the term ends with, `\frac{1}{N} \sum_i \sum_j a_{ij}`, the inner ones last."""
    found: list[ast.Reduction] = []
    while True:
        match term:
            case ast.Unary(operand):
                term = operand
            case Binary("*", _, right):
                term = right
            case ast.Reduction(ast.Name("sum")):
                found.append(term)
                term = term.body
            case _:
                return found


def _with_term(before: Expression, sign: _Sign, term: Expression) -> Expression:
    """The term with another one inside of its innermost sum."""
    match before:
        case ast.Unary(operand):
            return replace(before, operand=_with_term(operand, sign, term))
        case Binary("*", _, right) if _innermost(right):
            return replace(before, right=_with_term(right, sign, term))
        case ast.Reduction(ast.Name("sum")) if _innermost(before.body):
            return replace(before, body=_with_term(before.body, sign, term))
        case ast.Reduction():
            return replace(before, body=Binary(sign, before.body, term, before.span))
        case _:
            raise AssertionError("a term with a sum")
