"""A random program is held against tadc: values, and derivatives of first and second order in every mix of modes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Held", "Mode", "called"]

LONG_PRODUCT = 100  # factors; derivatives of second order take the cube of their number


class Mode(NamedTuple):
    """A function with its arguments. `expected` are its results; or, `along` directions, the sum of their products with these."""

    name: str
    function: Any
    arguments: list[Any]
    expected: list[Any]
    along: list[Any] | None = None


def called(f, arguments, sizes):
    """The results of a function."""
    found = f(*arguments, **sizes)
    return found if isinstance(found, tuple) else (found,)


class Held:
    """A program with two directions and a cotangent, and what they lead to."""

    def __init__(self, data, seed=0):
        rng = np.random.default_rng(seed)
        self.data = data
        self.one, self.other = (
            {n: rng.standard_normal(a.shape) for n, a in data.tensors.items()} for _ in range(2)
        )
        with np.errstate(all="ignore"):
            self.results = data.evaluated(self.one, self.other)
        self.cotangents = {n: rng.standard_normal(y.value.shape) for n, y in self.results.items()}

    def modes(self, f, given=None) -> Iterator[Mode]:
        """The function and its derivatives. Second derivatives are those of the adjoint and of the tangent, by both modes."""
        arrays = given or self.data.arrays
        point = [arrays[n] for n in f.inputs]
        wrt = [n for n in self.data.tensors if n in f.inputs]
        one, other = ([d[n] for n in wrt] for d in (self.one, self.other))
        dys = [self.cotangents[n] for n in f.outputs]
        yield Mode("value", f, point, self._parts(f, "value"))
        if not wrt:
            return
        adjoint, tangent = f.adjoint(wrt), f.tangent(wrt)
        yield Mode("adjoint", adjoint, [*point, *dys], [self._slope("one")], one)
        yield Mode("tangent", tangent, [*point, *one], self._parts(f, "one"))
        both = [self._slope("both")]
        yield Mode("tangent of adjoint", adjoint.tangent(wrt), [*point, *dys, *other], both, one)
        yield Mode("adjoint of adjoint", adjoint.adjoint(wrt), [*point, *dys, *one], both, other)
        yield Mode("tangent of tangent", tangent.tangent(wrt), [*point, *one, *other], self._parts(f, "both"))  # fmt: skip
        yield Mode("adjoint of tangent", tangent.adjoint(wrt), [*point, *one, *dys], both, other)

    def assert_holds(self, f, run=called, rtol=1e-8, given=None) -> list[tuple[Mode, Any]]:
        """All modes as they are run, with their results; of long products those of first order."""
        every = []
        sizes = {n: v for n, v in self.data.sizes.items() if n in f.sizes}
        long = max(self.data.sizes.values()) > LONG_PRODUCT and "prod{" in self.data.text
        for mode in itertools.islice(self.modes(f, given), 3 if long else None):
            found = run(mode.function, mode.arguments, sizes)
            every.append((mode, found))
            if mode.along is not None:
                assert all(np.isfinite(g).all() for g in found), (
                    f"{mode.name} is not finite\n{self.data.text}\n{self.data.sizes}"
                )
                found = [sum((g * t).sum() for g, t in zip(found, mode.along, strict=True))]
            self._compare(mode.name, found, mode.expected, rtol)
        return every

    def assert_calls_hold(self, f, rtol=1e-8, given=None):
        """The value and the gradients of `vjp`, and the tangents of `jvp`."""
        arrays = {n: (given or self.data.arrays)[n] for n in f.inputs}
        sizes = {n: v for n, v in self.data.sizes.items() if n in f.sizes}
        wrt = [n for n in self.data.tensors if n in f.inputs]
        if not wrt:
            return self.assert_holds(f, called, rtol, given)
        y, pullback = f.vjp(**arrays, **sizes, wrt=wrt)
        y = y if isinstance(y, tuple) else (y,)
        self._compare("value", y, self._parts(f, "value"), rtol)
        found = pullback(*(self.cotangents[n] for n in f.outputs))
        slopes = [sum((found[n] * d[n]).sum() for n in wrt) for d in (self.one, self.other)]
        self._compare("gradients", slopes, [self._slope("one"), self._slope("other")], rtol)
        _, slope = f.jvp({**arrays, **sizes}, {n: self.one[n] for n in wrt})
        slope = slope if isinstance(slope, tuple) else (slope,)
        return self._compare("tangent", slope, self._parts(f, "one"), rtol)

    def _parts(self, f, part):
        return [getattr(self.results[n], part) for n in f.outputs]

    def _slope(self, part):
        """How the outputs change, along the cotangents."""
        changes = ((self.cotangents[n] * getattr(y, part)).sum() for n, y in self.results.items())
        return sum(map(float, changes))

    def _compare(self, name, found, expected, rtol):
        sizes = [np.abs(a[np.isfinite(a)]).sum() for y in self.results.values() for a in y.parts()]
        atol = rtol * (1 + max(sizes))
        for one, other in zip(found, expected, strict=True):
            assert np.allclose(one, other, rtol, atol, equal_nan=True), (
                f"{name}: {np.ravel(one)[:6]} is not {np.ravel(other)[:6]}\n{self.data.text}\n{self.data.sizes}"
            )
