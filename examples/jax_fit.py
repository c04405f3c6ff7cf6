"""A physical model fitted with second derivatives in JAX: charges on a line, whose places follow from the field around them.

    pip install 'tadc[jax]'
    python examples/jax_fit.py

The model is a formula; `jit`, `vmap` over many starts, gradients and Hessian are JAX's. Newton's method with damping
(Levenberg and Marquardt) runs from all starts at once, and the best fit finds the charges again.
"""

import jax
import jax.numpy as jnp

import tadc
import tadc.jax

jax.config.update("jax_enable_x64", True)

FIELD = """
size P, C
input at[P], place[C], charge[C]
field[p] = sum{c} charge[c] * (at[p] - place[c]) / ((at[p] - place[c])**2 + 0.01)**1.5
"""
STARTS, STEPS, CHARGES = 32, 60, 3

field = tadc.jax.wrap(tadc.compile(FIELD))


def loss(parameters: jax.Array, at: jax.Array, measured: jax.Array) -> jax.Array:
    """The mean square of what the model misses; `parameters` are places, then charges."""
    return jnp.mean((field(at, *jnp.split(parameters, 2)) - measured) ** 2)


def fitted(start: jax.Array, at: jax.Array, measured: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The parameters that Newton's steps lead to from this start, and their loss."""

    def step(
        state: tuple[jax.Array, jax.Array], _: None
    ) -> tuple[tuple[jax.Array, jax.Array], None]:
        now, damping = state
        gradient = jax.grad(loss)(now, at, measured)
        curvature, ways = jnp.linalg.eigh(jax.hessian(loss)(now, at, measured))
        move = -ways @ ((ways.T @ gradient) / (jnp.abs(curvature) + damping))
        better = loss(now + move, at, measured) < loss(now, at, measured)
        return (jnp.where(better, now + move, now), damping * jnp.where(better, 0.3, 4.0)), None

    (found, _), _ = jax.lax.scan(step, (start, jnp.asarray(1.0)), None, STEPS)
    return found, loss(found, at, measured)


def main() -> None:
    place, charge = jnp.array([-0.6, 0.1, 0.7]), jnp.array([1.0, -2.0, 0.5])
    at = jnp.linspace(-1, 1, 200)
    noise = 0.01 * jax.random.normal(jax.random.key(0), at.shape)
    measured = field(at, place, charge) + noise

    starts = jax.random.uniform(jax.random.key(1), (STARTS, 2 * CHARGES), minval=-1, maxval=1)
    found, losses = jax.jit(jax.vmap(fitted, (0, None, None)))(starts, at, measured)
    best = found[jnp.argmin(losses)]
    order = jnp.argsort(best[:CHARGES])
    print(f"{STARTS} starts, losses from {losses.min():.2e} to {losses.max():.2e}")
    print("places ", best[:CHARGES][order].round(3), "of", place)
    print("charges", best[CHARGES:][order].round(3), "of", charge)
    assert jnp.allclose(best[:CHARGES][order], place, atol=0.01)
    assert jnp.allclose(best[CHARGES:][order], charge, atol=0.05)


if __name__ == "__main__":
    main()
