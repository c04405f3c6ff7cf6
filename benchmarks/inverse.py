"""Products with the inverse of a Jacobian against products with it, dense linear algebra, GMRES, and JAX.

    python benchmarks/inverse.py [--sizes 1000,10000,100000,1000000] [--repetitions 5] [--output results/inverse.md]

For each program and number of elements n of its state: the time of `J v` (`f.tangent()`), of `J⁻¹v` (`f.inverse_tangent()`) and of
`J⁻ᵀw` (`f.inverse_adjoint()`), the primal included, and the most memory that numpy's arrays take in a call of J⁻¹v; of J⁻¹v with kept factors
(`f.inverse(x).tangent`); of assembling J by n tangents and solving by LU, with its bytes, and the same in JAX, where it is installed
(`jnp.linalg.solve(jax.jacfwd(f)(x), v)`, compiled, since JAX has no such mode), up to n = 1000; and of GMRES with products `J v` (up to n = 10000)
to a relative residual of 1e-10, with their number and the largest error against J⁻¹v; and the operations of J⁻¹v over those of J v, counted (`f.cost`). Minima of the repetitions, in milliseconds, on
one thread (JAX's own threads are its own).
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cpu import cpu_name
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
    arrays: Callable[
        ..., Any
    ]  # the same in operations on arrays: of a module like numpy and the inputs
    most: int = 1_000_000


def coupling(xp: Any, a: Any, b: Any) -> Any:
    a = a * xp.exp(xp.sin(b) / 4) + b
    return a, b * xp.exp(xp.sin(a) / 4) - a


def bodies(xp: Any, x: Any, p: Any) -> Any:
    x = x + p / 100
    apart = x[None] - x[:, None]
    return x, p + (apart * ((1 + (apart**2).sum(2)) ** -1.5)[..., None]).sum(1) / 100


def red_black(xp: Any, u: Any) -> Any:
    red = xp.arange(len(u)) % 2 == 0
    for colour in (red, ~red) * 4:
        sides = xp.concatenate([u[1:], xp.zeros(1)]) + xp.concatenate([xp.zeros(1), u[:-1]])
        u = xp.where(colour, u + (sides - 2 * u) / 5 - u**3 / 20, u)
    return (u,)


def causal(xp: Any, x: Any) -> Any:
    back = xp.arange(len(x))[:, None] - xp.arange(len(x))
    weights = xp.where(back > 0, 1 / xp.where(back > 0, back + 1, 1) ** 2 / 4, 0)
    return (x + weights @ xp.sin(x),)


def heat(xp: Any, u: Any) -> Any:
    sides = xp.concatenate([u[1:], xp.zeros(1)]) + xp.concatenate([xp.zeros(1), u[:-1]])
    return (3 * u - sides + u**3 / 9,)


def dense(xp: Any, x: Any) -> Any:
    rows = xp.arange(len(x)) + 1
    return (x + xp.sin(x * rows[:, None]).sum(1) / rows / len(x) / 2,)


ROWS = (
    Row(
        "coupling",
        "size N; state a[N], b[N]; a[i] <- a[i]*exp(sin(b[i])/4) + b[i]; b[i] <- b[i]*exp(sin(a[i])/4) - a[i]",
        lambda n, g: {"a": g.standard_normal(n // 2), "b": g.standard_normal(n // 2)},
        coupling,
    ),
    Row(
        "N-body, leapfrog",
        "size N; state x[N, 3], p[N, 3]; x[i, d] <- x[i, d] + p[i, d]/100"
        "; r[i, j: N] = (1 + sum{d} (x[i, d] - x[j, d])**2)**(-3/2)"
        "; p[i, d] <- p[i, d] + sum{j} (x[j, d] - x[i, d])*r[i, j]/100",
        lambda n, g: {"x": g.standard_normal((n // 6, 3)), "p": g.standard_normal((n // 6, 3))},
        bodies,
        most=10_000,
    ),
    Row(
        "red-black diffusion, 4 rounds",
        "size N; state u[N]; repeat 4 {"
        " u[i | i % 2 = 0] <- u[i] + (u[pad(i-1)] - 2*u[i] + u[pad(i+1)])/5 - u[i]**3/20;"
        " u[i | i % 2 = 1] <- u[i] + (u[pad(i-1)] - 2*u[i] + u[pad(i+1)])/5 - u[i]**3/20 }",
        lambda n, g: {"u": g.uniform(-1, 1, n)},
        red_black,
    ),
    Row(
        "causal triangle",
        "size N; state x[N]; x[i] <- x[i] + sum{j | j < i} sin(x[j])/(i-j+1)**2/4",
        lambda n, g: {"x": g.uniform(-1, 1, n)},
        causal,
        most=10_000,
    ),
    Row(
        "reactions, 3 x 3 at each point",
        "size N; state c[N, 3]; input M[3, 3]; c[p, s] <- c[p, s] + sum{q} M[s, q]*c[p, q]**2/10",
        lambda n, g: {"c": g.uniform(0, 1, (n // 3, 3)), "M": g.standard_normal((3, 3))},
        lambda xp, c, M: (c + c**2 @ M.T / 10,),  # noqa: N803
    ),
    Row(
        "implicit heat, a band",
        "size N; state u[N]; u[i] <- 3*u[i] - u[pad(i-1)] - u[pad(i+1)] + u[i]**3/9",
        lambda n, g: {"u": g.uniform(-1, 1, n)},
        heat,
    ),
    Row(
        "recurrence",
        "size N; state x[N]; x[i] <- 2*x[i] + sin(x[pad(i-1)])",
        lambda n, g: {"x": g.uniform(-1, 1, n)},
        lambda xp, x: (2 * x + xp.sin(xp.concatenate([xp.zeros(1), x[:-1]])),),
    ),
    Row(
        "dense, close to the identity",
        "size N; state x[N]; x[i] <- x[i] + sum{j} sin(x[j]*(i+1))/(i+1)/N/2",
        lambda n, g: {"x": g.uniform(-1, 1, n)},
        dense,
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


def most_memory(call: Callable[[], Any]) -> float:
    """The most megabytes that arrays of numpy take during the call."""
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def in_jax(row: Row, point: dict[str, Any], states: list[str], b: np.ndarray) -> Callable[[], Any]:
    """The solution by the Jacobian that JAX assembles, compiled. Raises ImportError without JAX."""
    import jax

    jax.config.update("jax_enable_x64", True)
    shapes = [point[x].shape for x in states]

    def value(packed: Any) -> Any:
        ends = np.cumsum([int(np.prod(s)) for s in shapes])[:-1]
        parts = jax.numpy.split(packed, ends)
        given = {x: p.reshape(s) for x, p, s in zip(states, parts, shapes, strict=True)}
        return jax.numpy.concatenate(
            [y.ravel() for y in row.arrays(jax.numpy, **{**point, **given})]
        )

    solve = jax.jit(lambda x, v: jax.numpy.linalg.solve(jax.jacfwd(value)(x), v))
    packed = joined(tuple(point[x] for x in states))
    return lambda: np.asarray(solve(packed, b))


def measured(row: Row, n: int, repetitions: int) -> list[str]:
    """The cells of one line."""
    rng = np.random.default_rng(0)
    point = row.inputs(n, rng)
    f = tadc.compile(row.text, threads=1)
    states = list(f.states)
    vectors = tuple(rng.standard_normal(np.shape(point[x])) for x in states)
    tangent, inverse, adjoint = f.tangent(states), f.inverse_tangent(), f.inverse_adjoint()
    arrays = tuple(point[x] for x in f.inputs)
    if joined(vectors).size <= MOST_KRYLOV:
        same = joined(tuple(row.arrays(np, **point)))
        assert np.allclose(joined(f(*arrays)), same, rtol=1e-10), row.name
    forward, _ = fastest(lambda: tangent(*arrays, *vectors), repetitions)
    backward, solved = fastest(lambda: inverse(*arrays, *vectors), repetitions)
    transposed, _ = fastest(lambda: adjoint(*arrays, *vectors), repetitions)
    memory = most_memory(lambda: inverse(*arrays, *vectors))
    kept = f.inverse(*arrays)
    again, _ = fastest(lambda: kept.tangent(*vectors), repetitions)
    b = joined(vectors)

    def product(v: np.ndarray) -> np.ndarray:
        ends = np.cumsum([x.size for x in vectors])[:-1]
        parts = [p.reshape(x.shape) for p, x in zip(np.split(v, ends), vectors, strict=True)]
        return joined(tangent(*arrays, *parts))

    dense = jax = "–"
    if len(b) <= MOST_DENSE:

        def assembled() -> np.ndarray:
            matrix = np.stack([product(e) for e in np.eye(len(b))], 1)
            return np.linalg.solve(matrix, b)

        took, expected = fastest(assembled, 1)
        assert np.allclose(expected, joined(solved), rtol=1e-6, atol=1e-8), row.name
        dense = f"{took:.0f} ({len(b) ** 2 * 8 / 1e6:.0f} MB)"
        try:
            took, found = fastest(in_jax(row, point, states, b), repetitions)
            assert np.allclose(found, expected, rtol=1e-6, atol=1e-8), row.name
            jax = f"{took:.1f}"
        except ImportError:
            pass
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
    given = {s: n for s, n in f.calls.bound(arrays, {}).sizes.items() if s in f.sizes}
    operations = inverse.cost(**given).operations / tangent.cost(**given).operations
    return [
        row.name,
        f"{len(b)}",
        f"{forward:.2f}",
        f"{backward:.2f}",
        ratio,
        f"{operations:.1f}",
        f"{transposed:.2f}",
        f"{again:.2f}",
        f"{memory:.1f}",
        dense,
        jax,
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
        "of operations",
        "J⁻ᵀw",
        "J⁻¹v, factors kept",
        "MB",
        "assembled, LU",
        "JAX",
        "GMRES",
    ]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for row in ROWS:
        for n in map(int, given.sizes.split(",")):
            if n <= row.most:
                lines.append(f"| {' | '.join(measured(row, n, given.repetitions))} |")
                print(lines[-1], flush=True)
    if given.output:
        versions = [f"numpy {np.__version__}"]
        versions += [f"jax {sys.modules['jax'].__version__}"] if "jax" in sys.modules else []
        machine = f"{cpu_name()} ({os.cpu_count()} processors visible), Python {platform.python_version()}, {', '.join(versions)}"
        text = "\n".join(
            [
                "# Products with the inverse of a Jacobian",
                "",
                f"Milliseconds, by `python benchmarks/inverse.py --sizes {given.sizes} --repetitions {given.repetitions}` on {machine}; its docstring says what is timed. The machine was shared: read ratios.",
                "",
                *lines,
                "",
            ]
        )
        given.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
