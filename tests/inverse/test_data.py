"""Inverse modes of programs that read through data."""

import numpy as np
import pytest
from dense import check_against_dense, packed

import tadc

rng = np.random.default_rng(0)
SRC, DST = [0, 1, 2, 3, 1], [1, 2, 3, 0, 0]
SMALL, LARGE = rng.standard_normal(5) / 4, rng.standard_normal(5) + 4

# name: text, arrays, kinds of the steps as they are planned
PROGRAMS = {
    "a permutation": (
        "size N\nstate x[N]\ninput p[N]: index, w[N]\nx[i] <- w[i]*x[p[i]]",
        {"x": rng.standard_normal(5), "p": [2, 0, 1, 4, 3], "w": LARGE}, ["dense"],
    ),
    "a permutation of rows": (
        "size N, B\nstate x[B, N]\ninput p[N]: index, w[N]\nx[b, i] <- w[i]*x[b, p[i]]**3",
        {"x": rng.random((2, 5)) + 1, "p": [2, 0, 1, 4, 3], "w": LARGE}, ["blocks"],
    ),
    "one tensor by the other along a permutation": (
        "size N\nstate x[N], y[N]\ninput p[N]: index\nx[i] <- x[i] + sin(y[p[i]])\ny[i] <- 2*y[i] + x[p[i]]**2",
        {"x": rng.standard_normal(5), "y": rng.standard_normal(5), "p": [2, 0, 1, 4, 3]}, ["diagonal", "diagonal"],
    ),
    "messages along edges": (
        "size N\nstate x[N]\ninput w[E]\nx[i] <- x[i] + sum{e | dst[e] = i} w[e]*sin(x[src[e]])",
        {"x": rng.standard_normal(4), "src": SRC, "dst": DST, "w": SMALL}, ["dense"],
    ),
    "messages that are stored": (
        "size N\nstate x[N]\ninput w[E]\nm[e] = w[e]*sin(x[src[e]])\nx[i] <- x[i] + sum{e | dst[e] = i} m[e]",
        {"x": rng.standard_normal(4), "src": SRC, "dst": DST, "w": SMALL}, ["dense"],
    ),
    "springs by leapfrog": (
        "size N, T\nstate x[N], v[N]\ninput a[E]: index, b[E]: index, h\nrepeat T {\n"
        "  v[i] <- v[i] + h*sum{e} ([a[e] = i] - [b[e] = i])*(x[b[e]] - x[a[e]])\n  x[i] <- x[i] + h*v[i]\n}",
        {"x": rng.standard_normal(4), "v": rng.standard_normal(4), "a": [0, 1, 2], "b": [1, 2, 3], "h": 0.1, "T": 2}, ["diagonal"]*4,
    ),
    "rows of a matrix": (
        "size N\nstate x[N]\nx[i] <- x[i] + sum{e=ptr[i]..ptr[i+1]-1} A[e]*x[col[e]]",
        {"x": rng.standard_normal(3), "ptr": [0, 2, 2, 4], "col": [1, 2, 0, 2], "A": SMALL[:4]}, ["dense"],
    ),
    "independent rows": (
        "size B, N\nstate x[B, N]\ninput p[N]: index, w[N]\nx[b, i] <- 2*x[b, i] + w[i]*x[b, p[i]]",
        {"x": rng.standard_normal((3, 5)), "p": [1, 1, 3, 2, 0], "w": SMALL}, ["blocks"],
    ),
    "weights by labels": (
        "size N\nstate x[N]\ninput t[M]\nx[i] <- x[i]*exp(t[k[i]]) + t[k[i]]",
        {"x": rng.standard_normal(4), "k": [0, 2, 0, 1], "t": SMALL[:3]}, ["diagonal"],
    ),
    "elements before": (
        "size N\nstate x[N]\ninput k[N]: index, w[N]\nx[i] <- 2*x[i] + [k[i] < i]*w[i]*x[pad(k[i])]",
        {"x": rng.standard_normal(5), "k": [-1, 0, 0, 2, 1], "w": SMALL}, ["triangular"],
    ),
    "where data say so": (
        "size N\nstate x[N]\ninput c[N]: index, w[N]\nx[i] <- if c[i] = 0 then 2*x[i] + w[i]*x[pad(i+1)] else x[i]",
        {"x": rng.standard_normal(5), "c": [0, 1, 0, 0, 1], "w": SMALL}, ["triangular"],
    ),
    "where data of the round say so": (
        "size N, T\nstate x[N]\ninput c[N]: index, w[N]\nrepeat t: T {\n  x[i] <- if c[i] = t then 3*x[i] + w[i]*x[c[i]] else x[i]\n}",
        {"x": rng.standard_normal(5), "c": [0, 1, 2, 1, 0], "w": SMALL, "T": 2}, ["triangular", "dense"],
    ),
    "where computed indices say so": (
        "size N\nstate x[N]\ninput u[N]\nc[i]: index = floor(u[i])\nx[i] <- if c[i] = 0 then 2*x[i] + x[clamp(c[i])] else x[i]",
        {"x": rng.standard_normal(5), "u": [0.2, 1.3, 0.4, 7.0, -0.5]}, ["triangular"],
    ),
    "without states": (
        "input p[N]: index, w[N]\ny[i] = w[i]*x[p[i]] + x[i]**3",
        {"x": rng.standard_normal(5), "p": [0, 3, 0, 1, 4], "w": LARGE}, ["dense"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("backend", ["interpreter", "numpy", pytest.param("native", marks=[pytest.mark.slow, pytest.mark.compiler])])  # fmt: skip
@pytest.mark.parametrize("name", PROGRAMS)
def test_inverse_modes_are_those_of_the_matrix(name, backend):
    text, point, kinds = PROGRAMS[name]
    f = tadc.compile(text, backend=backend)
    wrt = None if f.states else "x"

    found = check_against_dense(f, point, wrt)

    assert [s.kind for s in found] == kinds


@pytest.mark.parametrize("name", ["a permutation", "messages along edges", "elements before"])
def test_modes_are_programs_too(name):
    text, point, _ = PROGRAMS[name]
    f = tadc.compile(text, backend="numpy")
    sizes = {"N": len(point["x"])} | ({"E": 5} if "E" in f.sizes else {})
    v = rng.standard_normal(sizes["N"])
    for mode in (f.inverse_tangent(), f.inverse_adjoint(), f.logdet()):
        given = [v] if mode.given else []
        arrays = [point[n] for n in f.inputs]
        np.testing.assert_allclose(
            mode.function(**sizes)(*arrays, *given), mode(*arrays, *given), rtol=1e-10
        )


def test_a_permutation_of_any_size_is_solved_by_its_elements():
    n = 20_000  # more than a dense block may have
    text, _, _ = PROGRAMS["a permutation"]
    f = tadc.compile(text, backend="numpy")
    p, w, v = rng.permutation(n), rng.random(n) + 1, rng.standard_normal(n)
    x = np.ones(n)

    solved = f.inverse_tangent()(x, p, w, v)

    np.testing.assert_allclose(w * solved[p], v)
    np.testing.assert_allclose(f.logdet()(x, p, w), np.log(w).sum())
    p[3] = p[4]
    with pytest.raises(tadc.DerivativeError, match="20000 rows"):
        f.inverse_tangent()(x, p, w, v)


def test_costs_and_newton_steps_are_those_of_any_step():
    text, point, _ = PROGRAMS["messages along edges"]
    f = tadc.compile(text, backend="numpy")

    assert f.inverse_tangent().cost(N=4, E=5).operations > f.cost(N=4, E=5).operations
    solved = f.newton(**point, target=point["x"])
    np.testing.assert_allclose(f(**{**point, "x": solved.x["x"]}), point["x"], atol=1e-12)
    krylov = f.inverse_tangent(solver="krylov")(**point, dx=np.ones(4))
    np.testing.assert_allclose(krylov, f.inverse_tangent()(**point, dx=np.ones(4)), rtol=1e-8)


def test_what_a_call_checks_inverse_modes_check():
    text, point, _ = PROGRAMS["messages along edges"]
    f = tadc.compile(text, backend="numpy")
    with pytest.raises(tadc.DataError) as caught:
        f.inverse_tangent()(**{**point, "src": [0, 1, 9, 3, 1]}, dx=np.ones(4))
    assert (caught.value.tensor, caught.value.index) == ("src", (2,))


def test_long_loops_are_inverted_round_by_round_and_may_run_backwards():
    text, point, _ = PROGRAMS["springs by leapfrog"]
    f = tadc.compile(text, backend="numpy")
    point = {**point, "T": 300}
    d = dict(zip(("dx", "dv"), rng.standard_normal((2, 4)), strict=True))
    back = f.inverse_tangent()(**point, **d)
    reverse = f.inverse_tangent(memory="reverse")

    np.testing.assert_allclose(reverse(**point, **d), back, rtol=1e-8)
    again = f.tangent(("x", "v"))(**point, **dict(zip(("dx", "dv"), back, strict=True)))
    np.testing.assert_allclose(packed(again), packed(list(d.values())), rtol=1e-8)
    assert abs(f.logdet()(**point)) < 1e-12


def test_a_condition_on_data_has_no_program_and_says_so():
    f = tadc.compile(PROGRAMS["where data say so"][0], backend="numpy")
    with pytest.raises(tadc.Error, match="reads `c`"):
        f.inverse_tangent().function(N=5)


def test_index_tensors_may_be_kept():
    text, point, _ = PROGRAMS["springs by leapfrog"]
    f = tadc.compile(text, backend="numpy")
    given = {n: tadc.index(a) if n in "ab" else a for n, a in point.items()}
    d = {"dx": np.ones(4), "dv": np.ones(4)}

    np.testing.assert_array_equal(
        packed(f.inverse_tangent()(**given, **d)), packed(f.inverse_tangent()(**point, **d))
    )


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("name", ["a permutation", "messages along edges"])
def test_arrays_of_cupy_stay_there(xp, name, n):
    f = tadc.compile(PROGRAMS[name][0])
    src, dst = rng.integers(0, n, (2, 2 * n))
    given = {"x": rng.standard_normal(n), "p": rng.permutation(n), "src": src, "dst": dst}
    given["w"] = rng.random(2 * n if "src" in f.inputs else n) / 4
    given = [given[n] for n in f.inputs]
    v = rng.standard_normal(n)

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        found = mode(*map(xp.asarray, given), xp.asarray(v))
        assert isinstance(found, xp.ndarray)
        np.testing.assert_allclose(xp.asnumpy(found), mode(*given, v), rtol=1e-9)
