"""A sum of a value that does not depend on the index becomes a product with the number of the index's values."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Domain, at_least_zero
from tadc.ir.expr import Call, Const, Expr, IndexValue, Reduce, Select

__all__ = ["counted"]


def counted(e: Reduce, known: Domain, most: int = 1) -> Expr:
    """The reduction without indices that only repeat its body, where `known` tells that there are some values.

    Without any, `0 * x` would be NaN for an infinite `x`. An index may have up to `most` upper bounds: the number of its values is the
    least of several.
    """
    if e.op == "prod":
        return e
    for i in e.indices:
        counts = _counts(e, i)
        if not 0 < len(counts) <= most:
            continue
        others = tuple(j for j in e.indices if j != i)
        domain = Domain.of(c for c in e.domain if i not in c.form.symbols)
        constant = isinstance(e.body, Const) and isfinite(e.body.value) and e.op == "sum"
        least = 0 if constant else 1
        if not all(implies(known & domain, at_least_zero(n - least)) for n in counts):
            continue
        body = Call("mul", (_least(counts), e.body)) if e.op == "sum" else e.body
        if not others:
            return body
        return counted(Reduce(e.op, others, e.derived, domain, body), known, most)
    return e


def _counts(e: Reduce, i: Symbol) -> list[Affine]:
    """The number of values of the index between its one lower and each of its upper bounds, if the body does not mention it."""
    if i in e.body.symbols or any(i in d.symbols for d in e.derived):
        return []
    bounds = [c.form for c in e.domain if i in c.form.symbols]
    lower = [form for form in bounds if form.coefficient(i) == 1]
    upper = [form for form in bounds if form.coefficient(i) == -1]
    if len(lower) != 1 or len(lower) + len(upper) < len(bounds) or any(c.relation != ">=" for c in e.domain):  # fmt: skip
        return []
    return [form + lower[0] + 1 for form in upper]


def _least(counts: Sequence[Affine]) -> Expr:
    least = _value(counts[0])
    for n, other in enumerate(counts[1:], 1):
        is_least = Domain.of(at_least_zero(m - other) for m in counts[:n])
        least = Select(is_least, _value(other), least)
    return least


def _value(n: Affine) -> Expr:
    return Const(n.constant) if n.is_constant else IndexValue(n)
