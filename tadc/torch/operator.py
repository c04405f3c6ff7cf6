"""Registration of the operator with torch: how it runs, on symbols and on batches too, and how it is differentiated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import _C, Tensor

from tadc.function.operator import Extent, Operator
from tadc.torch.autograd import SizedOperator, apply, batch
from tadc.torch.launch import program
from tadc.torch.library import TYPES, call, library

__all__: list[str] = []


def _run(
    key: str, inputs: Sequence[Tensor], sizes: Sequence[int], dtype: torch.dtype
) -> list[Tensor]:
    operator, sizes = Operator.of_key(key), tuple(sizes)
    if operator.inputs:  # what a caller says of tensors is checked before their memory is read
        shapes = tuple(tuple(x.shape) for x in inputs)
        operator.sizes(shapes, operator.named(sizes))
    wanted = [TYPES[t.dtype] if t.dtype else dtype for t in operator.inputs]
    inputs = [x.clone() if x._is_zerotensor() else x.resolve_neg() for x in inputs]
    typed = [x.to(t) for x, t in zip(inputs, wanted, strict=True)] if wanted else inputs
    return program(operator, sizes, dtype, inputs[0].device)(typed)


def _fake(
    key: str, inputs: Sequence[Tensor], sizes: Sequence[Extent], dtype: torch.dtype
) -> list[Tensor]:
    operator = Operator.of_key(key)
    shapes = operator.shapes(sizes, torch.sym_min, torch.sym_max)
    types = [TYPES[t.dtype] if t.dtype else dtype for t in operator.outputs]
    pairs = zip(shapes, types, strict=True)
    return [torch.empty(s, dtype=t, device=inputs[0].device) for s, t in pairs]


def _batched(
    info: Any,
    in_dims: tuple[Any, ...],
    key: str,
    inputs: Sequence[Tensor],
    sizes: Sequence[Extent],
    dtype: torch.dtype,
) -> tuple[list[Tensor], list[int | None]]:
    sized = SizedOperator.of(Operator.of_key(key), tuple(sizes), dtype)
    return batch(sized, inputs, in_dims[1], info.batch_size)


def _differentiable(
    keyset: Any, key: str, inputs: Sequence[Tensor], sizes: Sequence[Extent], dtype: torch.dtype
) -> Any:
    """A call of the operator itself, as in an exported program."""
    if _C.is_grad_enabled() and any(x.requires_grad for x in inputs):
        if _C._functorch.peek_interpreter_stack() is not None:
            raise NotImplementedError(
                "tadc::call under torch.func: call the function of tadc.torch.wrap"
            )
        return apply(SizedOperator.of(Operator.of_key(key), tuple(sizes), dtype), inputs)
    with _C._AutoDispatchBelowAutograd():
        return call.redispatch(keyset & _C._after_autograd_keyset, key, inputs, sizes, dtype)


library.impl("call", _run, "CPU")
library.impl("call", _run, "CUDA")
library.impl("call", _differentiable, "Autograd", with_keyset=True)
torch.library.register_fake("tadc::call", _fake, lib=library)
torch.library.register_vmap("tadc::call", _batched, lib=library)
