r"""The summation convention inside of functions, powers, denominators and brackets: `\sqrt{s_{ij} s_{ij}}` is the root of the sum.

An index that is repeated in one of these, and stands nowhere else in the term around it, is summed there; what is repeated beyond is
left to `resolve/einstein.py`, which sums over whole terms. Where an index is repeated inside and stands outside too, which sum is
meant is not told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Set
from dataclasses import replace
from typing import Any, TypeAlias

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Application, Binary, Definition, Expression, Name
from tadc.syntax.nodes import nodes, parts
from tadc.trampoline import descend

__all__ = ["with_inner_sums"]


def with_inner_sums(definition: Definition, sizes: Set[str]) -> Definition:
    """The definition with sums over what is repeated in a part of a term. Raises SyntaxError where two sums fit, or where a repeated letter
    is a size, too: a sum, or the last elements?
    """
    lefts = {left.name.name for left in definition.lefts}
    _refuse_repeated_sizes(definition, {n for n in sizes if n.islower()} - lefts)
    bound = {*sizes, *(left.name.name for left in definition.lefts)}
    return replace(definition, body=descend(_terms(definition.body, bound, is_whole=True)))


def _refuse_repeated_sizes(definition: Definition, sizes: Set[str]) -> None:
    reads = [n for n in nodes((definition.body,)) if isinstance(n, ast.Element)]
    below = [s for read in reads for s in read.subscripts if isinstance(s, Name)]
    counts = Counter(s.name for s in below)
    bound = {
        r.name.name
        for n in nodes((definition.body,))
        if isinstance(n, ast.Reduction)
        for r in n.ranges
    }
    for name in below:
        if counts[name.name] > 1 and name.name in sizes - bound:
            raise SyntaxError(
                name.span,
                f"`{name.name}` is repeated here, and is a size in this document: a sum, or the last elements?",
                fix=rf"write the sum, `\sum_{{{name.name}}}`, or call the index or the size otherwise",
            )


_CONDITIONS = (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)
Walk: TypeAlias = Generator[Any, Any, Expression]


def _terms(e: Expression, bound: Set[str], *, is_whole: bool = False) -> Walk:
    """The sum of terms, each with sums over what it repeats; `is_whole` terms are left, but for what stands in them."""
    if isinstance(e, Binary) and e.operator in ("+", "-"):
        left = yield _terms(e.left, bound, is_whole=is_whole)
        right = yield _terms(e.right, bound, is_whole=is_whole)
        return replace(e, left=left, right=right)
    if isinstance(e, ast.Unary):
        return replace(e, operand=(yield _terms(e.operand, bound, is_whole=is_whole)))
    _refuse_two_sums(e, bound)
    inner: Expression = yield _product(e, bound)
    repeated = [] if is_whole else _repeated(inner, bound)
    if not repeated:
        return inner
    ranges = tuple(ast.Range(name, name.span) for name in repeated)
    return ast.Reduction(Name("sum", e.span), ranges, None, inner, e.span)


def _product(e: Expression, bound: Set[str]) -> Walk:
    """The term with its parts summed: what stands in functions, powers, denominators and brackets."""
    match e:
        case Binary("*", left, right):
            return replace(
                e, left=(yield _product(left, bound)), right=(yield _product(right, bound))
            )
        case Binary("/", left, right):
            return replace(
                e, left=(yield _product(left, bound)), right=(yield _terms(right, bound))
            )
        case Binary("**", base):
            return replace(e, left=(yield _terms(base, bound)))
        case Binary():
            summed: Expression = yield _terms(e, bound)
            return summed
        case ast.Choice(_, then, otherwise):
            return replace(
                e, then=(yield _terms(then, bound)), otherwise=(yield _terms(otherwise, bound))
            )
        case ast.Unary(operand):
            return replace(e, operand=(yield _product(operand, bound)))
        case Application(Name(name), args) if name != "delta":
            new = []
            for arg in args:
                new.append(arg if isinstance(arg, _CONDITIONS) else (yield _terms(arg, bound)))
            return replace(e, args=tuple(new))
        case ast.Reduction():
            within = bound | {r.name.name for r in e.ranges}
            return replace(e, body=(yield _terms(e.body, within)))
        case _:
            return e


def _parts(term: Expression) -> Iterator[Expression]:
    """The parts of a term that are summed on their own."""
    stack: list[Expression] = [term]
    while stack:
        match stack.pop():
            case Binary("*", left, right):
                stack += [right, left]
            case Binary("/", left, right):
                stack.append(left)
                yield right
            case Binary("**", base):
                yield base
            case Binary() | ast.Choice() as e:
                yield e
            case ast.Unary(operand):
                stack.append(operand)
            case Application(Name(name), args) if name != "delta":
                yield from (arg for arg in args if not isinstance(arg, _CONDITIONS))
            case _:
                pass


def _refuse_two_sums(term: Expression, bound: Set[str]) -> None:
    """Raise for an index that a part of the term repeats, and that stands outside of the part too."""
    everywhere = _counts(term, bound)
    for part in _parts(term):
        inside = _counts(part, bound)
        for name, count in inside.items():
            if everywhere[name] == count:
                continue
            if any(_counts(t, bound)[name] > 1 for t in _split(part)):
                raise SyntaxError(
                    part.span,
                    f"`{name}` is repeated here, and stands outside too: which of them is summed is not told",
                    fix=rf"write the sum, `\sum_{{{name}}}`, or another letter for one of the two",
                )


def _split(e: Expression) -> Iterator[Expression]:
    """The terms of a sum."""
    stack = [e]
    while stack:
        match stack.pop():
            case Binary("+" | "-", left, right):
                stack += [right, left]
            case ast.Unary(operand):
                stack.append(operand)
            case term:
                yield term


def _repeated(e: Expression, bound: Set[str]) -> list[Name]:
    """The free indices that stand twice in the term, the first place of each."""
    counts = _counts(e, bound)
    first: dict[str, Name] = {}
    for name in _indices(e):
        first.setdefault(name.name, name)
    return [first[name] for name, count in counts.items() if count > 1]


def _counts(e: Expression, bound: Set[str]) -> Counter[str]:
    """How often each free index stands in subscripts, and beside a delta."""
    summed = {
        r.name.name for node in nodes((e,)) if isinstance(node, ast.Reduction) for r in node.ranges
    }
    return Counter(n.name for n in _indices(e) if n.name not in bound | summed)


def _indices(e: Expression) -> Iterator[Name]:
    for node in nodes((e,)):
        is_delta = isinstance(node, Application) and node.function.name == "delta"
        if isinstance(node, ast.Element) or is_delta:
            for part in parts(node):
                yield from (n for n in nodes((part,)) if isinstance(n, Name))
