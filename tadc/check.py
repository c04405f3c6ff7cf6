"""`f.check()`: derivatives against numeric differentiation, and every backend against the interpreter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tadc.errors import ArgumentError, Error, ShapeError
from tadc.ir.program import Program
from tadc.runtime.run import Runners

if TYPE_CHECKING:
    from tadc.function import Function

__all__ = ["Report", "Row", "check"]

BACKENDS = (("numpy", "float64", 1e-10), ("numpy", "float32", 2e-3))
NUMERIC = 1e-5  # the tolerance of numeric differentiation
STEP = 1e-4  # of central differences, extrapolated once: an error of the fourth order
MOST_POINTS = 2_000_000  # elements of all tensors together that the interpreter may be asked for


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison: `error` is the largest difference relative to the largest value, `limit` what is allowed."""

    subject: str
    against: str
    error: float
    limit: float

    @property
    def agrees(self) -> bool:
        return self.error <= self.limit  # false for NaN


@dataclass(frozen=True, slots=True)
class Report:
    """The comparisons of a check, true when all agree. `sizes` are those it was run with."""

    sizes: Mapping[str, int]
    rows: tuple[Row, ...]

    def __bool__(self) -> bool:
        return all(row.agrees for row in self.rows)

    def __str__(self) -> str:
        width = max(len(r.subject) for r in self.rows)
        against = max(len(r.against) for r in self.rows)
        sizes = ", ".join(f"{s} = {n}" for s, n in self.sizes.items())
        lines = [f"sizes: {sizes}"] if sizes else []
        lines += [
            f"{r.subject:<{width}}  {r.against:<{against}}  {r.error:9.2e}  {'ok' if r.agrees else 'DIFFERS'}"
            for r in self.rows
        ]
        return "\n".join(lines)


def check(f: Function, seed: int, given: Mapping[str, int]) -> Report:
    """Compare on random input. Raises ShapeError where no small sizes fit, ArgumentError for unknown ones."""
    program = f.program
    unknown = [s for s in given if s not in program.sizes]
    if unknown:
        raise ArgumentError(
            None,
            f"there is no size `{unknown[0]}`",
            fix=f"the sizes are {', '.join(program.sizes) or 'none'}",
        )
    sizes = _sizes(f, given)
    random = np.random.default_rng(seed)
    arrays = _arrays(program, sizes, random)
    rows = list(_backends("value", program, arrays, sizes))
    adjoint = f.adjoint()
    if f.inputs:
        values = Runners(program).run("interpreter", "float64", arrays, sizes)
        names = adjoint.inputs[len(f.inputs) :]
        cotangents = {
            n: random.uniform(0.5, 1.5, values[o].shape)
            for n, o in zip(names, f.outputs, strict=True)
        }
        everything = arrays | cotangents
        gradients = Runners(adjoint.program).run("interpreter", "float64", everything, sizes)
        rows += _backends("adjoint", adjoint.program, everything, sizes)
        weights = [cotangents[n] for n in names]
        for x, dx in zip(f.inputs, adjoint.outputs, strict=True):
            rows.append(_numeric(program, x, dx, arrays, weights, gradients[dx], sizes, random))
    return Report({s: sizes[s] for s in program.sizes}, tuple(rows))


def _sizes(f: Function, given: Mapping[str, int]) -> dict[str, int]:
    """Small sizes that the program accepts, the given ones among them; different ones where possible."""
    program = f.program
    open_ = [s for s in program.sizes if s not in given]
    problem: Error | None = None
    for numbers in _candidates(len(open_)):
        sizes = program.size_values({**given, **dict(zip(open_, numbers, strict=True))})
        shapes = {t.name: tuple(n.at(sizes) for n in t.shape) for t in program.inputs}
        if any(n < 0 for shape in shapes.values() for n in shape):
            continue
        try:
            return f.calls.sizes(shapes, {s: sizes[s] for s in program.sizes})
        except Error as error:
            problem = problem or error
    if problem is not None and not open_:
        raise problem
    raise ShapeError(
        None, "no small sizes were found that the program accepts", fix="give them: `--size N=8`"
    )


def _candidates(count: int) -> Iterator[tuple[int, ...]]:
    """Numbers to try for so many sizes: distinct small ones first, then all combinations, at random where too many."""
    for start in (3, 4, 5, 7):
        yield tuple(start + (k * 2) % 5 for k in range(count))
    for start in range(1, 10):
        yield (start,) * count
    if 9**count <= 3000:
        yield from product(range(1, 10), repeat=count)
    else:
        random = np.random.default_rng(0)
        for _ in range(3000):
            yield tuple(int(n) for n in random.integers(1, 12, count))


def _arrays(
    program: Program, sizes: Mapping[str, int], random: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Random input between 0.2 and 0.9, where most functions are defined."""
    return {
        t.name: random.uniform(0.2, 0.9, [n.at(sizes) for n in t.shape]).astype(
            t.dtype or "float64"
        )
        for t in program.inputs
    }


def _backends(
    subject: str, program: Program, arrays: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]
) -> Iterator[Row]:
    runners = Runners(program)
    expected = runners.run("interpreter", "float64", arrays, sizes)
    for backend, dtype, limit in BACKENDS:
        given = {t.name: arrays[t.name].astype(t.dtype or dtype) for t in program.inputs}
        found = runners.run(backend, dtype, given, sizes)
        error = max((_difference(found[n], expected[n]) for n in program.outputs), default=0.0)
        yield Row(subject, f"{backend} {dtype}", error, limit)


def _numeric(
    program: Program,
    x: str,
    dx: str,
    arrays: Mapping[str, NDArray[Any]],
    weights: list[NDArray[Any]],
    gradient: NDArray[Any],
    sizes: Mapping[str, int],
    random: np.random.Generator,
) -> Row:
    """The gradient by one input in random directions against central differences."""
    runners = Runners(program)

    def value(array: NDArray[Any]) -> float:
        results = runners.run("numpy", "float64", {**arrays, x: array}, sizes)
        pairs = zip(program.outputs, weights, strict=True)
        return float(sum(np.sum(results[o] * w) for o, w in pairs))

    worst = 0.0
    for _ in range(3):
        direction = random.uniform(-1, 1, arrays[x].shape)
        slopes = [
            (value(arrays[x] + h * direction) - value(arrays[x] - h * direction)) / (2 * h)
            for h in (STEP, STEP / 2)
        ]
        numeric = (4 * slopes[1] - slopes[0]) / 3
        expected = float(np.sum(gradient * direction))
        scale = max(float(np.sum(np.abs(gradient * direction))), abs(numeric), 1e-3)
        worst = max(worst, abs(numeric - expected) / scale)
        if np.isnan(numeric) != np.isnan(expected):
            worst = float("inf")
    return Row(dx, "numeric differentiation", worst, NUMERIC)


def _difference(found: NDArray[Any], expected: NDArray[Any]) -> float:
    """The largest difference relative to the largest value; equal infinities and NaNs agree."""
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    if found.shape != expected.shape or not np.array_equal(
        np.isfinite(found), np.isfinite(expected)
    ):
        return float("inf")
    finite = np.isfinite(expected) & ~same
    if not finite.any():
        return 0.0 if same.all() else float("inf")
    scale = float(np.max(np.abs(expected[np.isfinite(expected)]), initial=1e-30))
    return float(np.max(np.abs(found[finite].astype(float) - expected[finite]))) / scale
