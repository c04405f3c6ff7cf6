"""The four modes of an ordinary differential equation, discretized by Euler's method, and their limits as equations.

    pip install tadc
    python examples/four_modes.py

With the Jacobian G of x' = g(x) along the way (Siskind and Pearlmutter, "Automatic Differentiation: Inverse Accumulation
Mode", section 5), the change of the state obeys

    tangent          v' =  G v     from the start to the end       v -> J v
    adjoint          w' = -Gᵀw     from the end to the start       w -> Jᵀw
    inverse tangent  v' =  G v     from the end to the start       v -> J⁻¹v
    inverse adjoint  w' = -Gᵀw     from the start to the end       w -> J⁻ᵀw

tadc inverts the discrete steps exactly; replacing the inverse of 1 + h G by 1 - h G gives the equations up to O(h).
"""

import numpy as np

import tadc

PENDULUM = """
size T
state x, y  # an angle and its speed
input h
repeat T {
  step {
    x <- x + h*y
    y <- y - h*sin(x)
  }
}
"""


def euler_back(x: float, y: float, v: np.ndarray, steps: int, h: float) -> np.ndarray:
    """The inverse tangent by Euler's method for v' = G v from the end to the start: 1 - h G in place of an inverse."""
    xs = [x]
    for _ in range(steps):
        x, y = x + h * y, y - h * np.sin(x)
        xs.append(x)
    for x in reversed(xs[:-1]):
        v = v - h * np.array([v[1], -np.cos(x) * v[0]])
    return v


def main() -> None:
    v, w = np.array([1.0, -1.0]), np.array([0.5, 2.0])
    distances = []
    for steps in (20, 40, 80):
        f = tadc.compile(PENDULUM, sizes={"T": steps})
        point = (1.0, 0.5, 1 / steps)
        modes = {
            "J v": np.array(f.tangent(("x", "y"))(*point, *v)),
            "J' w": np.array(f.adjoint(("x", "y"))(*point, *w)),
            "J^-1 v": np.array(f.inverse_tangent()(*point, *v)),
            "J^-T w": np.array(f.inverse_adjoint()(*point, *w)),
        }
        print(f"{steps} steps:", *(f"{name} = {m.round(4)}" for name, m in modes.items()))
        along, against, back, ahead = modes.values()
        assert np.isclose(ahead @ along, w @ v)
        assert np.isclose(against @ back, w @ v)
        assert np.isclose(w @ back, ahead @ v)
        distances.append(np.abs(back - euler_back(*point[:2], v, steps, point[2])).max())
    print("the equation, solved by Euler's method, is off by", *(f"{d:.4f}" for d in distances))
    assert np.allclose(
        distances, (0.0381, 0.0192, 0.0096), atol=5e-5
    )  # half of it for half the step


if __name__ == "__main__":
    main()
