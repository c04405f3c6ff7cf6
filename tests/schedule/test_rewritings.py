"""Programs rewritten before they are scheduled compute what they did, with fewer operations."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc import compiler
from tadc.printing.idx import statement_comment

# Text, shapes of the inputs, a part of a statement that the rewritten program has, and how often it may be.
PROGRAMS = {
    "a summand of fewer indices": (
        "size N, M, K\ninput a[N,K], b[M,K], d[N,K]\nf[i,j] = sum{k} (a[i,k]*b[j,k] + d[i,k]**3)",
        [(5, 4), (6, 4), (5, 4)],
        "f_part[i: N] = sum{k=0..K - 1} d[i, k]**3",
    ),
    "a summand without the sum's index stays": (
        "size N, M, K\ninput a[N,K], b[M,K], d[N]\nf[i,j] = sum{k} (a[i,k]*b[j,k] + d[i])",
        [(5, 4), (6, 4), (5,)],
        "f[i: N, j: M] = sum{k=0..K - 1} (a[i, k]*b[j, k] + d[i])",
    ),
    "differences stay together": (
        "size N, M, K\ninput a[N,K], b[M,K]\nf[i,j] = sum{k} (a[i,k] - b[j,k])",
        [(5, 4), (6, 4)],
        "f[i: N, j: M] = sum{k=0..K - 1} (a[i, k] - b[j, k])",
    ),
    "a diagonal": (
        "size N, K\ninput a[N,K], b[N,K]\nf[i: N, j: N] = if i = j then sum{k} a[i,k]*b[j,k] else 0",
        [(5, 4), (5, 4)],
        "= sum{k=0..K - 1} a[j, k]*b[j, k]",
    ),
    "a diagonal beside the main one": (
        "size N, K\ninput a[N,K], b[N,K]\nf[i: N, j: N] = if i = j + 2 then sum{k} a[i,k]*b[j,k] else 1",
        [(5, 4), (5, 4)],
        "f_diagonal[j: N] = if j + 3 <= N then sum{k=0..K - 1} a[j + 2, k]*b[j, k] else 0",
    ),
    "an expensive value of a sum of indices": (
        "size N, M\ninput x[N+M-1], w[M]\ny[i: N] = sum{j} sin(x[i+j])*w[j]",
        [(9,), (4,)],
        "y_moved[i_1: M + N - 1] = sin(x[i_1])",
    ),
    "an expensive number of a difference of indices": (
        "size N\ninput a[], x[N,N]\ny[i] = sum{j | j < i} a**(i-j)*x[i,j]",
        [(), (6, 6)],
        "y_moved[i_1: N] = a**(i_1 + 1)",
    ),
    "an expensive number of two differences of indices": (
        "size N, M\ninput x[N,M]\ny[i: N, j: M] = sum{k: N, l: M} exp(-sqrt((i-k)**2 + (j-l)**2))*x[k,l]",
        [(3, 4)],
        "y_moved[i_1: 2*N - 1, j_1: 2*M - 1] = exp(-sqrt((i_1 - N + 1)**2 + (j_1 - M + 1)**2))",
    ),
    "powers of a distance over the distance do not run": (
        "size N\ninput a[], x[N]\ny[i: N] = sum{j: N | j <= i} a**(i-j)*x[j]/(1+i-j)",
        [(), (6,)],
        "y[i: N] = sum{j=0..i} ",
    ),
    "powers of a distance times the distance run twice": (
        "size N\ninput a[], x[N]\ny[i: N] = sum{j: N | j <= i} a**(i-j)*x[j]*(1+i-j)",
        [(), (6,)],
        "y_moment[i: N] = sum{i_1=0..i} ",
    ),
    "an element that a distance chooses": (
        "size N\ninput x[N], t[N]\ny[i: N] = sum{j} t[abs(i-j)]*x[j]",
        [(6,), (6,)],
        "y_moved[i_1: 2*N - 1] = if N <= i_1 + 1 then t[i_1 - N + 1] else t[N - i_1 - 1]",
    ),
    "an element that two distances choose": (
        "size N, M\ninput x[N,M], t[N,M]\ny[i: N,j: M] = sum{k: N,l: M} t[abs(i-k),abs(j-l)]*x[k,l]",
        [(3, 4), (3, 4)],
        "y[i: N, j: M] = sum{k=0..N - 1, l=0..M - 1} y_moved_1[N + i - k - 1, M + j - l - 1]*x[k, l]",
    ),
    "an element that few values of a distance choose stays": (
        "size N\ninput x[N], t[N]\ny[i: N] = sum{j=0..2} t[abs(i-j)]*x[j]",
        [(6,), (6,)],
        "*x[j]",
    ),
    "positions that wrap around once": (
        "size B\ninput x[B,11], w[3]\ny[b,i: 11] = sum{s} w[s]*x[b,(i+s)%11]",
        [(2, 11), (3,)],
        "w[s]*(if 11 <= i + s then x[b, i + s - 11] else x[b, i + s])",
    ),
    "positions that wrap around at both ends": (
        "input x[11], w[3]\ny[i: 11] = sum{s} w[s]*x[(i+s-1)%11]",
        [(11,), (3,)],
        "(if 12 <= i + s then x[i + s - 12] else (if 1 <= i + s then x[i + s - 1] else x[i + s + 10]))",
    ),
    "positions that wrap around by a quotient": (
        "input x[9,10,10]\ny[q: 9,i: 10,j: 10] = x[q,(i - q%3 + 1)%10,(j - q//3 + 1)%10]",
        [(9, 10, 10)],
        "(if (q // 3) + 9 <= j then x[q, ",
    ),
    "positions that wrap around in a long sum": (
        "size B\ninput x[B,60], w[50]\ny[b,i: 60] = sum{s} w[s]*x[b,(i-s)%60]",
        [(2, 60), (50,)],
        "y_moved[b: B, i_1: 109] = if 49 <= i_1 then x[b, i_1 - 49] else x[b, i_1 + 11]",
    ),
    "positions that wrap around without a sum": (
        "input x[10,9]\ny[i: 10,j: 9] = x[(i+9)%10,j] - 2*x[i,j] + x[i,(j+1)%9]",
        [(10, 9)],
        "(if 1 <= i then x[i - 1, j] else x[i + 9, j])",
    ),
    "positions that wrap around several times stay": (
        "input x[5]\ny[i: 5, j: 5] = x[(i+3*j)%5]",
        [(5,)],
        "x[i + 3*j - 5*((i + 3*j) // 5)]",
    ),
    "positions that wrap around in a condition stay": (
        "input x[8]\ny[i: 8] = if (i+1)%8 < 3 then x[i] else x[(i+1)%8]",
        [(8,)],
        "8*((i + 1) // 8)",
    ),
    "a component that wraps around stays": (
        "size N\ninput x[N,3]\ny[n,i: 3] = x[n,(i+1)%3]",
        [(5, 3)],
        "x[n, i - 3*((i + 1) // 3) + 1]",
    ),
    "a remainder of an index alone stays": (
        "size B\ninput x[B,6]\ny[b,i: 12] = x[b,i%6]",
        [(2, 6)],
        "x[b, i - 6*(i // 6)]",
    ),
    "an expensive number along a band": (
        "size N\ninput x[N]\ny[i: N] = sum{j: N | abs(i-j) <= 2} exp(-(i-j)**2/9)*x[j]",
        [(7,)],
        "[i: 5] = exp(-(i - 2)**2/9)",
    ),
    "an expensive number of indices that rows share": (
        "size B, N, D\ninput x[B,N,D]\ny[b,n,k] = x[b,n,k]*(if k < 2 then cos(n/9**(k/D)) else sin(n/9**((k-2)/D)))",
        [(9, 10, 11)],
        "y_value[n: N, k: D] = if k <= 1 then cos(n/9**(k/D)) else sin(n/9**((k - 2)/D))",
    ),
    "an expensive number of a tap whose range moves": (
        "size N\ninput x[N]\ny[i: N] = sum{j=max(0, i-8)..min(i, 9)} x[i-j]*sin(0.1*j)",
        [(30,)],
        "y_value[j: 10] = sin(0.1*j)",
    ),
    "an expensive value of windows that do not overlap stays": (
        "size N\ninput x[8*N], w[2]\ny[i: N] = sum{k: 2} sin(x[8*i+k])*w[k]",
        [(24,), (2,)],
        "y[i: N] = sum{k=0..1} sin(x[8*i + k])*w[k]",
    ),
    "an expensive value of a difference and another index": (
        "size N, M, K\ninput x[N,K], q[N], w[M,K]\ny[i: N+M-1, k] = sum{j | 0 <= i-j and i-j < N} x[i-j,k]/q[i-j]*w[j,k]",
        [(5, 3), (5,), (4, 3)],
        "",
    ),
    "a sum in a sum under a condition that it does not depend on": (
        "size N, K\ninput x[N,K], w[N,N]\ny[i: N] = sum{j | j <= i} w[i,j]*exp(sum{k} x[j,k])",
        [(5, 4), (5, 5)],
        "y_inner[j: N] = sum{k=0..K - 1} x[j, k]",
    ),
    "a sum in a sum up to a diagonal": (
        "size N, K, D\ninput q[N,K], k[N,K], v[N,D]\no[i,d] = sum{j | j <= i} 0.9**(i-j)*(sum{e} q[i,e]*k[j,e])*v[j,d]",
        [(5, 3), (5, 3), (5, 4)],
        "o_inner[i: N, j: N] = if j <= i then sum{e=0..K - 1} q[i, e]*k[j, e] else 0",
    ),
    "a sum in a sum along a band stays": (
        "size N, K, D\ninput q[N,K], k[N,K], v[N,D]\no[i,d] = sum{j | j <= i and i <= j + 2} 0.9**(i-j)*(sum{e} q[i,e]*k[j,e])*v[j,d]",
        [(5, 3), (5, 3), (5, 4)],
        "(sum{e=0..K - 1} q[i, e]*k[i + j - 2, e])",
    ),
    "two sums with a factor in common": (
        "size N, D\ninput w[N,N], x[N,D]\ny[i,d] = (sum{j} w[i,j]*x[j,d])*2 - (sum{k} w[k,i]*x[k,d])*2",
        [(4, 4), (4, 3)],
        "y[i: N, d: D] = (sum{j=0..N - 1} (w[i, j] - w[j, i])*x[j, d])*2",
    ),
    "two sums of opposite differences": (
        "size N, D\ninput w[N,N], x[N,D]\ny[i,d] = sum{j} w[i,j]*(x[i,d] - x[j,d]) + (sum{j} w[j,i]*(x[j,d] - x[i,d]))",
        [(4, 4), (4, 3)],
        "y[i: N, d: D] = sum{j=0..N - 1} (w[i, j] - w[j, i])*(x[i, d] - x[j, d])",
    ),
    "a factor in common that depends on no more indices stays": (
        "size N\ninput w[N,N], x[N]\ny[i] = sum{j} w[i,j]*x[j] + sum{j} w[j,i]*x[j]",
        [(4, 4), (4,)],
        "y[i: N] = sum{j=0..N - 1} w[i, j]*x[j] + sum{j=0..N - 1} w[j, i]*x[j]",
    ),
    "distances from the other side": (
        "size N\ninput t[N], x[N]\ny[j: N] = sum{i=0..2} t[abs(i-j)]*x[i]",
        [(5,), (5,)],
        "y[j: N] = sum{i=0..2} (if i <= j then t[j - i] else t[i - j])*x[i]",
    ),
    "a choice with a step stays": (
        "size N\ninput t[N], x[N]\ny[j: N] = sum{i: N} (if j <= i then t[i-j] else 2*t[j-i])*x[i]",
        [(5,), (5,)],
        "(if j <= i then t[i - j] else 2*t[j - i])",
    ),
    "a sum in a sum of a derived index": (
        "size N, J, K\ninput x[J,(N+K+1)//3], w[K], u[N]\ny[i: N] = u[i] + sum{k} w[k]*exp(sum{j} x[j,(i+k)//3])",
        [(4, 4), (7,), (4,)],
        "y_inner[q_1: P] = sum{j=0..J - 1} x[j, q_1]",
    ),
    "a sum over an index whose quotient is read": (
        "size N, J, K\ninput x[J,N,(K+2)//3], w[K]\ny[i: N] = sum{k} w[k]*exp(sum{j} x[j,i,k//3])",
        [(4, 5, 3), (7,)],
        "sum{q=0..(K - 1) // 3} (sum{k=0..min(2, K - 3*q - 1)} w[k + 3*q])*exp(",
    ),
    "equal terms of a quotient": (
        "size N, K\ninput x[N,(K+3)//4], u[K]\ny[i, l] = u[l] + sum{k: K} x[i,k//4]**2",
        [(3, 3), (11,)],
        "(if 4*q + 4 <= K then 4 else K - 4*q)*",
    ),
    "a quotient and a remainder of an index": (
        "size N, K\ninput x[N,(K+3)//4], w[4], v[K]\ny[i] = sum{k: K} x[i,k//4]*w[k%4]*v[k]",
        [(3, 3), (4,), (11,)],
        "sum{q=0..(K - 1) // 4} (sum{k=0..min(3, K - 4*q - 1)} w[k]*v[k + 4*q])*x[i, q]",
    ),
    "a sum that an index of the result does not change": (
        "size N, K\ninput x[N,K], w[3]\ny[i, j: 7] = sum{k} x[i,k]/(1 + w[k % 3]**2)",
        [(5, 4), (3,)],
        "y[i: N, j: 7] = y_inner[i]",
    ),
    "the inner one of two sums reads rows": (
        "size N, M\ninput a[N], b[M], e[N,M]\ny = sum{j: M, i: N} a[i]*e[i,j]*b[j]",
        [(5,), (4,), (5, 4)],
        "y = sum{i=0..N - 1} (sum{j=0..M - 1} e[i, j]*b[j])*a[i]",
    ),
    "what a sum has left is computed where it is read": (
        "size N, K\ninput x[N], v[K]\nf[i] = sum{k} v[k]*x[i]**2\ny = sum{i} abs(f[i])\noutput y",
        [(5,), (4,)],
        "y = sum{i=0..N - 1} abs(f_sum*x[i]**2)",
    ),
    "a sum of nothing around it, behind a border": (
        "size I, J, K\ninput x[I], w[J], v[K]\ny[j: J, i] = sum{k} x[i]*w[pad(j-1)]*v[k]",
        [(5,), (4,), (11,)],
        "y_inner = sum{k=0..K - 1} v[k]",
    ),
    "terms that repeat between several bounds": (
        "size N, K\ninput x[N], v[K]\ny[i: N] = sum{j, k: (K+1)//2, l: 2 | 2*k + l < K} exp(x[j])*v[k]*x[i]",
        [(5,), (7,)],
        "(if 2*k + 2 <= K then 2 else K - 2*k)",
    ),
    "an infinity that leaves a sum that may have no terms": (
        "size N\ninput u[N], x[N]\nt[i] = exp(u[i])\ny[i: N] = sum{j: N | 2*j < i} t[i]*x[j]\noutput y",
        [(7,), (7,)],
        "if 1 <= i then (sum{j=0..(i - 1) // 2} x[j])*exp(u[i]) else 0",
    ),
    "a sum behind a border, for some values of a short index": (
        "size N, K\ninput x[N,K,7], w[7,K]\ny[k: K, l: 7] = sum{m: K} w[pad(l - 5), m]*exp(sum{i: N} x[pad(i - 1), m, l])",
        [(5, 3, 7), (7, 3)],
        "",
    ),
    "an expensive value of indices alone": (
        "size B, N\ninput x[B,N]\ny[b,k: N] = sum{n} x[b,n]*cos(0.1*(n + 0.5)*k)",
        [(3, 20)],
        "y[b: B, k: N] = sum{n=0..N - 1} x[b, n]*y_value[k, n]",
    ),
    "an expensive value of more indices than any tensor has": (
        "size N\ninput x[N]\ny[b: 5,k: N] = sum{n} x[n]*cos(0.1*(n + 0.5)*k + b)",
        [(9,)],
        "y[b: 5, k: N] = sum{n=0..N - 1} x[n]*cos(0.1*(n + 0.5)*k + b)",
    ),
    "a sum that is a tensor, and needed in another one before it": (
        "size N, M, K\ninput a[N,K], b[M,K]\nt[i] = sum{j} exp(sum{k} a[i,k]*b[j,k])\n"
        "s[i,j] = sum{k} a[i,k]*b[j,k]\nf[i] = t[i]*(max{j} s[i,j])",
        [(5, 4), (6, 4)],
        "t[i: N] = sum{j=0..M - 1} exp(s[i, j])",
    ),
    "a window": (
        "size N\ninput x[2*N+1]\ny[i: N] = max{k=2*i..2*i+2} x[k]",
        [(11,)],
        "y[i: N] = max{k=0..2} x[2*i + k]",
    ),
    "a window with borders": (
        "size N\ninput x[N]\ny[i: N] = sum{k=max(0, i-2)..min(N-1, i+2)} x[k]",
        [(7,)],
        "y[i: N] = sum{k=max(0, 2 - i)..min(4, N - i + 1)} x[i + k - 2]",
    ),
}


@pytest.mark.plain(backend=1)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_rewritten_programs_compute_the_same_and_their_gradients(name, backend):
    text, shapes, expected = PROGRAMS[name]
    random = np.random.default_rng(0)
    arrays = [random.uniform(0.5, 2, shape) for shape in shapes]
    f, oracle = (tadc.compile(text, backend=b) for b in (backend, "interpreter"))
    statements = [statement_comment(s) for s in compiler.stored(f.program).statements]

    assert any(expected in s for s in statements), statements
    value, pullback = f.vjp(*arrays)
    correct = oracle(*arrays)
    np.testing.assert_allclose(value, correct, rtol=1e-12)
    seed = random.uniform(-1, 1, correct.shape)
    gradients = oracle.adjoint()(*arrays, seed)
    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
    for found, right in zip(pullback(seed).values(), gradients, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-10, atol=1e-12)


# Text, whose only gradient is looked at, and what is in it as it is run.
GRADIENTS = {
    "pairs of points": (
        "size N\ninput x[N]\nf[i] = sum{j} exp(-(x[i] - x[j])**2)",
        "sum{i=0..N - 1} (df[i]*exp(-(x[i] - x[j])**2)*(x[i] - x[j])*2 - exp(-(x[i] - x[j])**2)*(x[j] - x[i])*df[j]*2)",
    ),
    "sums that share nothing": (
        "size N\ninput x[N,N]\nf[i,j] = sum{k} x[i,k]*x[k,j]",
        " + sum{",
    ),
    "a point that an equation leaves out": (
        "size N\ninput x[N]\nf[i: N] = sum{j | j != i} x[j]**3",
        "gate(if i = j then 0 else 1, ",
    ),
    "an equation that keeps a read inside": (
        "size N\ninput x[N-1]\nf[i: N] = sum{j: N | j != i} x[max(i, j) - 1]**3",
        "if i = j then 0 else (if j <= i then x[i - 1] else x[j - 1])",
    ),
    "an equation at an end": (
        "size N\ninput x[N-1]\nf[i: N] = sum{j: N | j != N - 1} x[j]**3",
        "sum{j=0..N - 2} x[j]**3",
    ),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_of_pairs(name):
    text, expected = GRADIENTS[name]
    f = tadc.compile(text)
    program = f.program if "equation" in name else f.adjoint().program
    run = compiler.stored(program)

    assert any(expected in statement_comment(s) for s in run.statements), [
        *map(statement_comment, run.statements)
    ]


@pytest.mark.compiler
def test_a_read_under_a_condition_says_nothing_of_how_far_a_quotient_goes():
    """`x[j, k//2]` stands where `k//2 < 7`: the sum by `k//2` is needed for others, too."""
    text = (
        "input x[40,7]\nt[i: 512] = sum{k=i..511} 0.3*(sum{j: 12} x[j, clamp(k//2)]*x[pad(k), j%7])"
    )
    x = np.random.default_rng(0).normal(size=(40, 7))

    found = tadc.compile(text, backend="native")(x)

    k, j = np.arange(40), np.arange(12)
    rows = (x[:12, np.minimum(k // 2, 6)].T * x[:, j % 7]).sum(1)
    expected = 0.3 * np.concatenate([np.cumsum(rows[::-1])[::-1], np.zeros(472)])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_stored_infinity_is_not_multiplied_by_a_sum_without_terms(backend):
    text = "t[i] = exp(u[i])\ny[i] = sum{j | j < i} t[i]*v[i]*x[j]\noutput y"
    f = tadc.compile(text, backend=backend)
    given = {"u": np.array([1000.0, 0, 0]), "v": np.ones(3), "x": np.ones(3)}

    y, pullback = f.vjp(**given)

    np.testing.assert_array_equal(f(**given), [0, 1, 2])
    np.testing.assert_array_equal(y, [0, 1, 2])
    np.testing.assert_array_equal(pullback(np.ones(3))["u"], [0, 1, 2])


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_an_infinite_factor_is_not_multiplied_by_a_running_sum_without_terms(backend):
    # Means of no terms have a cotangent that is infinite.
    text = "size N\ninput x[N], a[]\ny[t: N] = mean{s: N | s <= t - 2} x[s]*exp(-(t - s)*a)"
    x, a = np.array([1.0, 2, 3, 4, 5]), 0.5
    f = tadc.compile(text, backend=backend, dtype="float64")

    gradients = f.vjp(x, a)[1](np.ones(5))

    distance = np.arange(5)[:, None] - np.arange(5)
    terms = np.where(distance >= 2, np.exp(-distance * a) / np.maximum(distance[:, :1] - 1, 1), 0)
    np.testing.assert_allclose(gradients["x"], terms.sum(0), rtol=1e-12)
    np.testing.assert_allclose(gradients["a"], -(terms * distance @ x).sum(), rtol=1e-12)
