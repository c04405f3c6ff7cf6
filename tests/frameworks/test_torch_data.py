"""Programs that read through data, in torch: values, gradients of gradients, batches, and what is refused."""

import runpy
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import tadc
import tadc.torch

TEXT = "size N\ny[i: N, c] = sum{e | dst[e] = i} w[e]*x[src[e], c]"
N, E, C = 5, 12, 2


def graph():
    rng = np.random.default_rng(0)
    src, dst = (torch.tensor(rng.integers(0, N, E)) for _ in range(2))
    w = torch.tensor(rng.random(E), requires_grad=True)
    x = torch.tensor(rng.random((N, C)), requires_grad=True)
    return src, dst, w, x


def test_message_passing_has_the_gradients_of_torch_twice():
    src, dst, w, x = graph()
    f = tadc.compile(TEXT)
    y = f(dst=dst, w=w, src=src, x=x, N=N)
    expected = torch.zeros(N, C, dtype=torch.float64).index_add(0, dst, w[:, None] * x[src])
    torch.testing.assert_close(y, expected)

    first, second = (
        torch.autograd.grad((v**2).sum(), (w, x), create_graph=True) for v in (y, expected)
    )
    torch.testing.assert_close(first, second)
    first, second = (
        torch.autograd.grad(sum((g**2).sum() for g in gs), (w, x)) for gs in (first, second)
    )
    torch.testing.assert_close(first, second)


def test_an_index_tensor_may_be_a_batch():
    src, dst, w, x = graph()
    f = tadc.torch.wrap(tadc.compile(TEXT))
    both = torch.stack([src, src.flip(0)])
    y = torch.vmap(lambda s: f(dst=dst, w=w.detach(), src=s, x=x.detach(), N=N))(both)

    for batch, s in zip(y, both, strict=True):
        torch.testing.assert_close(batch, f(dst=dst, w=w, src=s, x=x, N=N).detach())


def test_elements_and_types_that_cannot_be_are_errors():
    src, dst, w, x = graph()
    f = tadc.compile(TEXT)
    with pytest.raises(tadc.DataError, match=r"src\[0\]"):
        f(dst=dst, w=w, src=src + 9, x=x, N=N)
    with pytest.raises(tadc.ArgumentError, match="used as an index"):
        f(dst=dst, w=w, src=src.double(), x=x, N=N)


def test_labels_need_no_gradient():
    logits, labels = torch.randn(4, 3, requires_grad=True), torch.tensor([0, 2, 1, 1])
    loss = tadc.compile("l = -sum{i} lp[i, t[i]]")(lp=logits, t=labels)
    loss.backward()
    expected = torch.nn.functional.nll_loss(logits, labels, reduction="sum")

    torch.testing.assert_close(loss, expected)
    assert (logits.grad.sum(1) == -1).all()


@pytest.mark.parametrize("k", [torch.tensor([1, 0]), torch.tensor([1.0, 0.0])], ids=str)
def test_what_is_only_compared_may_be_of_either_kind(k):
    f = tadc.compile("y[i] = sum{m} [m = k[i]]*x[m]")

    assert f(k=k, x=torch.tensor([3.0, 4.0])).tolist() == [4, 3]


def test_lists_of_an_index_are_built_once_in_ten_steps(monkeypatch):
    src, dst, w, x = graph()
    f = tadc.torch.wrap(tadc.compile(TEXT, backend="native"))
    made, original = [], tadc.Index.kept

    def counted(self, key, make, *others):
        return original(self, key, lambda: (made.append((id(self), key[0])), make())[1], *others)

    monkeypatch.setattr(tadc.Index, "kept", counted)
    kept = {"src": tadc.index(src.numpy()), "dst": tadc.index(dst.numpy())}
    for _ in range(10):
        y = f(w=w, x=x, N=N, **kept)
        y.pow(2).sum().backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
    sorted_ = [m for m in made if m[1] == "sorted"]
    assert len(sorted_) == len(set(sorted_)) == 2
    torch.testing.assert_close(y, f(dst=dst, src=src, w=w + 0.01 * w.grad, x=x, N=N))


SPARSE = "input A[N, M]: {}\ny[i, c] = sum{{j}} A[i,j]*x[j,c]"


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("to", ["to_sparse_csr", "to_sparse_coo"])
def test_sparse_tensors_have_gradients_with_their_layout(layout, to):
    torch.manual_seed(0)
    dense = torch.rand(4, 5, dtype=torch.double) * (torch.rand(4, 5) < 0.5)
    x = torch.rand(5, 2, dtype=torch.double, requires_grad=True)
    a = getattr(dense, to)().requires_grad_()
    f = tadc.compile(SPARSE.format(layout))
    y = f(a, x)
    torch.testing.assert_close(y, dense @ x)
    (y**2).sum().backward()
    other, z = dense.clone().requires_grad_(), x.detach().clone().requires_grad_()
    ((other @ z) ** 2).sum().backward()

    assert a.grad.layout == a.layout
    torch.testing.assert_close(a.grad.to_dense(), other.grad * (dense != 0))
    torch.testing.assert_close(x.grad, z.grad)
    torch.testing.assert_close(tadc.torch.wrap(f)(a, x), y)


def test_a_sampled_product_is_a_sparse_tensor_that_is_differentiated_twice():
    a = torch.eye(3, dtype=torch.double).to_sparse_csr()
    u = torch.rand(3, 2, dtype=torch.double, requires_grad=True)
    f = tadc.compile("input A[N, M]: csr\nS[i, j]: like A = A[i,j]*sum{k} U[i,k]*U[j,k]")
    s = f(a, u)
    assert s.layout is torch.sparse_csr
    (first,) = torch.autograd.grad(s.values().sum(), u, create_graph=True)
    torch.testing.assert_close(first, 2 * u)
    (second,) = torch.autograd.grad(first.sum(), u)
    torch.testing.assert_close(second, torch.full_like(u, 2))


def test_dense_tensors_and_wrong_patterns_are_errors():
    f = tadc.compile(SPARSE.format("csr"))
    x = torch.ones(3, 1, dtype=torch.double)
    with pytest.raises(tadc.ArgumentError, match="the argument is Tensor"):
        f(torch.eye(3), x)
    pattern = torch.tensor([0, 1, 2, 3]), torch.tensor([0, 1, 2])
    values = torch.ones(3, dtype=torch.double)
    assert f((values, *pattern), x).tolist() == [[1], [1], [1]]
    with pytest.raises(tadc.DataError, match=r"A_1\[2\] is 3"):
        f((values, pattern[0], pattern[1] + 1), x)
    with pytest.raises(tadc.DataError, match=r"A_ptr\[0\] is 3"):
        f((values, pattern[0].flip(0), pattern[1]), x)


def test_graph_layers_learn_as_those_of_torch(capsys):
    example = Path(__file__).parents[2] / "examples" / "graph_convolution.py"
    runpy.run_path(str(example))["main"](vertices=120, steps=15)

    assert "convolution" in capsys.readouterr().out
