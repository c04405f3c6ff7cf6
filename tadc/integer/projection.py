"""The rational projection of a domain: Fourier-Motzkin elimination without regard for loops."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.integer.dictionary import too_complex
from tadc.integer.fourier_motzkin import remaining
from tadc.integer.redundancy import Facts, merged
from tadc.ir.affine import Symbol
from tadc.ir.domain import EMPTY, Domain, at_least_zero

__all__ = ["project"]

FEW_CONDITIONS = 40  # redundancy is not worth looking for
MOST_CONDITIONS = 300


def project(domain: Domain, away: Sequence[Symbol]) -> Domain:
    """Inequalities over the other symbols that hold wherever some values of `away` fulfil the domain.

    Exact over the rationals; over the integers it may hold a little more. Divisibilities are ignored.
    """
    forms = [
        form
        for c in domain
        if c.relation != "|"
        for form in ((c.form, -c.form) if c.relation == "==" else (c.form,))
    ]
    for z in away:
        lows = [form for form in forms if form.coefficient(z) > 0]
        highs = [form for form in forms if form.coefficient(z) < 0]
        shadows = [
            at_least_zero(low * -high.coefficient(z) + high * low.coefficient(z)).form
            for low in lows
            for high in highs
        ]
        kept = [*(form for form in forms if not form.coefficient(z)), *shadows]
        tight = merged(kept) if len(kept) <= FEW_CONDITIONS else remaining(kept, Facts((), ()))
        if tight is None:
            return EMPTY
        if len(tight) > MOST_CONDITIONS:
            raise too_complex(f"projecting away {len(away)} indices leaves {len(tight)} conditions")
        forms = list(tight)
    return Domain.of(map(at_least_zero, forms))
