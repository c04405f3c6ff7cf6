"""What `f.check()` says of inverses: the invariants of the products with J and J⁻¹ of a program with states, at a random point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tadc.check import Report, Row, check, random_arrays
from tadc.errors import BackendError, DerivativeError
from tadc.function.inverse import Inverse
from tadc.function.inverse_modes import InverseMode, relative, sides_of
from tadc.function.krylov import Solver
from tadc.function.steps import Values
from tadc.function.sweeps import Sides

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["checked"]

ROUNDING = 1e-13  # of an invariant, times the condition number
MOST_ROWS = 4096


def checked(f: Function, seed: int, given: Mapping[str, int]) -> Report:
    """The report of `check`, and of a program with states also of its inverse."""
    report = check(f, seed, given)
    rows, skipped = _inverse(f, seed, report.sizes)
    return replace(report, rows=(*report.rows, *rows), skipped=skipped)


def _inverse(
    f: Function, seed: int, sizes: Mapping[str, int]
) -> tuple[tuple[Row, ...], str | None]:
    """The invariants, or why they are skipped; neither for a function without states. Issues a ConditionWarning."""
    if not f.states:
        return (), None
    g = f.fix(**{s: n for s, n in sizes.items() if s in f.sizes})
    random = np.random.default_rng(seed)
    point = random_arrays(g.program, {}, random)
    try:
        sides = sides_of(g, None, None)
        inverse = Inverse.at(g, sides, point, refine=0, check=True, solver=Solver(MOST_ROWS))
    except (DerivativeError, BackendError) as error:
        return (), f"no invariants of an inverse: {error.fact}"

    def vectors(names: tuple[str, ...]) -> Values:
        return {n: random.uniform(-1, 1, g.program.tensors[n].shape_at({})) for n in names}

    v, w, u = vectors(sides.wrt), vectors(sides.wrt), vectors(sides.of)
    limit = ROUNDING * max(10.0, inverse.condition())
    forward, back = inverse.forward(v), inverse.backward(u)
    again, adjoint = inverse.solved(forward), inverse.solved_transposed(back)
    errors: tuple[tuple[str, str, float], ...] = (
        ("inverse tangent", "J⁻¹(J v) = v", relative(_less(again, v), v)),
        ("inverse adjoint", "J⁻ᵀ(Jᵀu) = u", relative(_less(adjoint, u), u)),
        ("inverse adjoint", "<J⁻ᵀw, J v> = <w, v>", _apart(inverse.solved_transposed(w), forward, w, v)),
    )  # fmt: skip
    drift = _drift(g, sides, point, u)
    if drift is not None:
        errors += (("run backwards", "the start", drift),)
    return tuple(Row(subject, against, error, limit) for subject, against, error in errors), None


def _drift(f: Function, sides: Sides, point: Values, vectors: Values) -> float | None:
    """How far the values of the program, run backwards, miss the start; None where a step is not affine in what it replaces."""
    try:
        mode = InverseMode(f, "inverse-tangent", sides, solver=Solver(MOST_ROWS), memory="reverse")
    except DerivativeError:
        return None
    mode(*(point[x] for x in f.inputs), *(vectors[y] for y in sides.of))
    return mode.drift


def _less(a: Values, b: Values) -> Values:
    return {n: a[n] - b[n] for n in b}


def _apart(a: Values, b: Values, c: Values, d: Values) -> float:
    """The difference of two inner products, relative to the sum of the magnitudes of their terms."""
    left, right = (sum(float((x[n] * y[n]).sum()) for n in y) for x, y in ((a, b), (c, d)))
    scale = sum(float(np.abs(x[n] * y[n]).sum()) for x, y in ((a, b), (c, d)) for n in y)
    return abs(left - right) / (scale or 1.0)
