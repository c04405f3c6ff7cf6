"""Conditions on minima, maxima and other pieces of data: bounded in their number, right, and the same when they are printed."""

import numpy as np
import pytest

import tadc

E = 6
HEAD = "size N = 5, E\ninput k[N]: index, m[N]: index, far[E]: index, typ[E]: index, w[E], x[N]\n"
MIXED = "k[min(max(far[{0}]//3 + 2, 0), 4)] != min(max(typ[{1}] % 3, 0), {2})"


def arrays(seed):
    rng = np.random.default_rng(seed)
    k, m, typ = (rng.integers(0, 5, n) for n in (5, 5, E))
    return {
        "k": k, "m": m, "far": rng.integers(-9, 9, E), "typ": typ, "w": rng.standard_normal(E), "x": rng.standard_normal(5),
    }  # fmt: skip


def mixed(a, i, e, most):
    left = np.clip(a["far"][i] // 3 + 2, 0, 4)
    return a["k"][left] != min(max(a["typ"][e] % 3, 0), most)


# Texts with whether a term is added at `i, e`: each condition is of nine pieces or more.
TERMS = {
    f"{MIXED.format('i', 'e', 4)} and {MIXED.format('e', 'i', 1)}": lambda a, i, e: mixed(a, i, e, 4) and mixed(a, e, i, 1),
    f"({MIXED.format('i', 'e', 4)} or typ[e] = 2) and not ({MIXED.format('e', 'i', 1)})": lambda a, i, e: (
        (mixed(a, i, e, 4) or a["typ"][e] == 2) and not mixed(a, e, i, 1)
    ),
    "max(far[e], typ[e], 1) != min(far[i], typ[i], 3) and max(far[i], typ[e], 0) = max(far[e], typ[i], 0) and abs(far[e]) != 3": lambda a, i, e: (
        max(a["far"][e], a["typ"][e], 1) != min(a["far"][i], a["typ"][i], 3)
        and max(a["far"][i], a["typ"][e], 0) == max(a["far"][e], a["typ"][i], 0)
        and abs(a["far"][e]) != 3
    ),
    "min(max(far[e], 0), 4) + abs(typ[e]) + max(far[i], 3) != abs(far[i]) + abs(typ[i] - 2)": lambda a, i, e: (
        min(max(a["far"][e], 0), 4) + abs(a["typ"][e]) + max(a["far"][i], 3) != abs(a["far"][i]) + abs(a["typ"][i] - 2)
    ),
    "clamp(far[e], 0, 3) = clamp(typ[i], 1, 2)": lambda a, i, e: min(max(a["far"][e], 0), 3) == min(max(a["typ"][i], 1), 2),
}  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
@pytest.mark.parametrize("condition", TERMS)
def test_conditions_on_many_pieces_of_data_hold_where_they_say(condition, backend):
    text = f"{HEAD}y[i: E] = sum{{e: E | {condition}}} w[e]*x[typ[e]]"
    f = tadc.compile(text, backend=backend, dtype="float64")
    for seed in range(4):
        a = arrays(seed)
        given = {n: v for n, v in a.items() if n in f.inputs}
        holds = np.array([[TERMS[condition](a, i, e) for e in range(E)] for i in range(E)])
        y, pullback = f.vjp(**given)
        np.testing.assert_allclose(y, holds @ (a["w"] * a["x"][a["typ"]]), rtol=1e-12, atol=1e-12)
        expected = holds.sum(0) * a["x"][a["typ"]]
        np.testing.assert_allclose(pullback(np.ones(E))["w"], expected, rtol=1e-12, atol=1e-12)
        again = tadc.compile(str(f), backend=backend, dtype="float64")
        np.testing.assert_array_equal(again(**given), y)


@pytest.mark.timeout(60)
def test_sums_in_sums_with_such_conditions_are_compiled():
    one, other = MIXED.format("i", "a", 4), MIXED.format("i", "b", 3)
    body = f"max{{a: E | {one}}} (w[a]*sum{{b: E | typ[b] = a and {other} and {one.replace('[a]', '[b]')}}} w[b])"
    f = tadc.compile(f"{HEAD}y[i: E] = {body}", backend="numpy")
    assert f.adjoint().tangent().source("c")


def test_a_condition_on_a_few_pieces_guards_a_read():
    f = tadc.compile(f"{HEAD}y[i: E] = [min(far[i], 9) != -1]*[0 <= far[i] < N]*x[far[i]]", backend="numpy")  # fmt: skip
    a = arrays(1)
    found = f(**{n: v for n, v in a.items() if n in f.inputs})
    inside = (a["far"] >= 0) & (a["far"] < 5)
    np.testing.assert_allclose(found, np.where(inside, a["x"][a["far"].clip(0, 4)], 0), rtol=1e-6)


# Elements of data in data, where a choice leaves some out: in sums, in conditions, in two dimensions.
FORMS = ["k[pad(far[{}])]", "k[pad(far[{}] + 1, 2)]", "k[reflect(far[{}])]", "m[k[pad(far[{}])]]"]
PRINTED = [
    "y[j: N] = sum{e: E | F(e) = j} w[e]*x[j]",
    "y[j: N] = sum{e: E | F(e) + 1 = j} w[e]*x[F(e)]",
    "y[i: E] = if F(i) < 3 then x[F(i)] else w[i]",
    "y[i: E] = sum{e: E | F(e) != F(i)} w[e]*x[F(i)]",
    "y[i: E] = sum{e: E | F(e) = F(i)} w[e]*w[i]*x[F(e)]",
    "y[i: E] = A[F(i), pad(F(i) - 1)]*x[clamp(2*far[i])]",
    "y[i: E] = A[k[clamp(far[i] - 1)], k[clamp(2*far[i])]]",
]


@pytest.mark.plain(form=2)
@pytest.mark.parametrize("text", PRINTED)
@pytest.mark.parametrize("form", range(len(FORMS)))
def test_a_printed_derivative_reads_data_where_the_program_does(form, text):
    for at in "ie":
        text = text.replace(f"F({at})", FORMS[form].format(at))
    f = tadc.compile(f"{HEAD}input A[N, N]\n{text}", backend="interpreter", dtype="float64")
    wrt = [n for n in ("w", "x", "A") if n in f.inputs]
    adjoint = f.adjoint(wrt)
    again = tadc.compile(str(adjoint), backend="interpreter", dtype="float64")
    a = {**arrays(3), "A": np.random.default_rng(3).standard_normal((5, 5))}
    given = {n: a[n] for n in f.inputs}
    given["dy"] = np.random.default_rng(4).standard_normal(f(**given).shape)
    values = [given[n] for n in adjoint.inputs]
    found, expected = (g(*values) for g in (again, adjoint))
    for one, other in zip(found, expected, strict=True) if len(wrt) > 1 else [(found, expected)]:
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
@pytest.mark.parametrize("more", ["", " and s <= t"])
def test_positions_in_groups_of_the_result_have_gradients(more, backend):
    text = (
        f"size N, M\ninput x[M], k[N]: 0..M - 1\ny[t: N] = sum{{s: N | s//3 = t//3{more}}} x[k[s]]"
    )
    n, m = 11, 4
    rng = np.random.default_rng(1)
    x, k, dy = rng.standard_normal(m), rng.integers(0, m, n), rng.standard_normal(n)
    t, s = np.mgrid[:n, :n]
    together = (s // 3 == t // 3) & ((s <= t) if more else True)
    f = tadc.compile(text, backend=backend, dtype="float64")

    y, pullback = f.vjp(x=x, k=k)

    np.testing.assert_allclose(y, together @ x[k], rtol=1e-12)
    expected = np.bincount(k, weights=dy @ together, minlength=m)
    np.testing.assert_allclose(pullback(dy)["x"], expected, rtol=1e-12, atol=1e-12)
