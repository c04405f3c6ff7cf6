"""Traversal of expressions: iterative, in a stable order, each shared node once.

A sum of ten thousand terms is a legal program, so nothing here, and no pass built on it, recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from tadc.bounded_cache import BoundedCache
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Domain, Looked
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
from tadc.trampoline import descend

__all__ = [
    "Entered",
    "descend",
    "postorder",
    "reducing",
    "replaced",
    "rewrite",
    "rewrite_in",
    "substitute",
    "tensors_read",
    "with_operands",
    "with_symbols",
]

Result = TypeVar("Result")
Context = TypeVar("Context", bound=Hashable)
Entered: TypeAlias = tuple[Expr, Sequence[Context]]  # a node, with a context for each operand
_Place: TypeAlias = tuple[Expr, int]  # a node, with the number of its context
_Values: TypeAlias = tuple[tuple[Symbol, Affine], ...]  # a substitution that can be a context

MOST_NODES, MOST_WALKED = 256, 2048  # of an expression whose nodes are known; and of these
_walked: BoundedCache[tuple[Expr, ...]] = BoundedCache(MOST_WALKED)
_tensors: BoundedCache[frozenset[str]] = BoundedCache(MOST_WALKED)


def postorder(
    roots: Expr | Iterable[Expr], into: Callable[[Expr], tuple[Expr, ...]] | None = None
) -> Iterator[Expr]:
    """Every node below `roots` once, operands before users. `into` gives the operands to enter, by default all."""
    every = (roots,) if isinstance(roots, Expr) else tuple(roots)
    if into is not None or len(every) != 1:
        return _postorder(every, into or _operands)
    known = _walked.get(every[0])
    return _remembered(every[0]) if known is None else iter(known)


def _remembered(root: Expr) -> Iterator[Expr]:
    """The nodes of an expression, which are known from then on if they are not many: the same few are walked again and again."""
    nodes: list[Expr] = []
    for node in _postorder((root,), _operands):
        if len(nodes) <= MOST_NODES:
            nodes.append(node)
        yield node
    if len(nodes) <= MOST_NODES:
        _walked.keep(root, tuple(nodes))


def _operands(node: Expr) -> tuple[Expr, ...]:
    return node.operands


def _postorder(roots: tuple[Expr, ...], into: Callable[[Expr], tuple[Expr, ...]]) -> Iterator[Expr]:
    seen: set[Expr] = set()
    stack = [(r, False) for r in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((operand, False) for operand in reversed(into(node)))


def reducing(root: Expr) -> frozenset[Expr]:
    """The nodes that are reductions, or have some below them."""
    found: set[Expr] = set()
    for e in postorder(root):
        if isinstance(e, Reduce) or any(o in found for o in e.operands):
            found.add(e)
    return frozenset(found)


def tensors_read(roots: Expr | Iterable[Expr]) -> frozenset[str]:
    """The tensors of all reads, those of data indices too."""
    if not isinstance(roots, (Const, IndexValue, Read, Call, Select, Reduce)):
        return _tensors_read(roots)
    return _tensors.of(roots, lambda: _tensors_read(roots))


def _tensors_read(roots: Expr | Iterable[Expr]) -> frozenset[str]:
    tensors: set[str] = set()
    for e in postorder(roots):
        match e:
            case Read(tensor):
                tensors.add(tensor)
            case Reduce(derived=derived):
                tensors.update(d.tensor for d in derived if isinstance(d, Looked))
            case _:
                pass
    return frozenset(tensors)


def rewrite(root: Expr, rule: Callable[[Expr], Expr]) -> Expr:
    """`root` with `rule` applied to every node, operands first; the same node where nothing changed."""
    done: dict[Expr, Expr] = {}
    for node in postorder(root):
        done[node] = rule(with_operands(node, tuple(done[o] for o in node.operands)))
    return done[root]


def replaced(root: Expr, others: Mapping[Expr, Expr]) -> Expr:
    """`root` with other expressions in place of some."""
    return rewrite(root, lambda node: others.get(node, node)) if others else root


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


def rewrite_in(
    root: Expr,
    context: Context,
    enter: Callable[[Expr, Context], Entered[Context]],
    rule: Callable[[Expr, Context], Expr] = lambda e, _: e,
) -> Expr:
    """`root` rewritten with the context of each node: once in each context that it occurs in.

    On the way down `enter` gives the replacement of a node, and a context for each operand of that; without contexts they
    stay as they are. On the way up `rule` is applied to it, its operands rewritten, in the context around it.
    """
    done: dict[_Place, Expr] = {}
    numbers: dict[Context, int] = {context: 0}  # a context is hashed once where it is made
    first: _Place = (root, 0)
    stack: list[tuple[_Place, Context, Expr, list[_Place] | None]] = [(first, context, root, None)]
    while stack:
        place, context, node, operands = stack.pop()
        if operands is not None:
            if operands:
                node = with_operands(node, tuple(done[o] for o in operands))
            done[place] = rule(node, context)
        elif place not in done:
            node, contexts = enter(node, context)
            number = place[1]
            operands = [
                (o, number if c is context else numbers.setdefault(c, len(numbers)))
                for o, c in zip(node.operands, contexts, strict=False)
            ]
            stack.append((place, context, node, operands))
            stack.extend(
                (o, c, o[0], None) for o, c in reversed(list(zip(operands, contexts, strict=False)))
            )
    return done[first]


def substitute(root: Expr, values: Mapping[Symbol, Affine]) -> Expr:
    """`root` with free symbols replaced by affine forms. A bound name that a form uses gets `_`s until it is free."""

    def enter(node: Expr, needed: _Values) -> Entered[_Values]:
        if not needed:
            return node, ()
        values = dict(needed)
        if isinstance(node, Reduce):
            names = _uncaptured(node, values)
            values |= {s: symbol(new) for s, new in names.items() if new != s}
            node = reduction(
                node.op,
                tuple(names[i] for i in node.indices),
                tuple(d.substitute(values, names[d.name]) for d in node.derived),
                node.domain.substitute(values),
                node.body,
            )
        else:
            node = with_symbols(node, values)
        return node, [_needed(operand, values) for operand in node.operands]

    changing = {s: form for s, form in values.items() if form.as_symbol() != s}
    return rewrite_in(root, _needed(root, changing), enter)


def with_symbols(node: Expr, values: Mapping[Symbol, Affine]) -> Expr:
    """The node, which is no reduction, with its own symbols replaced; its operands stay."""
    match node:
        case IndexValue(form):
            return IndexValue(form.substitute(values))
        case Read(tensor, subscripts):
            return Read(tensor, tuple(s.substitute(values) for s in subscripts))
        case Select(Domain() as domain, then, otherwise):
            return Select(domain.substitute(values), then, otherwise)
        case _:
            return node


def _needed(node: Expr, values: Mapping[Symbol, Affine]) -> _Values:
    return tuple((s, form) for s, form in values.items() if s in node.symbols)


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
