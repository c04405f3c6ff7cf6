"""Layers of a graph network, trained in PyTorch: a convolution over the edges of a graph, and one whose weights are attention.

    pip install 'tadc[torch]'
    python examples/graph_convolution.py

The vertices of a random graph belong to two groups, and edges within a group are more frequent. From the noisy features of the
vertices the network finds the groups. Each layer is trained twice from the same start, as a formula and by `index_add`, as one
would write it without tadc: the losses are the same. Messages are never stored, sums have one order, and the lists of edges, which
the two `tadc.Index` keep, are built once.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

import tadc
import tadc.torch

FEATURES, HIDDEN = 8, 16

CONVOLUTION = """
size N
y[i: N, c] = sum{e | dst[e] = i} x[src[e], c]/d[i]
"""

# Weights of the edges into a vertex: a softmax of scores of both ends.
ATTENTION = """
size N
u[e] = max(s[src[e]] + t[dst[e]], 0.2*(s[src[e]] + t[dst[e]]))
m[i: N] = max{e | dst[e] = i} u[e]
w[e] = exp(u[e] - m[dst[e]])
z[i: N] = sum{e | dst[e] = i} w[e]
y[i: N, c] = sum{e | dst[e] = i} w[e]/z[dst[e]]*x[src[e], c]
"""

Edges = tuple[Tensor, Tensor]


def graph(vertices: int) -> tuple[Edges, Tensor, Tensor]:
    """The edges (with one from each vertex to itself), features, and groups."""
    random = torch.Generator().manual_seed(1)
    groups = torch.arange(vertices) % 2
    often = torch.where(groups[:, None] == groups, 12 / vertices, 3 / vertices)
    edges = torch.rand(vertices, vertices, generator=random) < often
    src, dst = (edges | torch.eye(vertices, dtype=torch.bool)).nonzero(as_tuple=True)
    noise = torch.randn(vertices, FEATURES, generator=random)
    return (src, dst), groups[:, None] * 0.7 + noise, groups


def by_formula(edges: Edges, n: int, attention: bool) -> Callable[..., Tensor]:
    src, dst = (tadc.index(k.numpy()) for k in edges)
    layer = tadc.torch.wrap(tadc.compile(ATTENTION if attention else CONVOLUTION))
    return lambda x, **scores: layer(src=src, dst=dst, x=x, N=n, **scores)


def by_index_add(edges: Edges, n: int, attention: bool) -> Callable[..., Tensor]:
    src, dst = edges

    def summed(terms: Tensor) -> Tensor:
        return torch.zeros(n, *terms.shape[1:], dtype=terms.dtype).index_add(0, dst, terms)

    def convolution(x: Tensor, d: Tensor) -> Tensor:
        return summed(x[src]) / d[:, None]

    def weighted(x: Tensor, s: Tensor, t: Tensor) -> Tensor:
        u = nn.functional.leaky_relu(s[src] + t[dst], 0.2)
        m = torch.full((n,), -torch.inf, dtype=u.dtype).scatter_reduce(0, dst, u, "amax")
        w = torch.exp(u - m[dst])
        return summed((w / summed(w)[dst])[:, None] * x[src])

    return weighted if attention else convolution


class Layer(nn.Module):
    """A linear map of the features, and their mean over the neighbours."""

    def __init__(
        self, mean: Callable[..., Tensor], degrees: Tensor, attention: bool, width: tuple[int, int]
    ) -> None:
        super().__init__()
        self.mean, self.degrees = mean, degrees
        self.linear = nn.Linear(*width, dtype=torch.double)
        self.scores = nn.Linear(width[1], 2, bias=False, dtype=torch.double) if attention else None

    def forward(self, x: Tensor) -> Tensor:
        h = self.linear(x)
        if self.scores is None:
            return self.mean(h, d=self.degrees)
        s, t = self.scores(h).unbind(1)
        return self.mean(h, s=s, t=t)


def trained(attention: bool, formula: bool, vertices: int, steps: int) -> tuple[list[float], float]:
    """The losses, and the part of all vertices whose group is found."""
    edges, features, groups = graph(vertices)
    mean = (by_formula if formula else by_index_add)(edges, vertices, attention)
    degrees = torch.bincount(edges[1], minlength=vertices).double()
    torch.manual_seed(0)
    model = nn.Sequential(
        Layer(mean, degrees, attention, (FEATURES, HIDDEN)),
        nn.Tanh(),
        Layer(mean, degrees, attention, (HIDDEN, 2)),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    known = torch.arange(vertices) < vertices // 4
    losses = []
    for _ in range(steps):
        results = model(features.double())
        loss = nn.functional.cross_entropy(results[known], groups[known])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, (results.argmax(1) == groups).double().mean().item()


def main(vertices: int = 400, steps: int = 40) -> None:
    for name, attention in (("convolution", False), ("attention", True)):
        losses, found = trained(attention, True, vertices, steps)
        others, _ = trained(attention, False, vertices, steps)
        difference = max(abs(a - b) for a, b in zip(losses, others, strict=True))
        print(
            f"{name:12} loss {losses[0]:.3f} -> {losses[-1]:.3f}, {found:.0%} found,"
            f" losses differ from those by `index_add` by at most {difference:.0e}"
        )
        assert difference < 1e-9
        assert found > 0.8


if __name__ == "__main__":
    main()
