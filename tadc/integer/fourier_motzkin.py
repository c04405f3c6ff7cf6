"""Fourier-Motzkin elimination with symbolic parameters (Urban & van der Smagt 2017, section 4.2).

From `l + a*z >= 0` and `h - b*z >= 0` with `a, b > 0` follows `b*l + a*h >= 0`, in which `z` is gone: the shadow. Over
the rationals the shadow is exact. Over the integers it may be too large, which makes a loop empty, never wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tadc.integer.dictionary import Dictionary, too_complex
from tadc.integer.redundancy import Facts, irredundant, merged
from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import at_least_zero
from tadc.ir.range import Range

__all__ = ["nest", "remaining"]

# A dense system has dozens of irredundant bounds by nature; beyond these numbers finding them takes seconds, and
# the loops would be of no use. The statements of real programs stay below 10 bounds, and 20 combinations.
MOST_BOUNDS = 40
MOST_COMBINATIONS = 200


def nest(
    indices: Sequence[Symbol], forms: Sequence[Affine], facts: Facts
) -> tuple[Range, ...] | None:
    """Loops, outermost first, over the integer points of `forms >= 0`; None where there are none.

    `forms` are irredundant given `facts`, and each has at least one of `indices`. Conditions on parameters alone that
    elimination leaves are dropped: where they fail, there is a loop that does not run.
    """
    loops: list[Range] = []
    for depth in reversed(range(len(indices))):
        if len(forms) > MOST_BOUNDS:
            raise too_complex(f"{len(forms)} conditions bound {depth + 1} indices")
        z, outer = indices[depth], set(indices[:depth])
        lows = [form for form in forms if form.coefficient(z) > 0]
        highs = [form for form in forms if form.coefficient(z) < 0]
        loops.append(Range.of(z, (*lows, *highs)).ordered)
        forms = [form for form in forms if not form.coefficient(z)]
        shadows = _shadows(z, lows, highs) if outer else []
        shadows = [form for form in shadows if not outer.isdisjoint(form.symbols)]
        if shadows:
            needed = remaining([*forms, *shadows], facts)
            if needed is None:
                return None
            forms = needed
    return tuple(reversed(loops))


def _shadows(z: Symbol, lows: Sequence[Affine], highs: Sequence[Affine]) -> list[Affine]:
    if len(lows) * len(highs) > MOST_COMBINATIONS:
        raise too_complex(f"index {z} has {len(lows)} lower and {len(highs)} upper bounds")
    return [
        at_least_zero(low * -high.coefficient(z) + high * low.coefficient(z)).form
        for low in lows
        for high in highs
    ]


def remaining(forms: Iterable[Affine], facts: Facts) -> tuple[Affine, ...] | None:
    """`forms` without what is redundant; None where they contradict each other or the facts."""
    tight = merged(forms)
    if tight is None:
        return None
    near = facts.near(tight)
    dictionary = Dictionary.of((*tight, *near.inequalities), near.equations)
    if dictionary is None or not dictionary.restore():
        return None
    return irredundant(tight, dictionary, near)
