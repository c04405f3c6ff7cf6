"""The numbers that index arithmetic meets, for the choice of its type."""

from __future__ import annotations

from collections.abc import Iterator

from tadc.errors import BackendError
from tadc.ir.affine import Affine
from tadc.ir.domain import Domain
from tadc.ir.expr import Expr, IndexValue, Read, Reduce, Select
from tadc.ir.program import Program
from tadc.ir.walk import postorder

__all__ = ["largest_number"]

MOST = 2**62  # sums of two still fit into 64 bits


def largest_number(program: Program) -> int:
    """The largest absolute value of a coefficient or constant in an index expression.

    Raises BackendError if no index type holds it.
    """
    forms = (f for s in program.statements for f in _forms(s.body))
    largest = max(
        (abs(n) for f in forms for n in (f.constant, *(c for _, c in f.terms))), default=0
    )
    if largest > MOST:
        raise BackendError(None, "an index does not fit into 64 bits", fix="use smaller numbers")
    return largest


def _forms(body: Expr) -> Iterator[Affine]:
    for e in postorder(body):
        match e:
            case Read(_, subscripts):
                yield from subscripts
            case IndexValue(form):
                yield form
            case Reduce(_, _, derived, domain, _):
                yield from (c.form for c in domain)
                yield from (d.form for d in derived)
            case Select(Domain() as domain):
                yield from (c.form for c in domain)
            case _:
                pass
