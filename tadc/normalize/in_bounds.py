"""Whether an expression may be evaluated somewhere else, in a tensor of its own: all its reads must be inside there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tadc.integer import implies
from tadc.ir.affine import Affine
from tadc.ir.domain import (
    EVERYWHERE,
    Condition,
    Determined,
    Domain,
    Looked,
    at_least_zero,
    between,
)
from tadc.ir.expr import Expr, Read, Reduce, Select
from tadc.ir.program import Program, Tensor
from tadc.normalize.choices import negated

__all__ = ["is_never_empty", "reads_are_in_bounds"]


def is_never_empty(extents: Iterable[Affine], program: Program) -> bool:
    """Whether a tensor of these extents has an element for all sizes that the program is run for."""
    return all(implies(program.known, at_least_zero(n - 1)) for n in extents)


def reads_are_in_bounds(e: Expr, known: Domain, tensors: Mapping[str, Tensor]) -> bool:
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
                inner = [
                    (then, around & domain),
                    (otherwise, around & (negated(domain) or EVERYWHERE)),
                ]
            case Reduce(_, _, derived, domain, body):
                definitions = Domain.of(c for d in derived for c in d.conditions)
                within = around & domain & definitions
                if not all(implies(within, c) for c in _places(derived, tensors)):
                    return False
                inner = [(body, within)]
            case _:
                inner = [(operand, around) for operand in node.operands]
        waiting += [pair for pair in inner if pair not in seen]
        seen.update(inner)
    return True


def _places(derived: Sequence[Determined], tensors: Mapping[str, Tensor]) -> Iterator[Condition]:
    """That data are looked up inside of their tensors, as far as other data do not decide it. Lists, which are no tensors of a
    program, are made for what looks them up.
    """
    made = {d.name for d in derived}
    for d in derived:
        if isinstance(d, Looked) and d.tensor in tensors:
            for form, n in zip(d.subscripts, tensors[d.tensor].shape, strict=True):
                if made.isdisjoint(form.symbols):
                    yield from between(0, form, n - 1)
