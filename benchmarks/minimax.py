"""Polynomials of `templates/c/functions/`: those with the least largest relative error, by the exchange algorithm of Remez.

    python benchmarks/minimax.py

For each prints the base-2 logarithm of that error, and its coefficients, lowest power first, as C writes them. (Those in use
come from more rounds: the last digits of small coefficients differ, and the errors do not.)
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
import numpy as np

Real = Callable[[mp.mpf], mp.mpf]
mp.mp.dps = 50
ROUNDS = 8
TINY = mp.mpf(10) ** -9  # below it a function is its limit


def minimax(
    f: Real, degree: int, low: float, high: float, weight: Real
) -> tuple[list[mp.mpf], mp.mpf]:
    """The polynomial for which the largest of `weight(x) * |p(x) - f(x)|` from `low` to `high` is least, and that."""
    points = degree + 2
    middle, half = mp.mpf(low + high) / 2, mp.mpf(high - low) / 2
    grid = [middle - half * mp.cos(mp.pi * k / (30 * points)) for k in range(30 * points + 1)]
    values, weights = [f(x) for x in grid], [weight(x) for x in grid]
    chosen = [30 * points * k // (points - 1) for k in range(points)]
    for _ in range(ROUNDS):
        equations = mp.matrix(points, points)
        for row, k in enumerate(chosen):
            for power in range(degree + 1):
                equations[row, power] = grid[k] ** power
            equations[row, degree + 1] = (-1) ** row / weights[k]
        solution = mp.lu_solve(equations, mp.matrix([values[k] for k in chosen]))
        p = list(solution)[:-1]
        errors = [
            w * (mp.polyval(p[::-1], x) - y) for x, y, w in zip(grid, values, weights, strict=True)
        ]
        extrema = [0]
        for k in range(1, len(grid)):
            if (errors[k] > 0) != (errors[extrema[-1]] > 0):
                extrema.append(k)
            elif abs(errors[k]) > abs(errors[extrema[-1]]):
                extrema[-1] = k
        if len(extrema) < points:
            break
        while len(extrema) > points:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        chosen = extrema
    return p, max(abs(e) for e in errors)


def odd(g: Real, limit: float) -> tuple[Real, Real]:
    """`p(z)` of `g(x) = x + x*z*p(z)`, where `z = x*x`, and its weight for the relative error of `g`."""

    def f(z: mp.mpf) -> mp.mpf:
        return (g(mp.sqrt(z)) / mp.sqrt(z) - 1) / z if z > TINY else mp.mpf(limit)

    return f, lambda z: max(z, TINY) ** 1.5 / g(mp.sqrt(max(z, TINY)))


def exponential(r: mp.mpf) -> mp.mpf:
    """`p(r)` of `exp(r) = 1 + r + r*r*p(r)`."""
    return (mp.exp(r) - 1 - r) / r**2 if abs(r) > TINY else 0.5 + r / 6


def cosine(z: mp.mpf) -> mp.mpf:
    """`p(z)` of `cos(x) = 1 - z/2 + z*z*p(z)`."""
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2 if z > TINY else mp.mpf(1) / 24


def logarithm(z: mp.mpf) -> mp.mpf:
    """`p(z)` of `log((1 + s)/(1 - s)) = 2*s + s*z*p(z)`, where `z = s*s`."""
    s = mp.sqrt(z)
    return (mp.log((1 + s) / (1 - s)) / s - 2) / z if z > TINY else mp.mpf(2) / 3


def scaled_erfc(k: float) -> Real:
    """`(1 + 2*x) * exp(x*x) * erfc(x)` of `t = (x - k)/(x + k)`."""

    def f(t: mp.mpf) -> mp.mpf:
        x = k * (1 + t) / (1 - t)
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)

    return f


def over(x: float, k: float) -> float:
    return (x - k) / (x + k)


def relative(f: Real) -> Real:
    return lambda x: 1 / f(x)


LOG2 = float(mp.log(2)) / 2 * 1.001
QUARTER = float(mp.pi / 4 * 1.01) ** 2
RATIO = float(3 - 2 * mp.sqrt(2)) ** 2 * 1.02
sine_of_turns = lambda z: mp.sinpi(mp.sqrt(z)) / mp.sqrt(z) if z > TINY else mp.pi  # noqa: E731
log_erfc = lambda x: mp.log(mp.erfc(x))  # noqa: E731
exp_weight = lambda r: r**2 / mp.exp(r) + TINY**2  # noqa: E731
sin, asin, atan, sinh = (
    odd(mp.sin, -1 / 6),
    odd(mp.asin, 1 / 6),
    odd(mp.atan, -1 / 3),
    odd(mp.sinh, 1 / 6),
)
erf = odd(lambda x: mp.erf(x) * mp.sqrt(mp.pi) / 2, -1 / 3)

# fmt: off
FITS = {
    #                       function                degree  from  to       weight
    "near_expf":            (exponential,                4, -LOG2, LOG2,   exp_weight),
    "near_exp":             (exponential,                9, -LOG2, LOG2,   exp_weight),
    "short_exp":            (exponential,                5, -LOG2, LOG2,   exp_weight),
    "near_expm1f":          (exponential,                5, -LOG2, LOG2,   lambda r: abs(r**2 / mp.expm1(r)) + TINY if r else TINY),
    "near_expm1":           (exponential,               10, -LOG2, LOG2,   lambda r: abs(r**2 / mp.expm1(r)) + TINY if r else TINY),
    "sinhf":                (sinh[0],                    3, 0, 2.25,       sinh[1]),
    "sinh":                 (sinh[0],                    7, 0, 2.25,       sinh[1]),
    "short_log":            (logarithm,                  4, 0, RATIO,      lambda z: z / 2 + TINY**2),
    "pow, beyond 2/3*s*z":  (lambda z: (logarithm(z) - mp.mpf(2) / 3) / z if z > TINY else mp.mpf("0.4"), 6, 0, RATIO, lambda z: z**2 / 2 + TINY**2),
    "rough_rcbrt":          (lambda m: 1 / mp.cbrt(m),   5, 0.35, 2.83,    mp.cbrt),
    "first_sinf":           (sin[0],                     2, 0, QUARTER,    sin[1]),
    "first_sin":            (sin[0],                     5, 0, QUARTER,    sin[1]),
    "first_cosf":           (cosine,                     2, 0, QUARTER,    lambda z: z**2 / mp.cos(mp.sqrt(z)) + TINY**2),
    "first_cos":            (cosine,                     5, 0, QUARTER,    lambda z: z**2 / mp.cos(mp.sqrt(z)) + TINY**2),
    "near_atanf":           (atan[0],                    8, 0, 1,          atan[1]),
    "near_atan":            (atan[0],                   19, 0, 1,          atan[1]),
    "near_asinf":           (asin[0],                    4, 0, 0.25,       asin[1]),
    "near_asin":            (asin[0],                   12, 0, 0.25,       asin[1]),
    "erff, times sqrt(pi)/2":     (erf[0],               5, 0, 1,          erf[1]),
    "near_erf, times sqrt(pi)/2": (erf[0],              10, 0, 1,          erf[1]),
    "log_erfc, float":      (log_erfc,                   7, 0.98, 4,       lambda x: mp.erfc(x) / mp.erf(x)),
    "log_erfc":             (log_erfc,                  18, 0.98, 6,       lambda x: mp.erfc(x) / mp.erf(x)),
    "erfcf":                (scaled_erfc(3),            10, -1, over(11, 3), relative(scaled_erfc(3))),
    "erfc":                 (scaled_erfc(4),            21, over(0.49, 4), over(28, 4), relative(scaled_erfc(4))),
    "lgammaf, sin(pi*d)/d": (sine_of_turns,              8, 0, 0.25,       relative(sine_of_turns)),
}
# fmt: on
IN_FLOATS = (
    "near_expf",
    "near_expm1f",
    "sinhf",
    "first_sinf",
    "first_cosf",
    "near_atanf",
    "near_asinf",
    "erff, times sqrt(pi)/2",
    "log_erfc, float",
)  # fmt: skip


def spelled(value: mp.mpf, single: bool) -> str:
    number = float(np.float32(float(value))) if single else float(value)
    digits, exponent = number.hex().split("p")
    return f"{digits.rstrip('0').rstrip('.')}p{int(exponent)}{'f' if single else ''}"


if __name__ == "__main__":
    for name, (f, degree, low, high, weight) in FITS.items():
        coefficients, error = minimax(f, degree, low, high, weight)
        print(f"{name}: 2^{float(mp.log(error, 2)):.1f}")
        print("   ", ", ".join(spelled(c, name in IN_FLOATS) for c in coefficients))
