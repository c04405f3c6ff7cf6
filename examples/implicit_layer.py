"""A layer whose output solves equations: its gradient is one product with J⁻ᵀ, however the solution was found.

    pip install tadc
    python examples/implicit_layer.py

The output z solves `z - tanh(W z) - U x = 0`, row by row: W is lower triangular, so the block is solved by substitution.
Where F(z, W) = c is solved, dF dz = -dW; a loss l(z) has the gradient -Fᵀ_W s by W, with `s = J⁻ᵀ dl/dz`.
"""

import numpy as np

import tadc

LAYER = """
size N
state z[N]
input W[N, N]
z[i] <- z[i] - tanh(sum{j | j < i} W[i, j]*z[j])
"""


def main(n: int = 60, steps: int = 300) -> None:
    random = np.random.default_rng(0)
    layer = tadc.compile(LAYER)
    driven = random.normal(size=n)  # U x
    wanted = np.sin(np.arange(n) / 5)
    by_weights = layer.adjoint("W")
    weights = 0.1 * random.normal(size=(n, n))

    def solved(weights: np.ndarray) -> np.ndarray:
        return layer.newton(np.zeros(n), weights, target=driven).x["z"]

    def gradient(weights: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss |z - wanted|²/2 and its gradient by the weights."""
        z = solved(weights)
        seed = layer.inverse(z, weights).adjoint(z - wanted)
        return float(((z - wanted) ** 2).sum() / 2), -by_weights(z, weights, seed)

    # The gradient against a difference of losses.
    loss, by_w = gradient(weights)
    change, eps = np.tril(random.normal(size=(n, n)), -1), 1e-6
    up, down = (gradient(weights + e * change)[0] for e in (eps, -eps))
    print(f"slope {(by_w * change).sum():.8f}, by differences {(up - down) / (2 * eps):.8f}")
    assert np.isclose((by_w * change).sum(), (up - down) / (2 * eps), rtol=1e-5)

    for n_step in range(steps):
        current, by_w = gradient(weights)
        if n_step % 100 == 0:
            print(f"step {n_step}: loss {current:.4f}")
        weights -= 0.02 * by_w
    final = gradient(weights)[0]
    print(f"step {steps}: loss {final:.4f}")
    assert final < loss / 2


if __name__ == "__main__":
    main()
