"""Traversal of expressions: iterative, in a stable order, each shared node once.

A sum of ten thousand terms is a legal program, so nothing here, and no pass built on it, recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import (
    Call,
    Comparison,
    Const,
    Expr,
    IndexValue,
    Read,
    Reduce,
    Select,
)

__all__ = ["descend", "postorder", "rewrite", "substitute", "with_operands"]

Result = TypeVar("Result")


def postorder(
    roots: Expr | Iterable[Expr], into: Callable[[Expr], tuple[Expr, ...]] | None = None
) -> Iterator[Expr]:
    """Every node below `roots` once, operands before users. `into` gives the operands to enter, by default all."""
    into = into or (lambda node: node.operands)
    seen: set[Expr] = set()
    stack = [(r, False) for r in reversed([roots] if isinstance(roots, Expr) else list(roots))]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((operand, False) for operand in reversed(into(node)))


def rewrite(root: Expr, rule: Callable[[Expr], Expr]) -> Expr:
    """`root` with `rule` applied to every node, operands first; the same node where nothing changed."""
    done: dict[Expr, Expr] = {}
    for node in postorder(root):
        done[node] = rule(with_operands(node, tuple(done[o] for o in node.operands)))
    return done[root]


def with_operands(node: Expr, operands: tuple[Expr, ...]) -> Expr:
    """The node with other operands, in the order of `node.operands`."""
    if all(new is old for new, old in zip(operands, node.operands, strict=True)):
        return node
    match node:
        case Call(function):
            return Call(function, operands)
        case Select(Comparison(relation)):
            left, right, then, otherwise = operands
            return Select(Comparison(relation, left, right), then, otherwise)
        case Select(condition):
            return Select(condition, *operands)
        case Reduce(op, indices, derived, domain):
            return Reduce(op, indices, derived, domain, *operands)
        case Const() | IndexValue() | Read():
            return node


def substitute(root: Expr, values: Mapping[Symbol, Affine]) -> Expr:
    """`root` with free symbols replaced by affine forms. A bound name that a form uses gets `_`s until it is free."""

    def substituted(node: Expr, values: Mapping[Symbol, Affine]) -> Generator[Any, Any, Expr]:
        if node.symbols.isdisjoint(values):
            return node
        key = (node, id(values))
        if key in done:
            return done[key]
        inner = values
        changed = node
        match node:
            case IndexValue(form):
                changed = IndexValue(form.substitute(values))
            case Read(tensor, subscripts):
                changed = Read(tensor, tuple(s.substitute(values) for s in subscripts))
            case Select(Domain() as domain, then, otherwise):
                changed = Select(domain.substitute(values), then, otherwise)
            case Reduce(op, indices, derived, domain, body):
                bound = (*indices, *(d.name for d in derived))
                values = {s: v for s, v in values.items() if s not in bound}
                taken = {t for v in values.values() for t in v.symbols} | body.symbols
                for name in bound:
                    fresh = name
                    while fresh in taken and (fresh != name or _captures(name, values)):
                        fresh += "_"
                    if fresh != name:
                        values[name] = symbol(fresh)
                        taken.add(fresh)
                renamed = {n: str(values[n]) for n in bound if n in values}
                inner = scopes.setdefault((id(inner), node), values)
                changed = Reduce(
                    op,
                    tuple(renamed.get(i, i) for i in indices),
                    tuple(
                        type(d)(renamed.get(d.name, d.name), d.form.substitute(values), d.modulus)
                        for d in derived
                    ),
                    domain.substitute(values),
                    body,
                )
            case _:
                pass
        operands = []
        for operand in node.operands:
            operands.append((yield substituted(operand, inner)))
        done[key] = with_operands(changed, tuple(operands))
        return done[key]

    done: dict[tuple[Expr, int], Expr] = {}
    scopes: dict[tuple[int, Expr], Mapping[Symbol, Affine]] = {}
    return descend(substituted(root, values))


def _captures(name: Symbol, values: Mapping[Symbol, Affine]) -> bool:
    return any(v.coefficient(name) for v in values.values())


def descend(walk: Generator[Any, Any, Result]) -> Result:
    """The result of a recursive generator that yields the walks of its parts: recursion without Python's stack.

    >>> def depth(tree):
    ...     return 1 + max([(yield depth(t)) for t in tree], default=0)
    """
    stack = [walk]
    value: Any = None
    while True:
        try:
            step = stack[-1].send(value)
        except StopIteration as stop:
            stack.pop()
            if not stack:
                result: Result = stop.value
                return result
            value = stop.value
        else:
            stack.append(step)
            value = None
