"""Sentences of docs/language.md: its code blocks, and for each sentence the smallest program that would show it violated.

Programs compile, errors print as shown, sessions print what they say; what a sentence means is computed by numpy.
"""

from __future__ import annotations

import doctest

import documents
import numpy as np
import pytest

import tadc

BLOCKS = list(documents.blocks("docs/language.md"))


def of(*languages):
    found = [pytest.param(b.text, id=str(b)) for b in BLOCKS if b.language in languages]
    return pytest.mark.parametrize("text", found)


def test_there_is_a_test_for_every_language():
    assert {b.language for b in BLOCKS} == {"idx", "idx-error", "text", "python", "tex"}


@of("idx")
def test_a_program_compiles_and_has_an_adjoint(text):
    assert "d" in str(tadc.compile(text).adjoint())


@of("tex")
def test_a_formula_compiles_and_has_an_adjoint(text):
    assert "d" in str(tadc.compile(text, lang="tex").adjoint())


def test_errors_print_as_they_are_shown():
    programs = [b.text for b in BLOCKS if b.language == "idx-error"]
    shown = [b.text for b in BLOCKS if b.language == "text"]
    for program, error in zip(programs, shown, strict=True):
        with pytest.raises(tadc.Error) as caught:
            tadc.compile(program)
        assert f"{caught.value}\n" == error


def test_sessions_print_what_is_shown():
    session = "\n".join(b.text for b in BLOCKS if b.language == "python")
    test = doctest.DocTestParser().get_doctest(session, {}, "language.md", None, 0)
    results = doctest.DocTestRunner(verbose=False)

    results.run(test)

    assert results.tries > 5
    assert not results.failures


# ---- The reference, sentence by sentence

inf, nan = np.inf, np.nan
W, X, Z = (
    np.array([2.0, 3.0, 5.0]),
    np.array([0.5, 0.25, 0.75, 0.375, 0.875]),
    np.array([7.0, 11.0]),
)
A = np.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
I5 = np.arange(5)


def each(count, element):
    return [element(i) for i in range(count)]


def padded(x, mode, **more):
    """`x` continued by 9 elements on both sides: index `i` of `x` is `i + 9`."""
    return np.pad(x, 9, mode=mode, **more)


# fmt: off
SENTENCES = {
    # sections 1 and 8: programs, names, scopes
    "a scalar is written with and without brackets": ("l[] = sum{i} x[i]; m = l + l[]\noutput l, m", {"x": X}, (X.sum(), 2 * X.sum())),
    "outputs are what no later statement reads": ("t[i] = 2*x[i]; y[i] = t[i] + 1; z[i] = x[i]", {"x": X}, (2*X + 1, X)),
    "an output is read, and an input is one": ("output x, t, y\nt[i] = 2*x[i]; y[i] = t[i] + 1", {"x": X}, (X, 2*X, 2*X + 1)),
    "an input that no output needs stays one": ("output y\ny[i] = x[i]; z[i] = log(q[i])", {"x": X, "q": X}, X),
    "words are ordinary names": ("exp[i] = exp(x[i]); size[i] = exp[i]; step = sum{lambda} size[lambda]", {"x": X}, np.exp(X).sum()),
    "an index may be called like a tensor": ("i[i] = 2*x[i]; y[j] = i[j] + j", {"x": X}, 2*X + I5),
    "an index hides a size of its name": ("size N = 9\ny[N: 3] = x[N] * N", {"x": X}, X[:3] * I5[:3]),
    "an inner index hides the outer one": ("y = sum{k} x[k] * sum{k} w[k]", {"x": X, "w": W}, X.sum() * W.sum()),
    "names have letters of any script and are normalized": ("ﬁ[ι] = Ж[ι]*名; y[i] = fi[i]", {"Ж": X, "名": 2.0}, 2*X),
    "lines continue when deeper or bracketed": ("\ufeffy[i] = x[i] # (\n  + 1\r\nz[i] = (y[i]\n* 2\n);w[i] = z[i]", {"x": X}, 2*X + 2),
    "declarations in any order": ("y[i: P] = x[i + 1]\nsize P = N - 1\ninput x[N]", {"x": X}, X[1:]),
    "a name in the shape of an input is a size": ("input a[N, K]\ny[i] = sum{k: K} a[i, k]/N", {"a": A}, A.sum(1)/2),
    # section 2: index expressions
    "a size with a number is a coefficient": ("size M = 2\ny[i: 2, j: 2] = x[M*i + j]", {"x": X}, X[:4].reshape(2, 2)),
    "division rounds down": ("y[i: 8] = x[(i - 4)//3 + 2]", {"x": X}, each(8, lambda i: X[(i - 4)//3 + 2])),
    "the rest is not negative": ("y[i: 8] = x[(3 - i) % 5]", {"x": X}, each(8, lambda i: X[(3 - i) % 5])),
    "divisions nest": ("y[i: 9] = x[(i//2 + i%3) // 2]", {"x": X}, each(9, lambda i: X[(i//2 + i%3) // 2])),
    "min and max": ("size N\ninput x[N]\ny[i: N] = x[min(i + 1, N - 1)] * x[max(0, i - 2, i - 3)]", {"x": X}, each(5, lambda i: X[min(i + 1, 4)] * X[max(0, i - 2)])),
    "clamp between bounds": ("y[i: 9] = x[clamp(i - 3, 1, 3)]", {"x": X}, each(9, lambda i: X[min(max(i - 3, 1), 3)])),
    "min inside a sum": ("y[i: 4] = sum{r: 2} x[max(0, min(i - 1, 3)) + r]", {"x": X}, each(4, lambda i: X[max(0, min(i - 1, 3)):][:2].sum())),
    "pad with constants, the leftmost first": ("input a[2, 3]\ny[i: 4, j: 5] = a[pad(i - 1, 7), pad(j - 1, -inf)]", {"a": A}, [[7.0]*5, [-inf, 1, 2, 4, -inf], [-inf, 8, 16, 32, -inf], [7.0]*5]),
    "pad of nothing": ("y[i: 3] = x[pad(i, 4)]", {"x": []}, [4, 4, 4]),
    **{
        f"{form} in {n}, any distance outside": (f"input x[{n}]\ny[i: 7] = x[{form}(9 - 3*i)]", {"x": X[:n]}, each(7, lambda i, n=n, mode=mode: padded(X[:n], mode)[18 - 3*i]))
        for form, mode in {"pad": "constant", "clamp": "edge", "wrap": "wrap", "reflect": "reflect", "symmetric": "symmetric"}.items()
        for n in (2, 3, 4)
    },
    **{
        f"{form} with a symbolic extent, which is {n}": (f"size N\ninput x[N]\ny[i: N] = sum{{k: 5}} x[{form}(i + k - 2)]", {"x": X[:n]}, each(n, lambda i, n=n, mode=mode: padded(X[:n], mode)[i + 7:][:5].sum()))
        for form, mode in {"pad": "constant", "clamp": "edge", "wrap": "wrap", "reflect": "reflect", "symmetric": "symmetric"}.items()
        for n in (1, 2, 5)
    },
    "wrap around an extent that nobody declares": ("y[i: 4] = x[wrap(-2*i - 2)]", {"x": X}, each(4, lambda i: X[(-2*i - 2) % 5])),
    "reflect a window of two dimensions": ("y[i: 2, j: 3] = sum{r=-2..2, s=-2..2} a[reflect(i + r), reflect(j + s)]", {"a": A}, each(2, lambda i: [np.pad(A, 2, mode="reflect")[i:i + 5, j:j + 5].sum() for j in range(3)])),
    "max inside a boundary form": ("y[i: 6] = x[pad(max(i, 2))]", {"x": X}, [*X[[2, 2, 2, 3, 4]], 0]),
    "min inside a periodic form": ("input x[5]\ny[i: 7] = x[wrap(2*min(i, 4) - 9)]", {"x": X}, each(7, lambda i: X[(2*min(i, 4) - 9) % 5])),
    "min and max as bounds of both kinds": ("y[i: 5] = sum{k=min(i, 1)..max(i, 2)} x[k]", {"x": X}, each(5, lambda i: X[min(i, 1):max(i, 2) + 1].sum())),
    "a scaled min as a bound": ("y[i: 6] = sum{k=0..2*min(i, 2)} x[k]", {"x": X}, each(6, lambda i: X[:2*min(i, 2) + 1].sum())),
    "min and max under // and %": ("y[i: 5] = (max(i, 2) % 3)*x[min(3*i, 8)//2]", {"x": X}, each(5, lambda i: max(i, 2) % 3 * X[min(3*i, 8)//2])),
    "max in a condition": ("y[i] = sum{k: 3 | max(k, i) % 2 = 0 and min(k, i) < 2} x[i]", {"x": X}, each(5, lambda i: sum(X[i] for k in range(3) if max(k, i) % 2 == 0 and min(k, i) < 2))),
    "min of sizes as an extent": ("input x[N], w[M]\ny[i: min(N, M)] = x[i]*w[i]", {"x": X, "w": W}, X[:3]*W),
    "division of a size as an extent": ("input x[K]\ny = sum{k: (K + 1)//2} x[k]", {"x": X}, X[:3].sum()),
    # section 3: ranges
    "explicit, some or all": ("f[i: 2, j, k: 1] = x[i]*w[j]*x[k]", {"x": X, "w": W}, (X[:2, None] * W * X[0])[..., None]),
    "the largest range through a division": ("y[i] = x[(2*i + 1)//3]", {"x": X}, each(7, lambda i: X[(2*i + 1)//3])),
    "the largest range of a negative coefficient": ("y[i] = x[3 - i]*x[2*i]", {"x": X}, each(3, lambda i: X[3 - i] * X[2*i])),
    "the largest range in rounds": ("y[i, j] = w[i + 1]*x[i + j]", {"x": X, "w": W}, [[W[i + 1]*X[i + j] for j in range(4)] for i in range(2)]),
    "explicit bounds count as determined": ("y[i] = sum{r=-1..1} x[i + r + 1]", {"x": X}, each(3, lambda i: X[i:i + 3].sum())),
    "an extent of 0 counts as if its last value were -1": ("input x[5], w[0]\ny[i] = sum{r} x[i + r]*w[r]", {"x": X, "w": []}, np.zeros(6)),
    "empty only for extent 0": ("y[i] = x[i + 2]", {"x": []}, []),
    "sizes are solved from several shapes together": ("size N, M\ninput x[N + M], w[N - M]\ny = N + 10*M", {"x": X, "w": W}, 14),
    "sizes solve shape expressions": ("size N\ninput x[2*N + 1]\ny = N", {"x": X}, 2),
    "reads that conditions exclude are inside": ("input x[5]\ny[i: 9] = if 2*i = 7 then x[i + 99] else if i % 2 = 0 and not i > 8 then x[i//2] else 0", {"x": X}, each(9, lambda i: 0 if i % 2 else X[i//2])),
    "what a condition on sizes excludes is not there": ("size N\ninput x[N]\ny = if N < 1 then 5 else x[0]", {"x": []}, 5),
    # section 4: expressions
    "powers bind to the right, above minus": ("y[i] = -x[i]**2**-1 + 2**-x[i]", {"x": X}, -np.sqrt(X) + 2**-X),
    "functions without parentheses": ("y[i] = exp exp x[i] + exp (x[i])**2", {"x": X}, np.exp(np.exp(X)) + np.exp(X)**2),
    "a body is a multiplicative term": ("y = sum{i} -x[i]*2 / 4 + w[0]", {"x": X, "w": W}, 2 - X.sum()/2),
    "index values are reals": ("y[i] = x[i] + i/2 + i//2 + i%2 + clamp(i, 1, 3) + i*i", {"x": X}, X + I5/2 + I5//2 + I5%2 + I5.clip(1, 3) + I5**2),
    "bounds rounded inwards": ("y[i: 4] = sum{k}_(1/2*i)^(3/2*i) (1)", {}, each(4, lambda i: 3*i//2 - -(-i//2) + 1)),
    "bounds in lists": ("y[i: 5] = sum{k}_(max [0; i - 2])^(min [3; i]) (x[k])", {"x": X}, each(5, lambda i: X[max(0, i - 2):min(3, i) + 1].sum())),
    "several ranges and a condition": ("y = sum{k=0..2, l | l < k} x[k]*w[l]", {"x": X, "w": W}, sum(X[k]*W[m] for k in range(3) for m in range(k))),
    "not is looser than comparisons, then and, then or": ("y[i] = if not i = 1 and i < 3 or i = 4 then x[i] else 0", {"x": X}, np.where(np.isin(I5, (0, 2, 4)), X, 0)),
    "conditions mix": ("y[i: 7] = if i < 5 then [x[i] > 0.4 or i = 1] else 2", {"x": X}, [*((X > 0.4) | (I5 == 1)), 2, 2]),
    "what is affine is tested before values are": ("input x[5]\ny[i: 9] = if x[i] > 0.4 and i < 5 then 1 else 0; z = sum{k: 9 | k < 5 and x[k] > 0.4} 1", {"x": X}, ([*(X > 0.4), 0, 0, 0, 0], (X > 0.4).sum())),
    "conditions with products and fractions": ("y[i: 5] = [i*i < 5] + [i < 2.5]", {}, 2 * (I5 < 3)),
    "is int": ("y[i: 5] = if {1/2*i + -1/2 is int} then 1 else 0", {}, I5 % 2),
    "a bracket guards its whole term": ("y[i: 9] = -2 / x[i] * [i < 5]", {"x": X}, [*(-2/X), 0, 0, 0, 0]),
    "a bracket guards a reduction": ("y[i: 9] = (sum{k} w[k]*x[i]) * [i < 5]", {"x": X, "w": W}, [*(10*X), 0, 0, 0, 0]),
    "a denominator is not guarded by itself": ("y[i: 3] = x[i] / (2 - [i = 1])", {"x": X}, X[:3] / [2, 1, 2]),
    "delta": ("y[i: 3, j: 3] = delta(i, 2 - j)*w[i]", {"w": W}, np.fliplr(np.diag(W))),
    "where": ("y[i] = where(1 <= i < 3, x[i], -x[i])", {"x": X}, np.where((I5 >= 1) & (I5 < 3), X, -X)),
    "empty reductions": ("y[i: 1] = sum{k=1..0} x[k] + prod{k=1..0} x[k]; h[i: 1] = max{k=1..0} x[k]; l[i: 1] = min{k=1..0} x[k]", {"x": X}, ([1], [-inf], [inf])),
    "further empty reductions": ("y = mean{k=1..0} x[k]; h = logsumexp{k=1..0} x[k]; l = argmax{k=1..0} x[k]", {"x": X}, (nan, -inf, -1)),
    "mean over the points where a condition holds": ("y = mean{k | x[k] > 0.4} x[k]", {"x": X}, X[X > 0.4].mean()),
    "the first of ties, and NaN": ("y = argmax{k} x[k]; z = argmin{k} n[k]; m = max{k} n[k]", {"x": [1, 3, 3], "n": [1, nan, 0]}, (1, 1, nan)),
    "round to even, fmod of C": ("y[i] = round(w[i]/2) + fmod(-w[i], 2)", {"w": W}, [1 - 0, 2 - 1, 2 - 1]),
    "gate": ("y[i] = gate(x[i], n[i])", {"x": [0, 2, nan], "n": [inf, 3, 0]}, [0, 6, 0]),
    "einstein": ("einstein\ny[i] = a[i, k]*w[k] - b[j, j] + z[i]", {"a": A, "w": W, "b": A[:, :2], "z": Z}, A @ W - 17 + Z),
    "base 1": ("base 1\ny[i] = x[i]*i + x[(i + 1)//2]; z = argmax{k} x[k]", {"x": X}, (X*(I5 + 1) + X[(I5 + 2)//2 - 1], 5)),
    "base 1 with bounds": ("base 1\ny[i: 5] = sum{k=1..i} x[k]", {"x": X}, X.cumsum()),
    "printed derivatives of the reference implementation": ("dd[dd_0] = sum{dd_z1}_(max [0; -1 + dd_0])^(min [1; dd_0]) (sum{dd_z0}_0^2 ((df[dd_0 + -dd_z1; dd_z0] * 3 * d[dd_0] ** (3 - 1))))", {"df": A, "d": W}, each(3, lambda i: 3 * W[i]**2 * sum(A[i - z].sum() for z in range(max(0, i - 1), min(1, i) + 1)))),
}
# fmt: on

MEANS = pytest.mark.parametrize(
    ("text", "arrays", "expected"), SENTENCES.values(), ids=list(SENTENCES)
)


def agree(found, expected):
    found, expected = (v if isinstance(v, tuple) else (v,) for v in (found, expected))
    assert len(found) == len(expected)
    for f, e in zip(found, expected, strict=True):
        assert np.shape(f) == np.shape(e)
        np.testing.assert_allclose(f, np.asarray(e, float), rtol=1e-12)


@MEANS
def test_a_sentence_means_what_it_says(text, arrays, expected):
    for backend in ("interpreter", "numpy"):
        agree(tadc.compile(text, backend=backend)(**arrays), expected)


def with_text(text, arrays):
    """The function; where there is no program before its extents have numbers, with those of the arrays."""
    f = tadc.compile(text)
    try:
        f.source("numpy")
    except tadc.Error:
        extents = {f"{x}_{d}": n for x, a in arrays.items() for d, n in enumerate(np.shape(a))}
        return tadc.compile(text, sizes=extents)
    return f


@MEANS
def test_what_is_printed_means_the_same(text, arrays, expected):
    f = with_text(text, arrays)
    printed = tadc.compile(str(f))
    adjoint = tadc.compile(str(f.adjoint())) if arrays else printed

    assert (printed.inputs, printed.outputs) == (f.inputs, f.outputs)
    assert adjoint.outputs == (f.adjoint().outputs if arrays else f.outputs)
    if all(np.size(a) for a in arrays.values()):
        agree(printed(**arrays), expected)


# fmt: off
REFUSED = {
    # the program, the error, its line and column, and a word of the sentence or of its remedy
    "y[i: 3, j: 3] = x[i*j]": ("SyntaxError", 1, 19, "product of two indices"),
    "input p[3]: float64; y[i] = x[p[i]]": ("SyntaxError", 1, 31, "an index here"),
    "y[i] = x[i/2]": ("SyntaxError", 1, 10, "`i // 2`"),
    "y[i] = x[i//0]": ("SyntaxError", 1, 13, "positive"),
    "y[i: 5] = x[1 + pad(i)]": ("SyntaxError", 1, 17, "whole subscript"),
    "y[i: 5] = x[pad(i, i)]": ("SyntaxError", 1, 20, "constant"),
    "y[i: 5] = x[wrap(i, 2)]": ("SyntaxError", 1, 13, "one argument"),
    "h[i, j] = exp(x[i + j])": ("ShapeError", 1, 3, "`i: N`"),
    "y[i: 4, j: i] = x[i]*x[j]": ("SyntaxError", 1, 12, "box"),
    "y[i: 3] = x[1 - i]": ("RangeError", 1, 11, "`x[-1]` when i = 2, but x begins at 0"),
    "y[i: 3, j: 2] = x[j - i - 4, i % 2]": ("RangeError", 1, 17, "`x[-4, 0]` when i = 0, j = 0, but dimension 0"),
    "base 1\ninput x[3]\ny[i: 3] = x[i + 1]": ("RangeError", 3, 11, "`x[4]` when i = 3, but x ends at 3"),
    "input x[0]\ny[i: 3] = x[wrap(i)]": ("RangeError", 2, 13, "extent 0"),
    "y[i] = sum{i} x[i]": ("SyntaxError", 1, 12, "left side"),
    "y[i, i] = x[i]": ("SyntaxError", 1, 6, "twice"),
    "y[i] = z[i]; z[i] = x[i]": ("SyntaxError", 1, 8, "before"),
    "y[i] = a[i] + k; z = sum{k} a[k]": ("SyntaxError", 1, 15, "not in scope"),
    "y[i] = sni(x[i])": ("SyntaxError", 1, 8, "`sin`"),
    "x²[i] = y[i]": ("SyntaxError", 1, 2, "`**2`"),
    "y[i] = +x[i]": ("SyntaxError", 1, 8, ""),
    "y[i] = .5*x[i]": ("SyntaxError", 1, 8, "write a 0"),
    "y[i] = 2 x[i]": ("SyntaxError", 1, 10, "`*`"),
    "y[i] = x[i,]": ("SyntaxError", 1, 11, ""),
    "y[i] = exp x[i]**2": ("SyntaxError", 1, 16, ""),
    "y = 2**sum{k} x[k]": ("SyntaxError", 1, 8, ""),
    "y = argmax{i, j} a[i, j]": ("SyntaxError", 1, 5, "one index"),
    "y[i] = if x[i] then 1 else 0": ("SyntaxError", 1, 11, "compare"),
    "input x[n]\ny[n] = x[n]": ("SyntaxError", 1, 9, "an index in line 2"),
    "size N\ninput x[n]\ny[i] = x[i]": ("SyntaxError", 2, 9, "`N` is one"),
    "size P = Q; size Q = P\ny[i: P] = 1": ("SyntaxError", 1, 22, "made of"),
    "scan[i] = x[i]": ("SyntaxError", 1, 1, "reserved"),
    "einstein\ny[i] = a[i, k]": ("SyntaxError", 2, 13, "`k`"),
    "y[i] = x[i] +\n\t  2": ("SyntaxError", 2, 1, "tab"),
    "size N = 3\ny[i: N - 4] = 1": ("ShapeError", 2, 3, "-1"),
    "y[i] = x[i + " + "9" * 200 + "]": ("SyntaxError", 1, 14, "digits"),
    "y[i] = polygamma(1.5, x[i])": ("SyntaxError", 1, 8, "integer"),
}
# fmt: on


@pytest.mark.parametrize(("text", "expected"), REFUSED.items(), ids=[t[:40] for t in REFUSED])
def test_what_a_sentence_forbids_is_an_error_at_its_place(text, expected):
    kind, line, column, words = expected

    with pytest.raises(getattr(tadc, kind)) as caught:
        tadc.compile(text)

    assert (caught.value.span.line, caught.value.span.column) == (line, column)
    assert words in str(caught.value)


# ---- The table of all forms


def forms():
    """`docs/forms.md`: what is tested above, as a document."""
    lines = [
        "# Every form of the language, with an example",
        "",
        "Each program is run in the tests, as it stands and as it is printed again, and each error is raised at the",
        "column shown; this page is written by `pytest --update-golden tests/test_language.py`.",
        "",
        "| form | program |",
        "| --- | --- |",
        *(f"| {form} | {_code(text)} |" for form, (text, _, _) in SENTENCES.items()),
        "",
        "| what is refused | error | line, column |",
        "| --- | --- | --- |",
        *(f"| {_code(text)} | {e[0]} | {e[1]}, {e[2]} |" for text, e in REFUSED.items()),
    ]
    return "\n".join(lines) + "\n"


def _code(text):
    """A program in a cell of a table, its lines one below the other."""
    lines = text.lstrip("\ufeff").replace("\t", " ").splitlines()
    shown = (line if len(line) < 200 else f"{line[:60]}..{line[-20:]}" for line in lines)
    return "<br>".join("`" + line.replace("|", "\\|") + "`" for line in shown)


def test_the_table_of_forms_is_that_of_the_tests(request):
    path = documents.ROOT / "docs/forms.md"
    if request.config.getoption("--update-golden"):
        path.write_text(forms(), "utf-8")
    assert path.read_text("utf-8") == forms()
