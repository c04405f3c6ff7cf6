"""Random programs on Dask arrays in random chunks, in every mode, beside a single call.

A test takes the first programs; `PYTHONPATH=tests python -m on_dask.random_calls --first 0 --programs 500` takes many, which is for
changes of blocks and footprints: about a second a program and mode. `--seconds` ends it, and it says where.
"""

from __future__ import annotations

import argparse
import random
import time
import warnings
from itertools import pairwise

import dask
import dask.array as da
import numpy as np
from random_programs import random_program
from test_random_programs import compiled

import tadc
import tadc.dask
from tadc.ir.expr import Reduce

MODES = ("value", "vjp", "jvp", "adjoint", "tangent", "second", "small")


def check(level, seed, mode):
    """The call of this mode on Dask arrays gives what one call gives, or its error. Returns the number of its Dask arrays in parts."""
    choice = random.Random(f"{level} {seed} {mode}")
    case = Case(level, seed, choice)
    if mode == "small":
        return case.small()
    return getattr(case, mode)()


class Case:
    """A program with inputs; each method is a mode."""

    def __init__(self, level, seed, choice):
        self.program = random_program(seed, level=level)
        self.f = compiled(level, seed)
        self.choice = choice
        self.x = self.program.sample(seed, lattice=choice.random() < 0.3)
        self.sizes = {s: self.program.sizes[s] for s in self.f.sizes if s in self.program.sizes}
        self.cotangents = tuple(self.program.cotangents(seed).values())
        rng = np.random.default_rng(seed)
        self.directions = {n: rng.normal(size=a.shape) for n, a in self.x.items()}

    def value(self):
        return self.of(self.f, self.x, self.sizes)

    def adjoint(self):
        g = self.f.adjoint()
        added = g.inputs[len(self.f.inputs) :]
        return self.of(g, self.x | dict(zip(added, self.cotangents, strict=True)), self.sizes)

    def tangent(self):
        g = self.f.tangent()
        added = g.inputs[len(self.f.inputs) :]
        directions = [self.directions[n] for n in self.f.real_inputs]
        return self.of(g, self.x | dict(zip(added, directions, strict=True)), self.sizes)

    def second(self):
        g = self.f.adjoint()
        h = g.adjoint()
        x = self.x | dict(zip(g.inputs[len(self.f.inputs) :], self.cotangents, strict=True))
        directions = [self.directions[n] for n in self.f.real_inputs]
        added = h.inputs[len(g.inputs) :]
        return self.of(h, x | dict(zip(added, directions, strict=True)), self.sizes)

    def vjp(self):
        value, pullback = self.f.vjp(**self.x, **self.sizes)
        data = self.wrapped(self.f)
        y, lazy_pullback = data.vjp(**self.lazy(self.x), **self.sizes)
        seeds = tuple(
            da.from_array(c, chunks=self.chunks(c.shape)) if self.choice.random() < 0.7 else c
            for c in self.cotangents
        )
        found, gradients = dask.compute(y, lazy_pullback(seeds))
        self.compare(found, value)
        wanted = pullback(self.cotangents)
        assert gradients.keys() == wanted.keys()
        self.compare(tuple(gradients.values()), tuple(wanted.values()))
        return len(data.plan(**self.lazy(self.x), **self.sizes).splits)

    def jvp(self):
        chosen = [n for n in self.f.real_inputs if self.choice.random() < 0.8]
        tangents = {n: self.directions[n] for n in chosen or self.f.real_inputs[:1]}
        given = self.x | self.sizes
        wanted = self.f.jvp(given, tangents)
        data = self.wrapped(self.f)
        found = dask.compute(*data.jvp(self.lazy(self.x) | self.sizes, self.lazy(tangents)))
        for a, b in zip(found, wanted, strict=True):
            self.compare(a, b)
        return 0

    def small(self):
        """With sizes of 0 and 1: what a single call refuses is refused alike."""
        symbols = self.f.program.sizes
        numbers = {
            s: self.choice.choice((0, 1, 1, 2, self.program.numbers.get(s, 1))) for s in symbols
        }
        try:
            shapes = {
                t.name: t.shape_at(self.f.program.size_values(numbers))
                for t in self.f.program.inputs
            }
        except (tadc.Error, ValueError, AssertionError):
            return 0
        if any(n < 0 for s in shapes.values() for n in s):
            return 0
        rng = np.random.default_rng(len(shapes))
        x = {n: rng.uniform(-2, 2, size=s) for n, s in shapes.items()}
        x = {n: x[n] for n in self.f.inputs}
        given = {s: n for s, n in numbers.items() if s in self.sizes}
        return self.of(self.f, x, given)

    # ------------------------------------------------------------------ what all have in common

    def of(self, g, x, sizes):
        """A call of a function, beside one on Dask arrays, which fails where that does."""
        wanted = outcome(lambda: g(**x, **sizes))
        data = self.wrapped(g)
        found = outcome(lambda: dask.compute(data(**self.lazy(x), **sizes))[0])
        if isinstance(wanted, tadc.Error) or isinstance(found, tadc.Error):
            assert type(found) is type(wanted), (found, wanted)
            return 0
        self.compare(found, wanted)
        return len(data.plan(**self.lazy(x), **sizes).splits)

    def wrapped(self, g):
        """The function with random choices."""
        statements = g.program.statements
        split = {
            s.target.name: s.body.indices
            for s in statements
            if isinstance(s.body, Reduce) and self.choice.random() < 0.4
        }
        names = [s.target.name for s in statements]
        keep = (
            None
            if self.choice.random() < 0.5
            else self.choice.sample(names, self.choice.randint(0, len(names)))
        )
        return tadc.dask.wrap(g, split=split, keep=keep, slices=self.choice.random() < 0.5)

    def lazy(self, arrays):
        return {n: da.from_array(a, chunks=self.chunks(a.shape)) for n, a in arrays.items()}

    def chunks(self, shape):
        return tuple(random_chunks(self.choice, n) for n in shape)

    def compare(self, found, wanted):
        """Equal to rounding, in float64."""
        found = found if isinstance(found, tuple) else (found,)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        for a, b in zip(found, wanted, strict=True):
            assert a.dtype == b.dtype and a.shape == b.shape
            finite = np.abs(b[np.isfinite(b)])
            scale = max(1.0, float(finite.max(initial=0.0)))
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11 * scale)


def outcome(call):
    """The result, or the error that a user is told."""
    try:
        return call()
    except tadc.Error as error:
        return error


def random_chunks(choice, extent):
    """Uneven ones, some of extent 0."""
    ends = sorted({0, extent, *(choice.randrange(extent + 1) for _ in range(2))})
    chunks = [b - a for a, b in pairwise(ends)] or [0]
    if choice.random() < 0.1:
        chunks.insert(choice.randrange(len(chunks) + 1), 0)
    return tuple(chunks)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--programs", type=int, default=50)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    start = time.monotonic()
    agreed = in_parts = failed = programs = 0
    for seed in range(options.first, options.first + options.programs):
        if time.monotonic() - start > options.seconds:
            break
        programs += 1
        level = ("core", "full")[seed % 2]
        for mode in options.modes.split(","):
            try:
                with warnings.catch_warnings(), dask.config.set(scheduler="synchronous"):
                    warnings.simplefilter("ignore")
                    in_parts += check(level, seed // 2, mode)
                agreed += 1
            except Exception as error:  # each failure is told, and the others are looked at too
                failed += 1
                told = f"{type(error).__name__}: {str(error)[:300]}"
                print(f"{level} {seed // 2} {mode}: {told}", flush=True)
    print(
        f"programs {options.first} to {options.first + programs}: {agreed} calls agree, with {in_parts} tensors in parts; {failed} do not"
    )


if __name__ == "__main__":
    main()
