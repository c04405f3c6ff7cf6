"""Expressions that are equal but for the names of indices: their free indices in order, and a form that no names are in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from hashlib import blake2b
from typing import TypeAlias

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.walk import Entered, postorder, rewrite_in, with_operands, with_symbols

__all__ = ["bound_names", "canonical", "canonical_value", "free_indices", "outlines"]

_Names: TypeAlias = tuple[
    int, tuple[tuple[Symbol, str], ...]
]  # how many reductions deep, and the names there

COMMUTATIVE = ("add", "mul")  # to the bit


def canonical_value(e: Expr, sizes: Set[Symbol]) -> tuple[Expr, list[Symbol]]:
    """The form of an expression and its free indices in order, for which operands of `a*b` and `b*a` are in one order."""
    ordered = _in_order(e)
    free = free_indices(ordered, sizes)
    return canonical(ordered, free), free


@lru_cache(maxsize=256)
def outlines(root: Expr) -> Mapping[Expr, bytes]:
    """What each node of an expression is but for the names of indices and the order of operands that commute."""
    found: dict[Expr, bytes] = {}
    for e in postorder(root):
        operands = [found[o] for o in e.operands]
        if _commutes(e):
            operands.sort()
        state = repr((_kind(e), *operands))
        found[e] = blake2b(state.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return found


def _in_order(root: Expr) -> Expr:
    """The expression with operands that commute sorted by their outlines."""
    outline = outlines(root)
    done: dict[Expr, Expr] = {}
    for e in postorder(root):
        operands = sorted(e.operands, key=outline.__getitem__) if _commutes(e) else e.operands
        done[e] = with_operands(e, tuple(done[o] for o in operands))
    return done[root]


def _commutes(e: Expr) -> bool:
    return isinstance(e, Call) and e.function in COMMUTATIVE


def _kind(e: Expr) -> tuple[object, ...]:
    """What a node is without its operands and indices."""
    match e:
        case Const(value):
            return "number", value
        case Read(tensor, subscripts):
            return "read", tensor, [sorted(c for _, c in form.terms) for form in subscripts]
        case Call(function):
            return "call", function
        case Reduce(op, indices):
            return "reduction", op, len(indices)
        case _:
            return (type(e).__name__,)


def free_indices(e: Expr, sizes: Set[Symbol]) -> list[Symbol]:
    """The indices that the expression depends on, in the order in which they are met."""
    free = e.symbols - sizes
    met: dict[Symbol, None] = {}
    for node in postorder(e):
        match node:
            case Read(_, subscripts):
                met |= dict.fromkeys(s for form in subscripts for s in form.symbols)
            case IndexValue(form):
                met |= dict.fromkeys(form.symbols)
            case Select(Domain() as domain):
                met |= dict.fromkeys(domain.symbols)
            case Reduce(domain=domain):
                met |= dict.fromkeys(domain.symbols)
                met |= dict.fromkeys(s for d in node.derived for s in d.symbols)
            case _:
                pass
    return [s for s in met if s in free]


def canonical(e: Expr, free: Sequence[Symbol]) -> Expr:
    """The expression with its free indices called by their numbers, and its bound ones by where they are bound."""
    names = tuple((s, f"'{n}") for n, s in enumerate(free) if s in e.symbols)
    return rewrite_in(e, (0, names), _called)


def _called(e: Expr, around: _Names) -> Entered[_Names]:
    """The node with the names that its indices have there; those that it binds are called by where that is, so many reductions deep."""
    depth, names = around
    values = {s: symbol(name) for s, name in names}
    if not isinstance(e, Reduce):
        return with_symbols(e, values), [_within(o, depth, names) for o in e.operands]
    bound = {s: f"'{depth}.{n}" for n, s in enumerate(bound_names(e))}
    names = (*(pair for pair in names if pair[0] not in bound), *bound.items())
    values = {s: symbol(name) for s, name in names}
    indices = tuple(bound[i] for i in e.indices)
    derived = tuple(d.substitute(values, bound[d.name]) for d in e.derived)
    called = Reduce(e.op, indices, derived, e.domain.substitute(values), e.body)
    return called, [_within(e.body, depth + 1, names)]


def _within(e: Expr, depth: int, names: Iterable[tuple[Symbol, str]]) -> _Names:
    """The names that an operand needs."""
    return depth, tuple(pair for pair in names if pair[0] in e.symbols)


def bound_names(e: Reduce) -> tuple[Symbol, ...]:
    """The indices of a reduction, and the derived ones."""
    return (*e.indices, *(d.name for d in e.derived))
