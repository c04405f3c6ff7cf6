"""Boundary forms (language, section 2): values of reads whose subscripts may lie outside their tensor.

Each becomes a list of choices: an affine subscript inside the tensor, or a constant, under a test. The tests are made in
turn, and are single inequalities, so that what is known after one fails is an inequality too. Of `min` and `max` inside a
form each piece has choices of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tadc.errors import Span, SyntaxError
from tadc.ir.affine import Affine, constant
from tadc.ir.domain import Condition, at_least_zero
from tadc.ir.expr import Const
from tadc.resolve.spelling import declared

__all__ = ["Choice", "boundary_choices"]

# `holds(*given, condition)`: whether the condition is proved where the read stands and the given ones hold.
Holds: TypeAlias = Callable[..., bool]
Choice: TypeAlias = "tuple[tuple[Condition, ...], Affine | Const | list[Choice]]"


MOST_CELLS = 6  # periods to each side, where the period has no number


@dataclass(frozen=True, slots=True)
class _Place:
    """The subscript `form` of a dimension with `extent`, and the means to reason about it."""

    form: Affine
    extent: Affine
    divided: Callable[[Affine, int], Affine]  # floor division by a number
    holds: Holds
    span: Span

    def below(self) -> Condition:
        return at_least_zero(-self.form - 1)

    def in_bounds(self) -> tuple[Condition, ...]:
        return at_least_zero(self.form), at_least_zero(self.extent - 1 - self.form)

    def above(self) -> Condition:
        return at_least_zero(self.form - self.extent)


def boundary_choices(
    name: str,
    form: Affine,
    extent: Affine,
    outside: Const,
    divided: Callable[[Affine, int], Affine],
    holds: Holds,
    span: Span,
) -> list[Choice]:
    """The choices for `name(form)` in a dimension of `extent`; `outside` is the value that `pad` gives there.

    Raises SyntaxError where a period has no number and the subscript may be further out than one period.
    """
    place = _Place(form, extent, divided, holds, span)
    if all(holds(c) for c in place.in_bounds()):
        return [((), form)]
    return _FORMS[name](place, outside)


def _pad(p: _Place, outside: Const) -> list[Choice]:
    return [((p.below(),), outside), ((p.above(),), outside), ((), p.form)]


def _clamp(p: _Place, _: Const) -> list[Choice]:
    return [((p.below(),), constant(0)), ((p.above(),), p.extent - 1), ((), p.form)]


def _wrap(p: _Place, _: Const) -> list[Choice]:
    if p.extent.is_constant and not _is_near(p, p.extent):
        n = p.extent.constant
        return [((), p.form - n * p.divided(p.form, n))]
    return _cells(p, p.extent, lambda c: p.form - p.extent * c)


def _reflect(p: _Place, _: Const) -> list[Choice]:
    # An extent of 1 has no period: all is element 0.
    single: Choice = ((at_least_zero(1 - p.extent),), constant(0))
    if p.extent.is_constant:
        return [((), constant(0))] if p.extent.constant == 1 else _mirrored(p, 1)
    return [single, *_mirrored(p, 1)]


def _symmetric(p: _Place, _: Const) -> list[Choice]:
    return _mirrored(p, 0)


def _mirrored(p: _Place, shared: int) -> list[Choice]:
    """Mirrors; `shared` is 1 where the edge is not repeated. Every other cell of `length` runs backwards."""
    length = p.extent - shared
    if not p.extent.is_constant or _is_near(p, length):
        return _cells(
            p,
            length,
            lambda c: length * (c + 1) - 1 + shared - p.form if c % 2 else p.form - length * c,
        )
    period = 2 * length.constant
    rest = p.form - period * p.divided(p.form, period)
    return [((at_least_zero(p.extent - 1 - rest),), rest), ((), period - 1 + shared - rest)]


def _is_near(p: _Place, length: Affine) -> bool:
    """Whether the subscript is proved to be in the tensor or in the cell beside it, on either side: three choices, and no division."""
    return p.holds(at_least_zero(p.form + length)) and p.holds(
        at_least_zero(2 * length - 1 - p.form)
    )


def _cells(p: _Place, length: Affine, target: Callable[[int], Affine]) -> list[Choice]:
    """The choices of a period without a number: cell `c` is `c*length <= form < (c+1)*length`.

    Raises SyntaxError unless a few cells are proved to be enough.
    """
    low, high = 0, 1
    period = at_least_zero(length - 1)  # of `reflect`, an extent of 1 was dealt with
    while low > -MOST_CELLS and not p.holds(period, at_least_zero(p.form - length * low)):
        low -= 1
    while high < MOST_CELLS and not p.holds(period, at_least_zero(length * high - 1 - p.form)):
        high += 1
    if MOST_CELLS in (-low, high):
        raise SyntaxError(
            p.span,
            f"`{p.span.text}` may be far outside, and the extent there has no number",
            fix=f"give the size a number: {declared(p.span, 'size N = 8')}, or `--size N=8`",
        )
    below = [((at_least_zero(length * (c + 1) - 1 - p.form),), target(c)) for c in range(low, 0)]
    above = [((at_least_zero(p.form - length * c),), target(c)) for c in range(high - 1, 0, -1)]
    return [*below, *above, ((), target(0))]


_FORMS: dict[str, Callable[[_Place, Const], list[Choice]]] = {
    "pad": _pad,
    "clamp": _clamp,
    "wrap": _wrap,
    "reflect": _reflect,
    "symmetric": _symmetric,
}
