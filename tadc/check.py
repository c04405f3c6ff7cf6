"""`f.check()`: derivatives against numeric differentiation, and every backend against the interpreter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tadc import compiler
from tadc.errors import ArgumentError, DataError, Error, ShapeError
from tadc.ir.expr import Call, Comparison, Reduce, Select
from tadc.ir.functions import FUNCTIONS
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.runtime.cuda.arrays import devices
from tadc.runtime.opencl.arrays import devices as opencl_devices
from tadc.runtime.run import default_backend
from tadc.schedule.rewrite.looked_up import ends_of_rows
from tadc.tables import html_table

if TYPE_CHECKING:
    from tadc.function import Function

__all__ = [
    "Report",
    "Row",
    "check",
    "random_arrays",
    "random_inputs",
    "refuse_computed_indices",
    "small_sizes",
]

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
Pairs: TypeAlias = list[tuple[NDArray[Any], NDArray[Any]]]

LIMITS = {"float64": 1e-10, "float32": 2e-3}
NUMERIC = 1e-5  # the tolerance of numeric differentiation
STEP = 1e-4  # of central differences, extrapolated once: an error of the fourth order
COMPLEX = 1e-11  # that of the complex step
DOT_PRODUCT = 1e-12
TINY = 1e-100  # the complex step
FEW = 10_000  # elements of all tensors together: the interpreter takes some seconds
MOST_OPEN = 20  # sets of numbers tried for sizes that multiply or divide indices
MOST_DRAWS = 64  # of index tensors
FIRST = 13  # candidates for sizes among which few elements are looked for


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
    """The comparisons of a check, true when all agree. `sizes` are those it was run with, `skipped` says what was not compared."""

    sizes: Mapping[str, int]
    rows: tuple[Row, ...]
    skipped: str | None = None

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
        lines += [self.skipped] if self.skipped else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        sizes = ", ".join(f"{s} = {n}" for s, n in self.sizes.items())
        head = ("", "against", "difference", "allowed", "")
        rows = [
            (r.subject, r.against, f"{r.error:.2e}", f"{r.limit:.0e}", "ok" if r.agrees else "DIFFERS")
            for r in self.rows
        ]  # fmt: skip
        return html_table([head, *rows], (0, 1, 4), f"sizes: {sizes}" if sizes else "")


def check(f: Function, seed: int, given: Mapping[str, int]) -> Report:
    """Compare on random input. Raises ShapeError where no small sizes fit, ArgumentError for unknown ones."""
    f, numbers, sizes = _with_small_sizes(f, given)
    program = f.program
    random = np.random.default_rng(seed)
    arrays = random_inputs(f, sizes, random, "check")
    values = _interpreted(f, arrays, sizes)
    rows = list(_backends("value", f, arrays, sizes, values))
    real = [x for x in f.inputs if x not in f.index_inputs]
    if real:
        adjoint, tangent = f.adjoint(), f.tangent()
        # An element that is no number, at a random input outside a function's domain, has no slope to compare.
        weights = {
            o: np.where(np.isfinite(values[o]), random.uniform(0.5, 1.5, values[o].shape), 0)
            for o in f.outputs
        }
        directions = {x: random.uniform(-1, 1, arrays[x].shape) for x in real}
        backward = _with(arrays, adjoint.inputs, weights)
        forward = _with(arrays, tangent.inputs, directions)
        gradients = _interpreted(adjoint, backward, sizes)
        slopes = _interpreted(tangent, forward, sizes)
        rows += _backends("adjoint", adjoint, backward, sizes, gradients)
        rows += _backends("tangent", tangent, forward, sizes, slopes)
        rows.append(
            _dot_product(
                [
                    (slopes[dy], weights[o])
                    for dy, o in zip(tangent.outputs, f.outputs, strict=True)
                ],
                [
                    (gradients[dx], directions[x])
                    for dx, x in zip(adjoint.outputs, real, strict=True)
                ],
            )
        )
        numeric = _Numeric(f, arrays, weights, sizes)
        for x, dx in zip(real, adjoint.outputs, strict=True):
            rows.append(numeric.row(x, dx, gradients[dx], random))
    return Report({**numbers, **{s: sizes[s] for s in program.sizes}}, tuple(rows))


def refuse_computed_indices(program: Program, what: str) -> None:
    """Raises ArgumentError for a program that computes indices: random input leads outside of its tensors."""
    if computed := compiler.computed_indices(program):
        raise ArgumentError(
            None,
            f"`{what}` does not know indices that are computed, and `{computed[0]}` is read as one",
            fix=f"declare `input {computed[0]}[..]: index` in a program of its own, and {what} that",
        )


def _interpreted(f: Function, arrays: Arrays, sizes: Mapping[str, int]) -> Arrays:
    return f.calls.computed("interpreter", "float64", arrays, sizes)


def _with(arrays: Arrays, inputs: Sequence[str], added: Arrays) -> Arrays:
    """The inputs of a derivative: those of the program, then the added ones."""
    return {**arrays, **dict(zip(inputs[len(arrays) :], added.values(), strict=True))}


def _with_small_sizes(
    f: Function, given: Mapping[str, int]
) -> tuple[Function, dict[str, int], dict[str, int]]:
    """The function with numbers for its open sizes; these numbers; and those of all its other sizes."""
    unknown = [s for s in given if s not in f.sizes]
    if unknown:
        raise ArgumentError(
            None,
            f"there is no size `{unknown[0]}`",
            fix=f"the sizes are {', '.join(f.sizes) or 'none'}",
        )
    rest = {s: n for s, n in given.items() if s not in f.open_sizes}
    chosen = [s for s in f.open_sizes if s not in given]
    problem: Error | None = None
    for candidate in islice(_open_candidates(len(chosen)), MOST_OPEN):
        tried = dict(zip(chosen, candidate, strict=True))
        numbers = {s: given[s] if s in given else tried[s] for s in f.open_sizes}
        try:
            fixed = f.fix(**numbers)
            return fixed, numbers, small_sizes(fixed, rest)
        except Error as error:
            problem = problem or error
    assert problem is not None, "no candidates"
    raise problem


def _open_candidates(count: int) -> Iterator[tuple[int, ...]]:
    """Candidates for open sizes: 2, 3, 4, .. first, so that products with them stay small."""
    yield tuple(range(2, 2 + count))
    if count:
        yield from _candidates(count)


def small_sizes(f: Function, given: Mapping[str, int]) -> dict[str, int]:
    """Small sizes that the program accepts, the given ones among them; different ones where possible."""
    program = f.program
    open_ = [s for s in program.sizes if s not in given]
    problem: Error | None = None
    accepted: list[tuple[int, dict[str, int]]] = []
    for k, numbers in enumerate(_candidates(len(open_))):
        if accepted and k > FIRST:
            break
        sizes = program.size_values({**given, **dict(zip(open_, numbers, strict=True))})
        shapes = {t.name: tuple(n.at(sizes) for n in t.shape) for t in program.inputs}
        if any(n < 0 for shape in shapes.values() for n in shape):
            continue
        try:
            sizes = f.calls.sizes(shapes, {s: sizes[s] for s in program.sizes})
        except Error as error:
            problem = problem or error
            continue
        elements = sum(prod(n.at(sizes) for n in t.shape) for t in program.tensors.values())
        if elements <= FEW or not open_:
            return sizes
        accepted.append((elements, sizes))
    if accepted:
        return min(accepted, key=lambda pair: pair[0])[1]
    if problem is not None and not open_:
        raise problem
    raise ShapeError(
        None, "no small sizes were found that the program accepts", fix="give them: `--size N=8`"
    )


def _candidates(count: int) -> Iterator[tuple[int, ...]]:
    """Numbers to try for so many sizes: distinct small ones first, then all combinations, at random where too many."""
    for start in (3, 4, 5, 7):
        yield tuple(start + (k * 2) % 5 for k in range(count))
    for start in (*range(2, 10), 1):
        yield (start,) * count
    if 9**count <= 3000:
        yield from product(range(1, 10), repeat=count)
    else:
        random = np.random.default_rng(0)
        for _ in range(3000):
            yield tuple(int(n) for n in random.integers(1, 12, count))


def random_inputs(
    f: Function, sizes: Mapping[str, int], random: np.random.Generator, what: str
) -> dict[str, NDArray[Any]]:
    """Random input, with index tensors whose reads are inside. Raises ArgumentError for computed indices, which `what` does not know."""
    refuse_computed_indices(f.program, what)
    arrays = random_arrays(f.program, sizes, random)
    return arrays | random_indices(f, sizes, random) if f.index_inputs else arrays


def random_arrays(
    program: Program, sizes: Mapping[str, int], random: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Random input between 0.2 and 0.9, where most functions are defined."""
    return {
        t.name: random.uniform(0.2, 0.9, [n.at(sizes) for n in t.shape]).astype(
            t.dtype or "float64"
        )
        for t in program.inputs
    }


def random_indices(
    f: Function, sizes: Mapping[str, int], random: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Random index tensors whose reads are inside: in the widest ranges around the extents of the program for which that holds.

    Bounds of rows ascend, so that some rows are empty. Raises ArgumentError where none are found.
    """
    program = f.program
    widest = max((n.at(sizes) for t in program.tensors.values() for n in t.shape), default=1)
    tensors = [t for t in program.inputs if t.name in f.index_inputs]
    ranges = {
        t.name: (-1, widest + 1) if t.values is None else tuple(e.at(sizes) for e in t.values)
        for t in tensors
    }
    ascending = ends_of_rows(program)
    for _ in range(MOST_DRAWS):
        drawn = {}
        for t in tensors:
            low, high = ranges[t.name]
            drawn[t.name] = random.integers(low, high + 1, [n.at(sizes) for n in t.shape])
            if t.name in ascending:
                drawn[t.name] = np.sort(drawn[t.name])
        try:
            f.calls.check_indices(drawn, sizes)
        except DataError as error:
            low, high = ranges[error.tensor]
            least, greatest = max(low, error.low), min(high, error.high)
            if (least, greatest) == (low, high) or least > greatest:
                break
            ranges[error.tensor] = least, greatest
        else:
            return drawn
    raise ArgumentError(
        None,
        "no index tensors were found for which all reads are inside",
        fix="give other sizes, or declare the ranges of their values: `input k[E]: 0..N-1`",
    )


def _on_devices() -> list[str]:
    """The backends of the devices that are there."""
    return [*(["cuda"] if devices() else []), *(["opencl"] if opencl_devices() else [])]


def _backends(
    subject: str, f: Function, arrays: Arrays, sizes: Mapping[str, int], expected: Arrays
) -> Iterator[Row]:
    program = f.program
    backends = dict.fromkeys(("numpy", default_backend(), *_on_devices()))
    for backend, dtype in product(backends, LIMITS):
        given = {t.name: arrays[t.name].astype(t.dtype or dtype) for t in program.inputs}
        computed = f.calls.computed(backend, dtype, given, sizes)
        error = max((_difference(computed[n], expected[n]) for n in program.outputs), default=0.0)
        yield Row(subject, f"{backend} {dtype}", error, LIMITS[dtype])


def _dot_product(forward: Pairs, backward: Pairs) -> Row:
    """`<dy, J dx>` against `<Jᵀ dy, dx>`, relative to the sum of absolute terms."""
    products = [[_weighted(a, b) for a, b in pairs] for pairs in (forward, backward)]
    sums = [sum(float(np.sum(p)) for p in each) for each in products]
    scales = [sum(float(np.sum(np.abs(p))) for p in each) for each in products]
    equal = sums[0] == sums[1] or all(map(np.isnan, sums))
    error = 0.0 if equal else abs(sums[0] - sums[1]) / max(*scales, 1e-300)
    return Row("tangent", "adjoint, dot product", error, DOT_PRODUCT)


class _Numeric:
    """Numeric slopes of the weighted sum of the outputs, in random directions of one input at a time.

    By the complex step, exact to rounding, where all functions are analytic (Squire, Trapp. SIAM Review 40, 1998);
    else by central differences, extrapolated once.
    """

    def __init__(
        self, f: Function, arrays: Arrays, weights: Arrays, sizes: Mapping[str, int]
    ) -> None:
        self._calls = f.calls
        self._arrays, self._weights, self._sizes = arrays, weights, sizes
        self._analytic = _is_analytic(f.program)

    def row(self, x: str, dx: str, gradient: NDArray[Any], random: np.random.Generator) -> Row:
        worst = 0.0
        for _ in range(3):
            direction = random.uniform(-1, 1, gradient.shape)
            slope = self._by_complex_step if self._analytic else self._by_differences
            numeric = slope(x, direction)
            expected = float(np.sum(gradient * direction))
            if np.isnan(numeric) != np.isnan(expected):
                worst = float("inf")
            elif numeric != expected and not np.isnan(numeric):
                scale = max(float(np.sum(np.abs(gradient * direction))), abs(numeric), 1e-3)
                worst = max(worst, abs(numeric - expected) / scale)
        if self._analytic:
            return Row(dx, "complex step", worst, COMPLEX)
        return Row(dx, "central differences", worst, NUMERIC)

    def _by_complex_step(self, x: str, direction: NDArray[Any]) -> float:
        return float(self._value("complex128", x, TINY * 1j * direction).imag / TINY)

    def _by_differences(self, x: str, direction: NDArray[Any]) -> float:
        slopes = [
            (self._value("float64", x, h * direction) - self._value("float64", x, -h * direction))
            / (2 * h)
            for h in (STEP, STEP / 2)
        ]
        return float((4 * slopes[1] - slopes[0]) / 3)

    def _value(self, dtype: str, x: str, step: NDArray[Any]) -> Any:
        arrays = {**self._arrays, x: self._arrays[x] + step}
        results = self._calls.computed("numpy", dtype, arrays, self._sizes)
        return sum(np.sum(_weighted(results[o], w)) for o, w in self._weights.items())


def _is_analytic(program: Program) -> bool:
    """Whether the functions, given complex inputs near real ones, are analytic continuations there."""
    if any(t.dtype for t in program.tensors.values()):
        return False
    for e in (e for s in program.statements for e in postorder(s.body)):
        match e:
            case Call(function) if not FUNCTIONS[function].analytic:
                return False
            case Reduce("max" | "min") | Select(Comparison()):
                return False
            case _:
                pass
    return True


def _weighted(values: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    product: NDArray[Any] = np.where(weights == 0, 0, values) * weights
    return product


def _difference(computed: NDArray[Any], expected: NDArray[Any]) -> float:
    """The largest difference relative to the largest value; equal infinities and NaNs agree."""
    same = (computed == expected) | (np.isnan(computed) & np.isnan(expected))
    if computed.shape != expected.shape or not np.array_equal(
        np.isfinite(computed), np.isfinite(expected)
    ):
        return float("inf")
    finite = np.isfinite(expected) & ~same
    if not finite.any():
        return 0.0 if same.all() else float("inf")
    scale = float(np.max(np.abs(expected[np.isfinite(expected)]), initial=1e-30))
    return float(np.max(np.abs(computed[finite].astype(float) - expected[finite]))) / scale
