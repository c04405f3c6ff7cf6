"""Who else computes a formula on a GPU: tadc's own form with atomic additions, CUDA by hand, PyTorch, JAX, KeOps, Warp.

A rival makes runs, by task, from a problem; each returns new arrays, in the order value, gradients. What is not
installed, or finds no GPU, is left out with the reason.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from gpu_formulas import Formula
from gpu_plain import hand_written

from tadc.compiler import atomic_module
from tadc.runtime.cuda.launch import cuda_launch
from tadc.schedule.lowered import GpuModule

__all__ = [
    "TASKS",
    "Problem",
    "Rival",
    "Run",
    "Runs",
    "by_autograd",
    "compiled_by_torch",
    "float32_torch",
    "own",
    "rivals",
]

Run = Callable[[], Sequence[Any]]
Runs = dict[str, Run]
# `gradient` is that by the first input alone, without the value.
TASKS = ("value", "value and gradients", "gradient")


@dataclass(frozen=True)
class Problem:
    """A formula with its inputs on the GPU, float32, and the cotangent of its result."""

    formula: Formula
    f: Any
    sizes: dict[str, int]
    arrays: list[Any]
    cotangent: Any


Rival = Callable[[Problem], Runs]


def rivals() -> tuple[dict[str, Rival], dict[str, str]]:
    """Those that can run here, and why the others cannot."""
    found: dict[str, Rival] = {}
    missing: dict[str, str] = {}
    for name, made in _RIVALS.items():
        try:
            found[name] = made()
        except Exception as error:  # whatever an installation raises
            missing[name] = f"{type(error).__name__}: {error}".splitlines()[0]
    return found, missing


def own(p: Problem) -> Runs:
    """tadc's."""
    adjoint = p.f.adjoint(p.f.inputs[:1])
    given = {**dict(zip(p.f.inputs, p.arrays, strict=True)), adjoint.inputs[-1]: p.cotangent}
    needed = {n: given[n] for n in adjoint.inputs}

    def both() -> list[Any]:
        value, pullback = p.f.vjp(*p.arrays)
        return [value, *pullback(p.cotangent).values()]

    return {
        "value": lambda: [p.f(*p.arrays)],
        "value and gradients": both,
        "gradient": lambda: [adjoint(**needed)],
    }


# ---- tadc's scatter form, and CUDA by hand


def _atomics(points: bool) -> Rival:
    def runs(p: Problem) -> Runs:
        gradients, first = (_scattering(p, wrt, points) for wrt in (p.f.inputs, p.f.inputs[:1]))
        return {
            "value and gradients": lambda: [p.f(*p.arrays), *gradients()],
            "gradient": first,
        }

    return runs


def _scattering(p: Problem, wrt: Sequence[str], points: bool) -> Run:
    mode = GpuModule.plain(atomic_module(p.f.program, wrt, points=points))
    inputs = [t.name for t in mode.module.program.inputs]
    given = {**dict(zip(p.f.inputs, p.arrays, strict=True)), inputs[-1]: p.cotangent}
    launch = cache(lambda: cuda_launch(mode, p.sizes, "float32", 0))  # compiled if it is run
    return lambda: launch()([given[n] for n in inputs])


def _plain() -> Rival:
    return lambda p: hand_written(p.formula.plain, p.arrays, p.cotangent) if p.formula.plain else {}


# ---- PyTorch and KeOps


def float32_torch() -> Any:
    torch = import_module("torch")
    assert torch.cuda.is_available(), "PyTorch finds no GPU"
    torch.backends.cuda.matmul.allow_tf32 = False  # float32, as everyone else
    torch.backends.cudnn.allow_tf32 = False
    return torch


def by_autograd(
    torch: Any, function: Callable[..., Any], arrays: Sequence[Any], cotangent: Any
) -> Runs:
    given = [torch.from_dlpack(a).requires_grad_() for a in arrays]
    seed = torch.from_dlpack(cotangent)
    graph: list[Any] = []  # of the forward pass, made by the first call

    def value() -> list[Any]:
        with torch.no_grad():
            return [function(*given)]

    def both() -> list[Any]:
        y = function(*given)
        return [y.detach(), *torch.autograd.grad(y, given, seed)]

    def gradient() -> list[Any]:
        if not graph:
            graph.append(function(given[0], *(x.detach() for x in given[1:])))
        return list(torch.autograd.grad(graph[0], given[:1], seed, retain_graph=True))

    return dict(zip(TASKS, (value, both, gradient), strict=True))


def _eager() -> Rival:
    torch = float32_torch()
    return lambda p: (
        by_autograd(torch, p.formula.torch, p.arrays, p.cotangent) if p.formula.torch else {}
    )


def compiled_by_torch(torch: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    functorch = import_module("torch._functorch.config")
    if hasattr(functorch, "donated_buffer"):
        functorch.donated_buffer = False  # the backward pass is run more than once
    torch.compiler.reset()  # or the third size makes it compile for any size
    compiled: Callable[..., Any] = torch.compile(function, dynamic=False)
    return compiled


def _compiled() -> Rival:
    torch = float32_torch()

    def runs(p: Problem) -> Runs:
        if p.formula.torch is None:
            return {}
        function = compiled_by_torch(torch, p.formula.torch)
        return by_autograd(torch, function, p.arrays, p.cotangent)

    return runs


def _keops() -> Rival:
    torch = float32_torch()
    lazy = import_module("pykeops.torch").LazyTensor

    def gaussians(x: Any, y: Any, w: Any) -> Any:
        distances = ((lazy(x[:, None, :]) - lazy(y[None, :, :])) ** 2).sum(-1)
        return ((-distances).exp() @ w[:, None])[:, 0]

    ours = {"a sum of Gaussians": gaussians}
    return lambda p: (
        by_autograd(torch, ours[p.formula.name], p.arrays, p.cotangent)
        if p.formula.name in ours
        else {}
    )


# ---- JAX


def _jax() -> Rival:
    # Before it looks for a GPU, of whose memory it would take three quarters.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = import_module("jax")
    assert jax.devices()[0].platform in ("gpu", "cuda"), "JAX finds no GPU"
    jax.config.update("jax_default_matmul_precision", "highest")
    return lambda p: _by_jax(jax, p) if p.formula.jax else {}


def _by_jax(jax: Any, p: Problem) -> Runs:
    """It runs on a stream of its own, so each run waits for it."""
    function = p.formula.jax
    assert function
    given = [jax.dlpack.from_dlpack(a) for a in p.arrays]
    seed = jax.dlpack.from_dlpack(p.cotangent)

    @jax.jit
    def both(seed: Any, *xs: Any) -> Any:
        y, pullback = jax.vjp(function, *xs)
        return (y, *pullback(seed))

    @jax.jit
    def gradient(seed: Any, first: Any, *rest: Any) -> Any:
        return jax.vjp(lambda x: function(x, *rest), first)[1](seed)

    compiled = jax.jit(function)
    return {
        "value": lambda: [jax.block_until_ready(compiled(*given))],
        "value and gradients": lambda: list(jax.block_until_ready(both(seed, *given))),
        "gradient": lambda: list(jax.block_until_ready(gradient(seed, *given))),
    }


# ---- NVIDIA Warp


def _warp(deterministic: bool) -> Rival:
    wp = import_module("warp")
    wp.config.quiet = True
    wp.init()
    assert wp.get_cuda_device_count(), "Warp finds no GPU"
    kernels = _warp_kernels("gpu_warp_deterministic" if deterministic else "gpu_warp")
    if deterministic:
        assert hasattr(wp, "DeterministicMode"), f"Warp {wp.__version__} has no such mode"
        wp.set_module_options({"deterministic": wp.DeterministicMode.RUN_TO_RUN}, module=kernels)

    def runs(p: Problem) -> Runs:
        if p.formula.name not in kernels.KERNELS:
            return {}
        made: Runs = kernels.runs(p.formula.name, p.arrays, p.cotangent, wp.from_dlpack)
        return made

    return runs


def _warp_kernels(name: str) -> Any:
    """`gpu_warp.py` as a module of this name."""
    spec = spec_from_file_location(name, Path(__file__).with_name("gpu_warp.py"))
    assert spec and spec.loader
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_RIVALS: dict[str, Callable[[], Rival]] = {
    "atomics, a thread an element": lambda: _atomics(points=False),
    "atomics, a thread a point": lambda: _atomics(points=True),
    "CUDA by hand": _plain,
    "PyTorch": _eager,
    "torch.compile": _compiled,
    "JAX": _jax,
    "KeOps": _keops,
    "Warp": lambda: _warp(deterministic=False),
    "Warp, deterministic": lambda: _warp(deterministic=True),
}
