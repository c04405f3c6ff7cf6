"""Arrays with derivatives: values, their tangents in two directions, and what changes in both at once.

A product, a function or a reduction of such arrays is one again, by the rules of a course in calculus, and exact: derivatives of first and
second order, however tadc mixes its modes, are compared with them. Nothing here knows of tadc.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Dual"]


@dataclass(frozen=True)
class Dual:
    """`value + one*s + other*t + both*s*t`, of arrays of one shape."""

    value: np.ndarray
    one: np.ndarray
    other: np.ndarray
    both: np.ndarray

    @staticmethod
    def of(value):
        """Constants."""
        value = np.asarray(value, float)
        return Dual(value, *(np.zeros_like(value) for _ in range(3)))

    def parts(self):
        return self.value, self.one, self.other, self.both

    def each(self, f):
        """A linear function of each part."""
        return Dual(*map(f, self.parts()))

    def __add__(self, x):
        return Dual(*(a + b for a, b in zip(self.parts(), x.parts(), strict=True)))

    def __neg__(self):
        return self.each(np.negative)

    def __sub__(self, x):
        return self + -x

    def __mul__(self, x):
        return Dual(
            self.value * x.value,
            self.one * x.value + self.value * x.one,
            self.other * x.value + self.value * x.other,
            self.both * x.value + self.one * x.other + self.other * x.one + self.value * x.both,
        )

    def __truediv__(self, x):
        return self * x.applied(1 / x.value, -(x.value**-2.0), 2 * x.value**-3.0)

    def applied(self, value, slope, curvature):
        """A function of the value, with its derivatives there."""
        return Dual(
            value,
            slope * self.one,
            slope * self.other,
            slope * self.both + curvature * self.one * self.other,
        )

    def sin(self):
        return self.applied(np.sin(self.value), np.cos(self.value), -np.sin(self.value))

    def exp(self):
        y = np.exp(self.value)
        return self.applied(y, y, y)

    def tanh(self):
        y = np.tanh(self.value)
        return self.applied(y, 1 - y * y, -2 * y * (1 - y * y))

    def where(self, holds, otherwise=0.0):
        """These where `holds`, elsewhere a constant."""
        value, *moved = self.parts()
        return Dual(np.where(holds, value, otherwise), *(np.where(holds, a, 0.0) for a in moved))

    # Reductions along the last axis, of the elements where `holds`.

    def sum(self, holds):
        return self.where(holds).each(lambda a: a.sum(-1))

    def prod(self, holds):
        terms = self.where(holds, 1.0)
        found = Dual.of(np.ones(holds.shape[:-1]))
        for t in range(holds.shape[-1]):
            found = found * terms.each(lambda a, t=t: a[..., t])
        return found

    def max(self, holds):
        """Those that are greatest share the derivative."""
        value = np.max(np.where(holds, self.value, -np.inf), -1, initial=-np.inf)
        greatest = holds & (self.value == value[..., None])
        share = greatest / np.maximum(greatest.sum(-1, keepdims=True), 1)
        moved = (np.where(holds, share * a, 0.0).sum(-1) for a in self.parts()[1:])
        return Dual(value, *moved)

    def min(self, holds):
        return -(-self).max(holds)

    def logsumexp(self, holds):
        greatest = np.max(np.where(holds, self.value, -np.inf), -1, initial=-np.inf)
        base = np.where(np.isfinite(greatest), greatest, 0.0)
        summed = (self + Dual.of(-base[..., None])).exp().sum(holds)
        some = holds.any(-1)
        log = summed.where(some, 1.0)
        found = log.applied(np.log(log.value), 1 / log.value, -(log.value**-2.0))
        return (found + Dual.of(base)).where(some, -np.inf)
