"""Formulas as operators of torch: against torch's own, under every transformation, and what users get wrong."""

import copy
import io
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.func import (
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)

import tadc
import tadc.torch
from tadc.function.operator import Operator
from tadc.runtime.cpu.c_compiler import compiler

PAIRS = "y[i,j] = exp(-sum{k} (a[i,k] - b[j,k])**2)"
TWO = "size N\ninput x[N], w[N]\ny[i] = x[i]*w[i]**2\ns = sum{i} sin(x[i])"
LINEAR = "y[i] = sum{k} w[i,k]*x[k]"
FLOOR = "size N\ninput x[N]\ny[i: N//2] = x[2*i]*x[2*i + 1]"
DOUBLE = torch.float64


def pairs(a, b):
    return torch.exp(-((a[:, None] - b[None]) ** 2).sum(-1))


# Without a C compiler everything but the forked process says something of numpy.
BACKEND = "native" if compiler() else "numpy"


def function(text, **options):
    return tadc.compile(text, **{"backend": BACKEND} | options)


@cache
def wrapped(text, **options):
    return tadc.torch.wrap(function(text, **options))


def some(*shape, seed=0, dtype=DOUBLE, requires_grad=False):
    torch.manual_seed(seed + sum(shape))
    return torch.randn(shape, dtype=dtype, requires_grad=requires_grad)


def close(found, expected, **limits):
    torch.testing.assert_close(found, expected, **{"rtol": 1e-10, "atol": 1e-10} | limits)


def total(h):
    return lambda *xs: (h(*xs) ** 2).sum()


# ---------------------------------------------------------------------- derivatives by autograd


@pytest.mark.parametrize(("text", "shapes"), [
    (PAIRS, [(4, 3), (5, 3)]),
    (LINEAR, [(4, 3), (3,)]),
    ("y[n,o,p: P] = sum{c, r} x[n,c,2*p+r]*w[o,c,r]\nsize P = 3", [(2, 2, 7), (3, 2, 3)]),
    ("s = logsumexp{i} x[i]", [(5,)]),
    (FLOOR, [(6,)]),
])  # fmt: skip
def test_derivatives_of_both_orders_are_those_of_differences(text, shapes):
    m = wrapped(text)
    xs = [some(*s, seed=k, requires_grad=True) for k, s in enumerate(shapes)]
    assert torch.autograd.gradcheck(m, xs, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(m, xs, check_fwd_over_rev=True)


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_derivatives_for_many_vectors_at_once(inner, strategy):
    """Of `torch.autograd`, whose batches are other tensors than those of `torch.func`."""
    jacobian = torch.autograd.functional.jacobian
    a, b = some(4, 3, requires_grad=True), some(5, 3, seed=1, requires_grad=True)

    def second(f):
        first = partial(jacobian, lambda a: f(a, b), create_graph=True, vectorize=inner)
        return jacobian(first, a, vectorize=True, strategy=strategy)

    close(second(wrapped(PAIRS)), second(pairs))
    assert torch.autograd.gradcheck(
        wrapped(PAIRS), (a, b), check_batched_grad=True, check_forward_ad=True
    )


def test_two_outputs_have_derivatives():
    m = wrapped(TWO)
    xs = [some(4, seed=k, requires_grad=True) for k in range(2)]
    assert torch.autograd.gradcheck(m, xs, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(m, xs)


def test_an_unused_output_gives_no_gradient():
    m = wrapped(TWO)
    x, w = some(4, requires_grad=True), some(4, seed=1, requires_grad=True)
    _, s = m(x, w)
    gx, gw = torch.autograd.grad(s, (x, w), allow_unused=True)
    assert gw is None
    close(gx, x.detach().cos())


def test_a_gradient_by_one_of_several_inputs_in_a_linear_program():
    m = wrapped(LINEAR)
    w, x = some(4, 3, requires_grad=True), some(3)
    (g,) = torch.autograd.grad(m(w, x).sum(), w, create_graph=True)
    close(g, x.expand(4, 3))
    close(
        grad(lambda w: grad(total(m))(w, x).sum())(w),
        grad(lambda w: grad(total(torch.mv))(w, x).sum())(w),
    )


def test_a_third_derivative():
    m = wrapped(PAIRS)

    def third(h):
        a, b = some(4, 3, requires_grad=True), some(5, 3, seed=1, requires_grad=True)
        (g,) = torch.autograd.grad(total(h)(a, b), a, create_graph=True)
        (g,) = torch.autograd.grad((g**2).sum(), b, create_graph=True)
        return torch.autograd.grad((g**2).sum(), (a, b))

    close(third(m), third(pairs))


def test_a_tensor_changed_in_place_is_an_error():
    m = wrapped(PAIRS)
    a, b = some(4, 3, requires_grad=True), some(5, 3)
    y = m(a, b)
    b += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_returned_output_may_be_changed():
    m = wrapped("y[i] = exp(x[i])")
    x = some(3, requires_grad=True)
    y = m(x)
    expected = y.detach().clone()
    with torch.no_grad():
        y -= 1
    y.backward(torch.ones_like(y))
    close(x.grad, expected)


def test_gradients_accumulate_in_parameters():
    m, layer = wrapped(LINEAR), torch.nn.Linear(3, 4, bias=False, dtype=DOUBLE)
    x = some(3)
    for _ in range(2):
        m(layer.weight, x).sum().backward()
    close(layer.weight.grad, 2 * x.expand(4, 3))


# ---------------------------------------------------------------------- torch.func


TRANSFORMED = {
    "grad": lambda h, a, b: grad(total(h), (0, 1))(a, b),
    "vjp": lambda h, a, b: vjp(h, a, b)[1](torch.ones(4, 5, dtype=DOUBLE)),
    "jvp": lambda h, a, b: jvp(h, (a, b), (b[:4], a[[0, 1, 2, 3, 0]])),
    "linearize": lambda h, a, b: linearize(lambda a: h(a, b), a)[1](a),
    "hessian": lambda h, a, b: hessian(total(h), (0, 1))(a, b),
    "jacrev of jacrev": lambda h, a, b: jacrev(jacrev(total(h)), 1)(a, b),
    "jacfwd of jacfwd": lambda h, a, b: jacfwd(jacfwd(total(h)), 1)(a, b),
    "jacfwd of jacrev": lambda h, a, b: jacfwd(jacrev(h))(a, b),
    "jacrev of jacfwd": lambda h, a, b: jacrev(jacfwd(h))(a, b),
    "grad of grad of grad": lambda h, a, b: grad(lambda a: (grad(lambda a: (grad(total(h))(a, b) ** 2).sum())(a) ** 2).sum())(a),
    "vmap": lambda h, a, b: vmap(h, (None, 1))(a, torch.stack([b, 2 * b, b * b], 1)),
    "vmap to the last": lambda h, a, b: vmap(h, (0, None), 2)(torch.stack([a, 2 * a]), b),
    "vmap of vmap": lambda h, a, b: vmap(vmap(h, (0, None)), (None, 2))(torch.stack([a, 2 * a]), torch.stack([b, b * b, b], 2)),
    "vmap of grad": lambda h, a, b: vmap(grad(total(h)), (0, None))(torch.stack([a, 2 * a]), b),
    "vmap of vmap of grad": lambda h, a, b: vmap(vmap(grad(total(h)), (0, None)), (None, 0))(torch.stack([a, 2 * a]), torch.stack([b, -b])),
    "grad of vmap": lambda h, a, b: grad(lambda a: total(vmap(h, (0, None)))(a, b))(torch.stack([a, 2 * a])),
    "grad of vmap of grad": lambda h, a, b: grad(lambda a: (vmap(grad(total(h)), (0, None))(a, b) ** 2).sum())(torch.stack([a, 2 * a])),
    "vmap of hessian": lambda h, a, b: vmap(hessian(total(h)), (0, None))(torch.stack([a, 2 * a]), b),
    "jvp of jvp": lambda h, a, b: jvp(lambda a: jvp(lambda a: h(a, b), (a,), (a,))[1], (a,), (2 * a,)),
    "jvp of grad": lambda h, a, b: jvp(lambda a: grad(total(h))(a, b), (a,), (2 * a,)),
}  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformations_are_those_of_torchs_own_operators(name):
    a, b = some(4, 3), some(5, 3, seed=1)
    found, expected = (TRANSFORMED[name](h, a, b) for h in (wrapped(PAIRS), pairs))
    close(found, expected)


def test_a_batch_of_none():
    found = vmap(grad(total(wrapped(PAIRS))), (0, None))(
        torch.empty(0, 4, 3, dtype=DOUBLE), some(5, 3)
    )
    assert found.shape == (0, 4, 3)


def test_an_output_that_no_mapped_input_reaches():
    y, s = vmap(wrapped(TWO), (None, 0), (0, None))(some(4), some(3, 4))
    assert y.shape == (3, 4)
    assert s.shape == ()


# ---------------------------------------------------------------------- the operator, torch.compile, export


def arguments(text, *tensors):
    operator = Operator.of(wrapped(text).function)
    sizes = operator.sizes(tuple(tuple(x.shape) for x in tensors), {})
    return operator.key, list(tensors), list(sizes), tensors[0].dtype


@pytest.mark.parametrize("utility", ["test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"])  # fmt: skip
@pytest.mark.parametrize("requires_grad", [False, True])
def test_the_operator_is_what_it_says(utility, requires_grad):
    given = arguments(PAIRS, some(4, 3, requires_grad=requires_grad), some(5, 3, seed=1))
    assert torch.library.opcheck(torch.ops.tadc.call.default, given, test_utils=utility) == {utility: "SUCCESS"}  # fmt: skip


def test_the_operator_checks_what_it_reads():
    key, tensors, _, dtype = arguments(PAIRS, some(4, 3), some(5, 3))
    with pytest.raises(tadc.ShapeError):
        torch.ops.tadc.call(key, tensors, [400, 3, 500], dtype)


@pytest.fixture
def compiled():
    torch._dynamo.reset()
    yield lambda h, **options: torch.compile(h, fullgraph=True, **options)
    torch._dynamo.reset()


COMPILED = {
    "value": lambda h: lambda a, b: h(a, b) + 1,
    "grad": lambda h: grad(total(h)),
    "jvp": lambda h: lambda a, b: jvp(lambda a: h(a, b), (a,), (a,)),
    "hessian": lambda h: hessian(total(h)),
    "vmap of grad": lambda h: lambda a, b: vmap(grad(total(h)), (0, None))(torch.stack([a, 2 * a]), b),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_by_inductor(name, compiled):
    a, b = some(4, 3), some(5, 3, seed=1)
    close(compiled(COMPILED[name](wrapped(PAIRS)))(a, b), COMPILED[name](pairs)(a, b))


@pytest.mark.slow
@pytest.mark.parametrize("dynamic", [False, True])
def test_a_compiled_forward_and_backward(compiled, dynamic):
    m = wrapped(PAIRS)
    summed = compiled(lambda a, b: (2 * m(a, b)).sin().sum(), dynamic=dynamic)
    for n in (4, 6, 1, 0):
        a, b = some(n, 3, requires_grad=True), some(5, 3, seed=1, requires_grad=True)
        found = torch.autograd.grad(summed(a, b), (a, b))
        close(found, torch.autograd.grad((2 * pairs(a, b)).sin().sum(), (a, b)))


@pytest.mark.parametrize(("text", "numbers", "reference"), [
    (PAIRS, (4, 6, 9), lambda x: pairs(x[:, None], x[:, None])),
    (FLOOR, (4, 6, 9), lambda x: x[0 : 2 * (len(x) // 2) : 2] * x[1 : 2 * (len(x) // 2) : 2]),
])  # fmt: skip
def test_one_graph_for_all_sizes(text, numbers, reference):
    torch._dynamo.reset()
    graphs = []

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    m = wrapped(text)
    dynamic = torch.compile(lambda x: m(x[:, None], x[:, None]) if text == PAIRS else m(x), fullgraph=True, dynamic=True, backend=backend)  # fmt: skip
    for n in numbers:
        x = some(n)
        close(dynamic(x), reference(x))
    assert len(graphs) == 1
    x = some(1)
    if text == PAIRS:
        close(dynamic(x), reference(x))
    assert len(graphs) <= 2


def test_traced_with_symbols():
    from torch.fx.experimental.proxy_tensor import make_fx

    m = wrapped(PAIRS)
    graph = make_fx(m, tracing_mode="symbolic")(some(4, 3), some(5, 3))
    a, b = some(7, 2), some(3, 2)
    close(graph(a, b), pairs(a, b))
    graph = make_fx(grad(total(m)), tracing_mode="symbolic")(some(4, 3), some(5, 3))
    close(graph(a, b), grad(total(pairs))(a, b))


def test_meta_tensors_have_shapes():
    y = wrapped(PAIRS)(torch.empty(4, 3, device="meta"), torch.empty(5, 3, device="meta"))
    assert y.shape == (4, 5)
    assert y.device.type == "meta"


def test_inference_mode_and_checkpoint():
    from torch.utils.checkpoint import checkpoint

    m, a, b = wrapped(PAIRS), some(4, 3, requires_grad=True), some(5, 3)
    with torch.inference_mode():
        close(m(a, b), pairs(a, b))
    (found,) = torch.autograd.grad(checkpoint(m, a, b, use_reentrant=False).sum(), a)
    close(found, torch.autograd.grad(pairs(a, b).sum(), a)[0])


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.pairs = wrapped(PAIRS)
        self.centers = torch.nn.Parameter(some(5, 3))

    def forward(self, a):
        return self.pairs(a, self.centers) * 2


LOADED = """
import io, sys, torch, tadc.torch
program = torch.export.load(sys.argv[1])
module = program.module()
a = torch.load(sys.argv[2])["a"].requires_grad_()
y = module(a)
y.sum().backward()
torch.save({"y": y.detach(), "a": a.grad, "centers": module.centers.grad}, sys.argv[3])
"""


@pytest.mark.parametrize("strict", [False, True])
def test_exported_and_differentiated_in_another_process(strict, tmp_path):
    network = Network()
    batch = torch.export.Dim("batch", min=2)
    program = torch.export.export(network, (some(4, 3),), dynamic_shapes={"a": {0: batch}}, strict=strict)  # fmt: skip
    a = some(7, 3)
    close(program.module()(a), network(a))
    places = [str(tmp_path / n) for n in ("network.pt2", "given.pt", "found.pt")]
    torch.export.save(program, places[0])
    torch.save({"a": a}, places[1])
    subprocess.run([sys.executable, "-c", LOADED, *places], check=True)
    found = torch.load(places[2])
    a.requires_grad_()
    expected = network(a)
    expected.sum().backward()
    close(found["y"], expected.detach())
    close(found["a"], a.grad)
    close(found["centers"], network.centers.grad)


# ---------------------------------------------------------------------- types, sizes, memory


def test_types_promote_as_arrays_of_numpy_do():
    m, f = wrapped(LINEAR), function(LINEAR)
    names = ["float32", "float64", "int64", "int8", "bool"]
    for one in names:
        for other in names:
            w, x = torch.ones(2, 3, dtype=getattr(torch, one)), torch.ones(3, dtype=getattr(torch, other))  # fmt: skip
            found = m(w, x).dtype
            if {one, other} <= {"int64", "int8", "bool"}:
                assert found == torch.get_default_dtype()
            else:
                assert str(found) == f"torch.{f(w.numpy(), x.numpy()).dtype}"


def test_numbers_do_not_promote_and_tensors_without_dimensions_do():
    m = wrapped("y[i] = a*x[i]\ninput a[]")
    x = some(3, dtype=torch.float32)
    assert m(2.5, x).dtype == torch.float32
    assert m(torch.tensor(2.5, dtype=DOUBLE), x).dtype == DOUBLE


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_elements_of_16_bits_are_computed_in_32(half):
    m = wrapped(PAIRS)
    a, b = some(4, 3).to(half).requires_grad_(), some(5, 3).to(half)
    y = m(a, b)
    assert y.dtype == half
    torch.testing.assert_close(y, pairs(a.float(), b.float()).to(half))
    y.sum().backward()
    assert a.grad.dtype == half
    assert m(a, b.float()).dtype == torch.float32


def test_gradients_have_the_types_of_their_inputs():
    a, b = some(4, 3, dtype=torch.float32, requires_grad=True), some(5, 3, requires_grad=True)
    y = wrapped(PAIRS)(a, b)
    assert y.dtype == DOUBLE
    y.sum().backward()
    assert (a.grad.dtype, b.grad.dtype) == (torch.float32, DOUBLE)


def test_a_declared_type_is_a_conversion_up_and_an_error_down():
    m = wrapped("size N\ninput x[N]: float32, w[N]\ny[i]: float64 = x[i]*w[i]")
    x, w = some(3, dtype=torch.float32, requires_grad=True), some(3, seed=1, dtype=torch.float32)
    y = m(x, w)
    assert y.dtype == DOUBLE
    y.sum().backward()
    assert x.grad.dtype == torch.float32
    assert m(x.detach().half(), w).dtype == DOUBLE
    with pytest.raises(tadc.ArgumentError, match="declared float32"):
        m(some(3), w)


@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE])
def test_a_type_that_all_inputs_declare_is_that_of_the_result(dtype):
    m = wrapped(f"size N\ninput x[N]: {str(dtype).removeprefix('torch.')}\ny[i] = 2*x[i]")
    x = some(3, dtype=dtype, requires_grad=True)
    y = m(x)
    assert y.dtype == dtype
    y.sum().backward()
    assert x.grad.dtype == dtype


def test_integers_have_no_gradient():
    m = wrapped("y[i] = x[i]*n[i]")
    x, n = some(3, requires_grad=True), torch.arange(3)
    m(x, n).sum().backward()
    close(x.grad, n.double())


def test_autocast_is_off_unless_asked_for():
    a, b = some(4, 3, dtype=torch.float32), some(5, 3, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        assert wrapped(PAIRS)(a, b).dtype == torch.float32
        assert wrapped(PAIRS)(a.bfloat16(), b).dtype == torch.float32
        m = tadc.torch.wrap(function(PAIRS), autocast=torch.bfloat16)
        assert m(a, b).dtype == torch.bfloat16
    assert m(a, b).dtype == torch.float32


@pytest.mark.parametrize("shapes", [((0, 3), (5, 3)), ((4, 0), (5, 0)), ((4, 3), (0, 3))])
def test_extents_of_0(shapes):
    a, b = (some(*s, requires_grad=True) for s in shapes)
    m = wrapped(PAIRS)
    for create_graph in (False, True):
        y = m(a, b)
        close(y, pairs(a, b))
        close(torch.autograd.grad((y**2).sum(), (a, b), create_graph=create_graph), torch.autograd.grad(total(pairs)(a, b), (a, b)))  # fmt: skip


def test_strides_negative_bits_and_expanded_tensors():
    m = wrapped(PAIRS)
    a, b = some(3, 4).t(), some(5, 1).expand(5, 3)
    close(m(a, b), pairs(a, b))
    z = torch.complex(some(4), some(4)).conj().imag
    assert z.is_neg()
    close(wrapped("y[i] = 2*x[i]")(z), 2 * z)
    a = some(4, 3, requires_grad=True)
    m(a, b).sum().backward()  # the cotangent is one element, expanded


def test_sizes_that_multiply_indices_follow_from_numbers():
    m = wrapped("size M, N\ninput x[N]\ny[i: 3] = x[M*i]")
    x = some(9, requires_grad=True)
    for n in (2, 4):
        y = m(x, M=n)
        close(y, x[: 3 * n : n])
        close(torch.autograd.grad(y.sum(), x)[0].nonzero().flatten(), torch.arange(0, 3 * n, n))


def test_sizes_by_keyword():
    m = wrapped("size N, M\ninput x[N]\ny[i: M] = sum{j} x[j]*i")
    close(m(some(3), M=4), some(3).sum() * torch.arange(4))
    with pytest.raises(tadc.ShapeError, match="does not follow"):
        m(some(3))


def test_a_program_without_inputs():
    y = wrapped("size N\ny[i: N] = i*i")(N=4)
    assert y.dtype == torch.get_default_dtype()
    assert y.tolist() == [0, 1, 4, 9]


def test_modules_are_copied_and_pickled():
    m = tadc.torch.wrap(function(PAIRS).tangent("a"))
    xs = some(4, 3), some(5, 3), some(4, 3, seed=2)
    expected = m(*xs)
    assert list(m.parameters()) == []
    for again in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        close(again(*xs), expected)
    stream = io.BytesIO()
    torch.save(Network(), stream)
    stream.seek(0)
    close(torch.load(stream, weights_only=False)(xs[0]), Network()(xs[0]))


# ---------------------------------------------------------------------- threads and processes


def test_bits_are_the_same_for_any_number_of_threads():
    m = wrapped(PAIRS)
    a, b = some(300, 30, requires_grad=True), some(200, 30)
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            y = m(a, b)
            found.append((y, *torch.autograd.grad(y.sum(), a)))
    finally:
        torch.set_num_threads(before)
    with ThreadPoolExecutor(4) as pool:
        found += pool.map(lambda _: (m(a, b), *torch.autograd.grad(m(a, b).sum(), a)), range(8))
    for one in found[1:]:
        assert all(torch.equal(x, y) for x, y in zip(one, found[0], strict=True))


def test_deterministic_algorithms_leave_blas_out():
    a, b = some(64, 64), some(64, 64, seed=1)
    m = wrapped("y[i,j] = sum{k} a[i,k]*b[k,j]")
    torch.use_deterministic_algorithms(True)
    try:
        found = m(a, b)
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.equal(found, torch.from_numpy(function("y[i,j] = sum{k} a[i,k]*b[k,j]", blas=False)(a.numpy(), b.numpy())))  # fmt: skip


def _in_child(queue):
    queue.put(wrapped(PAIRS)(some(300, 30), some(200, 30))[3, 4].item())


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
def test_a_forked_process_computes_too():
    expected = wrapped(PAIRS)(some(300, 30), some(200, 30))[3, 4].item()  # in parallel
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,), daemon=True)
    child.start()
    try:
        assert queue.get(timeout=60) == expected
    finally:
        child.kill()


# ---------------------------------------------------------------------- functions called with tensors


def test_a_function_takes_tensors():
    f = function(PAIRS)
    a, b = some(4, 3, requires_grad=True), some(5, 3)
    y = f(a, b=b)
    close(y, pairs(a, b))
    close(torch.autograd.grad(y.sum(), a), torch.autograd.grad(pairs(a, b).sum(), a))
    close(f.adjoint()(a, b, torch.ones(4, 5, dtype=DOUBLE))[0], torch.autograd.grad(pairs(a, b).sum(), a)[0])  # fmt: skip


def test_vjp_and_jvp_of_tensors_are_tensors():
    f = function(PAIRS)
    a, b = some(4, 3, requires_grad=True), some(5, 3)
    y, pullback = f.vjp(a, b)
    assert isinstance(y, torch.Tensor)
    assert not y.requires_grad
    cotangent = some(4, 5)
    close(pullback(cotangent)["a"], torch.autograd.grad(pairs(a, b), a, cotangent)[0])
    out = torch.empty(4, 3, dtype=DOUBLE)
    pullback(cotangent, out={"a": out})
    close(out, torch.autograd.grad(pairs(a, b), a, cotangent)[0])
    y, dy = f.jvp({"a": a, "b": b}, {"a": a})
    close(dy, jvp(lambda a: pairs(a, b), (a.detach(),), (a.detach(),))[1])


def test_value_and_gradients_of_tensors_are_tensors():
    f, s = function(PAIRS), function("size N\ninput k[N], x[N]\ns = sum{i} k[i]*x[i]**2")
    a, b, cotangent = some(4, 3, requires_grad=True), some(5, 3), some(4, 5)
    y, gradients = f.value_and_gradients(a, b=b, cotangent=cotangent, wrt="a")
    assert isinstance(y, torch.Tensor) and not y.requires_grad
    close(y, pairs(a, b))
    close(gradients["a"], torch.autograd.grad(pairs(a, b), a, cotangent)[0])
    k, x = torch.arange(3), torch.full((3,), 0.5)
    y, gradients = s.value_and_gradients(k, x, wrt=["k", "x"])
    assert y.item() == 0.75
    close(gradients["x"], torch.arange(3.0))
    close(gradients["k"], torch.full((3,), 0.25, dtype=DOUBLE))
    close(s.vjp(k, x, wrt="k")[1](torch.ones(()))["k"], gradients["k"])
    with pytest.raises(tadc.ArgumentError, match="no `cotangent`"):
        f.value_and_gradients(a, b)


def test_results_are_written_to_tensors():
    f = function(PAIRS)
    a, b, out = some(4, 3), some(5, 3), torch.zeros(4, 5, dtype=DOUBLE)
    assert f(a, b, out=out) is out
    close(out, pairs(a, b))
    f(a, b, out=out, accumulate=True)
    close(out, 2 * pairs(a, b))
    with pytest.raises(tadc.ArgumentError, match="requires a gradient"):
        f(a.requires_grad_(), b, out=out)


# ---------------------------------------------------------------------- what users get wrong


@pytest.mark.parametrize(("given", "error", "said"), [
    (lambda: (some(4, 3),), tadc.ArgumentError, "the input `b` is missing"),
    (lambda: (some(4, 3),) * 3, tadc.ArgumentError, "3 arrays are given"),
    (lambda: (some(4, 3), some(5, 2)), tadc.ShapeError, "dimension 1 of b is 2"),
    (lambda: (some(4, 3), some(5)), tadc.ShapeError, "b has 2 dimensions"),
    (lambda: (some(4, 3), np.ones((5, 3))), tadc.BackendError, "`a` is a tensor of torch, and `b` an array of numpy"),
    (lambda: (some(4, 3), torch.ones(5, 3, device="meta")), tadc.BackendError, "`a` is on the device cpu, and `b` on meta"),
    (lambda: (some(4, 3), torch.ones(5, 3, dtype=torch.complex64)), tadc.ArgumentError, "complex64"),
    (lambda: (some(4, 3), torch.ones(5, 3).to_sparse()), tadc.ArgumentError, "layout"),
    (lambda: (some(4, 3), "b"), tadc.ArgumentError, "`b`"),
])  # fmt: skip
def test_wrong_arguments(given, error, said):
    for call in (wrapped(PAIRS), function(PAIRS)):
        for _ in range(2):
            with pytest.raises(error, match=said):
                call(*given())


def test_wrong_arguments_to_wrap():
    with pytest.raises(tadc.ArgumentError, match="`f` is str"):
        tadc.torch.wrap("y[i] = x[i]")
    with pytest.raises(tadc.ArgumentError, match="no input or size `c`"):
        wrapped(PAIRS)(some(4, 3), some(5, 3), c=3)
    with pytest.raises(tadc.Error, match="float16"):
        wrapped(PAIRS, dtype="float16")(some(4, 3), some(5, 3))


def test_other_backends_compute_too():
    a, b = some(4, 3, requires_grad=True), some(5, 3)
    for backend in ("numpy", "interpreter"):
        y = wrapped(PAIRS, backend=backend)(a, b)
        close(y, pairs(a, b))
        close(torch.autograd.grad(y.sum(), a), torch.autograd.grad(pairs(a, b).sum(), a))


# ---------------------------------------------------------------------- what was found by trying to break it


def test_zeros_without_memory_are_numbers():
    m, d = wrapped("y[i] = x[i]**3"), some(3)

    def third(h):
        inner = lambda x: (grad(lambda x: h(x).sum())(x) * d).sum()  # noqa: E731
        return grad(lambda x: jvp(inner, (x,), (d,))[1])(d)

    close(third(m), third(lambda x: x**3))
    close(m(torch._efficientzerotensor(3, dtype=DOUBLE)), torch.zeros(3, dtype=DOUBLE))


def test_the_cotangent_of_an_unused_output_is_of_its_type():
    m = wrapped("input x[N]\noutput y, z\ny[i]: float32 = x[i]**2\nz[i]: float64 = x[i]**3")
    x = torch.ones(1000, requires_grad=True)
    for k in range(2):
        junk = [torch.full((1000,), 7.7e5) for _ in range(50)]
        del junk
        (g,) = torch.autograd.grad(m(x)[k].sum(), x)
        assert (g == k + 2).all()


def test_torch_notices_what_is_written_to():
    f, x, out = function("y[i] = a[i]*b[i]**2"), some(3), torch.ones(3, dtype=DOUBLE)
    y = some(3, requires_grad=True) * out
    f(x, x, out=out)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    a = some(3, requires_grad=True)
    for call in (
        lambda: f.vjp(x, x, out=a),
        lambda: f.jvp({"a": x, "b": x}, {"a": x}, out=a),
        lambda: f.vjp(x, x)[1](x, out={"a": a}),
    ):
        with pytest.raises(tadc.ArgumentError, match="requires a gradient"):
            call()


@pytest.mark.parametrize("out", [
    torch.zeros(3, dtype=torch.bfloat16), torch._neg_view(torch.zeros(3)), torch.zeros(3, dtype=torch.float16),
])  # fmt: skip
def test_what_cannot_be_written_to_is_an_error(out):
    with pytest.raises(tadc.ArgumentError):
        function("y[i] = x[i]*2")(torch.ones(3), out=out)


def test_a_batch_of_empty_sums():
    assert vmap(wrapped("y[i] = sum{k} a[i,k]**2"))(torch.ones(2, 3, 0)).tolist() == [[0] * 3] * 2


def test_the_least_of_three_sizes():
    m = wrapped("size N, K\nsize M = min(N-2, K, 5)\ninput x[N], z[K]\ny[i: M] = x[i]*z[i]\nq[i: K] = z[i]**2")  # fmt: skip
    x, z = some(6, requires_grad=True), some(3, requires_grad=True)
    m(x, z)[1].sum().backward()
    close(z.grad, 2 * z.detach())


def test_a_size_by_keyword_is_a_symbol():
    torch._dynamo.reset()
    m = wrapped("size N\ninput x[1]\ny[i: N] = x[0]*i")
    total = torch.compile(lambda x, t: m(x, N=t.shape[0]).sum(), dynamic=True, fullgraph=True, backend="aot_eager")  # fmt: skip
    for n in (5, 7):
        assert total(torch.ones(1), torch.ones(n)) == n * (n - 1) / 2


def test_the_default_type_is_that_of_the_call():
    m = wrapped("y[i: 3] = exp(-i)")
    before = torch.get_default_dtype()
    try:
        for dtype in (torch.float32, DOUBLE):
            torch.set_default_dtype(dtype)
            assert m().dtype == dtype
    finally:
        torch.set_default_dtype(before)


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_vjp_and_jvp_of_16_bits_are_of_16_bits(half):
    f, x = function("y[i] = x[i]**2"), torch.ones(3, dtype=half)
    y, pullback = f.vjp(x)
    assert (y.dtype, pullback(y)["x"].dtype) == (half, half)
    assert [t.dtype for t in f.jvp({"x": x}, {"x": x})] == [half, half]


@pytest.mark.parametrize("x", [
    torch.ones(3).to(torch.float8_e4m3fn),
    torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
])  # fmt: skip
def test_tensors_of_other_kinds_are_errors(x):
    with pytest.raises(tadc.ArgumentError):
        wrapped("y[i] = x[i]*w[i]")(x, torch.ones(3))
    with pytest.raises(tadc.ArgumentError, match="autocast"):
        tadc.torch.wrap(function(PAIRS), autocast=torch.int32)
