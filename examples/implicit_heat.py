"""The heat equation by implicit steps, each solved by Newton's method with a band and no assembled Jacobian.

    pip install tadc
    python examples/implicit_heat.py

`u' = u'' - u³` with steps that no explicit method could take: the new values solve `F(u) = old`.
"""

import numpy as np

import tadc

RESIDUAL = """
size N
state u[N]
input r, h  # r = h/dx²
u[i] <- u[i] - r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)]) + h*u[i]**3
"""


def main(points: int = 1000, steps: int = 5) -> None:
    heat = tadc.compile(RESIDUAL)
    print(heat.inverse_tangent().plan(N=points))
    dx, h = 1 / (points + 1), 0.01
    r = h / dx**2
    x = dx * np.arange(1, points + 1)
    u = 10 * np.sin(np.pi * x) + np.sin(7 * np.pi * x)
    for n in range(1, steps + 1):
        solution = heat.newton(u, r, h, target=u, tol=1e-9 * r)
        u = solution.x["u"]
        residuals = ", ".join(f"{e:.0e}" for e in solution.history)
        print(f"t = {n * h:.2f}: u(1/2) = {u[points // 2]:.6f}, residuals {residuals}")
    assert solution.iterations <= 6

    # An implicit step of the linear equation is diagonal in sines: without u³ the answer is known.
    sine = np.sin(np.pi * x)
    ((linear),) = heat.newton(sine, r, 0.0, target=sine, tol=1e-9 * r).x.values()
    assert np.allclose(linear, sine / (1 + 2 * r * (1 - np.cos(np.pi * dx))), atol=1e-9)


if __name__ == "__main__":
    main()
