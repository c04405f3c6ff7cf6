"""Newton's method on nonlinear systems of the literature: roots, numbers of iterations, and the order of convergence."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

N = 40
GRID = np.arange(1, N + 1) / (N + 1)

ROUNDING = 5e-14  # of residuals of numbers of about 1

# Each with its start, its target, the number of iterations and the kind of its blocks. The first three are of Moré, Garbow and
# Hillstrom 1981 (numbers 30, 28) and of Bratu 1914, in one dimension.
SYSTEMS = {
    "Broyden tridiagonal": (
        "size N; state x[N]; x[i] <- (3 - 2*x[i])*x[i] - x[pad(i-1)] - 2*x[pad(i+1)] + 1",
        (-np.ones(N),), 0.0, 5, "banded",
    ),
    "discrete boundary value": (
        "size N; state x[N]; input t[N]; x[i] <- 2*x[i] - x[pad(i-1)] - x[pad(i+1)] + (x[i] + t[i] + 1)**3/2/(N + 1)**2",
        (5 * GRID * (GRID - 1), GRID), 0.0, 4, "banded",
    ),
    "Bratu": (
        "size N; state u[N]; input c; u[i] <- u[pad(i-1)] - 2*u[i] + u[pad(i+1)] + c*exp(u[i])/(N + 1)**2",
        (np.zeros(N), 3.0), 0.0, 4, "banded",
    ),
    "an implicit step of a reaction and diffusion on a ring": (
        "size N; state u[N]; input r; u[i] <- u[i] - r*(u[wrap(i-1)] - 2*u[i] + u[wrap(i+1)]) - u[i]*(1 - u[i]**2)/2",
        (np.cos(2 * np.pi * GRID), 10.0), np.cos(2 * np.pi * GRID), 4, "cyclic",
    ),
    "a steady state of Kuramoto oscillators": (
        "size N; state p[N]; input w[N], k; p[i] <- w[i] - p[i]/9 + k/N*sum{j} sin(p[j] - p[i])",
        (np.zeros(12), np.linspace(-1, 1, 12), 2.0), 0.0, 5, "dense",
    ),
    "a causal chain": (
        "size N; state x[N]; x[i] <- x[i]**3 + x[i] + sum{j | j < i} x[j]/(i-j+1)**2",
        (np.zeros(60),), 1.0, 6, "triangular",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SYSTEMS)
def test_newton_converges_quadratically(name):
    text, start, target, iterations, kind = SYSTEMS[name]
    f = tadc.compile(text, backend="numpy")

    solution = f.newton(*start, target=target)

    (x,) = solution.x.values()
    (step,) = f.inverse_tangent().plan(N=len(x)).steps
    assert step.kind.startswith(kind)
    np.testing.assert_allclose(f(x, *start[1:]), np.broadcast_to(target, x.shape), atol=1e-8)
    assert solution.iterations == iterations
    # Above rounding a residual is about a constant times the square of the one before.
    logs = np.log([r for r in solution.history if r > ROUNDING])
    orders = np.diff(logs)[1:] / np.diff(logs)[:-1]
    assert len(orders) >= 2 and min(orders[-2:]) >= 1.8, orders


CUBE = "state x; x <- x**3 - 2*x + 2"  # whose full steps from 0 are 1, 0, 1, ..

STOPPED = {
    "a cycle, without a line search": (lambda f: f.newton(0.0, line_search=False), tadc.ConvergenceError, "after 50 iterations"),
    "too few iterations": (lambda f: f.newton(-3.0, max_iterations=2), tadc.ConvergenceError, "after 2 iterations"),
    "a tolerance below rounding": (lambda f: f.newton(-3.0, target=1e6, tol=1e-20), tadc.ConvergenceError, "largest residual"),
    "a start that is no number": (lambda f: f.newton(np.nan), tadc.Error, "nan"),
}  # fmt: skip


@pytest.mark.parametrize("name", STOPPED)
def test_newton_says_why_it_stops(name):
    call, error, words = STOPPED[name]

    with pytest.raises(error, match=words) as caught:
        call(tadc.compile(CUBE, backend="numpy"))

    assert caught.value.fix
    if error is tadc.ConvergenceError:
        assert len(caught.value.result.history) == caught.value.result.iterations + 1


def test_newton_at_a_singular_start_names_the_element():
    f = tadc.compile("size N; state x[N]; x[i] <- x[i]**2", backend="numpy")

    with pytest.raises(tadc.SingularError, match=r"x\[1\]") as caught:
        f.newton(np.array([1.0, 0.0, 2.0]), target=4.0)

    assert caught.value.index == (1,)


def test_a_start_that_is_the_solution_takes_no_iteration():
    solution = tadc.compile(CUBE, backend="numpy").newton(1.0, target=1.0)

    assert solution.iterations == 0 and solution.history == (0.0,) and solution.x["x"] == 1
