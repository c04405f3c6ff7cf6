"""Worked examples with their numbers, and traps: the inverse modes of one program each."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
from dense import check_against_dense

import tadc

HEAT = "size N; state u[N]; input r; u[i] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)])"
RED_BLACK = """size N, T
state u[N]
input r
repeat T {
  u[i | i % 2 = 0] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)])
  u[i | i % 2 = 1] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)])
}"""
REACTION = (
    "size P; state c[P, 3]; input M[3, 3]; c[p, s] <- c[p, s] + sum{q} M[s, q]*c[p, q]**2 / 2"
)
NETWORK = [[-1.0, 1, 0], [1, -2, 1], [0, 1, -1]]
PAPER = "input x1, x2, x3; z1 = x1*x2; z2 = z1 + x3**2; output z1, x2, z2"


def compiled(text, **sizes):
    return tadc.compile(text, backend="numpy", sizes=sizes)


def close(result, expected):
    results = result if isinstance(result, tuple) else (result,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for a, b in zip(results, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


# name: text, point, vector and J⁻¹ of it, vector and J⁻ᵀ of it, |det J|, kinds
EXAMPLES = {
    "chain": (
        "state x[2]; x[i] <- x[i]**2 + 1; x[i] <- 3*x[i]",
        ([1.0, 2],), ([6.0, 12],), ([1.0, 1],), None, None, 72, "diagonal diagonal",
    ),
    "coupling": (
        "state a, b; b <- b*(1 + a**2) + a",
        (2.0, 3.0), (1.0, 18.0), (1.0, 1.0), (13.0, 5.0), (0.0, 1.0), 5, None,
    ),
    "leapfrog": (
        "state q, p; p <- p - q/2; q <- q + p; p <- p - q/2",
        (1.0, 0.0), (1.0, 0.0), (0.5, 0.75), (1.0, 0.0), (0.5, -1.0), 1, "diagonal diagonal diagonal",
    ),
    "explicit Euler": (
        "state x, v; step { x <- x + v/2; v <- v - x/2 }",
        (1.0, 0.0), (1.0, 0.0), (0.8, 0.4), None, None, 1.25, "blocks",
    ),
    "one after the other": (
        "state x, v; x <- x + v/2; v <- v - x/2",
        (1.0, 0.0), (1.0, 0.0), (0.75, 0.5), None, None, 1, "diagonal diagonal",
    ),
    "heat": (
        HEAT, ([0.0, 0, 0, 0], 0.25), ([0.75, 1, 1, 0.75],), ([1.0, 1, 1, 1],), None, None, 5 / 256, None,
    ),
    "heat that needs pivoting": (
        HEAT, ([0.0, 0, 0, 0], 0.5), ([1.0, 0, 0, 0],), ([0.0, 2, 0, -2],), None, None, 1 / 16, None,
    ),
    "a stencil": (
        "state x[4]; x[i] <- x[i] + 2*x[pad(i-1)]",
        ([1.0, 1, 1, 1],), ([1.0, 0, 0, 0],), ([1.0, -2, 4, -8],), ([0.0, 0, 0, 1],), ([-8.0, 4, -2, 1],), 1, "triangular",
    ),
    "a recurrence": (
        "state x[4]; repeat i = 1..3 { x[i] <- x[i] + 2*x[i-1] }",
        ([1.0, 1, 1, 1],), ([1.0, 0, 0, 0],), ([1.0, -2, 0, 0],), ([0.0, 0, 0, 1],), ([0.0, 0, -2, 1],), 1,
        "diagonal diagonal diagonal",
    ),
    "a shift": (
        "state x[4]; x[i] <- (i+1)*x[wrap(i-1)]",
        ([1.0, 2, 3, 4],), ([4.0, 2, 6, 12],), ([1.0, 2, 3, 4],), ([1.0, 2, 3, 4],), ([4, 1 / 2, 2 / 3, 3 / 4],), 24, "bijection",
    ),
    "a reversal": (
        "state x[4]; x[i] <- (i+1)*x[3-i]",
        ([1.0, 2, 3, 4],), ([4.0, 6, 6, 4],), ([1.0, 2, 3, 4],), None, None, 24, "bijection",
    ),
    "a shuffle": (
        "state x[4]; x[i] <- (i+1)*x[i//2 + 2*(i%2)]",
        ([1.0, 2, 3, 4],), ([1.0, 6, 6, 16],), ([1.0, 2, 3, 4],), None, None, 24, "bijection",
    ),
    "a triangle the other way round": (
        "input x[3]; y[i] = 2*x[2-i] + x[pad(1-i)]",
        ([1.0, 1, 1],), ([3.0, 3, 2],), ([1.0, 1, 1],), None, None, 8, None,
    ),
    "reactions": (
        REACTION, ([[1.0, 1, 2]], NETWORK), ([[1.0, 2, 0]],), ([[1.0, 1, 1]],), ([[1.0, 0, 0]],), ([[-1.0, 1, 2]],), 1, None,
    ),
    "the program of the paper": (
        PAPER, (2.0, 3.0, 1.0), (1.0, 1.0, 1.0), (-1 / 3, 1.0, 0.0), (1.0, 1.0, 1.0), (-1 / 6, 1 / 3, 1 / 2), 6, "diagonal diagonal",
    ),
    "a butterfly": (
        "input x[1], y[1]; s[i] = x[i] + y[i]; d[i] = x[i] - y[i]",
        ([3.0], [1.0]), ([4.0], [2.0]), ([3.0], [1.0]), None, None, 2, "blocks",
    ),
    "a causal sum": (
        "state x[3]; x[i] <- x[i] + sum{j | j < i} x[j]**2",
        ([1.0, 2, 3],), ([1.0, 3, 7],), ([1.0, 1, 1],), None, None, 1, "triangular",
    ),
    "two dimensions": (
        "state x[3, 2]; x[i,j] <- 2*x[i,j] + x[pad(i-1),j] + x[i,pad(j-1)]",
        (np.ones((3, 2)),), ([[2.0, 3], [3, 4], [3, 4]],), (np.ones((3, 2)),), None, None, 64, "triangular",
    ),
    "a part": (
        "state x[4]; x[i | 1 <= i and i <= 2] <- 2*x[i] + x[i+1]",
        ([1.0, 1, 1, 1],), ([1.0, 3, 3, 1],), ([1.0, 1, 1, 1],), None, None, 4, "triangular",
    ),
    "Heun": (
        "state x; k1 = x*(1-x)/2; k2 = (x+k1)*(1-(x+k1))/2; x <- x + (k1+k2)/2",
        (0.5,), (15 / 16,), (1.0,), None, None, 15 / 16, "diagonal",
    ),
    "reads that coincide": (
        "state x[4]; x[i] <- x[i] + x[pad(2*i)]",
        ([1.0, 1, 1, 1],), ([2.0, 2, 1, 1],), ([1.0, 1, 1, 1],), None, None, 2, "triangular",
    ),
    "reads that coincide at the border": (
        "state x[4]; x[i] <- x[i] + x[clamp(i-1)]",
        ([1.0, 1, 1, 1],), ([2.0, 2, 2, 2],), ([1.0, 1, 1, 1],), None, None, 2, "triangular",
    ),
    "a ring": (
        "state x[3]; x[i] <- x[i] + x[wrap(i-1)]",
        ([1.0, 1, 1],), ([2.0, 2, 2],), ([1.0, 1, 1],), None, None, 2, "dense",
    ),
    "a swap": (
        "state x[2], v[2]; step { x[i] <- v[i]; v[i] <- x[i] }",
        ([1.0, 2], [3.0, 4]), ([1.0, 2], [3.0, 4]), ([3.0, 4], [1.0, 2]), None, None, 1, None,
    ),
    "the identity": ("state x[3]; x[i] <- x[i]", ([1.0, 2, 3],), ([1.0, 2, 3],), ([1.0, 2, 3],), None, None, 1, "diagonal"),
    "no round": ("state x[2]; repeat 0 { x[i] <- 2*x[i] }", ([1.0, 2],), ([1.0, 2],), ([1.0, 2],), None, None, 1, "diagonal"),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_examples(name):
    text, point, dy, before, dx, after, determinant, kinds = EXAMPLES[name]
    f = compiled(text)
    point = tuple(np.asarray(a, float) for a in point)

    close(f.inverse_tangent()(*point, *dy), before)
    if dx is not None:
        close(f.inverse_adjoint()(*point, *dx), after)
    close(np.exp(f.logdet()(*point)), determinant)
    structures = check_against_dense(f, dict(zip(f.inputs, point, strict=True)))
    if kinds is not None:
        assert [s.kind for s in structures] == kinds.split()


def test_red_and_black_are_diagonal_steps():
    f = compiled(RED_BLACK)
    point = {"u": np.ones(4), "r": 0.25}

    close(f.inverse_tangent()(**point, du=[0.75, 15 / 16, 1, 0.75], T=1), np.ones(4))
    close(np.exp(f.logdet()(**point, T=1)), 1 / 16)
    structures = check_against_dense(compiled(RED_BLACK, T=3), {"u": np.arange(9.0), "r": 0.2})
    assert [s.kind for s in structures] == ["diagonal"] * 6


def test_the_condition_of_a_stencil_is_known():
    f = compiled("state x[10]; x[i] <- x[i] + 2*x[pad(i-1)]")

    assert f.inverse(np.ones(10)).condition() == pytest.approx(3 * (2**10 - 1))


def test_the_unstable_inverse_of_a_stable_integrator_warns():
    f = compiled(HEAT.replace("u[i] <-", "repeat 10 { u[i] <-") + " }")

    with pytest.warns(tadc.ConditionWarning, match="half of the digits"):
        assert f.inverse(np.ones(64), 0.25).condition() > 1e15


def test_one_refinement_mends_factors_that_are_worse_than_their_product():
    f = compiled("state a, b; input c; a <- a + c*b; a <- a - c*b; b <- 3*b")
    plain = f.inverse(1.0, 1.0, 1e8)
    refined = f.inverse(1.0, 1.0, 1e8, refine=1)
    dy = (0.1234567890123, 1 / 3)

    wrong = abs(plain.tangent(*dy)[0] - dy[0])
    close(refined.tangent(*dy), (dy[0], 1 / 9))
    assert wrong > 1e-12
    assert refined.report.after <= refined.report.before


def test_the_line_and_the_element_of_a_singular_step_are_named():
    f = compiled(RED_BLACK)
    point = {"u": np.ones(4), "r": 0.5, "T": 1}

    with pytest.raises(tadc.SingularError, match=r"at u\[0\], line 5") as first:
        f.inverse_adjoint()(**point, du=np.ones(4))
    with pytest.raises(tadc.SingularError, match=r"at u\[1\], line 6") as last:
        f.inverse_tangent()(**point, du=np.ones(4))

    assert (first.value.step, first.value.index, first.value.pivot) == (0, (0,), 0.0)
    assert (last.value.step, last.value.index) == (1, (1,))
    assert pickle.loads(pickle.dumps(first.value)).index == (0,)


SINGULAR = {
    "at a point": ("state x; x <- x**2", (0.0,), ()),
    "where relu is flat": ("state x[3]; x[i] <- relu(x[i])", ([1.0, -1, 2],), (1,)),
    "up to rounding": ("state x[3]; x[i] <- x[i] - sum{j} x[j]/3", ([1.0, 2, 3],), (0,)),
    "a block": (REACTION, ([[1.0, 1, 2], [1, 1, 1]], NETWORK), (1, 0)),
    "a band": (HEAT, ([0.0] * 3, 0.5), (0,)),
    "a long band": (HEAT, ([0.0] * 31, 0.5), (0,)),
    "a ring of four": ("state x[4]; x[i] <- x[i] + x[wrap(i-1)]", ([1.0] * 4,), (0,)),
    "a carried value": ("state x, y; t = x**2/2; x <- x*y; y <- y + t", (1.0, 1.0), None),
    "infinite": ("state x; x <- sqrt(x)", (0.0,), ()),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_singular_steps_are_errors_and_never_finite_numbers(name):
    text, point, index = SINGULAR[name]
    f = compiled(text)
    point = [np.asarray(a, float) for a in point]
    ones = [np.ones_like(a) for a, x in zip(point, f.inputs, strict=True) if x not in "rM"]

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        with pytest.raises(tadc.SingularError) as caught:
            mode(*point, *ones)
        if index is not None:
            assert caught.value.index == index
        results = mode(*point, *ones, check=False)
        results = results if isinstance(results, tuple) else (results,)
        assert not all(np.isfinite(r).all() for r in results)
    with pytest.raises(tadc.SingularError):
        f.logdet()(*point)
    assert not np.isfinite(f.logdet()(*point, check=False)).all()


NEVER = {
    "width": (
        "input x, y; p = x + y; u = p; w = 2*p; output u, w",
        "only 1 number is live after `p`",
    ),
    "lost": ("state x, v; x <- v; v <- x", "only 1 number is live"),
    "sizes": ("input x[6]; y[i: 5] = x[i]", "x has 6 elements, y has 5"),
    "unread": ("state x[3]; x[i] <- x[0]", r"`x\[1\]` is read by none"),
    "unread input": (
        "input x, z; y = x; w = 2*x; output y, w",
        "only 1 number is live before the first",
    ),
    "no read": ("state x[3]; input y[3]; x[i] <- y[i]", "only 0 numbers are live"),
    "other state": ("state x[3], y[3]; x[i] <- y[i]", "only 3 numbers are live"),
}


@pytest.mark.parametrize("name", NEVER)
def test_jacobians_that_are_singular_everywhere_are_refused(name):
    text, words = NEVER[name]

    with pytest.raises(tadc.DerivativeError, match=words) as caught:
        compiled(text).inverse_tangent()

    assert caught.value.fix


def test_reading_one_element_is_the_identity_where_there_is_one():
    close(compiled("state x[1]; x[i] <- x[0]").inverse_tangent()([3.0], [5.0]), [5.0])


def test_no_elements_have_the_determinant_one():
    f = compiled(HEAT)

    assert f.inverse_tangent()(np.zeros(0), 0.25, np.zeros(0)).shape == (0,)
    assert f.logdet()(np.zeros(0), 0.25) == 0


def test_samples_have_determinants_of_their_own():
    flow = compiled(
        "size B; state x[B, 4]; input w[2, 2]"
        "; s[b, i] = sum{j: 2} w[i, j]*x[b, j]; x[b, i | i >= 2] <- x[b, i]*exp(s[b, i-2])"
    )
    x, w = np.random.default_rng(0).standard_normal((3, 4)), np.array([[0.1, 0.2], [0.3, 0.4]])

    close(flow.logdet(batch_dims=1)(x, w), (x[:, :2] @ w.T).sum(1))
    close(flow.logdet()(x, w), (x[:, :2] @ w.T).sum())
    with pytest.raises(tadc.DerivativeError, match="mixed"):
        compiled("state x[3]; x[i] <- 2*x[i] + x[pad(i-1)]").logdet(batch_dims=1)(np.ones(3))


def test_dense_blocks_have_a_limit():
    f = compiled("state x[50]; x[i] <- x[i] + sum{j} sin(x[j])/100")

    f.inverse_tangent()(np.zeros(50), np.ones(50))
    with pytest.raises(tadc.DerivativeError, match="block of 50 rows"):
        f.inverse_tangent(dense_limit=40)(np.zeros(50), np.ones(50))


def test_tangents_before_and_after_are_not_mixed_up():
    f = compiled("state x[2], y; y <- y*x[0]; x[i] <- x[i] + 2*i*y; output y, x")
    mode = f.inverse_tangent(of=("y", "x"))

    assert mode.inputs == ("x", "y", "dy", "dx") and mode.outputs == ("dx", "dy")
    check_against_dense(f, {"x": np.array([2.0, 3]), "y": 5.0}, of=("y", "x"))


def test_plans_name_the_steps_with_their_numbers():
    plan = compiled(REACTION).inverse_tangent().plan(P=100)

    (step,) = plan.steps
    assert (step.l, step.k, step.line) == (300, 0, 1)
    assert "blocks(3), batch dimension 0" in str(plan)


def test_modes_are_copied_and_pickled():
    mode = compiled("state a, b; b <- b*(1 + a**2) + a").inverse_adjoint()

    for again in (copy.copy(mode), pickle.loads(pickle.dumps(mode))):
        close(again(2.0, 3.0, 13.0, 5.0), (0.0, 1.0))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_have_the_type_of_the_call(dtype):
    f = tadc.compile(HEAT, backend="numpy")
    u = np.ones(40, dtype)
    result = f.inverse_tangent()(u, np.asarray(0.25, dtype), u)

    assert result.dtype == dtype
    np.testing.assert_allclose(f.tangent("u")(u, np.asarray(0.25, dtype), result), u, rtol=1e-4)


WRONG = {
    "missing": ((2.0, 3.0, 1.0), {}, "`db` is missing"),
    "too many": ((2.0, 3.0, 1.0, 1.0, 1.0), {}, "5 arrays"),
    "shape": ((2.0, 3.0, 1.0, [1.0, 2.0]), {}, "shape"),
    "twice": ((2.0, 3.0, 1.0, 1.0), {"db": 1.0}, "twice"),
    "complex": ((2.0, 3.0, 1.0, 1j), {}, "pass real numbers"),
    "text": ((2.0, 3.0, 1.0, "one"), {}, "pass real numbers"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_errors(name):
    arrays, named, words = WRONG[name]

    with pytest.raises(tadc.Error, match=words):
        compiled("state a, b; b <- b*(1 + a**2) + a").inverse_tangent()(*arrays, **named)


# ---- Newton


def test_newton_converges_quadratically():
    f = compiled("state a, b; a <- a**2 + b; b <- b**2 + a")

    solution = f.newton(1.5, 2.5, target=(3.0, 7.0))

    close((solution.x["a"], solution.x["b"]), (1.0, 2.0))
    np.testing.assert_allclose(solution.history[:5], [4, 0.39, 6.6e-3, 3.6e-6, 2.5e-12], rtol=0.02)


def test_newton_with_halved_steps_finds_the_root():
    f = compiled("state x; x <- x**3 - 2*x + 2")

    assert abs(f(f.newton(-1.0).x["x"])) < 1e-10


def test_newton_on_a_causal_sum_needs_no_matrix():
    f = compiled("size N; state x[N]; x[i] <- x[i]**3 + x[i] + sum{j | j < i} x[j]/(i-j+1)**2")

    solution = f.newton(np.zeros(60), target=1.0)

    assert solution.iterations <= 7
    np.testing.assert_allclose(f(solution.x["x"]), 1, atol=1e-12)


def test_newton_says_when_it_does_not_converge():
    f = compiled("state x; x <- x**2 + 1")

    with pytest.raises(tadc.ConvergenceError) as caught:
        f.newton(0.7)

    assert caught.value.result.residual >= 1


def test_a_parameter_of_a_solution_has_its_gradient_by_one_inverse_adjoint_product():
    f = compiled("size N; state x[N]; input p; x[i] <- x[i]**3 + x[i] + p*x[pad(i-1)] - 1")

    def solved(p):
        return f.newton(np.zeros(5), p, tol=1e-14).x["x"]

    x = solved(0.3)
    w = f.inverse(x, 0.3).adjoint(np.ones(5))
    gradient = -f.adjoint("p")(x, 0.3, w)
    with warnings.catch_warnings():
        difference = (solved(0.3 + 1e-6).sum() - solved(0.3 - 1e-6).sum()) / 2e-6
    np.testing.assert_allclose(gradient, difference, rtol=1e-8)


# ---- What `f.check()` tells


def test_a_check_holds_the_inverse_against_the_jacobian():
    report = compiled("state a, b; b <- b*(1 + a**2) + a").check()

    assert report
    assert [r.against for r in report.rows if r.subject.startswith("inverse")] == [
        "J⁻¹(J v) = v", "J⁻ᵀ(Jᵀu) = u", "<J⁻ᵀw, J v> = <w, v>",
    ]  # fmt: skip
    assert report.rows[-1].subject == "run backwards" and report.rows[-1].error < 1e-14


@pytest.mark.slow
def test_a_check_says_that_there_is_no_inverse():
    report = compiled("state x, v; x <- v; v <- 2*x").check()

    assert report
    assert "no invariants of an inverse: the Jacobian is singular at every point" in str(report)


@pytest.mark.slow
def test_a_check_warns_of_a_condition():
    f = compiled("state u[64]; repeat 10 { u[i] <- u[i] + (u[pad(i-1)] - 2*u[i] + u[pad(i+1)])/4 }")

    with pytest.warns(tadc.ConditionWarning):
        f.check()
