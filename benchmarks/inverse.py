"""Products with the inverse of a Jacobian against products with it, against dense linear algebra, and against GMRES.

    python benchmarks/inverse.py [--sizes 1000,10000,100000,1000000] [--repetitions 5] [--output results/inverse.md]

For each program and number of elements n of its state: the time of `J v` (`f.tangent()`), of `J⁻¹v` (`f.inverse_tangent()`) and of
`J⁻ᵀw` (`f.inverse_adjoint()`), the primal included; of J⁻¹v with kept factors (`f.inverse(x).tangent`); of assembling J by n tangents
and solving by LU (up to n = 1000, with its bytes); and of GMRES with products `J v` (up to n = 10000) to a relative residual of 1e-10, with their number
and the largest error against J⁻¹v. Minima of the repetitions, in milliseconds, on one thread.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

import tadc

MOST_DENSE = 1000  # elements of a state whose Jacobian is assembled
MOST_KRYLOV = 10_000


@dataclass(frozen=True)
class Row:
    """A program, the shapes of its inputs for n elements of the state in all, and the greatest n that it is run for."""

    name: str
    text: str
    inputs: Callable[[int, np.random.Generator], dict[str, Any]]
    most: int = 1_000_000


ROWS = (
    Row(
        "coupling",
        "size N; state a[N], b[N]; a[i] <- a[i]*exp(sin(b[i])/4) + b[i]; b[i] <- b[i]*exp(sin(a[i])/4) - a[i]",
        lambda n, g: {"a": g.standard_normal(n // 2), "b": g.standard_normal(n // 2)},
    ),
    Row(
        "N-body, leapfrog",
        "size N; state x[N, 3], p[N, 3]; x[i, d] <- x[i, d] + p[i, d]/100"
        "; r[i, j: N] = (1 + sum{d} (x[i, d] - x[j, d])**2)**(-3/2)"
        "; p[i, d] <- p[i, d] + sum{j} (x[j, d] - x[i, d])*r[i, j]/100",
        lambda n, g: {"x": g.standard_normal((n // 6, 3)), "p": g.standard_normal((n // 6, 3))},
        most=10_000,
    ),
    Row(
        "red-black diffusion, 4 rounds",
        "size N; state u[N]; repeat 4 {"
        " u[i | i % 2 = 0] <- u[i] + (u[pad(i-1)] - 2*u[i] + u[pad(i+1)])/5 - u[i]**3/20;"
        " u[i | i % 2 = 1] <- u[i] + (u[pad(i-1)] - 2*u[i] + u[pad(i+1)])/5 - u[i]**3/20 }",
        lambda n, g: {"u": g.uniform(-1, 1, n)},
    ),
    Row(
        "causal triangle",
        "size N; state x[N]; x[i] <- x[i] + sum{j | j < i} sin(x[j])/(i-j+1)**2/4",
        lambda n, g: {"x": g.uniform(-1, 1, n)},
        most=4000,
    ),
    Row(
        "reactions, 3 x 3 at each point",
        "size N; state c[N, 3]; input M[3, 3]; c[p, s] <- c[p, s] + sum{q} M[s, q]*c[p, q]**2/10",
        lambda n, g: {"c": g.uniform(0, 1, (n // 3, 3)), "M": g.standard_normal((3, 3))},
    ),
    Row(
        "implicit heat, a band",
        "size N; state u[N]; u[i] <- 3*u[i] - u[pad(i-1)] - u[pad(i+1)] + u[i]**3/9",
        lambda n, g: {"u": g.uniform(-1, 1, n)},
    ),
    Row(
        "dense",
        "size N; state x[N]; x[i] <- x[i] + sum{j} sin(x[j]*(i+1))/N/9",
        lambda n, g: {"x": g.uniform(-1, 1, n)},
        most=1000,
    ),
)


def fastest(call: Callable[[], Any], repetitions: int) -> tuple[float, Any]:
    """The least time of a call in milliseconds, after one that is not counted, and its result."""
    result = call()
    best = float("inf")
    for _ in range(repetitions):
        begin = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - begin)
    return best * 1e3, result


def joined(arrays: Any) -> np.ndarray:
    arrays = arrays if isinstance(arrays, tuple) else (arrays,)
    return np.concatenate([np.ravel(a) for a in arrays])


def measured(row: Row, n: int, repetitions: int) -> list[str]:
    """The cells of one line."""
    rng = np.random.default_rng(0)
    point = row.inputs(n, rng)
    f = tadc.compile(row.text, threads=1)
    states = list(f.states)
    vectors = tuple(rng.standard_normal(np.shape(point[x])) for x in states)
    tangent, inverse, adjoint = f.tangent(states), f.inverse_tangent(), f.inverse_adjoint()
    arrays = tuple(point[x] for x in f.inputs)
    forward, _ = fastest(lambda: tangent(*arrays, *vectors), repetitions)
    backward, solved = fastest(lambda: inverse(*arrays, *vectors), repetitions)
    transposed, _ = fastest(lambda: adjoint(*arrays, *vectors), repetitions)
    kept = f.inverse(*arrays)
    again, _ = fastest(lambda: kept.tangent(*vectors), repetitions)
    b = joined(vectors)

    def product(v: np.ndarray) -> np.ndarray:
        ends = np.cumsum([x.size for x in vectors])[:-1]
        parts = [p.reshape(x.shape) for p, x in zip(np.split(v, ends), vectors, strict=True)]
        return joined(tangent(*arrays, *parts))

    dense = "–"
    if len(b) <= MOST_DENSE:

        def assembled() -> np.ndarray:
            matrix = np.stack([product(e) for e in np.eye(len(b))], 1)
            return np.linalg.solve(matrix, b)

        took, expected = fastest(assembled, 1)
        assert np.allclose(expected, joined(solved), rtol=1e-6, atol=1e-8), row.name
        dense = f"{took:.0f} ({len(b) ** 2 * 8 / 1e6:.0f} MB)"
    krylov = "–"
    if len(b) <= MOST_KRYLOV:
        count = 0

        def counted(v: np.ndarray) -> np.ndarray:
            nonlocal count
            count += 1
            return product(v)

        operator = LinearOperator((len(b), len(b)), matvec=counted, dtype=float)
        begin = time.perf_counter()
        found, info = gmres(operator, b, rtol=1e-10, restart=100, maxiter=5)
        took = (time.perf_counter() - begin) * 1e3
        error = np.max(np.abs(found - joined(solved))) / np.max(np.abs(joined(solved)))
        krylov = (
            f"{took:.1f} ({count} products, error {error:.0e}{', not converged' if info else ''})"
        )
    ratio = f"{backward / forward:.1f}"
    return [
        row.name,
        f"{len(b)}",
        f"{forward:.2f}",
        f"{backward:.2f}",
        ratio,
        f"{transposed:.2f}",
        f"{again:.2f}",
        dense,
        krylov,
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sizes", default="1000,10000,100000,1000000")
    arguments.add_argument("--repetitions", type=int, default=5)
    arguments.add_argument("--output", type=Path)
    given = arguments.parse_args()
    head = [
        "program",
        "n",
        "J v",
        "J⁻¹v",
        "ratio",
        "J⁻ᵀw",
        "J⁻¹v, factors kept",
        "assembled, LU",
        "GMRES",
    ]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for row in ROWS:
        for n in map(int, given.sizes.split(",")):
            if n <= row.most:
                lines.append(f"| {' | '.join(measured(row, n, given.repetitions))} |")
                print(lines[-1], flush=True)
    if given.output:
        machine = f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}"
        text = "\n".join(
            [
                "# Products with the inverse of a Jacobian",
                "",
                f"Milliseconds, by `python benchmarks/inverse.py --sizes {given.sizes} --repetitions {given.repetitions}` on {machine}; its docstring says what is timed.",
                "",
                *lines,
                "",
            ]
        )
        given.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
