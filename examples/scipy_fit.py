"""A model fitted with numpy and scipy alone: `gradient` and `hvp` are what `scipy.optimize` asks for.

    pip install tadc
    python examples/scipy_fit.py

A time series is a sum of bells, and the loss a formula with shapes, no loop and no hand-made derivative. A trust-region
method takes products with the Hessian, which is never stored.
"""

import numpy as np
from scipy.optimize import minimize

import tadc

LOSS = """
size T, K
input t[T], y[T], p[3, K]   # p: centers, logarithms of widths, heights
bell[i, k] = p[2, k] * exp(-((t[i] - p[0, k]) / exp(p[1, k]))**2)
loss = sum{i} (y[i] - sum{k} bell[i, k])**2 / T
"""


def main() -> None:
    random = np.random.default_rng(0)
    t = np.linspace(0, 10, 500)
    true = np.array([[2.0, 5.0, 7.5], np.log([0.5, 1.0, 0.4]), [1.0, 0.7, 1.3]])
    y = (true[2] * np.exp(-(((t[:, None] - true[0]) / np.exp(true[1])) ** 2))).sum(1)
    y += 0.02 * random.normal(size=t.shape)

    f = tadc.compile(LOSS)
    gradient, product = f.gradient("p"), f.hvp("p")
    start = np.array([[1.5, 5.5, 8.0], np.zeros(3), np.ones(3)])
    shape = start.shape
    result = minimize(
        lambda p: float(f(t, y, p.reshape(shape))),
        start.ravel(),
        jac=lambda p: gradient(t, y, p.reshape(shape)).ravel(),
        hessp=lambda p, v: product(t, y, p.reshape(shape), v.reshape(shape)).ravel(),
        method="trust-ncg",
    )
    found = result.x.reshape(shape)
    print(f"{result.message} after {result.nit} steps: loss {result.fun:.2e}")
    print("centers", found[0].round(3), "of", true[0])
    print("widths ", np.exp(found[1]).round(3), "of", np.exp(true[1]).round(3))
    print("heights", found[2].round(3), "of", true[2])
    assert np.allclose(found, true, atol=0.05)


if __name__ == "__main__":
    main()
