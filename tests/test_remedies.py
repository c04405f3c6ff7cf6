"""What an error says to write instead is valid, and in the spelling of the file."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

# The text, the column of the error, what it says to write, and the text with that. `/` ends a line.
IDX = r"""
y_i = x_{i+1} - 2x_i ? 9 ? x[i+1] ? y[i] = x[i+1] - 2*z[i]
y_{ij} = x_{ij} ? 3 ? y[i, j] ? y[i, j] = x[i, j]
s = sum(x) ? 5 ? sum{i} x[i] ? s = sum{i} x[i]
s = sum(x[i]) ? 5 ? sum{i} x[i] ? s = sum{i} x[i]
y[i] = sum(a[i,j], j) ? 8 ? sum{j} a[i,j] ? y[i] = sum{j} a[i,j]
y[i] = prod(a[i,k] + b[k]) ? 8 ? prod{k} (a[i,k] + b[k]) ? y[i] = prod{k} (a[i,k] + b[k])
m = mean(x) ? 5 ? mean{i} x[i] ? m = mean{i} x[i]
m = max(x) ? 5 ? max{i} x[i] ? m = max{i} x[i]
m = argmin(x, axis=0) ? 5 ? argmin{k} x[k] ? m = argmin{k} x[k]
y[i] = ln(x[i]) ? 8 ? log(x[i]) ? y[i] = log(x[i])
y[i] = square(x[i] + 1) ? 8 ? (x[i] + 1)**2 ? y[i] = (x[i] + 1)**2
y[i] = clip(x[i], 0, 1) ? 8 ? min(max(x[i], 0), 1) ? y[i] = min(max(x[i], 0), 1)
y[i] = clamp(x[i], 0, 1) ? 8 ? min(max(x[i], 0), 1) ? y[i] = min(max(x[i], 0), 1)
y[i] = softmax(x[i]) ? 8 ? exp(x[i])/(sum{j} exp(x[j])) ? y[i] = exp(x[i])/(sum{j} exp(x[j]))
m = norm(x) ? 5 ? sqrt(sum{i} x[i]**2) ? m = sqrt(sum{i} x[i]**2)
y[i] = max(x[i], 0, 1) ? 8 ? max(max(x[i], 0), 1) ? y[i] = max(max(x[i], 0), 1)
y[i] = log(x[i], 2) ? 8 ? log(x[i])/log(2) ? y[i] = log(x[i])/log(2)
y[i] = x(i) ? 8 ? x[i] ? y[i] = x[i]
y[i] = x[i] % 2 ? 8 ? x[i] - 2*floor(x[i]/2) ? y[i] = x[i] - 2*floor(x[i]/2)
y[i] = (x[i] + 1)(x[i] - 1) ? 18 ? (x[i] + 1)*(x[i] - 1) ? y[i] = (x[i] + 1)*(x[i] - 1)
y[i] = [i > 0] x[i] ? 16 ? [i > 0]*x[i] ? y[i] = [i > 0]*x[i]
y[i] = x[i][i > 0] ? 12 ? x[i]*[i > 0] ? y[i] = x[i]*[i > 0]
y[i] = 2x[i] ? 9 ? 2*x[i] ? y[i] = 2*x[i]
y[i] = if i then x[i] else 0 ? 11 ? i != 0 ? y[i] = if i != 0 then x[i] else 0
y[i] = if x[i] and i > 0 then 1 else 0 ? 16 ? x[i] != 0 ? y[i] = if x[i] != 0 and i > 0 then 1 else 0
y[i] = x[i] + x[i-1] ? 15 ? x[pad(i-1)] ? y[i] = x[i] + x[pad(i-1)]
y[i] = x[i-1] ? 8 ? i: N ? size N / y[i: N] = x[pad(i-1)]
y[i] = x[(i+1)/2] ? 10 ? (i+1) // 2 ? y[i] = x[(i+1) // 2]
y[i] = x[N-1-i] ? 10 ? size N ? size N / input x[N] / y[i] = x[N-1-i]
y[i,j] = x[i] ? 5 ? j: N ? size N / y[i, j: N] = x[i]
y(i) = x[i] ? 2 ? y[i] ? y[i] = x[i]
input x(N) / y[i] = x[i] ? 8 ? x[N] ? size N / input x[N] / y[i] = x[i]
y[i] = np.exp(x[i]) ? 10 ? exp ? y[i] = exp(x[i])
s = exp(-sum_k (x[k] - y[k])**2) ? 10 ? sum{k} (x[k] - y[k]) ? s = exp(-(sum{k} (x[k] - y[k])**2))
s = sum(k, x[k]**2) ? 5 ? sum{k} x[k]**2 ? s = sum{k} x[k]**2
s = mean((y - t)**2) ? 5 ? mean{k} (y[k] - t[k])**2 ? s = mean{k} (y[k] - t[k])**2
K[i,j] = sum((x[i] - y[j])**2) ? 10 ? sum{k} (x[i, k] - y[j, k])**2 ? K[i,j] = sum{k} (x[i, k] - y[j, k])**2
p[i] = softmax(2*x[i]) ? 8 ? t[..] = 2*x[i] ? t[i] = 2*x[i] / p[i] = exp(t[i])/(sum{j} exp(t[j]))
y[1:N] = x[1:N] ? 4 ? y[i: N] ? size N / y[i: N] = x[i]
s = sum{j != 2} x[j] ? 11 ? sum{j | j != ..} ? s = sum{j | j != 2} x[j]
y[i] = sum{j} a[i,j]*1{j>i} ? 23 ? [j>i] ? y[i] = sum{j} a[i,j]*[j>i]
y(x) = 2*x ? 2 ? y ? y = 2*x
size N / input x[N] / s = sum{i=1..N} x[i] ? 17 ? base 1 ? base 1 / size N / input x[N] / s = sum{i=1..N} x[i]
ij,jk->ik ? 1 ? y[i, k] = sum{j} a[i, j]*b[j, k] ? y[i, k] = sum{j} a[i, j]*b[j, k]
"bii->b" ? 1 ? y[b] = sum{i} a[b, i, i] ? y[b] = sum{i} a[b, i, i]
y[i,:] = x[i,:] ? 5 ? y[i, j] = x[i, j] ? y[i, j] = x[i, j]
y[i: 0..3] = x[i] ? 7 ? y[i: 4] ? y[i: 4] = x[i]
y[i=0..3] = x[i] ? 4 ? y[i: 4] ? y[i: 4] = x[i]
y[i<3] = x[i] ? 4 ? y[i: N] ? size N / y[i: N] = x[i]
y[i] = x{i+1} ? 9 ? x[i+1] ? y[i] = x[i+1]
y[i] = Σ{k} a[i,k] ? 9 ? sum{k} x[k] ? y[i] = sum{k} a[i,k]
y[i] = cumsum{j} x[j] ? 8 ? sum{k | k <= i} x[k] ? size N / y[i: N] = sum{k | k <= i} x[k]
s = sum{k=0..3 x[k] ? 8 ? } ? s = sum{k=0..3} x[k]
s = x[-1] ? 5 ? x[N - 1] ? input x[N] / s = x[N - 1]
y[i] = x_i w_i ? 12 ? x[i]*w[i] ? y[i] = x[i]*w[i]
y[i: 4] = x[1/2*i] ? 13 ? i // 2 ? y[i: 4] = x[i // 2]
y[i: 4] = x[3/2*(i+1)] ? 13 ? 3*(i+1) // 2 ? y[i: 4] = x[3*(i+1) // 2]
y[i: i] = x[i] ? 6 ? i: N ? size N / y[i: N] = x[i]
h[t] = w*h[t-1] + x[t] ? 10 ? h_new[..] = .. ? h_new[t] = w*h[pad(t-1)] + x[t]
"""

TEX = r"""
y_i = x_i + x_{i-1} ? 13 ? x_{\operatorname{pad}(i-1)} ? y_i = x_i + x_{\operatorname{pad}(i-1)}
y_{ij} = x_{ij} + x_{i,j+1} ? 19 ? x_{i,\operatorname{pad}(j+1)} ? y_{ij} = x_{ij} + x_{i,\operatorname{pad}(j+1)}
y_i = x_{i-1} ? 7 ? y \in \mathbb{R}^{N} ? y_i = x_{\operatorname{pad}(i-1)}, \quad y \in \mathbb{R}^{N}
y_i = x_{i/2} ? 10 ? \lfloor i/2 \rfloor ? y_i = x_{\lfloor i/2 \rfloor}
y_i = x_j ? 9 ? \sum_{j} .. ? y = \sum_{j} x_j
y_{ij} = x_i ? 5 ? y \in \mathbb{R}^{N \times M} ? y_{ij} = x_i, \quad y \in \mathbb{R}^{N \times M}
y_i = \sum_k \mathbf{1}[i \le k] x_i ? 12 ? \sum_{k = 0}^{N-1} ? %!tadc size N / y_i = \sum_{k = 0}^{N-1} \mathbf{1}[i \le k] x_i
%!tadc input x[N, D] / s_i = \|x_i - \mu\|^2 ? 9 ? %!tadc input mu[D] ? %!tadc input x[N, D] / %!tadc input mu[D] / s_i = \|x_i - \mu\|^2
%!tadc input x[N, D] / s_i = 1 + x_i^\top w_i ? 7 ? %!tadc input w[N, D] ? %!tadc input x[N, D] / %!tadc input w[N, D] / s_i = 1 + x_i^\top w_i
%!tadc input w[D] / s = w^\top \Sigma w ? 12 ? %!tadc input Sigma[N, D] ? %!tadc input w[D] / %!tadc input Sigma[D, D] / s = w^\top \Sigma w
\chi(z) = \alpha(z) + 1 ? 11 ? %!tadc input alpha[N] ? %!tadc input alpha[M] / \chi(z) = \alpha(z) + 1
y = \max(x) ? 5 ? \max_{i} x_i ? y = \max_{i} x_i
"""


def rows(lang: str, text: str) -> list[tuple[str, ...]]:
    return [
        (lang, *(part.strip().replace(" / ", "\n") for part in line.split(" ? ")))
        for line in text.strip().splitlines()
    ]


@pytest.mark.parametrize(
    ("lang", "text", "column", "remedy", "mended"), rows("idx", IDX) + rows("tex", TEX)
)
def test_a_remedy_is_valid_input_in_the_spelling_of_the_file(lang, text, column, remedy, mended):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(text, lang=lang)

    error = caught.value.errors[0]
    assert error.span.column == int(column)
    assert f"`{remedy}`" in error.fix
    tadc.compile(mended, lang=lang)


def test_the_sum_for_a_read_in_a_subscript_gathers():
    x, k = np.arange(5.0) + 10, np.array([3, 0, 4, 9])

    for f in (
        tadc.compile("y[i] = (sum{j} [j = k[i]]*x[j])"),
        tadc.compile(r"y_i = \left(\sum_{j} \mathbf{1}[j = k_i] x_{j}\right)", lang="tex"),
    ):
        np.testing.assert_array_equal(f(k=k, x=x), [13, 10, 14, 0])


@pytest.mark.parametrize(
    ("lang", "text", "fix"),
    [
        ("idx", "conv.idx", 'tadc.load("conv.idx")'),
        ("tex", "a folder/paper.tex", 'tadc.load("a folder/paper.tex")'),
        ("idx", r"\[ y_i = x_i \]", 'lang="tex"'),
        ("idx", r"y_{i} = \frac{x_i}{2}", 'lang="tex"'),
        ("idx", "y[i] = x[i]\n  z[i] = 2*x[i]", "in the column where that statement begins"),
        ("idx", "size N\n    y[i] = x[i]", "in the column where that statement begins"),
        ("idx", "for i in range(3): y[i] = x[i]", "y[i] = x[i]"),
    ],
)
def test_a_text_of_another_kind_is_told(lang, text, fix):
    with pytest.raises(tadc.SyntaxError) as caught:
        tadc.compile(text, lang=lang)

    assert fix in caught.value.errors[0].fix


def test_two_indices_without_a_range_are_given_two_sizes():
    with pytest.raises(tadc.ShapeError) as caught:
        tadc.compile("h[i, j] = exp(x[i+j])")

    said = [e.fix.split("`")[1] for e in caught.value.errors]
    assert said == ["i: N", "j: M"]
    tadc.compile(f"size N, M\nh[{', '.join(said)}] = exp(x[i+j])")


def test_an_index_that_is_repeated_may_be_summed_by_the_convention():
    with pytest.raises(tadc.SyntaxError, match="`einstein`"):
        tadc.compile("c[i, j] = a[i, k]*b[k, j]")

    c = tadc.compile("einstein\nc[i, j] = a[i, k]*b[k, j]")
    assert c(np.ones((2, 3)), np.ones((3, 4))).tolist() == [[3.0] * 4] * 2


@pytest.mark.parametrize("form", ["wrap", "clamp", "reflect", "symmetric"])
def test_what_continues_nothing_is_replaced_by_zeros(form):
    f = tadc.compile(f"y[i: 3] = x[{form}(i - 1)]")
    with pytest.raises(tadc.RangeError, match="extent 0") as caught:
        f(np.zeros(0))

    assert "`x[pad(i - 1)]`" in caught.value.fix
    assert tadc.compile("y[i: 3] = x[pad(i - 1)]")(np.zeros(0)).tolist() == [0.0, 0.0, 0.0]


CALLS = [
    ("y[i] = a[i] + b[i]", [3, 4], "1:17", "dimension 0 of b is 4, and must be 3: dimension 0 of a has the extent 3"),
    ("c[i, j] = sum{k} a[i, k]*b[k, j]", [(3, 4), (5, 2)], "1:28", "dimension 0 of b is 5, and must be 4: dimension 1 of a"),
    ("input x[3]\ny[i] = x[i]", [4], "1:9", "dimension 0 of x is 4, and must be 3"),
    ("size N\ninput x[2*N], y[N]\nz[i] = x[i]", [6, 2], "2:17", "dimension 0 of y is 2, and N is 3: N is 3 from dimension 0 of x"),
    ("y[i] = x[i]", [(3, 3)], "1:8", "x has 1 dimension in the program, and the array has 2"),
    ("size N\ny[i] = x[i]", [3], "1:6", "`N` is declared and used nowhere"),
    ("input a[3]\ny[i] = a[i] + b[i]", [3, 4], "2:17", "dimension 0 of b is 4, and must be 3"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shapes", "place", "fact"), CALLS)
def test_shapes_that_disagree_are_shown_in_the_text_without_invented_names(
    text, shapes, place, fact
):
    f = tadc.compile(text)
    with pytest.raises(tadc.ShapeError) as caught:
        f(*map(np.zeros, shapes))

    error = caught.value
    assert f"{error.span.line}:{error.span.column}" == place
    assert fact in error.fact
    words = set(error.fact.replace(":", " ").replace(",", " ").split())
    assert not {s for s in f.program.sizes if s not in text} & words


def test_a_cotangent_of_a_wrong_shape_is_told_without_invented_names():
    with pytest.raises(tadc.ShapeError, match="dimension 0 of dy is 4, and must be 3"):
        tadc.compile("y[i] = a[i] + b[i]").adjoint()(np.zeros(3), np.zeros(3), np.zeros(4))


# ---------------------------------------------------------------------- long lines


LONG = [
    "y[i] = " + " + ".join(f"a{k}[i]" for k in range(300)) + " + z[j] + " + "b + " * 100 + "1",
    "y[i] = " + "a" * 30_000 + "(x[i])",
    "y[i] = x[" + "i+" * 300 + "0.5]",
    "y[i] = (" + "a" * 30_000,
    "y[i] = " + "a" * 30_000 + " x[i]",
    "y[i] = x[i] ^" + " " * 30_000,
    "y[i] = " + "語" * 5_000 + " ^ 2",
]


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_an_error_shows_no_more_than_a_window_of_a_long_line(text):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(text)

    lines = str(caught.value).split("\n")
    assert len(str(caught.value)) < 1500
    assert len(lines[1]) < 160
    assert ".." in lines[1]
    at = lines[2].index("^")
    if text.isascii():
        assert lines[1][at:].startswith(caught.value.span.text[:20].strip())


def test_tabs_and_wide_characters_keep_the_caret_in_its_column():
    with pytest.raises(tadc.Error) as caught:
        tadc.compile("語[i]\t=\tx[i] ^ 2")

    _, line, carets, _ = str(caught.value).split("\n")
    assert line == "    語[i]\t=\tx[i] ^ 2"
    assert carets == "         \t \t     ^"
