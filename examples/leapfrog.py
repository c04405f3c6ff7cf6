"""A star in a galaxy: a thousand steps of leapfrog in the potential of Hénon and Heiles, and what the start has to do with the end.

    pip install tadc
    python examples/leapfrog.py

Each update replaces one number by itself and a function of the others, so J⁻¹ of all steps costs as much as J. It answers
which change of the start leads to a given change of the end: where to aim, without the matrix.
"""

import numpy as np

import tadc

STEP = """
size T
state x, y, p, q  # a place and its velocity
input h
repeat T {
  p <- p - h/2*(x + 2*x*y)
  q <- q - h/2*(y + x**2 - y**2)
  x <- x + h*p
  y <- y + h*q
  p <- p - h/2*(x + 2*x*y)
  q <- q - h/2*(y + x**2 - y**2)
}
"""


def main(steps: int = 1000) -> None:
    orbit = tadc.compile(STEP)
    start = np.array([0.1, 0.2, 0.3, -0.1])
    end = np.array(orbit(*start, 0.02, T=steps))
    log = float(orbit.logdet()(*start, 0.02, T=steps))
    print("from", start, "to", end.round(4), f"with log |det J| = {log:.1e}")
    assert abs(log) < 1e-12  # leapfrog keeps volumes

    # Aim: the orbit is to end elsewhere, a little further out. Each correction of the start is one product with J⁻¹.
    wanted = end + np.array([0.02, 0.01, 0.0, 0.0])
    aim = orbit.inverse_tangent(memory="recompute")
    now = start
    for n in range(1, 7):
        missing = wanted - np.array(orbit(*now, 0.02, T=steps))
        print(f"{n}: misses by {np.abs(missing).max():.1e}")
        if np.abs(missing).max() < 1e-12:
            break
        now = now + np.array(aim(*now, 0.02, *missing, T=steps))
    assert np.abs(missing).max() < 1e-12

    # What one weighs at the end, weighed at the start: <J⁻ᵀw, J v> = <w, v>.
    w = np.array([1.0, 0.0, 0.0, 0.0])
    carried = np.array(orbit.inverse_adjoint()(*start, 0.02, *w, T=steps))
    v = 1e-6 * np.array([1.0, -2.0, 0.5, 1.0])
    moved = np.array(orbit(*(start + v), 0.02, T=steps)) - end
    print(f"<J⁻ᵀw, J v> = {carried @ moved:.6e}, <w, v> = {w @ v:.6e}")
    assert np.isclose(carried @ moved, w @ v, rtol=1e-3)


if __name__ == "__main__":
    main()
