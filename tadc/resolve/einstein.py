"""The summation convention (`einstein`): repeated free indices on the right are summed.

In each multiplicative term of the top-level sum, a free index that occurs at least twice is summed over the term; one
that occurs once is an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from tadc.errors import SyntaxError
from tadc.resolve.spelling import spelled
from tadc.syntax import ast

__all__ = ["with_sums"]


def with_sums(definition: ast.Definition, sizes: Collection[str]) -> ast.Definition:
    """The definition with a sum around every term that repeats a free index. Raises SyntaxError for a lonely one."""
    bound = {*sizes, *(left.name.name for left in definition.lefts)}
    return replace(definition, body=_summed(definition.body, bound))


def _summed(body: ast.Expression, bound: Collection[str]) -> ast.Expression:
    """Terms stand at the left of a chain of sums and differences; the chain is rebuilt from its start."""
    chain: list[ast.Binary] = []
    first = body
    while isinstance(first, ast.Binary) and first.operator in ("+", "-"):
        chain.append(first)
        first = first.left
    result = _term(first, bound)
    for link in reversed(chain):
        result = replace(link, left=result, right=_term(link.right, bound))
    return result


def _term(term: ast.Expression, bound: Collection[str]) -> ast.Expression:
    if isinstance(term, ast.Unary):
        return replace(term, operand=_term(term.operand, bound))
    names = _free(term, bound)
    count = Counter(n.name for n in names)
    for n in names:
        if count[n.name] == 1:
            raise SyntaxError(
                n.span,
                f"the index `{n.name}` is not on the left, and stands once in its term",
                fix="repeat it, put it on the left, or sum over it: "
                + spelled(n.span, f"`sum{{{n.name}}} ..`", rf"`\sum_{n.name} ..`"),
            )
    if not count:
        return term
    first = {n.name: n for n in reversed(names)}
    ranges = tuple(ast.Range(first[name], first[name].span) for name in count)
    return ast.Reduction(ast.Name("sum", term.span), ranges, None, term, term.span)


def _free(term: ast.Expression, bound: Collection[str]) -> list[ast.Name]:
    """The names in subscripts of the term that nothing binds, each time they occur; as values too if they do there."""
    in_subscripts: list[ast.Name] = []
    values: list[ast.Name] = []
    stack: list[tuple[object, frozenset[str], bool]] = [(term, frozenset(bound), False)]
    while stack:
        node, inner, subscript = stack.pop()
        match node:
            case ast.Name(name) if name not in inner:
                (in_subscripts if subscript else values).append(node)
            case ast.Element(_, subscripts):
                stack += [(s, inner, True) for s in reversed(subscripts)]
            case ast.Application(_, args):
                stack += [(a, inner, subscript) for a in reversed(args)]
            case ast.Unary(operand) | ast.Not(operand) | ast.IsInteger(operand):
                stack.append((operand, inner, subscript))
            case ast.Binary(_, left, right) | ast.Logical(_, left, right):
                stack += [(right, inner, subscript), (left, inner, subscript)]
            case ast.Choice(condition, then, otherwise):
                stack += [
                    (otherwise, inner, False),
                    (then, inner, False),
                    (condition, inner, False),
                ]
            case ast.Bracket(condition):
                stack.append((condition, inner, False))
            case ast.Comparison(operands):
                stack += [(o, inner, False) for o in reversed(operands)]
            case ast.Reduction(_, ranges, condition, body):
                within = inner | {r.name.name for r in ranges}
                stack += [(body, within, False), (condition, within, False)]
                stack += [(b, inner, True) for r in ranges for b in (r.extent, r.low, r.high)]
            case _:
                pass
    indices = {n.name for n in in_subscripts}
    every = [*in_subscripts, *(n for n in values if n.name in indices)]
    return sorted(every, key=lambda n: n.span.start)
