"""Random programs that read through data against dense sums, and hostile index arrays in calls of native code.

    python benchmarks/fuzz_data.py programs [--count 2000] [--first 0]     # values, tangents, adjoints, second derivatives
    python benchmarks/fuzz_data.py sparse   [--count 500]  [--first 0]     # sparse operands against the same text with dense ones
    python benchmarks/fuzz_data.py calls    [--count 100000] [--sanitize]  # under ASan and UBSan, by gcc

A call with a hostile array is the right result, or the error that names an element that leads outside. The first difference ends the run, of
`programs` all are printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import tadc
from tadc import compiler
from tadc.ir.bounds import bounded
from tadc.ir.expr import Reduce
from tadc.ir.walk import postorder
from tadc.schedule.rewrite.list_tensors import Rows, SortedList
from tadc.schedule.rewrite.lists import listed
from tadc.schedule.rewrite.looked_up import data_among
from tadc.syntax.reading import LARGEST_SOURCE

# ---------------------------------------------------------------------- programs

SLOW = 20  # seconds of a program that are worth a line


def programs(first: int, count: int) -> int:
    """Programs of any number of index tensors: values and derivatives of each on numpy, along lists, and in turns on the interpreter,
    by every point and along lists, and by native code; and their texts. The number of programs with a difference.
    """
    from tests.data import test_random_data as tests
    from tests.data.held import Held, called
    from tests.data.random_data import random_data

    steps: Counter[str] = Counter()
    failed: list[int] = []
    with tempfile.TemporaryDirectory() as cache, _counted(steps):
        os.environ["TADC_CACHE_DIR"] = cache  # what is kept from another run would not be counted
        for seed in range(first, first + count):
            begin = time.process_time()
            try:
                data = random_data(seed)
                held = Held(data, seed)
                f = tests.compiled(data, backend="numpy")
                modes = held.assert_holds(f)
                _assert_printed(*modes[seed % len(modes)], data.sizes)
                if seed % 4 == 0:
                    small = random_data(seed, small=True)
                    g = tests.compiled(small, backend="interpreter")
                    by_points = seed % 8 == 0 or compiler.index_stages(g.program)
                    run = called if by_points else tests.by_lists(tests.FACTS[seed // 8 % 3])
                    Held(small, seed).assert_holds(g, run)
                if seed % 4 == 2:
                    held.assert_calls_hold(tests.compiled(data, backend="native"))
                _count_loops(f, steps)
            except Exception as error:
                failed.append(seed)
                print(f"program {seed}: {type(error).__name__}: {str(error)[:2000]}", flush=True)
            seconds = time.process_time() - begin
            if seconds > SLOW:
                print(f"program {seed}: {seconds:.0f} s", flush=True)
            if seed % 20 == 19:
                print(f"programs {first}..{seed}: {dict(steps)}", flush=True)
    print(f"{count} programs, {len(failed)} with a difference: {failed}; {dict(steps)}")
    return len(failed)


def _assert_printed(mode: Any, results: Any, sizes: dict[str, int]) -> None:
    """The text of a function has the same bits."""
    from tests.data.held import called

    text = str(mode.function)
    if 0 in sizes.values() or len(text) > LARGEST_SOURCE:
        return  # a text is of sizes of at least 1
    again = tadc.compile(text, backend="numpy", dtype="float64")
    given = dict(zip(mode.function.inputs, mode.arguments, strict=True))
    own = {n: v for n, v in sizes.items() if n in again.sizes}
    found = called(again, [given[n] for n in again.inputs], own)
    for one, other in zip(found, results, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=text)


@contextmanager
def _counted(steps: Counter[str]) -> Iterator[None]:
    """Counts the unknowns that equations are solved for while programs are compiled."""
    from tadc.normalize import solved

    solve = solved.solve

    def counting(*arguments: Any, **options: Any) -> Any:
        found = solve(*arguments, **options)
        if found is not None:
            steps["solved"] += sum(v.as_symbol() != u for u, v in found.substitution.items())
        return found

    solved.solve = counting
    try:
        yield
    finally:
        solved.solve = solve


def _count_loops(f: Any, steps: Counter[str]) -> None:
    """Counts how the loops of a program and of its adjoint come about."""
    steps["programs"] += 1
    for g in (f, *([f.adjoint()] if set(f.inputs) - set(f.index_inputs) else [])):
        made = listed(g.program)
        for each in made.lists:
            several = isinstance(each, SortedList) and len(each.keys) > 1
            kind = "rows" if isinstance(each, Rows) else "lists by two keys" if several else "lists"
            steps[kind] += 1
        steps["tested"] += len(made.tested)
        own = set(g.program.tensors)  # not those of lists
        for s in made.program.statements:
            reductions = [e for e in postorder(s.body) if isinstance(e, Reduce)]
            for derived in (s.derived, *(e.derived for e in reductions)):
                steps["loads"] += sum(d.tensor in own for d in data_among(derived))
            for e in reductions:
                data = {d.name for d in data_among(e.derived)}
                bounds = bounded(e).each
                steps["loops"] += sum(data.isdisjoint(b.range.symbols) for b in bounds)


# ---------------------------------------------------------------------- sparse operands

FACTORS = ("u[i]", "v[j]", "B[i,j]", "2", "exp(u[i])", "[j <= i]", "sin(v[j])")
TERMS = ("A[i,j]", "-A[i,j]", "A[i,j]*A[i,j]", "A[i,j]*A[j,i]", "A[i,j]**2", "A[j,i]", "A[pad(i-1), j]", "A[i,j]/(1 + u[i]**2)")  # fmt: skip
HEADS = ("y[i: 3] = sum{j: 3} ", "y[j: 3] = sum{i: 3} ", "y = sum{i: 3, j: 3} ", "y[i: 3, j: 3] = ")


def sparse(first: int, count: int) -> None:
    """Terms with sparse factors: values and derivatives are those of the same text with dense matrices."""
    for seed in range(first, first + count):
        rng = np.random.default_rng(seed)
        terms = [
            "*".join([*rng.choice(FACTORS, rng.integers(0, 3)), rng.choice(TERMS)])
            for _ in range(rng.integers(1, 3))
        ]
        on_pattern = rng.random() < 0.25
        if on_pattern:
            factors = ["*".join([*rng.choice(FACTORS, 2), "A[i,j]"]) for _ in range(2)]
            body = f"S[i, j]: like A = {' + '.join(factors)}\ny[i] = sum{{j}} S[i,j]*v[j]"
        else:
            head = str(rng.choice(HEADS))
            body = f"{head}({' + '.join(terms)})"
            if rng.random() < 0.5 and "{" in head:
                body = head + terms[0]  # a factor of the term itself
        shape = "A[3, 3]"
        layout = str(rng.choice(("csr", "csc", "coo")))
        rest = "input u[3], v[3], B[3, 3]\n"
        if seed % 100 == 99:
            print(f"programs {first}..{seed}", flush=True)
        _compare(seed, f"input {shape}: {layout}\n{rest}{body}", f"input {shape}\n{rest}{body.replace(': like A', '')}", layout, rng)  # fmt: skip


def _compare(seed: int, text: str, dense: str, layout: str, rng: np.random.Generator) -> None:
    from scipy.sparse import coo_array

    backend = "native" if seed % 8 == 0 else ("interpreter", "numpy")[seed % 2]
    f, g = (tadc.compile(t, backend=backend, dtype="float64") for t in (text, dense))
    stored = int(rng.integers(0, 8))
    at = rng.integers(0, 3, (2, stored))
    a = coo_array((rng.standard_normal(stored), tuple(at)), shape=(3, 3))
    if layout != "coo" and rng.random() < 0.7:
        a = a.asformat(layout)
    full = a.toarray()
    points = a.tocoo()
    mask = points.row, points.col
    others = {n: rng.standard_normal(s) for n, s in (("u", 3), ("v", 3), ("B", (3, 3)))}
    others = {n: x for n, x in others.items() if n in f.inputs}
    y, back = f.vjp(A=a, **others)
    z, dense_back = g.vjp(A=full, **others)
    dy = rng.standard_normal(np.shape(z))
    gradients, expected = back(dy), dense_back(dy)
    move = a.copy()
    move.data = rng.standard_normal(len(a.data))
    slope = f.jvp({"A": a, **others}, {"A": move, **others})[1]
    dense_slope = g.jvp({"A": full, **others}, {"A": move.toarray(), **others})[1]
    pairs = [(y, z), (slope, dense_slope), (gradients["A"].tocoo().data, expected["A"][mask])]
    pairs += [(gradients[n], expected[n]) for n in others]
    if others:
        name = next(iter(others))
        second, dense_second = (h.adjoint("A").tangent(name) for h in (f, g))
        # Where nothing is stored the adjoint is not computed: dense derivatives are read at the pattern alone.
        one = second(*_values(second, {"A": a, **others, "dy": dy}, others[name]))
        two = dense_second(*_values(dense_second, {"A": full, **others, "dy": dy}, others[name]))
        pairs.append((one.tocoo().data, two[mask]))
    for one, two in pairs:
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12, err_msg=f"{seed}: {text}")
    again = tadc.compile(str(f), backend=backend, dtype="float64")
    # The value beside a pullback may have factors outside of sums, in another order: a text has the bits of a call.
    np.testing.assert_array_equal(again(A=a, **others), f(A=a, **others), err_msg=str(f))


def _values(f: Any, named: dict[str, Any], move: Any) -> list[Any]:
    """The arguments in order: the last one is the tangent."""
    return [named.get(n, move) for n in f.inputs]


# ---------------------------------------------------------------------- calls

FAR = [2**31 - 1, 2**31, -(2**31), 2**53, 2**62, -(2**62), 2**63 - 1, -(2**63)]
NEAR = [0, 1, 2, 3, 0, 1, 2, 3, -1, 4, 5, -4]
DTYPES = ("int8", "int16", "int32", "int64", "int64", "uint8", "uint16", "uint32", "uint64")
N = 4

# The elements of `x` that an element `v` of `k` leads to; `None` where it belongs to no sum.
READS: dict[str, Callable[[int], list[int]]] = {
    "y[i] = x[k[i]]": lambda v: [v],
    "y[i] = sum{r=0..1} x[2*k[i] + r]": lambda v: [2 * v, 2 * v + 1],
    "y[i] = x[clamp(k[i] + 3)]": lambda v: [min(max(v + 3, 0), N - 1)],
    "y[i] = x[pad(2*k[i] - 1)]": lambda v: [2 * v - 1] if 0 <= 2 * v - 1 < N else [],
    "y[i] = x[pad(3 - k[i])]": lambda v: [3 - v] if 0 <= 3 - v < N else [],
    "y[i] = sum{j=k[i]..k[i]+1} x[j]": lambda v: [v, v + 1],
    "y[i] = sum{j | j < k[i]} x[j]": lambda v: [j for j in range(N) if j < v],
    "size N\ninput x[N]\ny[i] = [0 <= k[i] < N]*x[k[i]]": lambda v: [v] if 0 <= v < N else [],
    "y[i] = sum{m} [m = k[i]]*x[m]": lambda v: [v] if 0 <= v < N else [],
    "y[i] = x[k[i] % 4]": lambda v: [v % N],
    "input x[4]\ny[i] = x[wrap(k[i])]": lambda v: [v % N],
    "input k[E]: 0..3\ny[i] = x[k[i]]": lambda v: [v],
}
EDGES = (
    "size N\ny[i: N, c] = sum{e | k[e] = i} w[e]*x[m[e], c]",
    "size N\ny[i: N, c] = sum{e} [k[e] = i]*w[e]*x[m[e], c]",
    "size N\nz[e, c] = [0 <= k[e] < N]*w[e]*x[m[e], c]\ny[i: N, c] = sum{e | k[e] = i} z[e, c]\noutput y",
)
FLOORS = ("y[i] = x[k[i]]", "y[i] = x[clamp(k[i] + 3)]", "y[i] = x[pad(2*k[i] - 1)]")


def calls(first: int, count: int) -> None:
    rng = np.random.default_rng(first)
    seen: Counter[str] = Counter()
    backend = "native"
    made = {t: tadc.compile(t, backend=backend) for t in READS}
    floors = {t: tadc.compile(f"k[i] = floor(u[i])\n{t}", backend=backend) for t in FLOORS}
    rows = tadc.compile("input A[4, 4]: csr\ny[i] = sum{j} A[i,j]*x[j]", backend=backend)
    edges = [tadc.compile(t, backend=backend) for t in EDGES]
    begin = time.monotonic()
    for number in range(count):
        kind = rng.random()
        if kind < 0.75:
            text = list(READS)[rng.integers(len(READS))]
            seen[_by_index(made[text], text, rng)] += 1
        elif kind < 0.9:
            text = FLOORS[rng.integers(len(FLOORS))]
            seen[_by_floor(floors[text], text, rng)] += 1
        elif kind < 0.95:
            seen[_by_rows(rows, rng)] += 1
        else:
            seen[_by_edges(edges[rng.integers(len(edges))], rng)] += 1
        if number % 10_000 == 9_999:
            print(f"{number + 1} calls, {time.monotonic() - begin:.0f} s: {dict(seen)}", flush=True)


def _hostile(rng: np.random.Generator) -> np.ndarray:
    """Integers of any type, in any layout: near ones for the most part."""
    values = rng.choice(
        NEAR if rng.random() < 0.6 else NEAR[:8] if rng.random() < 0.7 else NEAR + FAR, 4
    )
    kind = np.dtype(str(rng.choice(DTYPES)))
    ends = np.iinfo(kind)
    held = np.array([min(max(int(v), ends.min), ends.max) for v in values], kind)
    layout = rng.integers(4)
    if layout == 1:
        held = np.repeat(held, 3)[::3]
    elif layout == 2:
        held = held[::-1].copy()[::-1]
    elif layout == 3:
        held.flags.writeable = False
    return held


def _by_index(f: Any, text: str, rng: np.random.Generator) -> str:
    k, x, dy = _hostile(rng), rng.standard_normal(N), rng.standard_normal(4)
    given: Any = k
    if rng.random() < 0.05:  # of another kind
        wrong: Any = [k.astype(float) + 0.5, k > 0, k.astype(str), k[:, None], None][
            rng.integers(4)
        ]
        try:
            f(k=wrong, x=x)
        except tadc.Error:
            return "wrong kind"
        assert "k[i]]" not in text.replace("[m = k[i]]", "") and wrong.dtype.kind == "f", (
            text,
            wrong,
        )
        return "floats"
    if rng.random() < 0.2:
        given = tadc.index(k)
    numbers = [int(v) for v in k]
    reads = [READS[text](v) for v in numbers]
    try:
        y, pullback = f.vjp(k=given, x=x)
    except tadc.DataError as error:
        return _explained(error, text, numbers, reads)
    if k.flags.writeable and given is k:
        k[:] = 0  # the copy counts
    gradient = pullback(dy)["x"]
    assert all(0 <= s < N for row in reads for s in row), (text, numbers)
    np.testing.assert_allclose(y, [sum(x[s] for s in row) for row in reads], atol=1e-12)
    expected = np.zeros(N)
    for row, d in zip(reads, dy, strict=True):
        for s in row:
            expected[s] += d
    np.testing.assert_allclose(gradient, expected, atol=1e-12, err_msg=f"{text} {numbers}")
    return "results"


def _explained(error: Any, text: str, numbers: list[int], reads: list[list[int]]) -> str:
    """What the error is of: an element that leads outside, and no later one than the first."""
    assert error.tensor == "k" and numbers[error.index[0]] == error.value, (
        text,
        numbers,
        str(error),
    )
    outside = [any(not 0 <= s < N for s in row) for row in reads]
    assert outside[error.index[0]] and not any(outside[: error.index[0]]), (text, numbers)
    return "errors"


def _by_floor(f: Any, text: str, rng: np.random.Generator) -> str:
    u = rng.choice([0.5, 1.0, 2.9, 3.999, -0.5, 4.0, 1e30, -1e30, np.nan, np.inf, -np.inf], 4)
    if rng.random() < 0.5:
        u = rng.random(4) * N
    x = rng.standard_normal(N)
    far = [
        2**62 if np.isnan(v) or v > 1e18 else -(2**62) if v < -1e18 else int(np.floor(v)) for v in u
    ]
    # NaN is outside, whatever the form.
    nowhere = [np.isnan(v) and "pad" not in text for v in u]
    reads = [[v] if no else READS[text](v) for v, no in zip(far, nowhere, strict=True)]
    try:
        y = f(u=u, x=x)
    except tadc.DataError as error:
        outside = [any(not 0 <= s < N for s in row) for row in reads]
        assert error.index[0] == outside.index(True), (text, u)
        return "floor: errors"
    assert all(0 <= s < N for row in reads for s in row), (text, u)
    np.testing.assert_allclose(y, [sum(x[s] for s in row) for row in reads], atol=1e-12)
    return "floor: results"


def _by_rows(f: Any, rng: np.random.Generator) -> str:
    ptr = np.array([0, *np.sort(rng.integers(0, 7, 3)), 6])
    col, values, x = rng.integers(0, 4, 6), rng.standard_normal(6), rng.standard_normal(4)
    if rng.random() < 0.5:
        which = (ptr, col)[rng.integers(2)]
        which[rng.integers(len(which))] = rng.choice(NEAR + FAR)
    good = ptr[0] == 0 and ptr[-1] == 6 and all(np.diff(ptr.astype(float)) >= 0)
    good = good and all(0 <= c < 4 for c in col)
    try:
        y, pullback = f.vjp((values, ptr, col), x)
    except tadc.DataError:
        assert not good, (ptr, col)
        return "rows: errors"
    assert good, (ptr, col)
    dense = np.zeros((4, 4))
    for i in range(4):
        for e in range(ptr[i], ptr[i + 1]):
            dense[i, col[e]] += values[e]
    np.testing.assert_allclose(y, dense @ x, atol=1e-12)
    np.testing.assert_allclose(pullback(np.ones(4))["x"], dense.sum(0), atol=1e-12)
    return "rows: results"


def _by_edges(f: Any, rng: np.random.Generator) -> str:
    """Edges that end at no node are no edges: where they begin does not matter."""
    count, columns = int(rng.integers(1, 20)), int(rng.integers(1, 20))
    k = rng.choice(NEAR if rng.random() < 0.5 else NEAR + FAR, count)
    there = (k >= 0) & (k < N)
    m = np.where(there | (rng.random() < 0.2), rng.integers(0, N, count), rng.choice(FAR, count))
    if rng.random() < 0.3:
        m[rng.integers(count)] = rng.choice(NEAR + FAR)
    w, x, dy = (rng.standard_normal(s) for s in (count, (N, columns), (N, columns)))
    outside = there & ((m < 0) | (m >= N))
    try:
        y, pullback = f.vjp(k=k, m=m, w=w, x=x, N=N)
    except tadc.DataError as error:
        assert error.tensor == "m" and error.index[0] == outside.argmax() and outside.any(), (k, m)
        return "edges: errors"
    assert not outside.any(), (k, m)
    gradients = pullback(dy)
    expected, dx, dw = np.zeros((N, columns)), np.zeros((N, columns)), np.zeros(count)
    for e in np.flatnonzero(there):
        expected[k[e]] += w[e] * x[m[e]]
        dx[m[e]] += w[e] * dy[k[e]]
        dw[e] = dy[k[e]] @ x[m[e]]
    for found, right in ((y, expected), (gradients["x"], dx), (gradients["w"], dw)):
        np.testing.assert_allclose(found, right, atol=1e-12, err_msg=f"{k} {m}")
    return "edges: results"


# ---------------------------------------------------------------------- the command line


def sanitized(arguments: list[str]) -> int:
    """The run again, in a process whose native code is compiled with sanitizers."""
    flags = "-fsanitize=address,undefined -fno-sanitize-recover=all -g"
    runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)  # fmt: skip
    with tempfile.TemporaryDirectory() as cache:
        environment = {
            **os.environ,
            "CC": "gcc",
            "CFLAGS": flags,
            "LD_PRELOAD": runtime.stdout.strip(),
            "ASAN_OPTIONS": "detect_leaks=0",
            "TADC_CACHE_DIR": cache,
            "OMP_NUM_THREADS": "1",
        }
        return subprocess.run([sys.executable, __file__, *arguments], env=environment, check=False).returncode  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=("programs", "sparse", "calls"))
    parser.add_argument("--count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--sanitize", action="store_true")
    given = parser.parse_args()
    if given.sanitize:
        return sanitized([a for a in sys.argv[1:] if a != "--sanitize"])
    runs: dict[str, Callable[[], int | None]] = {
        "programs": lambda: programs(given.first, given.count or 2000),
        "sparse": lambda: sparse(given.first, given.count or 500),
        "calls": lambda: calls(given.first, given.count or 100_000),
    }
    if runs[given.what]():
        return 1
    print("no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
