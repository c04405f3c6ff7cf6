"""The rows of `cpu_rows.py` in the words of PyTorch and JAX: as the formula is written, and as an expert reformulates it.

An expert knows a function of the library, a cheaper order, a view without a copy, or a transform. Each is a function of the
inputs; derivatives are the library's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["jax_forms", "torch_forms"]

Form = Callable[..., Any]
Forms = dict[str, tuple[Form, Form | None]]  # by row: as it is written, and by an expert

WINDOW = 128  # of the attention


def torch_forms() -> Forms:
    import torch
    from torch.nn import functional as F  # noqa: N812

    def paper(a: Any, b: Any, c: Any, d: Any) -> Any:
        terms = (a[:, None] + b) ** 2 * torch.diagonal(c)[:, None, None]
        return torch.exp(-(terms + d.unfold(0, a.shape[1], 1)[:, None] ** 3).sum(-1))

    def paper_expert(a: Any, b: Any, c: Any, d: Any) -> Any:
        squares = (a * a).sum(1)[:, None] + (b * b).sum(1) + 2 * (a @ b.T)
        cubes = (d**3).unfold(0, a.shape[1], 1).sum(1)
        return torch.exp(-(squares * torch.diagonal(c)[:, None] + cubes[:, None]))

    def rbf(x: Any, y: Any, w: Any) -> Any:
        return torch.exp(-((x[:, None] - y) ** 2).sum(-1)) @ w

    def rbf_expert(x: Any, y: Any, w: Any) -> Any:
        distances = (x * x).sum(1)[:, None] + (y * y).sum(1) - 2 * (x @ y.T)
        return torch.exp(-distances) @ w

    def conv1d(x: Any, w: Any) -> Any:
        return torch.einsum("ncpr,ocr->nop", x.unfold(2, w.shape[2], 1), w)

    def conv2d(x: Any, w: Any) -> Any:
        windows = x.unfold(2, 3, 2).unfold(3, 5, 1)[..., ::2]  # n, c, p, q, r, s
        return torch.einsum("ncpqrs,ocrs->nopq", windows, w)

    def diagonal(a: Any, x: Any) -> Any:
        return a * x + (torch.diagonal(a) * x)[:, None]

    def hankel_by_fft(x: Any, v: Any) -> Any:
        count = 2 * len(v)
        product = torch.fft.rfft(x, count) * torch.fft.rfft(v, count).conj()
        return torch.fft.irfft(product, count)[: len(v)]

    def local_expert(x: Any, w: Any) -> Any:
        return torch.einsum("npr,pr->np", x.unfold(1, w.shape[1], 1), w)

    def attention(q: Any, k: Any, v: Any) -> Any:
        scores = torch.einsum("hid,hidr->hir", q, k.unfold(1, WINDOW, 1))
        return torch.einsum("hir,hidr->hid", scores.softmax(-1), v.unfold(1, WINDOW, 1))

    def attention_expert(q: Any, k: Any, v: Any) -> Any:
        heads, length, depth = q.shape
        wide = 2 * WINDOW - 1  # keys of a block of queries
        keys, values = k.unfold(1, wide, WINDOW), v.unfold(1, wide, WINDOW)
        blocks = q.reshape(heads, -1, WINDOW, depth)
        shift = torch.arange(wide) - torch.arange(WINDOW)[:, None]
        scores = (blocks @ keys).masked_fill((shift < 0) | (shift >= WINDOW), float("-inf"))
        return (scores.softmax(-1) @ values.transpose(-1, -2)).reshape(heads, length, depth)

    def lnsm(x: Any, g: Any, b: Any) -> Any:
        centred = x - x.mean(-1, keepdim=True)
        h = centred / torch.sqrt((centred**2).mean(-1, keepdim=True) + 1e-5) * g + b
        e = torch.exp(h - h.amax(-1, keepdim=True))
        return e / e.sum(-1, keepdim=True)

    def mttkrp_expert(B: Any, C: Any, D: Any) -> Any:  # noqa: N803
        return ((B.reshape(-1, B.shape[2]) @ D).reshape(*B.shape[:2], -1) * C).sum(1)

    def upsample(x: Any) -> Any:
        return x.repeat_interleave(2, 1).repeat_interleave(2, 2)

    return {
        "paper": (paper, paper_expert),
        "rbf": (rbf, rbf_expert),
        "conv1d": (conv1d, F.conv1d),
        "conv2d": (conv2d, lambda x, w: F.conv2d(x, w, stride=(2, 1), dilation=(1, 2))),
        "collide": (lambda x, y: x[:, None] * x[:, None] * y, lambda x, y: torch.outer(x * x, y)),
        "hankel": (lambda x, v: x.unfold(0, len(v), 1) @ v, hankel_by_fft),
        "reshape": (lambda x: torch.exp(x.reshape(-1)), lambda x: torch.exp(x).reshape(-1)),
        "diagonal": (diagonal, None),
        "bias": (lambda x, b: torch.tanh(x + b), None),
        "local": (lambda x, w: (x.unfold(1, w.shape[1], 1) * w).sum(-1), local_expert),
        "attention": (attention, attention_expert),
        "lnsm": (lnsm, lambda x, g, b: F.layer_norm(x, g.shape, g, b).softmax(-1)),
        "matmul": (lambda a, b: a @ b, None),
        "mttkrp": (lambda B, C, D: torch.einsum("ikl,kj,lj->ij", B, C, D), mttkrp_expert),  # noqa: N803
        "upsample": (upsample, lambda x: F.interpolate(x[None], scale_factor=2)[0]),
        "maxpool": (
            lambda x: x.unfold(2, 3, 2).unfold(3, 3, 2).amax((-1, -2)),
            lambda x: F.max_pool2d(x, 3, 2),
        ),
        "wave": (wave, None),
    }


def jax_forms() -> Forms:
    import jax
    import jax.numpy as jnp
    from jax import lax

    def shifted(x: Any, count: int, axis: int, step: int = 1, stride: int = 1) -> Any:
        """Windows along an axis, which becomes two: places and then the `count` elements of a window."""
        length = (x.shape[axis] - step * (count - 1) - 1) // stride + 1
        parts = (
            lax.slice_in_dim(x, r * step, r * step + stride * (length - 1) + 1, stride, axis)
            for r in range(count)
        )
        return jnp.stack(list(parts), -1)

    def gathered(x: Any, count: int, axis: int) -> Any:
        """The same by indices, for many elements."""
        places = jnp.arange(x.shape[axis] - count + 1)[:, None] + jnp.arange(count)
        return jnp.take(x, places, axis)

    def paper(a: Any, b: Any, c: Any, d: Any) -> Any:
        terms = (a[:, None] + b) ** 2 * jnp.diagonal(c)[:, None, None]
        return jnp.exp(-(terms + gathered(d, a.shape[1], 0)[:, None] ** 3).sum(-1))

    def paper_expert(a: Any, b: Any, c: Any, d: Any) -> Any:
        squares = (a * a).sum(1)[:, None] + (b * b).sum(1) + 2 * (a @ b.T)
        ones = jnp.ones(a.shape[1], d.dtype)
        cubes = jnp.convolve(d**3, ones, "valid")
        return jnp.exp(-(squares * jnp.diagonal(c)[:, None] + cubes[:, None]))

    def rbf(x: Any, y: Any, w: Any) -> Any:
        return jnp.exp(-((x[:, None] - y) ** 2).sum(-1)) @ w

    def rbf_expert(x: Any, y: Any, w: Any) -> Any:
        distances = (x * x).sum(1)[:, None] + (y * y).sum(1) - 2 * (x @ y.T)
        return jnp.exp(-distances) @ w

    def conv1d(x: Any, w: Any) -> Any:
        return jnp.einsum("ncpr,ocr->nop", shifted(x, w.shape[2], 2), w)

    def conv1d_expert(x: Any, w: Any) -> Any:
        return lax.conv_general_dilated(x, w, (1,), "VALID")

    def conv2d(x: Any, w: Any) -> Any:
        windows = shifted(shifted(x, 3, 2, stride=2), 3, 3, step=2)
        return jnp.einsum("ncpqrs,ocrs->nopq", windows, w)

    def conv2d_expert(x: Any, w: Any) -> Any:
        return lax.conv_general_dilated(x, w, (2, 1), "VALID", rhs_dilation=(1, 2))

    def hankel_by_fft(x: Any, v: Any) -> Any:
        count = 2 * len(v)
        product = jnp.fft.rfft(x, count) * jnp.fft.rfft(v, count).conj()
        return jnp.fft.irfft(product, count)[: len(v)]

    def local_expert(x: Any, w: Any) -> Any:
        length, count = w.shape
        return sum(x[:, r : r + length] * w[:, r] for r in range(count))

    def attention(q: Any, k: Any, v: Any) -> Any:
        scores = jnp.einsum("hid,hird->hir", q, gathered(k, WINDOW, 1))
        return jnp.einsum("hir,hird->hid", jax.nn.softmax(scores), gathered(v, WINDOW, 1))

    def attention_expert(q: Any, k: Any, v: Any) -> Any:
        heads, length, depth = q.shape
        wide = 2 * WINDOW - 1
        starts = range(0, length, WINDOW)
        keys, values = (jnp.stack([x[:, s : s + wide] for s in starts], 1) for x in (k, v))
        shift = jnp.arange(wide) - jnp.arange(WINDOW)[:, None]
        scores = jnp.einsum("hbid,hbjd->hbij", q.reshape(heads, -1, WINDOW, depth), keys)
        scores = jnp.where((shift < 0) | (shift >= WINDOW), -jnp.inf, scores)
        mixed = jnp.einsum("hbij,hbjd->hbid", jax.nn.softmax(scores), values)
        return mixed.reshape(heads, length, depth)

    def diagonal(a: Any, x: Any) -> Any:
        return a * x + (jnp.diagonal(a) * x)[:, None]

    def lnsm(x: Any, g: Any, b: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        h = centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * g + b
        e = jnp.exp(h - h.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def lnsm_expert(x: Any, g: Any, b: Any) -> Any:
        return jax.nn.softmax(jax.nn.standardize(x, epsilon=1e-5) * g + b)

    def mttkrp_expert(B: Any, C: Any, D: Any) -> Any:  # noqa: N803
        return ((B.reshape(-1, B.shape[2]) @ D).reshape(*B.shape[:2], -1) * C).sum(1)

    def upsample_expert(x: Any) -> Any:
        n, h, w = x.shape
        wide = jnp.broadcast_to(x[:, :, None, :, None], (n, h, 2, w, 2))
        return wide.reshape(n, 2 * h, 2 * w)

    def pooled_expert(x: Any) -> Any:
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), "VALID")

    return {
        "paper": (paper, paper_expert),
        "rbf": (rbf, rbf_expert),
        "conv1d": (conv1d, conv1d_expert),
        "conv2d": (conv2d, conv2d_expert),
        "collide": (lambda x, y: x[:, None] * x[:, None] * y, lambda x, y: jnp.outer(x * x, y)),
        "hankel": (lambda x, v: gathered(x, len(v), 0) @ v, hankel_by_fft),
        "reshape": (lambda x: jnp.exp(x.reshape(-1)), lambda x: jnp.exp(x).reshape(-1)),
        "diagonal": (diagonal, None),
        "bias": (lambda x, b: jnp.tanh(x + b), None),
        "local": (lambda x, w: (gathered(x, w.shape[1], 1) * w).sum(-1), local_expert),
        "attention": (attention, attention_expert),
        "lnsm": (lnsm, lnsm_expert),
        "matmul": (lambda a, b: a @ b, None),
        "mttkrp": (lambda B, C, D: jnp.einsum("ikl,kj,lj->ij", B, C, D), mttkrp_expert),  # noqa: N803
        "upsample": (lambda x: x.repeat(2, 1).repeat(2, 2), upsample_expert),
        "maxpool": (
            lambda x: shifted(shifted(x, 3, 2, stride=2), 3, 3, stride=2).max((-1, -2)),
            pooled_expert,
        ),
        "wave": (wave, None),
    }


def wave(u: Any, p: Any, c: Any) -> Any:
    m = u[1:-1, 1:-1, 1:-1]
    near = u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1]
    near = near + u[1:-1, 2:, 1:-1] + u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:]
    return 2 * m - p[1:-1, 1:-1, 1:-1] + c[1:-1, 1:-1, 1:-1] * (near - 6 * m)
