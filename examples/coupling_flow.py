"""A normalizing flow of eight couplings, trained by its exact log-determinant and sampled by the program run backwards.

    pip install tadc
    python examples/coupling_flow.py

Each coupling replaces one coordinate by an affine function of itself, whose coefficients depend on the other coordinate; the
two take turns. So every step is diagonal, log |det J| is a sum of logarithms, and its gradient by the weights is an adjoint.
"""

import numpy as np
from scipy.optimize import minimize

import tadc

PAIRS, HIDDEN, SAMPLES = 4, 6, 250
FLOW = """
size B, K, H
state a[B], b[B]
input w[K, 2, H], c[K, 2, H], s[K, 2, H], t[K, 2, H]
repeat k: K {
  a[m] <- a[m]*exp(sum{h} s[k, 0, h]*tanh(w[k, 0, h]*b[m] + c[k, 0, h])) + sum{h} t[k, 0, h]*tanh(w[k, 0, h]*b[m] + c[k, 0, h])
  b[m] <- b[m]*exp(sum{h} s[k, 1, h]*tanh(w[k, 1, h]*a[m] + c[k, 1, h])) + sum{h} t[k, 1, h]*tanh(w[k, 1, h]*a[m] + c[k, 1, h])
}
"""
BACK = """
size B, K, H
state a[B], b[B]
input w[K, 2, H], c[K, 2, H], s[K, 2, H], t[K, 2, H]
repeat down k = 0..K-1 {
  b[m] <- (b[m] - sum{h} t[k, 1, h]*tanh(w[k, 1, h]*a[m] + c[k, 1, h]))*exp(-sum{h} s[k, 1, h]*tanh(w[k, 1, h]*a[m] + c[k, 1, h]))
  a[m] <- (a[m] - sum{h} t[k, 0, h]*tanh(w[k, 0, h]*b[m] + c[k, 0, h]))*exp(-sum{h} s[k, 0, h]*tanh(w[k, 0, h]*b[m] + c[k, 0, h]))
}
"""
WEIGHTS = ("w", "c", "s", "t")


def moons(random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points on two half circles, with a little noise."""
    angle, upper = random.uniform(0, np.pi, count), random.random(count) < 0.5
    a = np.where(upper, np.cos(angle), 1 - np.cos(angle)) - 0.5
    b = np.where(upper, np.sin(angle), 0.5 - np.sin(angle)) - 0.25
    return a + 0.1 * random.normal(size=count), b + 0.1 * random.normal(size=count)


def main(iterations: int = 60) -> None:
    random = np.random.default_rng(0)
    a, b = moons(random, SAMPLES)
    shape = (4, PAIRS, 2, HIDDEN)
    flow = tadc.compile(FLOW, sizes={"K": PAIRS})
    backwards = tadc.compile(BACK, sizes={"K": PAIRS})
    logdet = flow.logdet()
    volume = logdet.function(B=SAMPLES, H=HIDDEN)  # the same as a program, which derives

    def loss(packed: np.ndarray) -> tuple[float, np.ndarray]:
        """The mean negative log-likelihood, without a constant, and its gradient."""
        weights = packed.reshape(shape)
        (u, v), pullback = flow.vjp(a, b, *weights, wrt=WEIGHTS)
        log, down = volume.vjp(a, b, *weights, wrt=WEIGHTS)
        energy, growth = pullback((u, v)), down(np.ones(()))
        gradient = np.array([energy[n] - growth[n] for n in WEIGHTS]) / SAMPLES
        return float(((u**2 + v**2).sum() / 2 - log) / SAMPLES), gradient.ravel()

    start = 0.3 * random.normal(size=shape).ravel()
    result = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    weights = result.x.reshape(shape)
    print(f"negative log-likelihood: {loss(start)[0]:.3f}, trained {result.fun:.3f}")

    each = flow.logdet(batch_dims=1)(a, b, *weights)
    assert np.allclose(each.sum(), logdet(a, b, *weights))
    there = flow(a, b, *weights)
    back = backwards(*there, *weights)
    error = max(np.abs(back[0] - a).max(), np.abs(back[1] - b).max())
    print(f"round trip: {error:.1e}")
    x, y = backwards(*random.normal(size=(2, 5)), *weights)
    print("samples:", *(f"({p:.2f}, {q:.2f})" for p, q in zip(x, y, strict=True)))
    assert error < 1e-10
    assert result.fun < loss(start)[0] - 0.1


if __name__ == "__main__":
    main()
