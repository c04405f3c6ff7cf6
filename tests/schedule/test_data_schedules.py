"""Programs that read through data are scheduled as others, for about how large their sizes are; each schedule has the values of numpy."""

import numpy as np
import pytest

import tadc
from tadc import compiler
from tadc.ir.expr import Reduce
from tadc.ir.walk import postorder
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.schedule.lowered import CpuModule, Decisions
from tadc.schedule.nest.loop_nest import Accumulate, Branch, has_loops, steps_of
from tadc.schedule.rewrite.factor import nested_over_data
from tadc.schedule.rewrite.list_tensors import Facts
from tadc.schedule.rewrite.position_values import with_position_values
from tadc.schedule.rewrite.rare_tests import with_sums_before_rare_tests

LAYER = "input x[N,C], P[H,C], src[E], dst[E]\nm[e,h] = relu(sum{c} P[h,c]*x[src[e],c])\ny[i: N,h] = sum{e | dst[e] = i} m[e,h]"
SCORES = "input E[N,D], R[M,D], h[B], r[B]\ns[b,n] = sum{d} E[h[b],d]*R[r[b],d]*E[n,d]"
FORCES = "input x[N,3], p[E], q[E], w[E]\nF[i: N,c] = sum{e | p[e] = i} w[e]*(x[q[e],c] - x[i,c])"
EXPERTS = "size R\ninput typ[E], dy[E,O], x[E,C]\nW[r: R,o,c] = sum{e | typ[e] = r} dy[e,o]*x[e,c]"
TRANSITIONS = (
    "size T\ninput a[E], b[E], w[E]\nc[i: T,j: T] = sum{e | a[e] = i and b[e] + 1 = 2*j} w[e]"
)
BOTH = "input E[N,D], d[B,N], h[B], u[B,D]\ny[n,c] = (sum{b} d[b,n]*E[h[b],c]) + sum{b | h[b] = n} u[b,c]"
MASKED = "input x[N,C], u[E,C], k[E]\nz[e,c] = if 0 <= k[e] < N then (if u[e,c] > 0 then 1 else 0)*x[k[e],c] else 0"
CHOSEN = "input k[E]: index, t[E], W[E,C], X[M,D]\ny[c,d] = sum{e | k[e] < 3} W[e,c]*X[t[e],d]"
OBSERVED = "input p[B,S], A[S,S], O[S,V], o[B]\ny[b,j] = O[j,o[b]]*sum{i} p[b,i]*A[i,j]"
MESH = (
    "size G\ninput c[P,2], u[P,2], m[P]\n"
    "r[i: G,j: G] = sum{p,a=-1..1,b=-1..1 | c[p,0]+a = i and c[p,1]+b = j} m[p]*(if a = 0 then u[p,0] else 2)*(if b = 0 then u[p,1] else 3)"
)
SOFTMAX = "size N\ninput d[E], u[E,H]\nl[i: N,h] = logsumexp{e | d[e] = i} u[e,h]"
EVERY = {
    "a layer": (LAYER, {"N": 40, "E": 300, "H": 16, "C": 24}),
    "scores": (SCORES, {"N": 300, "M": 20, "B": 64, "D": 32}),
    "forces": (FORCES, {"N": 40, "E": 300}),
    "experts": (EXPERTS, {"R": 4, "E": 700, "O": 17, "C": 33}),
    "transitions": (TRANSITIONS, {"T": 11, "E": 400}),
    "dense and over a list": (BOTH, {"N": 40, "B": 70, "D": 20}),
    "terms that data choose": (CHOSEN, {"E": 100, "M": 20, "C": 200, "D": 200}),
    "observed states": (OBSERVED, {"B": 70, "S": 64, "V": 30}),
    "particles on a mesh": (MESH, {"G": 18, "P": 300}),
    "logarithms of sums": (SOFTMAX, {"N": 30, "E": 300, "H": 8}),
    "masked by data": (MASKED, {"N": 30, "E": 200, "C": 20}),
}


def lowered(text: str, usual: int = 96, *, blas: bool = True, **sizes: int):
    program = tadc.compile(text).program
    listed = compiler.with_lists(program, Facts(short=True), narrow=True)
    known = dict.fromkeys(program.sizes, usual) | sizes
    known |= listed.sizes_at(known)
    decided = Decisions.beside_data(listed.program, known)
    return compiler.lowered_for_cpu(listed.program, "run", decided, "float32", blas=blas)


def kernel_of(module: CpuModule, tensor: str):
    (found,) = (k for k in module.kernels if tensor in k.kernel.writes)
    return found


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", EVERY)
def test_native_code_has_the_values_and_gradients_of_numpy(name):
    text, sizes = EVERY[name]
    rng = np.random.default_rng(0)
    f, oracle = (tadc.compile(text, backend=b, dtype="float64") for b in ("native", "numpy"))
    given = {
        t.name: rng.integers(0, min(sizes.values()), t.shape_at(sizes))
        if t.name in f.index_inputs
        else rng.standard_normal(t.shape_at(sizes))
        for t in f.program.inputs
    }
    if name == "masked by data":
        given["k"] -= 3
    own = {n: v for n, v in sizes.items() if n in f.sizes}
    y, pullback = f.vjp(**given, **own)
    expected, pullback_of_numpy = oracle.vjp(**given, **own)
    np.testing.assert_allclose(y, expected, rtol=1e-10, atol=1e-10)
    dy = rng.standard_normal(y.shape)
    gradients = pullback(dy)
    for n, gradient in pullback_of_numpy(dy).items():
        np.testing.assert_allclose(gradients[n], gradient, rtol=1e-9, atol=1e-9, err_msg=n)


def test_a_factor_that_is_read_through_data_is_stored_for_a_product_of_matrices():
    module = lowered(SCORES, 768, D=32)
    first, second = module.module.program.statements
    assert (len(first.derived), len(second.derived)) == (2, 0)
    assert [k.kernel.writes for k in module.kernels if k.kernel.name in module.products] == [("s",)]


def test_terms_that_data_choose_are_in_no_product_of_matrices():
    assert not lowered(CHOSEN, 192).products


def test_a_sum_that_reads_nothing_through_data_is_a_product_beside_what_does():
    module = lowered(OBSERVED, 192)
    assert [k.kernel.writes for k in module.kernels if k.kernel.name in module.products] == [
        ("y_sum",)
    ]


def test_terms_with_choices_that_read_nothing_of_lanes_are_masks():
    kernel = kernel_of(lowered(MESH), "r")
    assert any(isinstance(s, Accumulate) and s.where.symbols for s in steps_of(kernel.body))


def test_sums_of_statements_without_data_have_tiles_beside_others():
    text = "size N\nz[p,q] = sum{k} a[p,k]*b[q,k]\ny[i: N,q] = sum{p | d[p] = i} z[p,q]"
    assert kernel_of(lowered(text, blas=False), "z").sides


def test_a_long_sum_beside_one_over_a_list_is_a_statement_of_its_own():
    kernel = kernel_of(lowered(BOTH, blas=False), "y")
    loops = [
        e for s in kernel.kernel.statements for e in postorder(s.body) if isinstance(e, Reduce)
    ]
    assert len(loops) == 1


def test_a_thread_goes_along_a_list_once_for_all_elements_of_a_short_row():
    module = lowered(FORCES)
    kernel = kernel_of(module, "F")
    assert [i for i, _ in kernel.outer] == ["i"]
    sums = [s for s in steps_of(kernel.body) if isinstance(s, Accumulate)]
    assert len({s.local for s in sums}) == 3


def test_rows_of_a_size_of_few_values_are_short_too():
    text = FORCES.replace("x[N,3]", "x[N,C]")
    assert [i for i, _ in kernel_of(lowered(text, C=5), "F").outer] == ["i"]


def test_several_rows_of_a_result_share_a_list():
    assert kernel_of(lowered(EXPERTS, R=4, E=3000), "W").sides


def test_which_terms_of_a_list_are_added_is_a_mask_of_lanes():
    kernel = kernel_of(lowered(TRANSITIONS, T=24), "c")
    assert kernel.strip is not None
    masked = [s for s in steps_of(kernel.body) if isinstance(s, Accumulate) and s.where.symbols]
    assert masked


def test_what_data_choose_for_all_lanes_is_chosen_before_them():
    kernel = kernel_of(lowered(MASKED), "z")
    assert any(isinstance(s, Branch) for s in steps_of(kernel.body))


def test_sums_over_data_are_sums_of_sums_where_no_data_decide():
    text = "size N\ny[i: N] = sum{e, m | k[e] = i} u[e]*x[e,m]*v[m]"
    (s,) = nested_over_data(tadc.compile(text).program).statements
    inner, outer = (e for e in postorder(s.body) if isinstance(e, Reduce))
    assert (inner.indices, outer.indices) == (("m",), ("e",))
    ragged = "y[i: N] = sum{e, j | k[e] = i and j < n[e]} u[e]*x[e,j]\nsize N"
    program = tadc.compile(ragged).program
    assert nested_over_data(program) == program


def test_sums_behind_a_test_for_infinity_are_computed_before_it():
    program = with_sums_before_rare_tests(tadc.compile(SOFTMAX).program)
    assert [s.target.name for s in program.statements] == ["l_max", "l_sum", "l"]
    kernel = kernel_of(lowered(SOFTMAX, H=8), "l")
    assert not any(isinstance(s, Branch) and has_loops((s,)) for s in steps_of(kernel.body))
    chosen = SOFTMAX.replace(
        "logsumexp{e | d[e] = i} u[e,h]", "if i > 3 then (sum{e | d[e] = i} u[e,h]) else 0"
    )
    program = tadc.compile(chosen).program
    assert with_sums_before_rare_tests(program) is program


@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
def test_a_logarithm_of_a_sum_is_that_of_infinite_terms_too(backend):
    if backend == "native" and c_compiler.compiler() is None:
        pytest.skip("there is no C compiler")
    u = np.array([[1.0, np.inf], [2.0, 3.0], [-np.inf, 0.0], [-np.inf, 5.0]])
    f = tadc.compile(SOFTMAX, backend=backend, dtype="float64")
    found = f(d=[0, 0, 1, 3], u=u, N=4)
    expected = [[np.logaddexp(1, 2), np.inf], [-np.inf, 0], [-np.inf, -np.inf], [-np.inf, 5]]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_a_long_sum_that_two_sums_over_lists_need_is_stored_for_each_position():
    f = tadc.compile(SCORES).adjoint()
    program = with_position_values(nested_over_data(f.program))
    assert len(program.statements) == len(f.program.statements) + 1


def test_sizes_that_data_decide_are_the_same_for_all_schedules():
    listed = compiler.with_lists(tadc.compile(LAYER).program, Facts(), narrow=True)
    (pieces,) = (s for s in listed.program.sizes if s.endswith("_pieces"))
    decided = [
        Decisions.beside_data(
            listed.program, dict.fromkeys(listed.program.sizes, 100) | {pieces: n}
        )
        for n in (3, 70)
    ]
    assert decided[0] == decided[1]
    options = Options.of(backend="native")
    assert compiler.decisions(listed.program, dict.fromkeys(listed.program.sizes, 100), "float32", options) == decided[0]  # fmt: skip
