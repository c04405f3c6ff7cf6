"""What is rewritten before a program runs: factors, equal sums, rows, what is stored. The meaning stays."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import bound, by_name, random_arrays, relative
from programs import normal, run
from random_programs import random_program

import tadc
from tadc.ir.expr import Call, Select
from tadc.ir.walk import postorder
from tadc.printing.idx import statement_text
from tadc.runtime.interpreter import interpret
from tadc.schedule.nest.fuse import fused
from tadc.schedule.nest.loop_nest import Interior, Loop, steps_of, values_of
from tadc.schedule.nest.lower import kernels
from tadc.schedule.nest.memory import oversized, recomputed
from tadc.schedule.rewrite.common import common
from tadc.schedule.rewrite.factor import factored
from tadc.schedule.rewrite.inline import in_readers, inlined
from tadc.schedule.rewrite.program import scheduled
from tadc.schedule.rewrite.rows import rows
from tadc.schedule.rewrite.shared import shared


def bodies(program):
    return [statement_text(s).partition(" = ")[2] for s in program.statements]


# ---- factors

FACTORS = {
    "size N, M\ninput a[N], x[M]\ny[i] = sum{j} a[i]*x[j]": "(sum{j=0..M - 1} x[j])*a[i]",
    "size N, M\ninput a[N], x[M]\ny = sum{i, j} a[i]*x[j]": "(sum{i=0..N - 1} a[i])*(sum{j=0..M - 1} x[j])",
    "size I, J, K, R\ninput x[I, J, K], b[J, R], c[K, R]\ny[i, r] = sum{j, k} x[i, j, k]*b[j, r]*c[k, r]": (
        "sum{j=0..J - 1} (sum{k=0..K - 1} x[i, j, k]*c[k, r])*b[j, r]"
    ),
    "size N\ninput x[N], s\ny = sum{i} -x[i]/s": "-((sum{i=0..N - 1} x[i])/s)",
    "size N, M\ninput a[N, M], x[M]\ny[i] = sum{j} a[i, j]*x[j]": "sum{j=0..M - 1} a[i, j]*x[j]",
    "size N\ninput x[N], w[N]\ny[i: N] = sum{j: N | j <= i} x[i]*w[j]": "(sum{j=0..i} w[j])*x[i]",
    # The ranges depend on each other: outside, the factor would be read where nothing is summed.
    "size N\ninput x[N], w[N]\ny = sum{i: N, j: N | j < i} x[i]*w[j]": "sum{i=0..N - 1, j=0..i - 1} x[i]*w[j]",
    # x[i - 3] is inside only where the sum has terms.
    "size N\ninput x[N], w[N]\ny[i: N] = sum{j: N | j + 3 <= i} x[i - 3]*w[j]": (
        "if 3 <= i then (sum{j=0..i - 3} w[j])*x[i - 3] else 0"
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", FACTORS)
def test_factors_stand_outside_of_sums(text):
    assert bodies(factored(normal(text))) == [FACTORS[text]]


def test_a_factor_that_masks_infinite_terms_masks_their_sum():
    f = tadc.compile(
        "size N, M\ninput c[N], x[M]\ny[i] = if {c[i] > 0} then sum{j} log(c[i]*x[j]) else 0"
    )
    arrays = {"c": np.array([2.0, 0.0]), "x": np.array([1.0, 4.0, 5.0]), "dy": np.array([1.0, 3.0])}

    for wrt in (["c"], ["x"], ["c", "x"]):
        adjoint = f.adjoint(wrt).program
        expected = interpret(adjoint, arrays, {"N": 2, "M": 3})
        found = interpret(scheduled(adjoint), arrays, {"N": 2, "M": 3})
        for name, value in expected.items():
            assert np.isfinite(value).all()
            np.testing.assert_allclose(found[name], value, rtol=1e-13)
    _, pullback = tadc.compile(str(f), backend="native").vjp(arrays["c"], arrays["x"])
    np.testing.assert_allclose(pullback(arrays["dy"])["c"], [1.5, 0])


# ---- equal sums


def test_a_sum_that_is_stored_is_read():
    program = normal(
        "size N, M\ninput x[N, M]\ns[i] = sum{j} x[i, j]**2\n"
        "y[k, j] = x[k, j]/sqrt(sum{l} x[k, l]**2)\noutput s, y"
    )

    assert bodies(scheduled(program)) == ["sum{j=0..M - 1} x[i, j]**2", "x[k, j]/sqrt(s[k])"]


def test_equal_statements_are_one_also_when_their_dimensions_are_in_another_order():
    text = (
        "size N, M\ninput x[N], z[M]\nt[i, j] = sum{k: 4} (x[i] - z[j])**k\n"
        "u[j, i] = sum{k: 4} (x[i] - z[j])**k\nf = sum{i, j} exp(t[i, j])*u[j, i]"
    )
    program = normal(text)
    rewritten = scheduled(program)
    random = np.random.default_rng(0)
    arrays = {"x": random.normal(size=3), "z": random.normal(size=5)}

    assert len(rewritten.statements) == len(program.statements) - 1
    sizes = {"N": 3, "M": 5}
    np.testing.assert_allclose(
        interpret(rewritten, arrays, sizes)["f"], interpret(program, arrays, sizes)["f"], rtol=1e-12
    )


def test_sums_over_other_ranges_are_not_equal():
    program = normal(
        "size N, M\ninput x[N, M]\ns[i: N - 1] = sum{j} x[i, j]**2\nt[i: N] = sum{j} x[i, j]**2 + 1\noutput s, t"
    )

    assert not any("s[" in body for body in bodies(common(program)))


# ---- all together

PROGRAMS = {
    "pairs": "size N, D\ninput x[N, D], y[N, D], w[N]\nf[i] = sum{j} exp(-sum{d} (x[i, d] - y[j, d])**2)*w[j]",
    "softmax": "size N, D\ninput x[N, D]\nm[i] = max{d} x[i, d]\ny[i, d] = exp(x[i, d] - m[i])/sum{e} exp(x[i, e] - m[i])",
    "a network": "size N, D\ninput a[N, D], b[D, N], c[N, D], v[D]\ny[i] = sum{j, k, l} a[i, j]*b[j, k]*c[k, l]*v[l]",
    "a border": "size N, D\ninput x[N, D]\ny[i: N, d: D] = sum{r: 3} tanh(x[pad(i + r - 1), wrap(d + r)])",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("memory", ["auto", "recompute", "materialize"])
def test_a_program_and_its_gradients_are_the_same_however_much_is_stored(name, memory):
    sizes = {"N": 5, "D": 4}
    f = tadc.compile(PROGRAMS[name], memory=memory)
    g = f.adjoint()
    random = np.random.default_rng(2)
    for program in (f.program, g.program):
        arrays = {
            t.name: random.uniform(0.2, 0.9, [n.at(sizes) for n in t.shape]) for t in program.inputs
        }
        stored = scheduled(program)
        rewritten = scheduled(program, oversized(stored, sizes, "float64", memory, None))
        expected = interpret(program, arrays, sizes)
        for output, value in interpret(rewritten, arrays, sizes).items():
            np.testing.assert_allclose(value, expected[output], rtol=1e-11, atol=1e-12)


@pytest.mark.plain(seed=3)
@pytest.mark.parametrize("seed", range(30))
def test_random_programs_keep_their_meaning(seed):
    text = random_program(seed, level="full" if seed % 2 else "core")
    try:
        f = tadc.compile(text.text)
        programs = f.program, f.adjoint().program
    except tadc.Error:
        pytest.skip("there is no program without numbers")
    sizes = bound(f, text.sample(seed, False), text.sizes)
    random = np.random.default_rng(seed)
    for program in programs:
        if program.is_empty(sizes):
            continue
        arrays = {
            t.name: random.uniform(0.2, 0.9, [n.at(sizes) for n in t.shape]) for t in program.inputs
        }
        expected = interpret(program, arrays, sizes)
        stored = scheduled(program)
        for memory in ("recompute", "materialize"):
            again = oversized(stored, sizes, "float64", memory, None)
            found = interpret(scheduled(program, again), arrays, sizes)
            for name, value in expected.items():
                np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-9, err_msg=name)


# ---- memory


def test_what_is_too_large_is_not_stored():
    f = tadc.compile(PROGRAMS["pairs"])
    program = scheduled(f.adjoint().program)

    def chosen(memory="auto", limit=None, n=1000):
        return oversized(program, {"N": n, "D": 4}, "float64", memory, limit)

    pairs = {
        s.target.name
        for s in program.statements
        if len(s.indices) == 2 and s.target.name not in program.outputs
    }
    assert pairs == {"dx_sum", "dx_exp"}  # the sums are local to the kernel of the exponentials
    assert chosen() == pairs
    assert chosen(n=4) == chosen("materialize") == frozenset()
    assert chosen("recompute", n=4) == pairs
    assert chosen("materialize", limit=100) == pairs
    assert not in_readers(program, chosen()).tensors.keys() & chosen()


def test_the_cost_follows_the_memory():
    sizes = {"N": 1000, "D": 8}
    stored, again = (
        tadc.compile(PROGRAMS["pairs"], memory=m) for m in ("materialize", "recompute")
    )
    value = stored.cost(**sizes).operations

    assert stored.cost(mode="vjp", **sizes).operations <= 4 * value
    assert again.cost(mode="vjp", **sizes).operations <= 7 * value
    assert again.cost(mode="vjp", **sizes).temporary_bytes == 0
    # Two coordinates are subtracted again in less time than an exponential comes from memory, sixty are not.
    few, many = (
        tadc.compile(PROGRAMS["pairs"]).cost(mode="vjp", N=3000, D=d).temporary_bytes
        for d in (2, 60)
    )
    assert few == 0 < many


def test_a_table_of_indices_alone_is_computed_again_where_it_is_too_large():
    text = "size B, N\ninput x[B,N]\ny[b,k: N] = sum{n} x[b,n]*cos(0.1*n*k)"
    program = scheduled(tadc.compile(text).program)

    def chosen(n):
        return recomputed(program, {"B": 64, "N": n}, "float32", "auto", None)

    assert not chosen(64)
    assert not chosen(10_000)
    assert chosen(100_000) == {"y_value"}


def test_what_has_more_bytes_than_the_budget_is_computed_again():
    program = scheduled(tadc.compile(PROGRAMS["pairs"]).adjoint().program)

    def chosen(n, limit=None):
        return recomputed(program, {"N": n, "D": 60}, "float64", "auto", limit)

    assert not chosen(3000)
    assert chosen(3000, limit=10**6) == chosen(30_000) == {"dx_sum", "dx_exp"}


def test_what_a_maximum_compares_is_stored():
    program = normal(
        "size N\ninput x[N]\nt[i] = sum{k} exp(x[k]*x[i])\nm = max{i} t[i]\ny = m + t[0]"
    )

    assert "t" not in oversized(program, {"N": 1000}, "float64", "recompute", None)


def test_steps_of_a_table_that_each_branch_would_compute_again_are_stored_also_where_recomputing_is_asked_for():
    text = (
        "size N, M\ninput c[N,M]\nstate r[N+1,M+1]\nrepeat i = 1..N {\n repeat j = 1..M {\n"
        "  r[i,j] <- c[i-1,j-1] - log(exp(-r[i-1,j]) + exp(-r[i,j-1]) + exp(-r[i-1,j-1]))\n }\n}"
    )
    program = scheduled(tadc.compile(text).fix(N=3, M=4).program)
    written = {s.target.name for s in program.statements}

    assert len(oversized(program, {}, "float64", "recompute", None)) < len(written) - 1


# ---- rows


def test_a_thread_owns_the_row_that_shares_an_exponential():
    program = scheduled(tadc.compile(PROGRAMS["pairs"]).adjoint(["x"]).program)
    (statement,) = (s for s in program.statements if s.target.name == "dx")
    (kernel,) = (k for k in kernels(program, "adjoint") if k.writes == ("dx",))

    assert rows(statement).indices == ("d",)
    assert kernel.indices == ("i",)
    loops = [s for s in steps_of(kernel.body) if isinstance(s, Loop)]
    inner = [s for s in loops if s.range.index == "d"]
    calls = [
        n
        for s in inner
        for t in steps_of(s.body)
        for v in values_of(t)
        for n in postorder(v)
        if isinstance(n, Call) and n.function == "exp"
    ]
    assert inner and not calls


def test_the_interior_of_a_border_has_no_tests():
    plan = tadc.compile(
        "size N\ninput x[N, N], w[3, 3]\ny[i: N, j: N] = sum{r, s} x[pad(i+r-1), pad(j+s-1)]*w[r, s]"
    ).plan(N=100)

    assert "no tests inside, away from the borders of j" in str(plan)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(3))
def test_interiors_of_random_programs_are_right_about_their_tests(block):
    """Each condition that an interior leaves out holds, or fails, at every point of it: the interpreter of tests says so."""
    from tadc.schedule.cpu.kernels import cpu_kernel

    found = 0
    for seed in range(20 * block, 20 * block + 20):
        try:
            program = scheduled(
                tadc.compile(random_program(seed, level="full").text).adjoint().program
            )
        except tadc.Error:
            continue
        for kernel in kernels(program, "adjoint"):
            found += any(
                isinstance(s, Interior) for s in steps_of(cpu_kernel(kernel, program).body)
            )
    assert found > 6
    assert run(normal("size N\ninput x[N]\ny[i: N] = x[pad(i - 1)]"), {"x": np.arange(3.0)})[
        "y"
    ].tolist() == [0, 0, 1]


def test_a_bound_by_a_quotient_of_indices_says_nothing_about_what_is_usual():
    from tadc.schedule.cpu.kernels import cpu_kernel

    source = random_program(3336, level="full")
    try:
        f = tadc.compile(source.text)
        program = scheduled(f.adjoint().program)
    except tadc.Error as error:
        f = tadc.compile(source.text, sizes={s: source.numbers[s] for s in error.sizes})
        program = scheduled(f.adjoint().program)

    assert all(cpu_kernel(kernel, program).body for kernel in kernels(program, "adjoint"))


def test_few_long_sums_read_what_they_share_once():
    from tadc.schedule.nest.unrolled import unrolled

    f = tadc.compile(
        "size N\ninput x[N + 2, N + 2], w[3, 3]\ny[i: N, j: N] = sum{r, s} x[i+r, j+s]*w[r, s]"
    )
    program = scheduled(f.adjoint(["w"]).program)
    (kernel,) = (k for k in kernels(program, "adjoint") if k.writes == ("dw",))

    together = unrolled(kernel)

    loops = [s.range.index for s in steps_of(together.body) if isinstance(s, Loop)]
    assert loops == ["i", "j"] and together.indices == ()
    assert len(together.locals) == 9 * len(kernel.locals)
    assert "all of r, s at once" in str(f.plan(mode="adjoint", N=100))


def test_sums_with_ranges_of_their_own_are_not_put_side_by_side():
    from tadc.schedule.nest.unrolled import unrolled

    program = normal("size N\ninput x[N]\ny[i: 3] = sum{k: N | k >= i} x[k]")
    (kernel,) = kernels(program, "primal")

    assert unrolled(kernel) is None


# ---- inlining and fusion

INLINED = {
    # a single reader, each element once
    "size N\ninput x[N]\nt[i] = exp(x[i])\ny[i: N - 1] = t[i + 1]*x[i]": ["y"],
    "size N, M\ninput x[N, M]\nt[i, j] = exp(x[i, j])\ny[j] = sum{i} t[i, j]": ["y"],
    "size N\ninput x[N]\nt[i] = exp(x[i])\ny[i: N - 1] = t[i + 1] - t[i]": ["t", "y"],
    "size N, M\ninput x[N], w[M]\nt[i] = exp(x[i])\ny[j: M] = sum{i} t[i]*w[j]": ["t", "y"],
    "size N\ninput x[N]\nt[i] = exp(x[i])\ny[i: N] = t[i]\nz[i: N] = t[i]*x[i]\noutput y, z": ["t", "y", "z"],
    "size N\ninput x[N]\nt[i] = exp(x[i])\ny[i] = t[i]\noutput t, y": ["t", "y"],
}  # fmt: skip


@pytest.mark.parametrize("text", INLINED)
def test_what_is_read_at_one_place_is_computed_there(text):
    program = normal(text)

    assert [s.target.name for s in inlined(program).statements] == INLINED[text]


FUSED = {
    "one reads the other's element": (
        "size N\ninput x[N]\nt[i] = exp(x[i])\ny[i] = t[i]**2\noutput t, y", ["t y"]
    ),
    "both read a tensor": (
        "size N\ninput x[N]\na[i: N - 1] = x[i]\nb[k: N - 1] = x[k + 1]\noutput a, b", ["a b"]
    ),
    "nothing in common": (
        "size N\ninput x[N], z[N]\na[i] = exp(x[i])\nb[i] = exp(z[i])\noutput a, b", ["a", "b"]
    ),
    "a neighbour is read": (
        "size N\ninput x[N + 1]\na[i: N] = x[i + 1] - x[i]\nb[i: N] = a[i] - a[N - 1 - i]\noutput a, b", ["a", "b"]
    ),
    "sums with the same range": (
        "size N, M\ninput x[N, M]\na[i] = sum{j} x[i, j]\nb[p] = sum{q} x[p, q]**2\noutput a, b", ["a b"]
    ),
    "sums with other ranges": (
        "size N, M\ninput x[N, M], y[M]\na[i] = sum{j: M} x[i, j]\nb[i: N] = sum{j: M | j < i} x[i, j]\noutput a, b", ["a", "b"]
    ),
    "what is read later is put off": (
        "size N\ninput x[N], z[N]\na[i] = exp(x[i])\nb[i] = 2*z[i]\nc[i] = a[i]*z[i]\noutput a, b, c", ["a b c"]
    ),
    "a matrix product stays one": (
        "size N\ninput a[N, N], b[N, N]\nc[i, j] = sum{k} a[i, k]*b[k, j]\nd[i, j] = exp(c[i, j])\noutput d", ["c", "d"]
    ),
    "one sum after the other": (
        "size N, M\ninput x[N, M]\nm[i] = (sum{j} x[i, j])/M\nv[i] = sum{j} (x[i, j] - m[i])**2\noutput v", ["m v"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUSED)
def test_statements_over_one_box_share_a_kernel_where_that_is_less_work(name):
    text, expected = FUSED[name]

    groups = fused(normal(text))

    assert [" ".join(s.target.name for s in group) for group in groups] == expected


def test_sums_with_the_same_range_are_one_loop_and_what_nobody_reads_is_not_stored():
    program = normal(FUSED["one sum after the other"][0])
    (kernel,) = kernels(program, "run")
    assert kernel.writes == ("v",)

    (kernel,) = kernels(normal(FUSED["sums with the same range"][0]), "run")
    assert sum(isinstance(step, Loop) for step in steps_of(kernel.body)) == 1


@pytest.mark.plain(text=2)
@pytest.mark.compiler
@pytest.mark.parametrize("text", [*INLINED, *(text for text, _ in FUSED.values())])
def test_inlined_and_fused_programs_compute_what_they_did(text):
    f, g = (tadc.compile(text, backend=b) for b in ("native", "interpreter"))
    for a, b in ((f, g), (f.adjoint(), g.adjoint())):
        arrays = random_arrays(b, dict.fromkeys(f.program.sizes, 37))
        found, expected = by_name(a, a(**arrays)), by_name(b, b(**arrays))
        for name, value in expected.items():
            assert relative(found[name], value) <= 1e-13


@pytest.mark.compiler
def test_a_sum_with_the_range_of_rows_is_computed_in_their_loops():
    f = tadc.compile(PAIRS, backend="native", memory="recompute")
    g = tadc.compile(PAIRS, backend="interpreter")

    sizes = {"N": 19, "M": 23, "D": 11}
    plan = f.adjoint().plan(**sizes)
    assert [
        "dy[j: M, d: D]" in k.statement and "dw[j: M]" in k.statement for k in plan.kernels
    ] == [False, True]
    arrays = random_arrays(g.adjoint(), sizes)
    expected = by_name(g.adjoint(), g.adjoint()(**arrays))
    for name, value in by_name(f.adjoint(), f.adjoint()(**arrays)).items():
        assert relative(value, expected[name]) <= 1e-13


# ---- values that several sums share

PAIRS = "size N, M, D\ninput x[N, D], y[M, D], w[M]\nf[i] = sum{j} exp(-sum{d} (x[i, d] - y[j, d])**2)*w[j]"


def expensive_calls(program):
    return sum(
        isinstance(e, Call) and e.function == "exp"
        for s in program.statements
        for e in postorder(s.body)
    )


def test_what_several_sums_compute_is_stored_and_what_it_is_made_of_is_not():
    f = tadc.compile(PAIRS)
    program = scheduled(f.adjoint().program)
    stored = [t for k in kernels(program, "run") for t in k.writes if t not in program.outputs]

    assert expensive_calls(f.adjoint().program) == 3
    assert expensive_calls(program) == 1
    assert len(stored) == 1 and "exp" in stored[0]


def test_the_halves_of_vjp_share_them():
    f = tadc.compile(PAIRS)
    forward, backward = (f._derivative(half, f.inputs).program for half in ("forward", "backward"))

    assert (expensive_calls(forward), expensive_calls(backward)) == (1, 0)
    assert len(forward.outputs) == 2


@pytest.mark.parametrize(
    "text",
    [
        # read outside of its tensor where it is not needed
        "size N\ninput x[N]\na[i: N] = sum{j: N | j < i} exp(x[j + 1])\nb[i: N] = sum{j: N | j < i} exp(x[j + 1])*i\noutput a, b",
        # other extents
        "size N, M\ninput x[N], y[M]\na = sum{i} exp(x[i])\nb = sum{j} exp(y[j])\noutput a, b",
        # one statement alone
        "size N\ninput x[N]\na = sum{i} exp(x[i]) + sum{k} exp(x[k])*k",
    ],
)
def test_what_need_not_or_cannot_be_shared_stays(text):
    program = normal(text)

    assert shared(program) == program


ATTENTION = """size N, D
input s[N, N], v[N, D]
z[i: N] = sum{j=0..i} exp(s[i, j])
y[i: N, d] = sum{j=0..i} exp(s[i, j])*v[j, d]/z[i]
output y"""


def test_sums_up_to_the_diagonal_share_values_which_are_computed_nowhere_else():
    f = tadc.compile(ATTENTION)
    program = scheduled(f.program)

    assert expensive_calls(program) == 1
    (stored,) = (s for s in program.statements if isinstance(s.body, Select))
    assert [str(n) for n in stored.target.shape] == ["N", "N"]
    assert str(stored.body.condition) == "j <= i"


def test_a_sum_of_values_that_a_statement_stores_reads_them():
    layers = """size N, D, H
input x[N, D], w[D, H], b[H], v[H]
h[n, k] = gelu(sum{d} x[n, d]*w[d, k] + b[k])
y[n] = sum{k} h[n, k]*v[k]"""
    program = scheduled(tadc.compile(layers).adjoint().program)

    assert expensive_calls(program) == 1


def test_a_band_is_not_stored_as_a_square():
    band = "size N\ninput s[N, N], v[N], w[N]\n"
    sums = "{}[i: N] = sum{{j | j <= i+3 and i <= j+3}} exp(s[i, j])*{}[j]"
    program = normal(band + "\n".join(sums.format(*names) for names in ("av", "bw")))

    assert shared(program) == program


RANGES = """size N
input s[N, 100], v[100], x[N, 40], y[100, 40]
"""


@pytest.mark.compiler
@pytest.mark.parametrize(
    "text",
    [
        RANGES
        + """a[i] = sum{j} exp(s[i, j])*v[j] + sum{j=0..4} exp(s[i, j])
b[i] = sum{j} exp(s[i, j])*v[j]**2 + sum{j=0..4} exp(s[i, j])*v[j]""",
        RANGES
        + """a[i, d] = sum{j=0..69} exp(s[i, j])*(x[i, d] - y[j, d]) + (if i > 2 then sum{j} exp(s[i, j])*(x[i, d] + y[j, d]) else 0)
b[i] = sum{j} v[j]*s[i, j]""",
    ],
    ids=["two sums", "a row"],
)
def test_a_value_that_is_stored_has_all_values_of_an_index_with_two_ranges(text):
    f, exact = tadc.compile(text), tadc.compile(text, backend="interpreter")
    arrays = random_arrays(f, {"N": 40})

    for value, expected in zip(f(**arrays), exact(**arrays), strict=True):
        assert relative(value, expected) <= 1e-13


# ---- names, empty ranges and types that a rewriting could confuse

CONFUSING = {
    "an index is renamed to one that a sum binds": "y[i: N] = if x[i] > 1 then sum{k=0..N - 1} w[k]*log(x[i]) else 0",
    "a sum takes the index of another beside an inner one": (
        "y[i: N] = sum{k} exp(a[i, k])*2 + sum{j} w[j]*(if j >= 1 then sum{k} exp(a[i, k])*a[k, i] else 0)"
    ),
    "a bound index is called like the own point": (
        "y[k: N] = x[k]*x[k] + 1\np[j: N] = w[j]*2\n"
        "z[i: N] = p[i] + (if i >= 1 then sum{j=0..N - 1} y[j]*(j + 1) else 0)\noutput p, z"
    ),
    "an inner sum over the index of the gradient": "b[i: N] = sum{k=0..N - 3} (sum{j} exp(x[j] + w[k]))*w[k]*w[i]",
    "a value over a range that may be empty": (
        "b[i: N] = sum{k=0..N - 2} exp(x[i] + w[k])\nc[i: N] = sum{k=0..N - 2} exp(x[i] + w[k])*w[k]\noutput b, c"
    ),
    "a factor that is no number where there is no term": "y[i: N] = sum{k=0..i - 1} w[k]*sqrt(x[i] - x[0])",
    "a factor of an inner sum that is no number": "y[i: N] = sum{k=0..i - 1, j} w[k]*x[j]*log(x[i] - x[0])",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("name", CONFUSING)
@pytest.mark.parametrize("memory", ["auto", "recompute", "materialize"])
def test_rewritten_programs_compute_what_they_did(name, memory):
    text = f"size N\ninput x[N], w[N], a[N, N]\n{CONFUSING[name]}"
    f = tadc.compile(text, backend="native", memory=memory)
    g = tadc.compile(text, backend="interpreter")
    for size in (1, 2, 5, 33):
        random = np.random.default_rng(size)
        given = {n: random.uniform(0.5, 2, [size] * (1 + (n == "a"))) for n in "xwa"}
        given["x"].sort()
        expected = by_name(g, g(**given))
        for n, value in by_name(f, f(**given)).items():
            np.testing.assert_allclose(value, expected[n], rtol=1e-12)
        if "no number" in name:
            continue  # the slope of the root is infinite
        cotangents = tuple(np.ones_like(y) for y in expected.values())
        gradients = g.adjoint()(*given.values(), *cotangents)
        found = f.adjoint()(*given.values(), *cotangents)
        halves = f.vjp(**given)[1](cotangents)
        for a, b, c in zip(found, gradients, halves.values(), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)
            np.testing.assert_allclose(c, b, rtol=1e-11, atol=1e-12)


def test_a_sum_is_not_read_from_a_tensor_that_rounds_it():
    f = tadc.compile(
        "size N\ninput s[N, N]: float64, w[N]: float64\n"
        "f[i: N]: float32 = sum{k} exp(-s[i, k])*w[k]\ng[i: N]: float64 = sum{k} exp(-s[i, k])*w[k]\n"
        "h[i: N]: float64 = sum{k} exp(-s[i, k])\noutput f, g, h",
        backend="native",
    )
    s, w = np.random.default_rng(0).random((9, 9)), np.random.default_rng(1).random(9)

    _, g, h = f(s, w)

    np.testing.assert_allclose(g, np.exp(-s) @ w, rtol=1e-14)
    np.testing.assert_allclose(h, np.exp(-s).sum(1), rtol=1e-14)


def test_the_oracle_finds_a_maximum_in_float32():
    f = tadc.compile("input x[1], a[1]\ny = max{j} x[j]*a[j]", backend="interpreter")

    _, pullback = f.vjp(np.float32([0.1]), np.float32([0.3]))

    np.testing.assert_allclose(pullback(np.float32(1))["x"], [0.3], rtol=1e-6)


def test_what_several_sums_share_is_stored_as_they_read_it():
    text = "size N, K\ninput a[N,K], b[N,K], w[N], v[N]\noutput f, g\nf[i] = sum{j} exp(-sum{k} (a[i,k] + b[j,k])**2)*w[j]\ng[i] = sum{j} exp(-sum{k} (a[i,k] + b[j,k])**2)*v[j]"
    program = shared(normal(text))

    stored, f, g = map(statement_text, program.statements)

    assert stored.startswith("f_exp[i: N, j: N] = ")
    assert "f_exp[i, j]" in f
    assert "f_exp[i, j]" in g


def test_what_is_shared_is_stored_as_what_it_is_made_of():
    text = """size H, N, D
input s[H,N,N], m[H,N], v[H,N,D]
output z, o
z[h,i: N] = sum{j=0..i} exp(s[h,i,j] - m[h,i])
o[h,i: N,d] = sum{j=0..i} exp(s[h,i,j] - m[h,i])/z[h,i]*v[h,j,d]"""
    stored, *_ = map(statement_text, shared(normal(text)).statements)

    assert stored.startswith("z_exp[h: H, i: N, j: N] = ")
