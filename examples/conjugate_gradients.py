"""Conjugate gradients with a sparse matrix, and the gradient of the solution by the matrix: two solutions and one pullback.

    pip install tadc scipy
    python examples/conjugate_gradients.py

The products of the method are a formula with a `csr` operand. Its pattern is indexed once (`tadc.index`), and the values change: a
minimizer of scipy finds a matrix of that pattern whose solution is a given vector.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array, diags_array

import tadc

PRODUCT = tadc.compile("""
input A[N, N]: csr
y[i] = sum{j} A[i,j]*x[j]
""")


def solution(a: tadc.SparseIndex, b: np.ndarray, tolerance: float = 1e-12) -> np.ndarray:
    """The solution of A x = b for a symmetric, positive definite matrix."""
    x = np.zeros_like(b)
    rest = direction = b
    square = limit = rest @ rest
    while square > tolerance**2 * limit:
        moved = PRODUCT(a, direction)
        step = square / (direction @ moved)
        x, rest = x + step * direction, rest - step * moved
        square, before = rest @ rest, square
        direction = rest + square / before * direction
    return x


def loss_and_gradient(
    a: tadc.SparseIndex, b: np.ndarray, wanted: np.ndarray
) -> tuple[float, np.ndarray]:
    """Half the square of the distance of the solution to another vector, and its gradient by the stored elements.

    A x = b, so that dx = -A^-1 dA x: the cotangent of the product is minus the solution for the distance.
    """
    x = solution(a, b)
    _, pullback = PRODUCT.vjp(a, x, wrt="A")
    gradient = pullback(-solution(a, x - wanted))["A"]
    return float((x - wanted) @ (x - wanted)) / 2, gradient.data


def main(n: int = 100, steps: int = 60) -> None:
    rng = np.random.default_rng(0)
    matrix = csr_array(diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(n, n)))
    b, a = rng.standard_normal(n), tadc.index(matrix)
    x = solution(a, b)
    np.testing.assert_allclose(matrix @ x, b, atol=1e-9)

    # A conductor is stored twice, at i, j and at j, i: both change together, and the matrix stays symmetric.
    mirror = (
        csr_array((np.arange(1, matrix.nnz + 1), matrix.indices, matrix.indptr)).T.tocsr().data - 1
    )
    wanted = 1.02 * x
    loss, gradient = loss_and_gradient(a, b, wanted)
    move = 1e-6 * rng.standard_normal(matrix.nnz)
    move += move[mirror]
    nearby = [loss_and_gradient(a.with_values(a.values + s * move), b, wanted)[0] for s in (1, -1)]
    assert abs(gradient @ move - (nearby[0] - nearby[1]) / 2) < 1e-6 * abs(gradient @ move)

    def objective(values: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = loss_and_gradient(a.with_values((values + values[mirror]) / 2), b, wanted)
        return value / loss, (slope + slope[mirror]) / (2 * loss)

    found = minimize(objective, a.values, jac=True, method="L-BFGS-B", options={"maxiter": steps})
    assert found.fun < 1e-3
    print(f"{n} unknowns: the loss is {found.fun:.1e} of the first one after {found.nit} steps")


if __name__ == "__main__":
    main()
