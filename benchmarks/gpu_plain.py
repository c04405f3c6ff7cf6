"""Hand-written CUDA (`plain.cu`), compiled by NVRTC with fused and approximate operations, launched through CuPy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tadc.runtime.cuda.arrays import architecture, cupy
from tadc.runtime.cuda.nvrtc import compile_cuda, supported_architectures

__all__ = ["hand_written", "launch", "loaded"]

THREADS = 256
MOST_BLOCKS = (
    4096  # in which a kernel with a block a row, or sums of its own, runs through all of its points
)
Runs = dict[str, Callable[[], list[Any]]]


@cache
def loaded() -> Any:
    """The module of `plain.cu` on the first device."""
    text = Path(__file__).with_name("plain.cu").read_text("utf-8")
    module = cupy().cuda.function.Module()
    arch = architecture(0, supported_architectures())
    module.load(compile_cuda(text, arch, ["--use_fast_math"]).cubin)
    return module


def launch(name: str, blocks: int, arguments: Sequence[Any]) -> None:
    """The kernel on the current stream, with arrays, integers, and None for a null pointer."""
    xp = cupy()
    values = [
        ctypes.c_int(a)
        if isinstance(a, int)
        else ctypes.c_void_p(a.data.ptr if a is not None else None)
        for a in arguments
    ]
    addresses = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
    grid = (max(1, min(blocks, MOST_BLOCKS)), 1, 1)
    stream = xp.cuda.get_current_stream().ptr
    given = ctypes.addressof(addresses)
    function = loaded().get_function(name)
    xp.cuda.driver.launchKernel(function.ptr, *grid, THREADS, 1, 1, 0, stream, given, 0)


def hand_written(name: str, arrays: Sequence[Any], cotangent: Any) -> Runs:
    """The value, and the value with its gradients, of a formula of `plain.cu`."""
    value, gradients = _FORMULAS[name]

    def both() -> list[Any]:
        return [value(*arrays), *gradients(*arrays, cotangent)]

    return {"value": lambda: [value(*arrays)], "value and gradients": both}


def _like(*arrays: Any) -> list[Any]:
    return [cupy().empty(a.shape, np.float32) for a in arrays]


def _blocks(points: int) -> int:
    return -(-points // THREADS)


def _wave(u: Any, p: Any, c: Any) -> Any:
    n = u.shape[0]
    v = cupy().empty((n - 2,) * 3, np.float32)
    launch("wave", _blocks((n - 2) ** 3), [u, p, c, v, n])
    return v


def _wave_gradients(u: Any, p: Any, c: Any, dv: Any) -> list[Any]:
    found = _like(u, p, c)
    launch("wave_gradients", _blocks(u.size), [u, c, dv, *found, u.shape[0]])
    return found


def _gaussians(x: Any, y: Any, w: Any) -> Any:
    f = cupy().empty(w.shape, np.float32)
    launch("gaussians", w.size, [x, y, w, f, w.size])
    return f


def _gaussians_gradients(x: Any, y: Any, w: Any, df: Any) -> list[Any]:
    dx, dy, dw = _like(x, y, w)
    launch("gaussians_gradient", w.size, [x, y, w, df, dx, None, w.size])
    launch("gaussians_gradient", w.size, [y, x, df, w, dy, dw, w.size])
    return [dx, dy, dw]


def _filter(x: Any, w: Any) -> Any:
    (y,) = _like(x)
    launch("filter", _blocks(x.size), [x, w, y, 0, x.shape[0]])
    return y


def _filter_gradients(x: Any, w: Any, dy: Any) -> list[Any]:
    dx, dw = _like(x, w)
    launch("filter", _blocks(x.size), [dy, w, dx, 8, x.shape[0]])
    launch("zeros", 1, [dw, w.size])
    launch("filter_weights", min(1024, _blocks(x.size)), [x, dy, dw, x.shape[0]])
    return [dx, dw]


_FORMULAS: dict[str, tuple[Callable[..., Any], Callable[..., list[Any]]]] = {
    "wave": (_wave, _wave_gradients),
    "gaussians": (_gaussians, _gaussians_gradients),
    "filter": (_filter, _filter_gradients),
}
