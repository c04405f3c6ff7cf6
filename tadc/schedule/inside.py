"""Whether an expression may be evaluated somewhere else: all its reads must be inside their tensors there."""

from __future__ import annotations

from collections.abc import Mapping

from tadc.integer import implies
from tadc.ir.domain import Domain, between
from tadc.ir.expr import Expr, Read, Reduce, Select
from tadc.ir.program import Tensor

__all__ = ["reads_are_inside"]


def reads_are_inside(e: Expr, known: Domain, tensors: Mapping[str, Tensor]) -> bool:
    """Whether all reads are inside their tensors wherever `known` holds (false if in doubt)."""
    waiting = [(e, known)]
    seen = set(waiting)
    while waiting:
        node, around = waiting.pop()
        match node:
            case Read(tensor, subscripts):
                extents = zip(subscripts, tensors[tensor].shape, strict=True)
                bounds = (c for f, n in extents for c in between(0, f, n - 1))
                if not all(implies(around, c) for c in bounds):
                    return False
                inner = []
            case Select(Domain() as domain, then, otherwise):
                inner = [(then, around & domain), (otherwise, around)]
            case Reduce(_, _, derived, domain, body):
                own = Domain.of(c for d in derived for c in d.conditions)
                inner = [(body, around & domain & own)]
            case _:
                inner = [(operand, around) for operand in node.operands]
        waiting += [pair for pair in inner if pair not in seen]
        seen.update(inner)
    return True
