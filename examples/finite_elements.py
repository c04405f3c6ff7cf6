"""Heat in a plate of triangles: its stiffness is assembled and solved by scipy, and the mesh has the gradient of what is solved.

    pip install tadc
    python examples/finite_elements.py

Formulas give the stiffness of each triangle from the places of its corners, and the sum of these over the triangles at each
vertex. The gradient of the mean temperature by the conductivity of each triangle and by each corner follows from one more solution:
that by the sparse matrix has its pattern, and the assembly takes it back to the triangles.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve

import tadc

# Of a triangle with corners 0, 1, 2: `g` are the edges opposite of its corners, turned by a right angle; `area` is twice its own.
ELEMENTS = """
size V
input x[V, 2], T[E, 3]: 0..V-1, c[E]
g[t, a: 3, d: 2] = (if d = 0 then 1 else -1)*(x[T[t, (a+1) % 3], 1-d] - x[T[t, (a+2) % 3], 1-d])
area[t] = (x[T[t,1], 0] - x[T[t,0], 0])*(x[T[t,2], 1] - x[T[t,0], 1]) - (x[T[t,1], 1] - x[T[t,0], 1])*(x[T[t,2], 0] - x[T[t,0], 0])
k[t, a: 3, b: 3] = c[t]*sum{d} g[t, a, d]*g[t, b, d]/(2*area[t])
"""

# The heat that leaves each vertex, which is 0 where a plate is in equilibrium; the entries of K at one place add up.
RESIDUAL = """
input K[V, V]: coo
r[i] = sum{j} K[i,j]*u[j] - f[i]
"""


def mesh(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of the vertices of a square with n by n cells, somewhat moved, and the corners of its triangles."""
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, n + 1)] * 2, indexing="ij"), -1)
    inside = np.zeros((n + 1, n + 1, 1))
    inside[1:-1, 1:-1] = 1
    x = grid + 0.2 / n * inside * np.random.default_rng(0).standard_normal(grid.shape)
    number = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    a, b, c, d = (
        number[rows, columns].ravel()
        for rows, columns in (np.s_[:-1, :-1], np.s_[1:, :-1], np.s_[1:, 1:], np.s_[:-1, 1:])
    )
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return x.reshape(-1, 2), triangles


class Plate:
    """A plate whose boundary is held at 0, heated everywhere."""

    def __init__(self, n: int) -> None:
        self.places, self.triangles = mesh(n)
        self.index = tadc.index(self.triangles)
        at_border = (np.abs(self.places - 0.5) > 0.5 - 1e-12).any(1)
        self.fixed = 1e8 * at_border  # a very good conductor to 0 at the boundary
        self.heat = np.where(at_border, 0.0, 1.0 / n**2)
        self.elements = tadc.compile(ELEMENTS)
        self.residual = tadc.compile(RESIDUAL)
        rows = np.repeat(self.triangles, 3, axis=1).ravel()
        columns = np.tile(self.triangles, (1, 3)).ravel()
        vertices = np.arange(len(self.places))
        self.at = np.concatenate([rows, vertices]), np.concatenate([columns, vertices])

    def stiffness(self, k: np.ndarray) -> coo_array:
        """The matrix of all triangles, with the boundary: entries of several triangles stand side by side."""
        shape = (len(self.places),) * 2
        return coo_array((np.concatenate([k.ravel(), self.fixed]), self.at), shape=shape)

    def mean_temperature(
        self, x: np.ndarray, conductivity: np.ndarray
    ) -> tuple[float, dict[str, np.ndarray]]:
        """The mean temperature, and its gradient by places and conductivities."""
        k, to_elements = self.elements.vjp(x=x, T=self.index, c=conductivity)
        stiffness = self.stiffness(k)
        u = spsolve(stiffness.tocsc(), self.heat)
        # K u = f, so that du = -K^-1 dK u: the cotangent of the residual is the solution of the transposed system.
        _, pullback = self.residual.vjp(stiffness, u, self.heat, wrt="K")
        adjoint = spsolve(stiffness.T.tocsc(), np.full(len(u), 1 / len(u)))
        by_entry = pullback(-adjoint)["K"].data[: k.size]
        return float(u.mean()), to_elements(by_entry.reshape(k.shape))


def main(n: int = 24) -> None:
    plate = Plate(n)
    conductivity = 1 + 0.5 * np.random.default_rng(1).random(len(plate.triangles))
    value, gradients = plate.mean_temperature(plate.places, conductivity)
    print(f"{len(plate.triangles)} triangles, mean temperature {value:.6f}")
    inner = np.flatnonzero(plate.fixed == 0)
    for name, at in (("c", (len(conductivity) // 2,)), ("x", (int(inner[len(inner) // 2]), 1))):
        ends = []
        for step in (1e-5, -1e-5):
            moved = {"x": plate.places.copy(), "c": conductivity.copy()}
            moved[name][at] += step
            ends.append(plate.mean_temperature(moved["x"], moved["c"])[0])
        difference = (ends[0] - ends[1]) / 2e-5
        gradient = gradients[name][at]
        print(f"d mean / d {name}{list(at)} = {gradient:.6e}, by differences {difference:.6e}")
        assert abs(gradient - difference) < 1e-4 * abs(gradient)


if __name__ == "__main__":
    main()
