"""A sum of a value that does not depend on the index becomes a product with the number of the index's values."""

from __future__ import annotations

from math import isfinite

from tadc.integer import implies
from tadc.ir.affine import Symbol
from tadc.ir.domain import Domain, at_least_zero
from tadc.ir.expr import Call, Const, Expr, IndexValue, Reduce

__all__ = ["counted"]


def counted(e: Reduce, known: Domain) -> Expr:
    """The reduction without indices that only repeat its body, where `known` tells that there are some values.

    Without any, `0 * x` would be NaN for an infinite `x`.
    """
    if e.op == "prod":
        return e
    for i in e.indices:
        count = _count(e, i)
        if count is None:
            continue
        others = tuple(j for j in e.indices if j != i)
        domain = Domain.of(c for c in e.domain if i not in c.form.symbols)
        constant = isinstance(e.body, Const) and isfinite(e.body.value) and e.op == "sum"
        if not implies(known & domain, at_least_zero(count.form - (0 if constant else 1))):
            continue
        body = Call("mul", (count, e.body)) if e.op == "sum" else e.body
        if not others:
            return body
        return counted(Reduce(e.op, others, e.derived, domain, body), known)
    return e


def _count(e: Reduce, i: Symbol) -> IndexValue | None:
    """The number of values of the index between one lower and one upper bound, if the body does not mention it."""
    if i in e.body.symbols or any(i in d.symbols for d in e.derived):
        return None
    bounds = [c.form for c in e.domain if i in c.form.symbols]
    if len(bounds) != 2 or any(c.relation != ">=" for c in e.domain):
        return None
    high, low = sorted(bounds, key=lambda form: form.coefficient(i))
    if (high.coefficient(i), low.coefficient(i)) != (-1, 1):
        return None
    return IndexValue(high + low + 1)
