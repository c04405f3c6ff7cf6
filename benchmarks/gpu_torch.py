"""The large formulas in the words of PyTorch, as one who knows it writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpu_rivals import Runs, by_autograd, compiled_by_torch, float32_torch

__all__ = ["written_in_torch"]


def written_in_torch(
    name: str, arrays: Sequence[Any], cotangent: Any
) -> tuple[dict[str, Runs], dict[str, str]]:
    """Runs by mode, of eager mode and of what is compiled; and the reasons why there are none."""
    try:
        torch = float32_torch()
    except Exception as error:  # whatever an installation raises
        return {}, {"torch": f"{type(error).__name__}: {error}"}
    function, of_library = _functions(torch)[name]

    def modes(function: Callable[..., Any]) -> Runs:
        runs = by_autograd(torch, function, arrays, cotangent)
        return {"primal": runs["value"], "vjp": runs["value and gradients"]}

    found = {"torch": modes(function)}
    if not of_library:
        found["torch.compile"] = modes(compiled_by_torch(torch, function))
    return found, {}


def _functions(torch: Any) -> dict[str, tuple[Callable[..., Any], bool]]:
    """By name; and whether it is nothing but a function of the library, which compiling does not change."""
    of = torch.nn.functional

    def paper(a: Any, b: Any, c: Any, d: Any) -> Any:
        n, k = a.shape
        q = (a**2).sum(1)[:, None] + 2 * a @ b.T + (b**2).sum(1)[None]
        shifted = (d**3).unfold(0, k, 1).sum(1)[:n, None]
        return torch.exp(-(q * c.diagonal()[:, None] / k + shifted / k))

    def rbf(x: Any, c: Any, w: Any, gamma: Any) -> Any:
        squared = (x**2).sum(1)[:, None] - 2 * x @ c.T + (c**2).sum(1)[None]
        return torch.exp(-gamma * squared) @ w

    def wave(u: Any, p: Any, c: Any) -> Any:
        m = u[1:-1, 1:-1, 1:-1]
        near = u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1]
        near = near + u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:]
        return 2 * m - p[1:-1, 1:-1, 1:-1] + c[1:-1, 1:-1, 1:-1] * (near - 6 * m)

    def variation(u: Any) -> Any:
        down, right = u[1:, :-1] - u[:-1, :-1], u[:-1, 1:] - u[:-1, :-1]
        return torch.sqrt(down**2 + right**2 + 0.0001).sum()

    def attention(q: Any, k: Any, v: Any) -> Any:
        return of.scaled_dot_product_attention(q[None], k[None], v[None], scale=1.0)[0]

    def mttkrp(x: Any, b: Any, c: Any) -> Any:
        return torch.einsum("ijr,jr->ir", torch.einsum("ijk,kr->ijr", x, c), b)

    def norm_softmax(x: Any) -> Any:
        return of.softmax(of.layer_norm(x, x.shape[1:], eps=1e-5), -1)

    return {
        "paper": (paper, False),
        "rbf, 3 dimensions": (rbf, False),
        "rbf, 64 dimensions": (rbf, False),
        "matrix product": (torch.matmul, True),
        "convolution, pad": (lambda x, w: of.conv2d(x, w, padding=1), True),
        "convolution, brackets": (of.conv2d, True),
        "depthwise": (lambda x, w: of.conv2d(x, w[:, None], padding=1, groups=len(w)), True),
        "attention": (attention, True),
        "wave": (wave, False),
        "hankel": (lambda h, x: h.unfold(0, len(x), 1) @ x, False),
        "bias": (lambda x, b: x * b, False),
        "max pooling": (lambda x: of.max_pool2d(x, 2), True),
        "layer norm, softmax": (norm_softmax, False),
        "mttkrp": (mttkrp, True),
        "total variation": (variation, False),
        "sum of squares": (lambda x: (x * x).sum(), False),
        "elementwise": (lambda x, y: x * torch.tanh(y) + torch.exp(-(x**2)), False),
        "transpose": (lambda x: x.T.contiguous(), False),
    }
