"""Lists: native code and numpy build the same ones, long ones are cut into pieces, and bits depend on the list alone."""

import subprocess
import sys

import numpy as np
import pytest

import tadc
from tadc import compiler
from tadc.ir.expr import Call, Reduce
from tadc.ir.walk import postorder
from tadc.runtime import data_run, index
from tadc.runtime.cpu import c_compiler, list_builder
from tadc.runtime.index import ListArrays, as_index, companion_tensors, lists_of
from tadc.schedule.rewrite.list_tensors import Facts
from tadc.schedule.rewrite.lists import listed
from tadc.schedule.rewrite.slices import with_slices
from tests.data.test_files import called_from_a_file

TEXT = "y[i: 40, c] = sum{e | k[e] = i} w[e]*x[e, c]"


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("counts", [(7,), (1,), (3, 5)])
def test_native_code_sorts_as_numpy_for_every_number_of_threads(monkeypatch, dtype, counts):
    monkeypatch.setattr(list_builder, "PER_THREAD", 10)
    rng = np.random.default_rng(0)
    lows = tuple(range(-1, len(counts) - 1))
    arrays = [rng.integers(-3, 8, 500).astype(dtype) for _ in counts]
    begin, positions = index._sorted(arrays, lows, counts, 1)
    for threads in (1, 2, 3, 8):
        found = list_builder.sorted_list(arrays, lows, counts, threads)
        np.testing.assert_array_equal(found[0], begin)
        np.testing.assert_array_equal(found[1], positions)
        assert found[0].dtype == found[1].dtype == dtype


@pytest.mark.compiler
@pytest.mark.parametrize("keys", [1, 2])
@pytest.mark.parametrize("runs", [[1], [63], [64, 64], [65, 1, 200], [3, 64, 61, 128, 7], [1000]])
def test_native_code_sorts_runs_of_equal_keys_as_numpy(monkeypatch, keys, runs):
    monkeypatch.setattr(list_builder, "PER_THREAD", 50)
    elements = np.repeat(np.resize([2, 5, 2, -1, 9, 0], len(runs)), runs).astype("int32")
    arrays, lows, counts = [elements, elements // 2][:keys], (0, -1)[:keys], (8, 4)[:keys]
    begin, positions = index._sorted(arrays, lows, counts, 1)
    for threads in (1, 3):
        found = list_builder.sorted_list(arrays, lows, counts, threads)
        np.testing.assert_array_equal(found[0], begin)
        np.testing.assert_array_equal(found[1], positions)


@pytest.mark.compiler
def test_native_code_finds_rows_as_numpy(monkeypatch):
    rng = np.random.default_rng(0)
    text = "y[i] = sum{e=lo[i]..hi[i]} v[e]"
    lo = rng.integers(0, 30, 50)
    given = {"lo": lo, "hi": np.minimum(lo + rng.integers(-3, 9, 50), 29), "v": rng.random(30)}
    dy = rng.random(50)
    expected = tadc.compile(text, backend="interpreter").vjp(**given)[1](dy)["v"]
    for native in (False, True):
        monkeypatch.setattr(list_builder, "FEW", 0 if native else 10**9)
        found = tadc.compile(text, backend="numpy").vjp(**given)[1](dy)["v"]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_pieces_are_cut_from_the_start_of_each_long_list():
    begin = np.array([[0, 0, 1300], [1300, 1812, 2325]])
    lists = ListArrays(begin, np.arange(2325), (2325,))
    before, begins, *keys = lists.pieces

    assert before.tolist() == [[0, 0, 3], [3, 3, 5]]
    assert begins.tolist() == [0, 512, 1024, 1812, 2324]
    assert [k.tolist() for k in keys] == [[0, 0, 0, 1, 1], [1, 1, 1, 1, 1]]


def test_columns_of_one_tensor_are_keys_of_one_list():
    f = tadc.compile("y[a: 5, b: 7] = sum{e | c[e,1] = a and c[e,2] = b} w[e]")
    (made,) = listed(f.program).lists
    assert [k.apart for k in made.keys if k.dimension is None] == [(), (0, 1)]
    assert [str(k.high - k.low + 1) for k in made.keys] == ["1", "5", "7"]


def skewed(rng):
    """Elements of which one has most positions, and lists around the length of a piece."""
    lengths = [0, 1, 511, 512, 513, 3000]
    return rng.permutation(np.concatenate([np.repeat(np.arange(6), lengths), [-1, 40, 99]]))


@pytest.mark.compiler
@pytest.mark.plain(text=1)
@pytest.mark.parametrize("text", [TEXT, "y[i: 40] = sum{e | k[e] = i} w[e]*x[e, 0]"])
def test_bits_are_those_of_the_list_alone(text):
    rng = np.random.default_rng(0)
    k = skewed(rng)
    w = rng.standard_normal(len(k)).astype(np.float32)
    x = rng.standard_normal((len(k), 17)).astype(np.float32)
    results = [
        tadc.compile(text, backend="native", threads=threads)(k=each, w=w, x=x)
        for threads in (1, 2, 8)
        for each in (k, tadc.index(k))
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)
    terms = w[:, None].astype(float) * x if results[0].ndim == 2 else w.astype(float) * x[:, 0]
    expected = np.zeros(results[0].shape)
    inside = (k >= 0) & (k < 40)
    np.add.at(expected, k[inside], terms[inside])
    np.testing.assert_allclose(results[0], expected, rtol=1e-5, atol=1e-4)
    # Without the long list there are no pieces: the others are what they were.
    short = k != 5
    short &= k != 4
    found = tadc.compile(text, backend="native")(k=k[short], w=w[short], x=x[short])
    np.testing.assert_array_equal(found[:4], results[0][:4])


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_rows_of_one_tensor_are_cut_as_tensors_of_their_own(backend):
    text = "size N\ny[i: N, c] = sum{{e | {} = i}} w[e]*x[{}, c]"
    apart = tadc.compile(text.format("dst[e]", "src[e]"), backend=backend)
    together = "input ends[2, E]: index\n" + text.format("ends[1, e]", "ends[0, e]")
    f = tadc.compile(together, backend=backend)
    rng = np.random.default_rng(0)
    dst = skewed(rng)
    src = rng.permutation(dst) % 7
    x, w = rng.standard_normal((7, 3)), rng.standard_normal(len(dst))
    y, pullback = apart.vjp(dst=dst, src=src, x=x, w=w, N=6)
    found, own = f.vjp(ends=tadc.index([src, dst]), x=x, w=w, N=6)
    np.testing.assert_array_equal(found, y)
    dy = rng.standard_normal(y.shape)
    for name, gradient in pullback(dy).items():
        np.testing.assert_array_equal(own(dy)[name], gradient)
    assert any("ends_pieces" in t.name for t in listed(f.program, Facts()).program.inputs)


def test_what_is_read_at_fixed_places_of_a_dimension_are_tensors_of_their_own():
    rows = tadc.compile("size N\ninput ends[2, E]\ny[i: N] = sum{e | ends[1,e] = i} x[ends[0,e]]")
    columns = tadc.compile("y[a: 5, b: 7] = sum{e | c[e,1] = a and c[e,2] = b} w[e]")
    whole = tadc.compile("y[e, a: 2] = x[c[e,a]]*x[c[e,0]]")
    found = [with_slices(f.program) for f in (rows, columns, whole)]
    assert [[(s.of, s.dimension, s.place) for s in each.slices] for each in found] == [
        [("ends", 0, 0), ("ends", 0, 1)],
        [("c", 1, 1), ("c", 1, 2)],
        [],
    ]
    (one,) = listed(found[0].program).lists
    assert [k.tensor for k in one.keys] == ["ends_at_1"] and len(one.positions) == 1
    assert "ends_at_0 in their order" in str(rows.plan())


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_slices_keep_their_lists_with_the_index_and_may_be_outside_where_nothing_depends_on_them(
    backend,
):
    text = "size N\ninput ends[M, E]: index\ny[i: N] = sum{e | M >= 2 and ends[1,e] = i} w[e] + [i = ends[0, 0]]"
    f = tadc.compile(text, backend=backend)
    w = np.array([1.0, 2, 4])
    ends = tadc.index([[2, 2, 2], [0, 1, 0]])
    assert f(ends=ends, w=w, N=3).tolist() == [5, 2, 1]
    assert ends.at(0, 1) is ends.at(0, 1)
    assert f(ends=[[2, 2, 2]], w=w, N=3).tolist() == [0, 0, 1]


@pytest.mark.slow
@pytest.mark.compiler
def test_bits_are_those_of_one_run_on_one_thread_from_a_file_too():
    rng = np.random.default_rng(0)
    k = rng.permutation(np.repeat(np.arange(-1, 6), [3, 0, 1, 511, 512, 513, 512**2 + 1]))
    given = {"w": rng.standard_normal(len(k)), "x": rng.standard_normal((len(k), 3))}
    f = {t: tadc.compile(TEXT, backend="native", threads=t) for t in (1, 2, 8)}
    expected = f[1](k=k, **given)
    exact = np.zeros((40, 3))
    np.add.at(exact, k[k >= 0], (given["w"][:, None] * given["x"])[k >= 0])
    np.testing.assert_allclose(expected, exact, rtol=1e-10, atol=1e-10)
    kept, dy = tadc.index(k), rng.standard_normal((40, 3))
    gradients = f[1].vjp(k=k, **given)[1](dy)
    for threads in (1, 2, 8):
        for _ in range(10):
            for each in (k, kept):
                y, pullback = f[threads].vjp(k=each, **given)
                np.testing.assert_array_equal(y, expected)
                np.testing.assert_array_equal(f[threads](k=each, **given), expected)
                for name, gradient in pullback(dy).items():
                    np.testing.assert_array_equal(gradient, gradients[name])
    np.testing.assert_array_equal(
        called_from_a_file(tadc.compile(TEXT, dtype="float64"), {"k": k, **given}), expected
    )


@pytest.mark.compiler
def test_ten_steps_of_training_build_each_list_once(monkeypatch):
    made, kept = [], tadc.Index.kept

    def counted(self, key, make, others=()):
        return kept(self, key, lambda: (made.append((self, key)), make())[1], others)

    monkeypatch.setattr(tadc.Index, "kept", counted)
    rng = np.random.default_rng(0)
    f = tadc.compile(
        "size N\ny[i: N, c] = tanh(sum{e | dst[e] = i} w[e]*x[src[e], c])", backend="native"
    )
    src, dst = (tadc.index(rng.integers(0, 9, 40)) for _ in range(2))
    w, x = rng.standard_normal(40), rng.standard_normal((9, 3))
    losses = []
    for _ in range(10):
        y, pullback = f.vjp(src=src, dst=dst, w=w, x=x, N=9)
        losses.append((y**2).sum())
        gradients = pullback(2 * y)
        w, x = w - 0.01 * gradients["w"], x - 0.01 * gradients["x"]
    assert losses[-1] < losses[0]
    sorted_ = [each for each in made if each[1][0] == "sorted"]
    assert len(sorted_) == len(set(sorted_)) == 2


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_follows_from_index_tensors_and_sizes_is_made_once(monkeypatch, backend):
    if backend == "native" and c_compiler.compiler() is None:
        pytest.skip("there is no C compiler")
    made = []
    before = data_run.lists_of
    monkeypatch.setattr(data_run, "lists_of", lambda *a: (made.append(a), before(*a))[1])
    f = tadc.compile("size N\ny[i: N] = sum{e | k[e] = i} w[e]*x[m[e]]", backend=backend)
    k, m = tadc.index([0, 1, 1]), tadc.index([2, 0, 1])
    w, x = np.array([1.0, 2.0, 4.0]), np.array([1.0, 10.0, 100.0])
    results = [f(k=one, m=m, w=w, x=x, N=n).tolist() for one in (k, m) for n in (3, 3, 4)]
    assert results == [[100, 42, 0], [100, 42, 0], [100, 42, 0, 0]] + [[2, 40, 100]] * 2 + [[2, 40, 100, 0]]  # fmt: skip
    assert len(made) == 4
    with pytest.raises(tadc.DataError):
        f(k=k, m=m, w=w, x=x[:2], N=3)


@pytest.mark.compiler
@pytest.mark.parametrize("bounds", ["check", "nan", "trust"])
def test_calls_with_the_same_index_are_remembered_and_with_others_checked(monkeypatch, bounds):
    text = "size N\ny[i: N] = sum{e | k[e] = i} w[e]*x[m[e]]"
    f = tadc.compile(text, backend="native", bounds=bounds)
    k, m, far = (tadc.index(a) for a in ([0, 1, 1], [2, 0, 1], [2, 0, 3]))
    w, x = np.array([1.0, 2.0, 4.0]), np.array([1.0, 10.0, 100.0])
    for _ in range(2):
        assert f(k=k, m=m, w=w, x=x, N=3).tolist() == [100, 42, 0]
    runs = []
    run = data_run.DataRun.run
    monkeypatch.setattr(data_run.DataRun, "run", lambda *a: (runs.append(a), run(*a))[1])
    assert f(k=k, m=m, w=2 * w, x=x[::-1], N=3).tolist() == [2, 480, 0]
    assert f(k=k, m=m, w=w.astype(np.float32), x=x, N=3).tolist() == [100, 42, 0]
    out = np.zeros(3)
    for _ in range(2):
        assert f(k=k, m=m, w=w, x=x, N=3, out=out) is out and out.tolist() == [100, 42, 0]
        _, pullback = f.vjp(k=k, m=m, w=w, x=x, N=3)
        assert pullback(np.array([1.0, 2.0, 3.0]))["x"].tolist() == [4, 8, 1]
    assert len(runs) == 5  # the first of each kind
    array = np.array([0, 1, 1])
    for expected in ([100, 42, 0], [40, 2, 100]):
        assert f(k=array, m=m, w=w, x=x, N=3).tolist() == expected
        array[:] = [2, 1, 0]
    for _ in range(2):
        if bounds == "check":
            with pytest.raises(tadc.DataError):
                f(k=k, m=far, w=w, x=x, N=3)
        elif bounds == "nan":
            assert np.isnan(f(k=k, m=far, w=w, x=x, N=3)).all()
    del k
    assert f(k=tadc.index([2, 1, 1]), m=m, w=w, x=x, N=3).tolist() == [0, 42, 100]


MEASURED = '''
import resource
import sys
import numpy as np
import tadc

edges, nodes, columns = 1_000_000, 100_000, 64
rng = np.random.default_rng(0)
src, dst = (tadc.index(rng.integers(0, nodes, edges)) for _ in range(2))
w = rng.random(edges, np.float32)
x, dy = rng.random((2, nodes, columns), np.float32)
f = tadc.compile("size N\\ny[i: N, c] = sum{e | dst[e] = i} w[e]*x[src[e], c]", backend="native")
second = f.adjoint().tangent(("w", "x"))
given = {"src": src, "dst": dst, "w": w, "x": x, "N": nodes}

def twice(at, dy):
    """The second derivative along `w` and `x` themselves."""
    named = {**at, "dy": dy}
    return second(*(named[n] for n in second.inputs[:5]), at["w"], at["x"], N=at["N"])

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

calls = {
    "value": lambda: f(**given),
    "gradients": lambda: f.vjp(**given)[1](dy),
    "second derivative": lambda: twice(given, dy),
}
small = {"src": tadc.index(src.array[:100] % 100), "dst": tadc.index(dst.array[:100] % 100), "w": w[:100], "x": x[:100], "N": 100}
f.vjp(**small)[1](dy[:100])  # what is compiled takes memory too
twice(small, dy[:100])
for name, call in calls.items():
    before = most()
    call()
    print(name, most() - before)
'''


@pytest.mark.slow
@pytest.mark.compiler
def test_messages_are_never_stored():
    """Of a million edges with 64 columns they would take 256 MB; gradients of `x` and `w` take 30."""
    run = subprocess.run(
        [sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True
    )
    grown = {
        name: int(mb) for name, mb in (line.rsplit(" ", 1) for line in run.stdout.splitlines())
    }

    assert grown.keys() == {"value", "gradients", "second derivative"}
    assert all(mb < 120 for mb in grown.values()), grown


@pytest.mark.compiler
@pytest.mark.parametrize(("op", "reduced"), [("sum", np.sum), ("max", np.max), ("prod", np.prod)])
def test_lists_of_numbers_are_reduced_in_eight_parts_from_32_positions_on(op, reduced):
    lengths = [0, 1, 7, 8, 31, 32, 33, 39, 40, 511, 512, 513]
    rng = np.random.default_rng(0)
    k = rng.permutation(np.repeat(np.arange(len(lengths)), lengths))
    w = rng.uniform(0.9, 1.1, len(k)).astype(np.float32)
    text = f"y[i: {len(lengths)}] = {op}{{e | k[e] = i}} w[e]"
    f = tadc.compile(text, backend="native")
    y = f(k=k, w=w)
    empty = {"sum": 0, "max": -np.inf, "prod": 1}[op]
    expected = [reduced(w[k == i].astype(float)) if n else empty for i, n in enumerate(lengths)]
    np.testing.assert_allclose(y, expected, rtol=2e-5)
    assert "s_[lane] += w[" in f.source("c") or op != "sum"
    if op == "sum":  # the last position of a list changes one part, the others are what they were
        of_list = w[k == 5]
        parts = [np.float32(0)] * 8
        for t, v in enumerate(of_list):
            parts[t % 8] += v
        halves = [a + b for a, b in zip(parts[:4], parts[4:], strict=True)]
        assert y[5] == (halves[0] + halves[2]) + (halves[1] + halves[3])


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_pieces_have_the_indices_that_their_data_are_looked_up_with(backend):
    rng = np.random.default_rng(0)
    q, p, w = rng.integers(0, 2, 3000), rng.integers(0, 3, 3000), rng.standard_normal(3000)
    s = np.array([2, 0, 7])
    text = (
        "input p[E]: index; input s[J]: index; y[i: 2, j] = sum{e | p[e] = s[j] and q[e] = i} w[e]"
    )
    y = tadc.compile(text, backend=backend)(p=p, s=s, q=q, w=w)
    expected = [[w[(q == i) & (p == v)].sum() for v in s] for i in range(2)]
    np.testing.assert_allclose(y, expected, rtol=1e-11, atol=1e-12)


def test_factors_of_a_key_leave_the_sum_over_its_list():
    f = tadc.compile("size N; z[i: N] = sum{e | d[e] = i} u[e]; a[e] = u[e]/z[d[e]]")
    plan = str(f.adjoint("u").plan())

    assert "dz[i: N] = gate(" in plan.replace("-", "")
    assert "z[d_perm" not in plan and "/z[i]" in plan.split("sum{t")[-1]


@pytest.mark.compiler
def test_a_long_list_has_the_right_gradients():
    rng = np.random.default_rng(0)
    k = skewed(rng)
    f = tadc.compile("y[i, c] = exp(x[k[i], c])*w[i]", backend="native")
    g = tadc.compile("y[i, c] = exp(x[k[i], c])*w[i]", backend="numpy")
    given = {"k": k.clip(0, 9), "x": rng.random((10, 3)), "w": rng.random(len(k))}
    dy = rng.random((len(k), 3))
    for name, found in f.vjp(**given)[1](dy).items():
        np.testing.assert_allclose(found, g.vjp(**given)[1](dy)[name], rtol=1e-12)


def test_facts_of_lists_say_how_they_are_run():
    f = tadc.compile("y[i: N] = sum{e | d[e] = i} w[e]; size N")
    names = {
        facts: [t.name for t in compiler.with_lists(f.program, facts).program.tensors.values()]
        for facts in (None, Facts(short=True), Facts())
    }
    assert names[None] == names[Facts(short=True)]
    assert "y_pieces" in names[Facts()]


@pytest.mark.compiler
def test_elements_beyond_32_bits_are_indices_too():
    f = tadc.compile("y[i] = x[clamp(k[i] + 1)]", backend="native")
    k = np.array([2**31 - 1, -(2**40), 0])

    assert f(k=k[2:], x=[1.0, 2.0]).tolist() == [2]
    assert f(k=k, x=[1.0, 2.0]).tolist() == [2, 1, 2]
    assert f(k=k[:1], x=[1.0, 2.0]).tolist() == [2]


def test_what_is_read_along_a_list_stands_beside_it_in_its_order():
    text = "size N\ny[i: N, c] = sum{e | dst[e] = i} w[e]*x[src[e], c]"
    made = compiler.with_companions(tadc.compile(text).program, Facts(short=True), narrow=True)
    (companion,) = made.companions
    assert (companion.of, companion.tensor.name) == ("src", "dst_src")
    (statement,) = made.program.statements
    looked_up = {d.tensor for d in statement.body.derived}
    assert looked_up == {"dst_ptr", "dst_perm", "dst_src"}

    dst, src = as_index("dst", [1, 0, 1, 7]), as_index("src", [5, 6, 7, 8])
    lists = lists_of(made.lists, {"dst": dst}, {"N": 2, "E": 4}, 100)
    found = companion_tensors(made, lists, {"src": src}, np.int32, 1)
    assert found["dst_src"].tolist() == [6, 5, 7]


def test_what_an_index_keeps_with_another_array_goes_with_it():
    text = "size N\ny[a: N, b: N] = sum{e | p[e] = a and q[e] = b} w[e]*x[clamp(p[e] - q[e])]"
    f = tadc.compile(text, backend="numpy")
    p = tadc.index([0, 1, 1])
    for k in range(5):
        f(p=p, q=[0, 1, k], w=np.ones(3), x=np.ones(2), N=2)
        assert len(p._lists) <= 1


def test_loops_over_lists_fetch_what_is_read_next():
    text = "size N\ny[i: N, c] = sum{e | dst[e] = i} w[e]*x[src[e], c]"
    made = tadc.compile(text).source("c")
    assert "fetch_ahead(w, (unsigned long long)dst_perm[max(0LL, min(" in made
    # A remainder of the index that data are looked up at is known inside of the loop alone.
    gathered = tadc.compile(
        "size N\ninput m[4]: index\ny[j] = sum{i: N} A[m[(i % 3 + 1) % 4], j]*w[i]"
    )
    assert "  fetch_ahead(" not in gathered.source("c")
    assert "  fetch_ahead(" not in tadc.compile("y[i] = sum{j} a[i, j]*x[j]").source("c")


SOFTMAX = "size N\noutput a\nl[i: N] = logsumexp{e | d[e] = i} u[e]\na[e] = exp(u[e] - l[d[e]])"


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["numpy", "native", "interpreter"])
def test_softmax_over_lists_and_its_gradient(backend):
    rng = np.random.default_rng(0)
    lengths = [1, 0, 700, 3] if backend != "interpreter" else [1, 0, 7, 3]
    d = rng.permutation(np.repeat(np.arange(4), lengths))
    u, da = rng.standard_normal((2, len(d)))
    a, pullback = tadc.compile(SOFTMAX, backend=backend).vjp(d=d, u=u, N=4)
    e = np.exp(u)
    expected = e / np.bincount(d, e)[d]
    np.testing.assert_allclose(a, expected, rtol=1e-13)
    slope = expected * (da - np.bincount(d, expected * da)[d])
    np.testing.assert_allclose(pullback(da)["u"], slope, rtol=1e-9, atol=1e-15)


RAGGED = (
    "size B\noutput a\nl[b: B] = logsumexp{e = ptr[b]..ptr[b+1]-1} u[e]\n"
    "a[b: B] = sum{e = ptr[b]..ptr[b+1]-1} exp(u[e] - l[b])*v[e]"
)
INLINE = (
    "size B\noutput a\na[b: B] = sum{e = ptr[b]..ptr[b+1]-1} "
    "exp(u[e] - logsumexp{f = ptr[b]..ptr[b+1]-1} u[f])*v[e]"
)


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["numpy", "native", "interpreter"])
@pytest.mark.parametrize("text", [RAGGED, INLINE])
def test_softmax_of_rows_and_its_gradients(text, backend):
    rng = np.random.default_rng(0)
    lengths = [3, 0, 600, 1] if backend != "interpreter" else [3, 0, 6, 1]
    ptr = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(np.arange(4), lengths)
    u, v = rng.standard_normal((2, len(row)))
    a, pullback = tadc.compile(text, backend=backend).vjp(ptr=ptr, u=u, v=v, B=4)
    e = np.exp(u)
    p = e / np.bincount(row, e)[row]
    expected = np.bincount(row, p * v, 4)
    np.testing.assert_allclose(a, expected, rtol=1e-12)
    da = rng.standard_normal(4)
    found = pullback(da)
    np.testing.assert_allclose(found["v"], p * da[row], rtol=1e-9)
    np.testing.assert_allclose(found["u"], p * (v - expected[row]) * da[row], rtol=1e-7, atol=1e-14)


@pytest.mark.parametrize("text", [SOFTMAX, RAGGED])
def test_a_maximum_over_a_list_is_computed_once_for_all_of_it(text):
    """Inside of the sum it would be one for each position: seconds for a list that has all elements."""
    f = tadc.compile(text)
    for program in (f.program, f.adjoint().program, *compiler.vjp_programs(f.program, ("u",))):
        for s in compiler.with_lists(program).program.statements:
            sums = [e for e in postorder(s.body) if isinstance(e, Reduce)]
            assert all(not isinstance(n, Reduce) for e in sums for n in postorder(e.body)), s


@pytest.mark.parametrize("text", [SOFTMAX, RAGGED, INLINE])
def test_nothing_is_stored_for_pairs_of_which_data_choose_some(text):
    f = tadc.compile(text)
    for program in compiler.vjp_programs(f.program, ("u",)):
        assert all(len(t.shape) <= 1 for t in program.tensors.values())


def test_reductions_over_other_rows_stay_where_they_are():
    """They may be read only where the rows around them have elements."""
    text = "size B\ny[b: B] = sum{e = p[b]..p[b+1]-1} w[e]*max{f = q[b]..q[b+1]-1} u[f]"
    assert len(compiler.with_lists(tadc.compile(text).program).program.statements) == 1


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["numpy", "native", "interpreter"])
@pytest.mark.parametrize("most", [3, 700])
def test_what_a_group_has_in_common_is_computed_once_for_it(backend, most):
    """By lists for each element it would take the square of a group's length."""
    text = "input k[E]: index\ny[e] = u[e]/sum{f | k[f] = k[e]} u[f]*v"
    f = tadc.compile(text, backend=backend)
    listed = compiler.with_lists(f.program).program
    assert [len(s.target.shape) for s in listed.statements] == [1, 1]
    assert not any(isinstance(e, Reduce) for e in postorder(listed.statements[1].body))

    rng = np.random.default_rng(0)
    lengths = [1, most, 5] if backend != "interpreter" else [1, 3, 5]
    k = rng.permutation(np.repeat([4, -7, 10**6], lengths))
    _, group = np.unique(k, return_inverse=True)
    u, dy, v = rng.uniform(0.5, 1, len(k)), rng.standard_normal(len(k)), 1.5
    total = np.bincount(group, u)[group]
    y, pullback = f.vjp(k=k, u=u, v=v)
    np.testing.assert_allclose(y, u / total / v, rtol=1e-13)
    slope = dy / total / v - np.bincount(group, dy * u / total**2 / v)[group]
    np.testing.assert_allclose(pullback(dy)["u"], slope, rtol=1e-9, atol=1e-12)


def test_a_list_by_the_elements_of_nothing_has_no_key_for_any_element():
    text = "input p[E]: index, s[N]: index\ny[i: N] = sum{e | p[e] = s[i]} w[e]"
    (made,) = listed(tadc.compile(text).program).lists
    indices = {"p": as_index("p", []), "s": as_index("s", [4, -2])}
    sizes = {"N": 2, "E": 0}
    (arrays,) = lists_of((made,), indices, sizes, 2**31)
    (match,) = made.matches
    last = arrays.begin.shape[-1] - 2
    assert arrays.matching(indices[match.of], 1, 0, 1).tolist() == [last, last]


def test_sums_beside_data_are_arranged_as_in_other_programs():
    """A factor leaves the sum that it does not depend on, also where another statement reads through data."""
    text = "h[e] = sum{k, f} x[e,f]*W[k,f]*exp(-z[e]*m[k])\ny[i: 5] = sum{e | d[e] = i} h[e]"
    program = compiler.with_lists(tadc.compile(text).program).program
    first, _ = compiler.stored(program).statements
    (inner,) = (e for e in postorder(first.body) if isinstance(e, Reduce) and "f" in e.indices)
    assert inner.indices == ("f",)
    assert not any(isinstance(e, Call) and e.function == "exp" for e in postorder(inner))


@pytest.mark.parametrize("name", ["d", "k"])
def test_terms_of_a_list_are_in_what_is_known_whatever_the_index_tensor_is_called(name):
    text = f"input u[N]\ny[i: N] = sum{{e | {name}[e] = i}} exp(u[i])*w[e]"

    gradient = str(tadc.compile(text).adjoint("u"))

    assert "gate(dy[i]*w[e], exp(u[i]))" in gradient


def test_places_of_few_values_are_tried_along_a_list():
    text = "size V\ny[v: V] = sum{t,i: 3 | T[t,(i+1)%3] = v} g[t,i]"
    assert not listed(tadc.compile(text).program).tested
