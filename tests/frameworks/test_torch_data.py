"""Programs that read through data, in torch: values, gradients of gradients, batches, and what is refused."""

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
