"""Conditions as formulas: affine atoms and comparisons of values, joined by and, or, not.

    Formula = Atom(condition) | Values(relation, left, right) | And(parts) | Or(parts) | Not(part)

A formula is read in two ways: as what is *known* where it holds (alternatives, each a domain), and as the nested
`Select`s that test it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias

from tadc.errors import SyntaxError
from tadc.ir.affine import Affine, symbol
from tadc.ir.domain import (
    EMPTY,
    EVERYWHERE,
    FALSE,
    TRUE,
    Condition,
    Domain,
    at_least_zero,
    between,
    divides,
    equals_zero,
)
from tadc.ir.expr import Comparison, Expr, Relation, Select
from tadc.ir.walk import descend
from tadc.resolve.index_expression import IndexExpressions
from tadc.resolve.rational import rational
from tadc.resolve.scope import Scope
from tadc.syntax import ast

__all__ = ["Alternatives", "Formula", "alternatives", "conjunction", "formula", "selected"]

MOST_ALTERNATIVES = 32

Alternatives: TypeAlias = tuple[Domain, ...]


@dataclass(frozen=True, slots=True)
class Atom:
    condition: Condition


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    relation: Relation
    left: ast.Expression
    right: ast.Expression


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Formula


Formula: TypeAlias = Atom | Values | And | Or | Not


def formula(condition: ast.Condition, scope: Scope, indexing: IndexExpressions) -> Formula:
    """The formula of a condition. Comparisons of index expressions are affine, all others are of values."""
    return descend(_formula(condition, scope, indexing))


def _formula(
    condition: ast.Condition, scope: Scope, indexing: IndexExpressions
) -> Generator[Any, Any, Formula]:
    match condition:
        case ast.Logical(operator, left, right):
            parts = (
                (yield _formula(left, scope, indexing)),
                (yield _formula(right, scope, indexing)),
            )
            return And(parts) if operator == "and" else Or(parts)
        case ast.Not(operand):
            return Not((yield _formula(operand, scope, indexing)))
        case ast.IsInteger(operand):
            numerator, divisor = rational(operand, scope, indexing)
            return Atom(divides(divisor, numerator))
        case ast.Comparison(operands, relations):
            compared = tuple(
                _compared(relation, left, right, scope, indexing)
                for left, relation, right in zip(operands, relations, operands[1:], strict=False)
            )
            return compared[0] if len(compared) == 1 else And(compared)


def _compared(
    relation: str,
    left: ast.Expression,
    right: ast.Expression,
    scope: Scope,
    indexing: IndexExpressions,
) -> Formula:
    if relation in (">", ">="):
        left, right, relation = right, left, {">": "<", ">=": "<="}[relation]
    if not (
        is_index_expression(left, scope, indexing) and is_index_expression(right, scope, indexing)
    ):
        return Values(relation, left, right)  # type: ignore[arg-type]
    congruence = _congruence(relation, left, right, scope, indexing)
    if congruence is not None:
        return congruence
    try:
        pieces = [
            ((*first, *second), a, b)
            for first, a in indexing.pieces(left, scope)
            for second, b in indexing.pieces(right, scope)
        ]
    except (
        SyntaxError
    ):  # a product of indices: a comparison of values, from which nothing is proved
        return Values(relation, left, right)  # type: ignore[arg-type]
    cases = [
        And((*map(Atom, conditions), _affine(relation, a, b)))
        if conditions
        else _affine(relation, a, b)
        for conditions, a, b in pieces
    ]
    return cases[0] if len(cases) == 1 else Or(tuple(cases))


def _affine(relation: str, a: Affine, b: Affine) -> Formula:
    match relation:
        case "<=":
            return Atom(at_least_zero(b - a))
        case "<":
            return Atom(at_least_zero(b - a - 1))
        case "==":
            return Atom(equals_zero(a - b))
        case _:
            return Not(Atom(equals_zero(a - b)))


def _congruence(
    relation: str,
    left: ast.Expression,
    right: ast.Expression,
    scope: Scope,
    indexing: IndexExpressions,
) -> Formula | None:
    """`e % m = r`, the commonest condition with a modulo, as a divisibility: no derived index is needed."""
    match left:
        case ast.Binary("%", e, by) if relation in ("==", "!="):
            modulus, rest = indexing.form(by, scope), indexing.form(right, scope)
            if modulus.is_constant and rest.is_constant and modulus.constant > 0:
                atom = Atom(
                    divides(modulus.constant, indexing.form(e, scope) - rest.constant)
                    if 0 <= rest.constant < modulus.constant
                    else FALSE
                )
                return atom if relation == "==" else Not(atom)
    return None


def is_index_expression(e: ast.Expression, scope: Scope, indexing: IndexExpressions) -> bool:
    """Whether `e` is made of integers, indices and sizes by `+ - * // % min max clamp` alone."""
    stack = [e]
    while stack:
        match stack.pop():
            case ast.Number(text):
                if not text.isdecimal():
                    return False
            case ast.Name(name):
                if scope.lookup(name) is None and indexing.sizes.lookup(name) is None:
                    return False
            case ast.Unary(operand):
                stack.append(operand)
            case ast.Binary("+" | "-" | "*" | "//" | "%", left, right):
                stack += [left, right]
            case ast.Application(ast.Name("min" | "max" | "clamp"), args):
                for arg in args:
                    if isinstance(arg, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)):
                        return False
                    stack.append(arg)
            case _:
                return False
    return True


def conjunction(f: Formula) -> Domain | None:
    """The formula as one domain, if it is a conjunction of affine conditions."""
    conditions: list[Condition] = []
    stack = [f]
    while stack:
        match stack.pop():
            case Atom(condition):
                conditions.append(condition)
            case And(parts):
                stack += parts
            case Not(part):
                negated = _negated_atom(part)
                if negated is None:
                    return None
                conditions.append(negated)
            case _:
                return None
    return Domain.of(conditions)


def _negated_atom(f: Formula) -> Condition | None:
    """The negation of an inequality is an inequality; that of anything else is not one condition."""
    match f:
        case Atom(Condition(">=", form)) if f.condition not in (TRUE, FALSE):
            return at_least_zero(-form - 1)
        case Atom(condition) if condition in (TRUE, FALSE):
            return FALSE if condition == TRUE else TRUE
        case Not(Atom(condition)):
            return condition
        case _:
            return None


def alternatives(f: Formula, fresh: Callable[[str], str]) -> Alternatives:
    """Domains one of which holds wherever the formula does. Of comparisons of values nothing is known."""
    found: Alternatives = descend(_alternatives(f, True, fresh))
    return tuple(dict.fromkeys(d for d in found if d != EMPTY))


def _alternatives(
    f: Formula, wanted: bool, fresh: Callable[[str], str]
) -> Generator[Any, Any, Alternatives]:
    match f:
        case Values():
            return (EVERYWHERE,)
        case Not(part):
            return (yield _alternatives(part, not wanted, fresh))
        case Atom(condition) if wanted:
            return (Domain.of((condition,)),)
        case Atom(Condition(">=", form)):
            return (Domain.of((at_least_zero(-form - 1),)),)
        case Atom(Condition("==", form)):
            return (
                Domain.of((at_least_zero(form - 1),)),
                Domain.of((at_least_zero(-form - 1),)),
            )
        case Atom(Condition(_, form, modulus)):
            rest = form - modulus * symbol(fresh("t"))
            return (Domain.of(between(1, rest, modulus - 1)),)
        case And(parts) | Or(parts):
            each = []
            for p in parts:
                each.append((yield _alternatives(p, wanted, fresh)))
            if isinstance(f, And) != wanted:
                return tuple(d for a in each for d in a)
            product: Alternatives = (EVERYWHERE,)
            for a in each:
                product = both(product, a)
            return product


def both(first: Alternatives, second: Alternatives) -> Alternatives:
    """The alternatives of a conjunction; where they would be too many, those of `first` alone (which is sound)."""
    if len(first) * len(second) > MOST_ALTERNATIVES:
        return first
    return tuple(dict.fromkeys(a & b for a in first for b in second))


def selected(
    f: Formula,
    then: Expr,
    otherwise: Expr,
    value: Callable[[ast.Expression, Domain], Generator[Any, Any, Expr]],
    known: Domain = EVERYWHERE,
) -> Generator[Any, Any, Expr]:
    """`then` where the formula holds, else `otherwise`, as nested `Select`s.

    `value` makes operands of comparisons, which are evaluated where `known` holds: what is affine is tested first.
    """
    domain = conjunction(f)
    if domain is not None:
        if domain == EVERYWHERE:
            return then
        return otherwise if domain == EMPTY else Select(domain, then, otherwise)
    match f:
        case Not(part):
            return (yield selected(part, otherwise, then, value, known))
        case Values(relation, left, right):
            a, b = (yield value(left, known)), (yield value(right, known))
            return Select(Comparison(relation, a, b), then, otherwise)
        case And(parts):
            affine = EVERYWHERE
            rest: list[Formula] = []
            for p in parts:
                own = conjunction(p)
                affine, rest = (affine & own, rest) if own is not None else (affine, [*rest, p])
            result = then
            for p in reversed(rest):
                result = yield selected(p, result, otherwise, value, known & affine)
            return result if affine == EVERYWHERE else Select(affine, result, otherwise)
        case Or(parts):
            result = otherwise
            for p in reversed(parts):
                result = yield selected(p, then, result, value, known)
            return result
        case Atom():
            raise AssertionError("an atom is a conjunction")
