"""The sizes of a statement's arrays, which decide on blocks: no array holds more than some millions of elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from tadc.emit.numpy.scope import Frame, factor
from tadc.ir.affine import Affine, constant

__all__ = ["are_few", "largest"]

FEW = 2**18  # elements that need no blocks


def are_few(arrays: Iterable[Sequence[Affine]]) -> bool:
    """Whether arrays of these extents are known to be small."""
    return all(
        all(n.is_constant for n in extents) and prod(n.constant for n in extents) <= FEW
        for extents in arrays
    )


def largest(frame: Frame, extents: Sequence[Affine], more: Sequence[tuple[Affine, ...]]) -> str:
    """The number of elements of the largest of arrays that have `extents` and some `more`, as text."""
    different = [*dict.fromkeys(more)]
    longest = [e for e in different if not any(e != f and e == f[: len(e)] for f in different)]
    products = dict.fromkeys(_product(frame, (*extents, *e)) for e in longest or [()])
    return next(iter(products)) if len(products) == 1 else f"max({', '.join(products)})"


def _product(frame: Frame, extents: Sequence[Affine]) -> str:
    """The product of extents as text, numbers multiplied."""
    number = prod(n.constant for n in extents if n.is_constant)
    forms = [n for n in extents if not n.is_constant]
    if number != 1 or not forms:
        forms.insert(0, constant(number))
    if len(forms) == 1:
        return frame.text(forms[0])
    return " * ".join(factor(n, frame.text(n)) for n in forms)
