"""Inverse modes called with tensors: as programs, or, where their systems are too large for one, solved on the host.

What is solved on the host is differentiated by the other mode: where `z = J(p)⁻¹v` and `z̄` is a cotangent of it,

    v̄ = J⁻ᵀ z̄        p̄ = -d/dp <v̄, J(p) z>        the product J z is the tangent program's

and with J and its transposed exchanged for the inverse adjoint. Both are calls like the first one, so all orders follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import _C, Tensor

from tadc.errors import BackendError
from tadc.function.inverse_modes import InverseMode
from tadc.function.rolled_volume import volume_of
from tadc.torch.module import wrap

__all__ = ["solved"]


def solved(
    mode: InverseMode, given: Mapping[str, Any], sizes: Mapping[str, int], *, check: bool
) -> Any:
    """The outputs of a mode as tensors, which take part in torch's differentiation. Raises SingularError, unless a call is traced."""
    shapes = {n: np.shape(x) for n, x in given.items()}
    program = mode.of_shapes(shapes, sizes)
    traced = torch.compiler.is_compiling() or _C._functorch.peek_interpreter_stack() is not None
    if program is not None:
        if check and not traced:
            mode.check({n: _host(given[n]) for n in mode.of_function.inputs} | dict(sizes))
        return program(*given.values())
    tensors = tuple(map(_tensor, given.values()))
    is_derived = torch.is_grad_enabled() and any(t.requires_grad for t in tensors)
    if mode.mode == "logdet" and (is_derived or traced):
        volume = volume_of(mode, shapes, sizes)
        if volume is not None:
            if check and not traced:
                mode.check({n: _host(x) for n, x in given.items()} | dict(sizes))
            return wrap(volume)(*given.values())
    if traced or (mode.mode == "logdet" and is_derived):
        what = mode.obstacle(mode.closed(shapes, sizes))
        raise BackendError(
            None,
            f"{what} has no program, which is what a trace or a gradient of it takes",
            fix="call it outside of traces, for a value alone within `torch.no_grad()`",
        )
    results = _Solved.apply(mode, dict(sizes), check, *tensors)
    return results[0] if len(results) == 1 else results


class _Solved(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, mode: InverseMode, sizes: dict[str, int], check: bool, *tensors: Tensor
    ) -> tuple[Tensor, ...]:
        results = mode(*map(_host, tensors), check=check, **sizes)
        arrays = results if isinstance(results, tuple) else (results,)
        device = next(t.device for t in tensors)
        outputs = tuple(torch.as_tensor(a).to(device) for a in arrays)
        ctx.mode, ctx.sizes, ctx.check = mode, sizes, check
        ctx.save_for_backward(*tensors, *outputs)
        return outputs

    @staticmethod
    def backward(ctx: Any, *cotangents: Tensor | None) -> tuple[Tensor | None, ...]:
        mode: InverseMode = ctx.mode
        f, sides = mode.of_function, mode.sides
        inputs, count = ctx.saved_tensors, len(mode.inputs)
        tensors, outputs = inputs[:count], inputs[count:]
        point = tensors[: len(f.inputs)]
        seeds = [
            torch.zeros_like(z) if c is None else c
            for c, z in zip(cotangents, outputs, strict=True)
        ]
        other = mode.transposed()
        given = dict(zip(other.inputs, (*point, *seeds), strict=True))
        found = solved(other, given, ctx.sizes, check=ctx.check)
        vectors = found if isinstance(found, tuple) else (found,)
        directions, weights = (
            (outputs, vectors) if mode.mode == "inverse-tangent" else (vectors, outputs)
        )
        tangent = f.tangent(sides.wrt)
        with torch.enable_grad():
            # New nodes: the solution depends on the point too, and is held fixed here.
            at = [_variable(p) for p in point]
            product = tangent(*at, *directions, **ctx.sizes)
            products = dict(zip(f.outputs, product if isinstance(product, tuple) else (product,), strict=True))  # fmt: skip
            value = sum((products[y] * w).sum() for y, w in zip(sides.of, weights, strict=True))
            places = [k for k, p in enumerate(at) if p.requires_grad]  # not those of index tensors
            slopes = torch.autograd.grad(value, [at[k] for k in places], create_graph=torch.is_grad_enabled(), allow_unused=True)  # fmt: skip
        by_place = dict(zip(places, slopes, strict=True))
        gradients = (by_place.get(k) for k in range(len(at)))
        return (None, None, None, *(None if g is None else -g for g in gradients), *vectors)


def _variable(x: Tensor) -> Tensor:
    """The tensor as a new node of the graph; integers as they are."""
    if not x.is_floating_point():
        return x
    return x.view_as(x) if x.requires_grad else x.detach().requires_grad_()


def _host(x: Any) -> Any:
    return x.detach().cpu().numpy() if isinstance(x, Tensor) else x


def _tensor(x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else torch.as_tensor(np.asarray(x))
