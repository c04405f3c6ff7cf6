"""Sparse operands: the meaning of a term, derivatives with the same pattern, arguments of every layout, and what is refused."""

import pickle

import numpy as np
import pytest

import tadc

sparse = pytest.importorskip("scipy.sparse")

PRODUCT = "input A[N, M]: {}\ny[i, c] = sum{{j}} A[i,j]*x[j,c]"
SAMPLED = "input A[N, M]: {}\nS[i, j]: like A = A[i,j]*sum{{k}} U[i,k]*V[j,k]"
LAYOUTS = ("csr", "csc", "coo")
FORMATS = (*LAYOUTS, "lil", "dok", "bsr", "dia")
# The matrix of the worked examples of compressed rows.
PTR, COL, VAL = [0, 2, 2, 5], [0, 3, 1, 2, 3], [1.0, 2, 3, 4, 5]
U = np.array([[1.0, 2], [3, 4], [5, 6]])
V = np.array([[1.0, 0], [0, 1], [1, 1], [2, 1]])


def compiled(text, layout):
    return tadc.compile(text.format(layout), backend="interpreter")


def example():
    return sparse.csr_array((np.array(VAL), COL, PTR), shape=(3, 4))


@pytest.mark.plain(format=3)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_product_has_the_values_and_gradients_of_scipy(layout, format):
    a = sparse.random(4, 6, 0.4, random_state=1, format="csr").asformat(format)
    rng = np.random.default_rng(0)
    x, dy = rng.standard_normal((6, 2)), rng.standard_normal((4, 2))
    f = compiled(PRODUCT, layout)
    y, pullback = f.vjp(a, x)
    gradients = pullback(dy)

    np.testing.assert_allclose(y, a @ x)
    np.testing.assert_allclose(gradients["x"], a.T @ dy)
    assert type(gradients["A"]) is type(a)
    expected = (dy @ x.T) * (a.toarray() != 0)
    np.testing.assert_allclose(gradients["A"].toarray(), expected)
    _, slope = f.jvp({"A": a, "x": x}, {"A": a})
    np.testing.assert_allclose(slope, y)
    value, both = f.value_and_gradients(a, x, cotangent=dy)
    np.testing.assert_allclose(value, y)
    np.testing.assert_allclose(both["A"].toarray(), expected)


# The two worked examples with sparse operands are run by all of these.
BACKENDS = ("interpreter", "numpy", pytest.param("native", marks=pytest.mark.compiler))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_sampled_product_is_evaluated_and_returned_on_the_pattern(layout, backend):
    f = tadc.compile(SAMPLED.format(layout), backend=backend)
    s, pullback = f.vjp(example(), U, V)
    ones = example()
    ones.data = np.ones(5)

    assert s.data.tolist() == [1, 8, 18, 44, 80]
    assert s.indices.tolist() == COL
    gradients = pullback(ones)
    assert gradients["A"].data.tolist() == [1, 4, 6, 11, 16]
    dense = example().toarray()
    np.testing.assert_allclose(gradients["U"], dense @ V)
    np.testing.assert_allclose(gradients["V"], dense.T @ U)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_printed_programs_are_called_with_sparse_arrays_too(layout):
    f = compiled(SAMPLED, layout).adjoint()
    again = tadc.compile(str(f), backend="interpreter")
    assert str(again.adjoint) and again.inputs == f.inputs == ("A", "U", "V", "dS")
    given = example(), U, V, example()

    for one, other in zip(f(*given), again(*given), strict=True):
        np.testing.assert_array_equal(_dense(one), _dense(other))


def _dense(a):
    return a if isinstance(a, np.ndarray) else a.toarray()


DECLARED = {
    "idx": "output S: like A\nS[i, j] = A[i,j]*sum{k} U[i,k]*V[j,k]",
    "tex": r"%!tadc output S: like A" "\n" r"\[ S_{ij} = A_{ij} \sum_k U_{ik} V_{jk} \]",
    "tex, from 1": r"%!tadc output S: like A" "\n" r"\[ S_{ij} = A_{ij} \sum_{k=1}^K U_{ik} V_{jk}, \quad i = 1, \dots, N \]",
}  # fmt: skip


@pytest.mark.parametrize("lang", DECLARED)
def test_an_output_may_be_said_to_have_a_pattern(lang):
    declared = "%!tadc input A[N, M]: csr" if "tex" in lang else "input A[N, M]: csr"
    f = tadc.compile(f"{declared}\n{DECLARED[lang]}", lang=lang[:3], backend="interpreter")
    a = sparse.csr_array([[1.0, 0, 2, 0], [0, 0, 0, 3], [0, 4, 0, 5]])
    u, v = np.ones((2, 4, 2))
    s, pullback = f.vjp(a, u[:3], v)
    np.testing.assert_allclose(s.toarray(), 2 * a.toarray())
    np.testing.assert_allclose(pullback(s)["A"].toarray(), 2 * s.toarray())


@pytest.mark.parametrize("backend", BACKENDS)
def test_duplicates_add_up_in_every_layout(backend):
    x = np.array([1.0, 10.0])
    coo = sparse.coo_array((np.array([2.0, 3, 4]), ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    for layout in LAYOUTS:
        f = tadc.compile(f"input A[N, M]: {layout}\ny[i] = sum{{j}} A[i,j]*x[j]", backend=backend)
        y, pullback = f.vjp(coo, x)
        assert y.tolist() == [50, 4] == (coo.toarray() @ x).tolist()
        gradient = pullback(np.array([1.0, 100.0]))["A"]
        assert gradient.data.tolist() == [10, 10, 100]
    assert (f(sparse.csc_array(coo), x) == y).all()


def test_what_is_not_stored_is_never_multiplied():
    f = compiled(PRODUCT, "csr")
    x = np.array([[1.0], [1.0], [1.0], [np.inf]])
    a = sparse.csr_array((np.array([1.0]), [0], [0, 1, 1, 1]), shape=(3, 4))

    assert f(a, x).tolist() == [[1], [0], [0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y[i] = sum{j} -2*x[j]*A[i,j]/d[i] + b[i]", lambda a, x, d, b: -2 * (a @ x) / d + b),
        ("y[i] = max{j} A[i,j] + 0*sum{j} x[j]*d[0]*b[0]", lambda a, x, d, b: a.max(1)),
        ("y[i] = sum{j} A[i,j]*A[i,j]*x[j] + 0*d[i]*b[i]", lambda a, x, d, b: (a * a) @ x),
        ("y[i] = sum{j} A[i,j]**2*x[j] + 0*d[i]*b[i]", lambda a, x, d, b: (a**2) @ x),
        ("y[i] = sum{j} exp(A[i,j])*x[j] + 0*d[i]*b[i]", lambda a, x, d, b: np.exp(a) @ x),
        ("y[i] = sum{j} [j > 1]*A[i,j]*x[j] + 0*d[i]*b[i]", lambda a, x, d, b: a[:, 2:] @ x[2:]),
        ("y[i] = sum{e = A_ptr[i]..A_ptr[i+1]-1} A_val[e]*x[A_1[e]] + 0*d[i]*b[i]", lambda a, x, d, b: a @ x),
        ("y[i: 3] = sum{j} A[pad(i-1), j]*x[j] + 0*d[i]*b[i]", lambda a, x, d, b: np.r_[0, (a @ x)[:2]]),
        ("base 1; y[i] = sum{j = 2..3} A[i,j]*x[j] + 0*d[i]*b[i]", lambda a, x, d, b: a[:, 1:3] @ x[1:3]),
    ],
)  # fmt: skip
def test_terms_have_the_meaning_of_the_dense_matrix(text, expected):
    a, x = example(), np.array([1.0, 2, 3, 4])
    d, b = np.array([1.0, 2, 4]), np.array([5.0, 6, 7])
    f = tadc.compile(f"input A[N, M]: csr\n{text}", backend="interpreter")

    found = f(A=a, x=x, d=d, b=b)
    np.testing.assert_allclose(found, expected(a.toarray(), x, d, b))


def test_three_dimensions_and_one_are_coordinates():
    places = ([0, 1, 1], [1, 0, 1], [0, 0, 2])
    f = tadc.compile(
        "input T[I, J, K]: coo\ny[i] = sum{j, k} T[i,j,k]*x[j]*z[k]", backend="interpreter"
    )
    values, x, z = np.array([1.0, 2, 3]), np.array([1.0, 10]), np.array([1.0, 5, 7])
    y, pullback = f.vjp((values, *places), x, z, I=2)
    assert y.tolist() == [10, 2 + 210]
    gradient = pullback(np.array([1.0, 100.0]))["T"]
    assert (gradient[0].tolist() == [10, 100, 7000] and gradient[1:] == list(places)) or gradient[
        1:
    ] == places

    one = tadc.compile("input v[N]: coo\nl = sum{i} v[i]*x[i]", backend="interpreter")
    assert one((values, [2, 0, 2]), np.array([1.0, 10, 100])) == 2 + 400


def test_second_derivatives_have_the_pattern():
    text = "input A[N, N]: csr\nl = sum{i} (sum{j} A[i,j]*x[j])**2/2"
    f = tadc.compile(text, backend="interpreter")
    a = sparse.csr_array(np.array([[1.0, 2], [0, 3]]))
    x = np.array([1.0, 10])
    product = f.hvp("A")(a, x, a)

    y = a @ x
    assert product.toarray().tolist() == [[y[0], 10 * y[0]], [0, 10 * y[1]]]
    np.testing.assert_allclose(f.hessian("x")(a, x), (a.T @ a).toarray())


def test_an_index_keeps_the_pattern_with_other_values(monkeypatch):
    f = tadc.compile(PRODUCT.format("csr"), backend="auto")
    x, dy = np.ones((4, 1)), np.ones((3, 1))
    kept = tadc.index(example())
    made = []
    original = tadc.Index.kept

    def counted(self, key, make, *others):
        return original(self, key, lambda: (made.append(key), make())[1], *others)

    monkeypatch.setattr(tadc.Index, "kept", counted)
    for step in range(1, 4):
        y, pullback = f.vjp(kept.with_values(step * kept.values), x)
        np.testing.assert_allclose(y, step * (example() @ x))
        assert type(pullback(dy)["A"]) is sparse.csr_array
    assert len(made) == len(set(made))
    again = pickle.loads(pickle.dumps(kept))
    np.testing.assert_array_equal(f(again, x), f(example(), x))
    with pytest.raises(tadc.ShapeError, match="5 elements are stored"):
        kept.with_values(np.ones(4))


def test_a_pickled_derivative_is_called_with_sparse_arrays():
    f = pickle.loads(pickle.dumps(compiled(PRODUCT, "csr").adjoint("A")))
    gradient = f(example(), np.ones((4, 1)), np.ones((3, 1)))

    assert gradient.data.tolist() == [1] * 5


TEXTS = [
    ("input A[N, M]: csr\noutput S: like A, z\nz = sum{i,j} A[i,j]", "`S` is like `A`, and nothing defines it"),
    ("input A[N, M]: csr\noutput S: like A\nS[i,j]: float32 = A[i,j]", "`S` has two types"),
    ("input A[N, M]: csr\noutput S: like B\nS[i,j] = A[i,j]", "`B` is no sparse tensor"),
    ("input A[N, M]: csr\noutput S: like A\nS[i: 3, j] = A[i,j]", "`S` has the shape of `A`"),
    ("input A: csr\ny[i] = A[i,i]", "its shape is not said"),
    ("input A[N]: csr\ny[i] = A[i]", "declared with 1"),
    ("input A[]: coo\ny = A[]", "at least one dimension"),
    ("input A[N,M]: csr\ny[e] = A_0[e]", "has no `A_0`"),
    ("input A[N,M]: csr\nbase 1\ny[e] = A_1[e]", "counts from 0"),
    ("input A[N,M]: csr\ny[i] = x[A[i,i]]", "used as an index here, and is sparse"),
    ("input A[N,M]: csr\nS[i,j]: csr = A[i,j]", "pattern of a result"),
    ("input A[N,M]: csr\nS[i,j]: like B = A[i,j]", "`B` is no sparse tensor"),
    ("input A[N,M]: csr\nS[i]: like A = A[i,i]", "of 2 dimensions"),
    ("input A[N,M]: csr\nS[i,j]: like A = A[i,j] + x[i]", r"`x\[i\]` has no factors"),
    ("input A[N,M]: csr\nS[i,j]: like A = A[i,j]*A[i,j]", "has 2 factors"),
    ("input A[N,N]: csr\nS[i,j]: like A = A[j,i]", "has no factors"),
    ("input A[N,M]: csr, A_val[N]\ny[i] = A[i,i]", "declared twice"),
    ("state A[N,M]: csr\nA[i,j] <- A[i,j]", "pattern of a result"),
    ("input A[4,4]: csr\ny[i: 4] = sum{j} A[i+1,j]", r"`A\[4, 0\]`"),
    ("input A[N,M]: csr\ny[i] = A[i]", "2 dimensions"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), TEXTS, ids=[t for t, _ in TEXTS])
def test_texts_that_cannot_be_are_errors_with_a_place(text, words):
    with pytest.raises(tadc.Error, match=words) as caught:
        tadc.compile(text)
    assert caught.value.span is not None


def arrays(**changed):
    return tuple(np.array(changed.get(n, a)) for n, a in (("val", VAL), ("ptr", PTR), ("col", COL)))


ARGUMENTS = [
    (np.zeros((3, 4)), tadc.ArgumentError, "is csr, and the argument is ndarray"),
    ((np.array(VAL), PTR), tadc.ArgumentError, "the tuple has 2 arrays"),
    (sparse.csr_array((2, 4)), tadc.ShapeError, "extent of dimension 0 of dy|extents? agree|is 2"),
    (sparse.coo_array((4,)), tadc.ShapeError, "has 2 dimensions"),
    (arrays(ptr=[1, 2, 2, 5]), tadc.DataError, r"A_ptr\[0\] is 1"),
    (arrays(ptr=[0, 3, 2, 5]), tadc.DataError, r"A_ptr\[2\] is 2, and A_ptr\[1\] is 3"),
    (arrays(ptr=[0, 2, 2, 4]), tadc.DataError, "5 elements are stored"),
    (arrays(col=[0, 4, 1, 2, 3]), tadc.DataError, r"A_1\[1\] is 4"),
    (arrays(col=[0, -1, 1, 2, 3]), tadc.DataError, r"A_1\[1\] is -1"),
    (arrays(col=np.array(COL, float)), tadc.ArgumentError, "used as an index"),
    (arrays(val=VAL[:4]), tadc.ShapeError, "extent"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "kind", "words"), ARGUMENTS, ids=[w for *_, w in ARGUMENTS])
def test_arguments_that_cannot_be_are_errors(a, kind, words):
    f = compiled(PRODUCT, "csr").adjoint("x")
    with pytest.raises(kind, match=words):
        f(A=a, x=np.ones((4, 1)), dy=np.ones((3, 1)))


@pytest.mark.compiler
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_matrix_without_elements_has_derivatives(layout):
    f = tadc.compile(PRODUCT.format(layout))
    empty = sparse.csr_array((2, 3)).asformat(layout)
    y, pullback = f.vjp(empty, np.ones((3, 2)))
    gradients = pullback(np.ones((2, 2)))

    assert y.tolist() == [[0, 0], [0, 0]]
    assert gradients["A"].nnz == 0
    assert gradients["x"].tolist() == [[0, 0]] * 3


def test_cotangents_and_tangents_have_the_pattern():
    f = compiled(SAMPLED, "csr")
    s, pullback = f.vjp(example(), U, V)
    other = s.copy()
    other.indices[0] = 1
    with pytest.raises(tadc.ArgumentError, match="`dS` has another pattern than `A`"):
        pullback(other)
    with pytest.raises(tadc.ArgumentError, match="`dA` has another pattern"):
        f.jvp({"A": example(), "U": U, "V": V}, {"A": other})
    with pytest.raises(tadc.DerivativeError, match="no sparse tensor"):
        f.jacobian("U")
    with pytest.raises(tadc.BackendError, match="`out` is for dense arrays"):
        f(example(), U, V, out=np.zeros(5))
    with pytest.raises(tadc.ArgumentError, match="no input or size `K2`"):
        f(example(), U, V, K2=3)


@pytest.mark.compiler
def test_native_code_has_the_same_bits_as_the_interpreter_has_values():
    rng = np.random.default_rng(3)
    a = sparse.random(40, 30, 0.1, random_state=3, format="csr")
    x, dy = rng.standard_normal((30, 3)), rng.standard_normal((40, 3))
    f = tadc.compile(PRODUCT.format("csr"), backend="native")
    y, pullback = f.vjp(a, x)
    np.testing.assert_allclose(y, a @ x, rtol=1e-12)
    gradients = pullback(dy)
    np.testing.assert_allclose(gradients["x"], a.T @ dy, rtol=1e-12, atol=1e-14)
    rows = a.tocoo()
    np.testing.assert_allclose(gradients["A"].data, (dy[rows.row] * x[rows.col]).sum(1), rtol=1e-12)


def test_plans_say_where_a_sparse_tensor_is_read_as_a_dense_one():
    text = """
input A[N, M]: {}
y[i] = sum{{j}} A[i,j]*x[j]
S[i, j]: like A = A[i,j]*sum{{k}} U[i,k]*V[j,k]
z[i] = max{{j}} A[i,j]*2
q = sum{{i, j}} A[i,j]**2
"""
    for layout in ("coo", "csr", "csc"):
        f = tadc.compile(text.format(layout))
        lines = str(f.plan()).splitlines()
        dense = "each element is a sum over what is stored there"
        assert f"A is read as a dense tensor in z, q: {dense}" in lines
        converted = "an array of another format is converted in each call, which copies it"
        assert f"A is {layout}: {converted}" in lines
        assert not any("dense" in line for line in str(f.adjoint("V").plan()).splitlines())
        gradients = str(f.plan(mode="adjoint"))
        assert "A is read as a dense tensor in" in gradients
    loads = str(tadc.compile("size N\ny[i: N] = sum{e | dst[e] = i} x[src[e]]*w[m[i]]").plan())
    assert "\nm is loaded in y\n" in loads and "src is loaded" not in loads  # it is beside the list
