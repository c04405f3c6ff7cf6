"""An operator run on tensors: addresses in, new tensors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import _C, Tensor

from tadc.bounded_cache import BoundedCache
from tadc.errors import BackendError
from tadc.function.operator import Operator
from tadc.runtime.cpu.native import Launch
from tadc.runtime.cuda.launch import CudaLaunch
from tadc.torch.indices import index_of
from tadc.torch.library import NAMES, TYPES

__all__ = ["Program", "is_grad_batch", "is_plain", "program"]

MOST_PROGRAMS = 1024
_CPU = torch.device("cpu")
_PLAIN = frozenset({Tensor, torch.nn.Parameter})
# Whether a tensor stands for many: `is_grads_batched` and `vectorize` of `torch.autograd` give such, outside of `torch.func`.
is_grad_batch = _C._functorch.is_legacy_batchedtensor

Sizes = tuple[int, ...]
_programs: BoundedCache[Program] = BoundedCache(MOST_PROGRAMS)


class Program:
    """An operator for some sizes, element type and device. `launch` is None where that is left to numpy."""

    __slots__ = ("_forms", "_launch", "_operator", "_sizes", "_threads", "device")

    def __init__(
        self, operator: Operator, sizes: Sizes, dtype: torch.dtype, device: torch.device
    ) -> None:
        self._operator = operator
        self._sizes = operator.named(sizes)
        self.device = device
        shapes = operator.shapes(sizes)
        types = [TYPES[t.dtype] if t.dtype else dtype for t in operator.outputs]
        self._forms = list(zip(shapes, types, strict=True))
        calls = operator.function.calls
        values = operator.program.size_values(self._sizes)
        on_gpu = device.type == "cuda"
        self._launch = calls.launch(values, NAMES[dtype], device.index if on_gpu else None)
        # A user's number of threads is tadc's own affair; else torch says how many.
        self._threads = operator.function._options.threads
        if isinstance(self._launch, Launch) and self._launch.threads == 1:
            self._threads = 1

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """The outputs. The inputs are of the shapes, types and device that this is for."""
        launch = self._launch
        if launch is None:
            return self._by_numpy(inputs)
        if not self._operator.inputs:
            inputs = ()  # what is given tells only where to compute
        inputs = [x if x.is_contiguous() else x.contiguous() for x in inputs]
        if isinstance(launch, CudaLaunch):
            return self._on_gpu(launch, inputs)
        outputs = [torch.empty(shape, dtype=dtype, device=_CPU) for shape, dtype in self._forms]
        tensors = (*inputs, *outputs)
        launch.at(
            [t.data_ptr() for t in tensors], self._threads or torch.get_num_threads(), tensors
        )
        return outputs

    def _on_gpu(self, launch: CudaLaunch, inputs: Sequence[Tensor]) -> list[Tensor]:
        """On the stream that is current on the device of the tensors; nothing waits for it."""
        with torch.cuda.device(self.device):
            outputs = [
                torch.empty(shape, dtype=dtype, device=self.device) for shape, dtype in self._forms
            ]
            bytes_ = launch.workspace_bytes
            workspace = torch.empty(bytes_, dtype=torch.uint8, device=self.device)
            tensors = (*inputs, *outputs)
            launch.at(
                [t.data_ptr() for t in tensors],
                workspace.data_ptr() if bytes_ else 0,
                torch.cuda.current_stream(self.device).cuda_stream,
            )
        return outputs

    def _by_numpy(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        function = self._operator.function
        arrays = [_array(x) for x in inputs[: len(function.inputs)]]
        results = function.calls(arrays, self._sizes)
        pairs = zip(results, self._forms, strict=True)
        return [
            torch.from_numpy(np.array(np.broadcast_to(y, shape))).to(self.device, dtype)
            for y, (shape, dtype) in pairs
        ]


def _array(x: Tensor) -> Any:
    """The memory of a tensor, or the index whose tensor it is."""
    index = index_of(x)
    return x.detach().cpu().numpy() if index is None else index


def program(operator: Operator, sizes: Sizes, dtype: torch.dtype, device: torch.device) -> Program:
    """The program that runs the operator for these. Raises BackendError for a device that is none of tadc's."""
    key = (operator.key, sizes, dtype, device)
    found = _programs.get(key)
    if found is None:
        if device.type not in ("cpu", "cuda"):
            raise BackendError(
                None,
                f"the tensors are on the device {device}",
                fix="move them to the CPU, or to a GPU of CUDA: `.to('cpu')`",
            )
        found = _programs.keep(key, Program(operator, sizes, dtype, device))
    return found


def is_plain(inputs: Sequence[Any]) -> bool:
    """Whether these are tensors of memory and nothing else is told of calls: no transform, mode, trace or subclass."""
    if (
        _C._are_functorch_transforms_active()
        or _C._len_torch_dispatch_stack()
        or _C._len_torch_function_stack()
        or _C._get_tracing_state() is not None
    ):
        return False
    for x in inputs:
        if (
            type(x) not in _PLAIN
            or not x.is_cpu
            or x.layout is not torch.strided
            or x.is_neg()
            or x.is_nested
            or x._is_zerotensor()  # which has no memory
            or is_grad_batch(x)  # nor has this
        ):
            return False
    return True
