"""Boundary forms (language, section 2): what a subscript reads that may lie outside its tensor.

Each becomes pieces: conditions that exclude each other and cover everything, with an affine subscript inside the tensor
under each, or a constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tadc.errors import Span, SyntaxError
from tadc.ir.affine import Affine, constant
from tadc.ir.domain import Condition, at_least_zero
from tadc.ir.expr import Const

__all__ = ["Inside", "boundary_pieces"]

# `holds(*given, condition)`: whether the condition is proved where the read stands and the given ones hold.
Holds: TypeAlias = Callable[..., bool]
Inside: TypeAlias = tuple[tuple[Condition, ...], Affine | Const]


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

    def inside(self) -> tuple[Condition, ...]:
        return at_least_zero(self.form), at_least_zero(self.extent - 1 - self.form)

    def above(self) -> Condition:
        return at_least_zero(self.form - self.extent)


def boundary_pieces(
    name: str,
    form: Affine,
    extent: Affine,
    outside: Const,
    divided: Callable[[Affine, int], Affine],
    holds: Holds,
    span: Span,
) -> list[Inside]:
    """The pieces of `name(form)` in a dimension of `extent`; `outside` is what `pad` gives there.

    Raises SyntaxError where a period has no number and the subscript may be further out than one period.
    """
    place = _Place(form, extent, divided, holds, span)
    if all(holds(c) for c in place.inside()):
        return [((), form)]
    return _FORMS[name](place, outside)


def _pad(p: _Place, outside: Const) -> list[Inside]:
    return [(p.inside(), p.form), ((p.below(),), outside), ((p.above(),), outside)]


def _clamp(p: _Place, _: Const) -> list[Inside]:
    return [(p.inside(), p.form), ((p.below(),), constant(0)), ((p.above(),), p.extent - 1)]


def _wrap(p: _Place, _: Const) -> list[Inside]:
    if p.extent.is_constant and p.extent.constant > 0:
        n = p.extent.constant
        return [((), p.form - n * p.divided(p.form, n))]
    return _near(p, p.form + p.extent, p.form - p.extent)


def _reflect(p: _Place, _: Const) -> list[Inside]:
    return _mirrored(p, 1)


def _symmetric(p: _Place, _: Const) -> list[Inside]:
    return _mirrored(p, 0)


def _mirrored(p: _Place, shared: int) -> list[Inside]:
    """Mirrors; `shared` is 1 where the edge is not repeated. The period is twice the extent less twice `shared`."""
    last = p.extent - 1
    if p.extent.is_constant and p.extent.constant > 0:
        period = 2 * (p.extent.constant - shared)
        if period == 0:
            return [((), constant(0))]
        rest = p.form - period * p.divided(p.form, period)
        return [
            ((at_least_zero(last - rest),), rest),
            ((at_least_zero(rest - p.extent),), last + p.extent - shared - rest),
        ]
    return _near(p, -p.form - 1 + shared, last + p.extent - shared - p.form)


def _near(p: _Place, below: Affine, above: Affine) -> list[Inside]:
    """The pieces of a period without a number. Raises SyntaxError unless one period is proved to be enough."""
    pieces: list[Inside] = [(p.inside(), p.form)]
    for outside, target in ((p.below(), below), (p.above(), above)):
        inside = (at_least_zero(target), at_least_zero(p.extent - 1 - target))
        if not all(p.holds(outside, c) for c in inside):
            raise SyntaxError(
                p.span,
                f"`{p.span.text}` may be more than a period outside, and the extent there has no number",
                fix="give the size a number: `size N = 8`, or `--size N=8`",
            )
        pieces.append(((outside,), target))
    return pieces


_FORMS: dict[str, Callable[[_Place, Const], list[Inside]]] = {
    "pad": _pad,
    "clamp": _clamp,
    "wrap": _wrap,
    "reflect": _reflect,
    "symmetric": _symmetric,
}
