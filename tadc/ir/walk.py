"""Traversal of expressions: iterative, in a stable order, each shared node once.

A sum of ten thousand terms is a legal program, so nothing here, and no pass built on it, recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Derived, Domain
from tadc.ir.expr import (
    Call,
    Comparison,
    Const,
    Expr,
    IndexValue,
    Read,
    Reduce,
    Select,
    reduction,
)

__all__ = ["descend", "postorder", "rewrite", "substitute", "tensors_read", "with_operands"]

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


def tensors_read(roots: Expr | Iterable[Expr]) -> frozenset[str]:
    """The tensors of all reads."""
    return frozenset(e.tensor for e in postorder(roots) if isinstance(e, Read))


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
    done: dict[tuple[object, ...], Expr] = {}
    values = {s: form for s, form in values.items() if form.as_symbol() != s}

    def substituted(node: Expr, values: Mapping[Symbol, Affine]) -> Generator[Any, Any, Expr]:
        values = {s: form for s, form in values.items() if s in node.symbols}
        if not values:
            return node
        key = (node, *values.items())
        if key in done:
            return done[key]
        changed = node
        match node:
            case IndexValue(form):
                changed = IndexValue(form.substitute(values))
            case Read(tensor, subscripts):
                changed = Read(tensor, tuple(s.substitute(values) for s in subscripts))
            case Select(Domain() as domain, then, otherwise):
                changed = Select(domain.substitute(values), then, otherwise)
            case Reduce(op, indices, derived, domain, body):
                names = _uncaptured(node, values)
                values |= {s: symbol(new) for s, new in names.items() if new != s}
                changed = reduction(
                    op,
                    tuple(names[i] for i in indices),
                    tuple(
                        Derived(names[d.name], d.form.substitute(values), d.modulus)
                        for d in derived
                    ),
                    domain.substitute(values),
                    body,
                )
            case Const() | Call() | Select():
                pass
        operands = []
        for operand in changed.operands:
            operands.append((yield substituted(operand, values)))
        done[key] = with_operands(changed, tuple(operands))
        return done[key]

    return descend(substituted(root, values))


def _uncaptured(reduce: Reduce, values: Mapping[Symbol, Affine]) -> dict[Symbol, Symbol]:
    """A name for each that the reduction binds: its own, unless one of the forms that come in uses it."""
    coming = {s for form in values.values() for s in form.symbols}
    taken = coming | reduce.body.symbols
    names: dict[Symbol, Symbol] = {}
    for bound in (*reduce.indices, *(d.name for d in reduce.derived)):
        names[bound] = bound
        while names[bound] in (coming if names[bound] == bound else taken):
            names[bound] += "_"
        taken |= {names[bound]}
    return names


def descend(walk: Generator[Any, Any, Result]) -> Result:
    """The result of a recursive generator that yields the walks of its parts: recursion without Python's stack.

    >>> def depth(tree):
    ...     deepest = 0
    ...     for branch in tree:
    ...         deepest = max(deepest, (yield depth(branch)))
    ...     return deepest + 1
    >>> descend(depth([[], [[]]]))
    3
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
