"""Expressions that are equal but for the names of indices: their free indices in order, and a form that no names are in."""

from __future__ import annotations

from collections.abc import Sequence, Set
from hashlib import blake2b

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.walk import Entered, postorder, rewrite_in, substitute, with_operands

__all__ = ["bound_names", "canonical", "canonical_value", "free_indices", "nameless"]

COMMUTATIVE = ("add", "mul")  # to the bit


def canonical_value(e: Expr, sizes: Set[Symbol]) -> tuple[Expr, list[Symbol]]:
    """The form of an expression and its free indices in order, for which operands of `a*b` and `b*a` are in one order."""
    ordered, _ = _in_order(e)[e]
    free = free_indices(ordered, sizes)
    return canonical(ordered, free), free


def nameless(root: Expr) -> dict[Expr, bytes]:
    """Of each expression in this one what it is but for the names of indices: the same where forms are equal, and in one pass for all."""
    return {e: key for e, (_, key) in _in_order(root).items()}


def _in_order(root: Expr) -> dict[Expr, tuple[Expr, bytes]]:
    """Each expression in this one with operands that commute sorted by what they are but for the names of indices, and what it is itself."""
    done: dict[Expr, tuple[Expr, bytes]] = {}
    for e in postorder(root):
        operands = [done[o] for o in e.operands]
        if isinstance(e, Call) and e.function in COMMUTATIVE:
            operands.sort(key=lambda pair: pair[1])
        new = with_operands(e, tuple(o for o, _ in operands))
        state = repr((_kind(e), *(key for _, key in operands)))
        done[e] = new, blake2b(state.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return done


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
    called = substitute(e, {s: symbol(f"'{n}") for n, s in enumerate(free)})
    return rewrite_in(called, 0, _with_bound_names)


def _with_bound_names(e: Expr, depth: int) -> Entered[int]:
    """The expression with the indices that it binds called by where that is, so many reductions deep."""
    if not isinstance(e, Reduce):
        return e, [depth] * len(e.operands)
    names = {i: f"'{depth}.{n}" for n, i in enumerate(bound_names(e))}
    values = {i: symbol(name) for i, name in names.items()}
    derived = tuple(d.substitute(values, names[d.name]) for d in e.derived)
    indices = tuple(names[i] for i in e.indices)
    domain, body = e.domain.substitute(values), substitute(e.body, values)
    return Reduce(e.op, indices, derived, domain, body), [depth + 1]


def bound_names(e: Reduce) -> tuple[Symbol, ...]:
    """The indices of a reduction, and the derived ones."""
    return (*e.indices, *(d.name for d in e.derived))
