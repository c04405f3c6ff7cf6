"""Programs whose sizes have no numbers yet print from their trees, in both spellings, as what they were."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

PROGRAMS = {
    "stride": ("size M, N\ninput x[N], w[M]\ny[i, j: M] = x[M*i + j] * w[j]", {"M": 3, "N": 12}),
    "quotient and remainder": ("size S, N\ninput x[N]\ny[i: 6] = x[i // S] - (x[i % S] - i % S)", {"S": 2, "N": 6}),
    "size of sizes": ("size A, B\nsize C = A*B\ninput a[A, B]: float64\ny[i: C] = a[i // B, i % B]**2", {"A": 2, "B": 3}),
    "several statements": (
        "size S, N\ninput x[N], b[]\nt[i: 4] = exp(-x[S*i]**2) / (1 + x[i]) - (x[i] - b)\n"
        "y = sum{i, k=0..S*i | k != i and (i < 2 or k = 3)} t[i]*[i <= k]*x[pad(S*i - k)]\noutput y, t",
        {"S": 2, "N": 9},
    ),
    "conditions": (
        "size S, N\ninput x[N]\ny[i: 4] = if i % S = 1 and not i = 3 then x[S*i] else where(x[i] > 0.5, 2.5e-3, -x[clamp(i - S, 1, 4)])",
        {"S": 2, "N": 9},
    ),
    "base one": ("base 1\nsize S, N\ninput x[N]\ny[i: 4] = sum{k: S} x[S*(i - 1) + k]*k", {"S": 2, "N": 9}),
    "reductions": (
        "size S, N\ninput x[N]\ny[i: 3] = max(x[i // S], 0.5) + logsumexp{k: S} x[S*i + k]*2 + max{k=i..i + 1} sum{l: 2} (x[S*k] + l)*pi",
        {"S": 2, "N": 9},
    ),
    "einstein": ("size S, N, K\ninput a[N, K], b[K]\neinstein\ny[i: 3] = a[S*i, k]*b[k]", {"S": 2, "N": 5, "K": 2}),
}  # fmt: skip


def values(f, sizes):
    """The outputs for random input, by name."""
    g = f.fix(**{s: n for s, n in sizes.items() if s in f.open_sizes})
    random = np.random.default_rng(1)
    shapes = [[n.at(sizes) for n in t.shape] for t in g.program.inputs]
    given = {s: n for s, n in sizes.items() if s in g.sizes}
    results = g(*(random.uniform(0.2, 0.9, shape) for shape in shapes), **given)
    listed = results if isinstance(results, tuple) else (results,)
    return dict(zip(g.outputs, listed, strict=True))


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("target", "lang"), [("idx", "idx"), ("latex", "tex")])
def test_the_text_of_an_open_program_compiles_to_the_same_function(name, target, lang):
    text, sizes = PROGRAMS[name]
    f = tadc.compile(text, backend="interpreter")
    printed = f.source(target)
    g = tadc.compile(printed, lang=lang, backend="interpreter")

    assert (g.inputs, g.outputs, g.open_sizes) == (f.inputs, f.outputs, f.open_sizes)
    expected = values(f, sizes)
    for output, value in values(g, sizes).items():
        np.testing.assert_array_equal(value, expected[output])


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_printed_text_prints_as_itself(name):
    printed = str(tadc.compile(PROGRAMS[name][0]))

    assert str(tadc.compile(printed)) == printed


def test_sizes_stand_in_the_text_by_name_and_fixed_ones_as_numbers():
    f = tadc.compile("size A, B, N\ninput x[N]\ny[i: 3] = x[A*i + i // B]")

    assert "x[A*i + i // B]" in str(f)
    assert r"x_{A i + \lfloor i/B \rfloor}" in f._repr_latex_()
    assert "size A, N\nsize B = 2\n" in str(f.fix(B=2))
    assert "x[3*i + (i // 2)]" in str(f.fix(A=3, B=2))


def test_a_latex_program_has_a_text_too():
    f = tadc.compile(r"%!tadc size M, N, K\n%!tadc input w[M], x[N]\n\[ y_i = \sum_{j} x_{M i + j} w_j \]".replace("\\n", "\n"), lang="tex")  # fmt: skip

    assert str(f).endswith("y[i] = sum{j} x[M*i + j]*w[j]\n")
    assert "x_{M i + j} w_{j}" in f.source("latex")


def test_extents_of_some_indices_have_no_latex_unless_they_follow():
    f = tadc.compile("size M, N\ninput x[N]\ny[i, j: M] = x[M*i + j]")

    with pytest.raises(tadc.SyntaxError, match=r"`i` has no extent.*\n.*\n.*\n.*i: N"):
        f.source("latex")
    assert "y_{ij}" in f._repr_latex_()
