"""A layer that PyTorch has not, in a network that is trained: a locally connected one, a filter of its own at every place.

    pip install 'tadc[torch]'
    python examples/torch_layer.py

The same network is trained twice from the same start, once with the layer as a formula, once by `unfold` and `einsum`, as one
would write it without tadc. The losses are the same; what `unfold` copies, each pixel once for every filter that sees it, is
what its time and memory go to.
"""

import resource
import sys
from multiprocessing import get_context
from time import perf_counter

import torch
from torch import nn

import tadc
import tadc.torch

BATCH, SIZE, CHANNELS, FILTERS, WINDOW = 32, 32, 8, 16, 5
STEPS = 30

FORMULA = """
size B, C, O, Y, X, K
input x[B, C, Y, X], w[O, C, K, K, Y-K+1, X-K+1]
y[b,o,i,j] = sum{c, p, q} x[b, c, i+p, j+q] * w[o, c, p, q, i, j]
"""


class LocallyConnected(nn.Module):
    """`y[b,o,i,j] = sum{c,p,q} x[b,c,i+p,j+q] * w[o,c,p,q,i,j]`."""

    def __init__(self, by_formula: bool) -> None:
        super().__init__()
        places = SIZE - WINDOW + 1
        shape = (FILTERS, CHANNELS, WINDOW, WINDOW, places, places)
        self.weight = nn.Parameter(torch.randn(shape) / (CHANNELS * WINDOW**2) ** 0.5)
        self.formula = tadc.torch.wrap(tadc.compile(FORMULA)) if by_formula else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.formula is not None:
            return self.formula(x, self.weight)
        windows = x.unfold(2, WINDOW, 1).unfold(3, WINDOW, 1)  # b, c, i, j, p, q
        return torch.einsum("bcijpq,ocpqij->boij", windows, self.weight)


def network(by_formula: bool) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, CHANNELS, 3, padding=1),
        nn.Tanh(),
        LocallyConnected(by_formula),
        nn.Tanh(),
        nn.AdaptiveAvgPool2d(4),
        nn.Flatten(),
        nn.Linear(16 * FILTERS, 2),
    )


def data() -> tuple[torch.Tensor, torch.Tensor]:
    """Images with a bright spot, and where it is: a question to which place matters."""
    random = torch.Generator().manual_seed(1)
    place = torch.rand(BATCH, 2, generator=random)
    grid = torch.linspace(0, 1, SIZE)
    distance = (grid[None, :, None] - place[:, :1, None]) ** 2 + (grid[None, None] - place[:, 1:, None]) ** 2  # fmt: skip
    noise = 0.1 * torch.randn(BATCH, SIZE, SIZE, generator=random)
    return (torch.exp(-100 * distance) + noise)[:, None], place


def trained(by_formula: bool) -> tuple[list[float], float, float]:
    """The losses, the seconds of the fastest step, and the most memory of the process in MiB beyond that of its start."""
    model, (images, places) = network(by_formula), data()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    losses, fastest = [], float("inf")
    for _ in range(STEPS):
        start = perf_counter()
        loss = nn.functional.mse_loss(model(images), places)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        fastest = min(fastest, perf_counter() - start)
        losses.append(loss.item())
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return losses, fastest, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / unit


def main() -> None:
    results = {}
    for name, by_formula in (("formula", True), ("unfold", False)):
        with get_context("spawn").Pool(1) as process:  # each with a memory of its own
            results[name] = process.apply(trained, (by_formula,))
    for name, (losses, seconds, memory) in results.items():
        print(f"{name:8} loss {losses[0]:.4f} -> {losses[-1]:.4f}, {seconds * 1e3:6.1f} ms a step, {memory:5.0f} MiB")  # fmt: skip
    pairs = zip(results["formula"][0], results["unfold"][0], strict=True)
    difference = max(abs(a - b) / b for a, b in pairs)
    print(f"the losses differ by at most {difference:.1e} of them")
    assert difference < 1e-3


if __name__ == "__main__":
    main()
