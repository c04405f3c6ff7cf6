"""Dense steps solved by products alone."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

DENSE = "size N; state x[N]; x[i] <- 2*x[i] + sum{j} sin(x[j]*(i+1))/(i+1)/N"
PARTIAL = "size N; state x[N]; x[i | i % 2 = 0] <- 2*x[i] + sum{j} cos(x[j] + i)/N"
X, V = np.random.default_rng(0).uniform(-1, 1, (2, 40))


@pytest.mark.parametrize("text", [DENSE, PARTIAL])
@pytest.mark.parametrize("mode", ["inverse_tangent", "inverse_adjoint"])
def test_an_iterative_solver_gives_what_the_direct_one_gives(text, mode):
    f = tadc.compile(text)
    direct = getattr(f, mode)()(X, V)

    solved = getattr(f, mode)(solver="krylov", dense_limit=3)(X, V)

    np.testing.assert_allclose(solved, direct, rtol=1e-10, atol=1e-12)


def test_newton_needs_no_matrix_either():
    f = tadc.compile(DENSE)

    solution = f.newton(X, target=V, solver="krylov", dense_limit=3)

    np.testing.assert_allclose(f(solution.x["x"]), V, atol=1e-10)


def test_the_inverse_at_a_point_has_no_determinant_then():
    inverse = tadc.compile(DENSE).inverse(X, solver="krylov")

    assert inverse.condition() < 10
    with pytest.raises(tadc.DerivativeError, match="no determinant"):
        inverse.logdet  # noqa: B018


def test_a_singular_block_does_not_converge():
    f = tadc.compile("size N; state x[N]; x[i] <- x[i] - sum{j} x[j]/N")

    with pytest.raises(tadc.ConvergenceError, match="GMRES"):
        f.inverse_tangent(solver="krylov")(np.ones(40), V)


def test_another_solver_is_an_error():
    with pytest.raises(tadc.ArgumentError, match="`solver` is 'cg'"):
        tadc.compile(DENSE).inverse_tangent(solver="cg")
