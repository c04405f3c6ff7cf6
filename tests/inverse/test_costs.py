"""Counted operations of products with the inverse, over those of products with the Jacobian."""

from __future__ import annotations

import pytest

import tadc

# The program, and the most operations of J⁻¹v and J⁻ᵀw for one of J v, the primal included.
BOUNDS = {
    "a coupling": ("size N; state a[N], b[N]; a[i] <- a[i]*exp(sin(b[i])/4) + b[i]; b[i] <- b[i]*exp(sin(a[i])/4) - a[i]", 2),
    "leapfrog": ("size N; state q[N], p[N]; input h; repeat 3 { p[i] <- p[i] - h/2*sin(q[i]); q[i] <- q[i] + h*p[i]; p[i] <- p[i] - h/2*sin(q[i]) }", 2),
    "red and black": ("size N; state u[N]; repeat 2 { u[i | i % 2 = 0] <- 3*u[i] + sin(u[pad(i-1)]) + sin(u[pad(i+1)]); u[i | i % 2 = 1] <- 3*u[i] + sin(u[pad(i-1)]) }", 2.5),
    "a bijection": ("size N; state x[N]; x[i] <- exp(x[wrap(i-1)])", 2),
    "a causal sum": ("size N; state x[N]; x[i] <- x[i] + sum{j | j < i} sin(x[j])/(i-j+1)**2", 2),
    "a recurrence": ("size N; state x[N]; x[i] <- 2*x[i] + sin(x[pad(i-1)])", 2.5),
    "blocks of two": ("size N; state a[N], b[N]; step { a[i] <- 3*a[i] + sin(b[i]); b[i] <- 2*b[i] + cos(a[i]) }", 4),
    "blocks of three": ("size N; state c[N, 3]; input M[3, 3]; c[p, s] <- c[p, s] + sum{q} M[s, q]*c[p, q]**2/10", 4),
    "a band": ("size N; state u[N]; u[i] <- 3*u[i] - u[pad(i-1)] - u[pad(i+1)] + u[i]**3/9", 5),
}  # fmt: skip


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.plain(name=3)
def test_operations_are_a_constant_times_those_of_the_tangent(name):
    text, bound = BOUNDS[name]
    f = tadc.compile(text, backend="native")
    states = list(f.states)

    def ratios(n):
        tangent = f.tangent(states).cost(N=n).operations
        modes = ("inverse-tangent", "inverse-adjoint")
        return [f.cost(mode=m, N=n).operations / tangent for m in modes]

    small, large = ratios(60), ratios(480)

    assert max(small + large) <= bound
    assert large == pytest.approx(small, rel=0.1)


def test_the_cost_of_a_mode_is_told_by_steps():
    f = tadc.compile("size N; state x[N]; x[i] <- x[i]**2; x[i] <- 3*x[i]")

    cost, plan = f.cost(mode="inverse-tangent", N=8), f.plan(mode="inverse-tangent", N=8)

    assert [s.solution for s in cost.steps] == [8, 8]
    assert cost.operations == sum(s.operations for s in cost.steps)
    assert str(cost).count("diagonal") == str(plan).count("diagonal") == 2
    with pytest.raises(tadc.ShapeError, match="N is missing"):
        f.cost(mode="logdet")
