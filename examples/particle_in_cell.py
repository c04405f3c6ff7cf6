"""Charges on a grid: particles are deposited in cells, and the energy of their field has a gradient by their positions.

    pip install tadc
    python examples/particle_in_cell.py

Each particle lies between two points of a line, and gives both a part of its charge. By hand that is a scatter, which races on
many threads, and its gradient is a gather; here both are sums in one order. The force on a particle is the negative gradient of the energy:
what is found agrees with differences, the forces add up to nothing, and particles that follow it keep their energy.
"""

from __future__ import annotations

import numpy as np

import tadc

GRID, PARTICLES = 64, 500

ENERGY = """
size P, G
input u[P], q[P]
output energy, rho
cell[p]: index = floor(u[p])
rho[g: G] = sum{p, a=0..1 | cell[p] + a = g} q[p]*(if a = 0 then 1 + cell[p] - u[p] else u[p] - cell[p])
field[g: G-1] = sum{h | h <= g} (rho[h] - sum{i} rho[i]/G)
energy = sum{g} field[g]**2/2
"""

SPRINGS = """
size P
input u[P], ends[E, 2]: 0..P-1
l = sum{e} w[e]*(u[ends[e, 0]] - u[ends[e, 1]])**2/2
"""


def main(steps: int = 20) -> None:
    random = np.random.default_rng(0)
    u = 8 + (GRID - 17) * random.random(PARTICLES)
    q = random.choice([-1.0, 1.0], PARTICLES) / PARTICLES
    f = tadc.compile(ENERGY)
    (energy, rho), pullback = f.vjp(u=u, q=q, G=GRID)
    gradient = pullback((1.0, None))["u"]
    print(f"{PARTICLES} particles, energy {energy:.6e}, charge {rho.sum():+.3e} of {q.sum():+.3e}")
    assert abs(rho.sum() - q.sum()) < 1e-12

    # Within a cell the energy is smooth.
    p = int(np.argmin(abs(u % 1 - 0.5)))
    ends = [f(u=np.where(np.arange(PARTICLES) == p, u + h, u), q=q, G=GRID)[0] for h in (1e-4, -1e-4)]  # fmt: skip
    difference = (ends[0] - ends[1]) / 2e-4
    print(f"d energy / d u[{p}] = {gradient[p]:.6e}, by differences {difference:.6e}")
    assert abs(gradient[p] - difference) < 1e-6 * abs(gradient).max()

    # A step of a leapfrog after the other, with springs between neighbours, whose Hessian is of a graph.
    ends_ = tadc.index(np.stack([np.argsort(u)[:-1], np.argsort(u)[1:]], 1))
    springs = tadc.compile(SPRINGS)
    weights = np.full(PARTICLES - 1, 1e-4)
    stiff = springs.hvp("u")(ends=ends_, w=weights, u=u, du=np.ones(PARTICLES))
    assert abs(stiff).max() < 1e-12, "springs resist no common motion"

    def forces(x: np.ndarray) -> tuple[float, np.ndarray]:
        (value, _), back = f.vjp(u=x, q=q, G=GRID)
        tension, more = springs.value_and_gradients(ends=ends_, w=weights, u=x)
        return float(value + tension), -back((1.0, None))["u"] - more["u"]

    mass, dt, velocity = 1 / PARTICLES, 0.02, np.zeros(PARTICLES)
    start, force = forces(u)
    for _ in range(steps):
        velocity += dt / 2 * force / mass
        u = u + dt * velocity
        now, force = forces(u)
        velocity += dt / 2 * force / mass
    total = now + mass * (velocity**2).sum() / 2
    print(f"energy after {steps} steps {total:.6e}, at the start {start:.6e}")
    assert abs(total - start) < 1e-2 * start


if __name__ == "__main__":
    main()
