"""`tadc.torch.wrap`: a function as a module of torch. Arguments are checked, promoted and put in order here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import torch
from torch import _C, Tensor
from torch.autograd import forward_ad

from tadc.bounded_cache import BoundedCache
from tadc.errors import ArgumentError, BackendError
from tadc.function.foreign import other_kinds
from tadc.function.function import Function
from tadc.function.operator import Extent, Operator, Typed, arguments, function_of_key, key_of
from tadc.function.sparse import SparseFunction
from tadc.ir.element_types import HALF_TYPES, INDEX
from tadc.runtime.arguments import NUMBERS, promoted_beside
from tadc.runtime.index import Index
from tadc.torch.autograd import SizedOperator, apply, are_numbers, hint, recorded
from tadc.torch.indices import tensor_of
from tadc.torch.launch import is_plain
from tadc.torch.library import NAMES, TYPES
from tadc.torch.rounds import Long, by_rounds

__all__ = ["Module", "element_type", "wrap"]

MOST_CALLS = 256  # sets of shapes and types whose checks are remembered
MOST_MODULES = 256

_modules: BoundedCache[Module] = BoundedCache(MOST_MODULES)


def wrap(f: Function | Long, *, autocast: torch.dtype | None = None) -> Module | SparseModule:
    """The function as a module: `m(*tensors, **sizes)` is a tensor, or a tuple of them in the order of `f.outputs`.

    It takes part in torch's differentiation to any order, in `torch.func`, `torch.compile` and `torch.export`, and has
    no parameters. Within `torch.autocast`, inputs are cast to the type `autocast`, if that is given. Raises ArgumentError
    for what is no function of tadc.
    """
    if isinstance(f, SparseFunction):
        return SparseModule(f, wrap(f.plain, autocast=autocast))
    if not isinstance(f, (Function, Long)):
        raise ArgumentError(
            None, f"`f` is {type(f).__name__}", fix="give what `tadc.compile` or `load` returned"
        )
    if autocast is not None and autocast not in NAMES:
        known = ", ".join(map(str, NAMES))
        raise ArgumentError(None, f"`autocast` is {autocast!r:.40}", fix=f"use one of {known}")
    return Module(f, autocast)


class Module(torch.nn.Module):
    """A function of tadc on tensors. The results are on the device of the tensors, and of the type they promote to.

    Raises ArgumentError, ShapeError, RangeError and BackendError for arguments that do not fit.
    """

    def __init__(self, function: Function | Long, autocast: torch.dtype | None = None) -> None:
        super().__init__()
        self.function = function
        self.autocast = autocast
        self._key = key_of(function)
        self._known: BoundedCache[SizedOperator] = BoundedCache(
            MOST_CALLS
        )  # of calls with plain tensors

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._known = BoundedCache(MOST_CALLS)

    def extra_repr(self) -> str:
        return repr(self.function)

    def forward(self, *arrays: Any, **named: Any) -> Any:
        if torch.compiler.is_compiling():
            outputs = _traced(
                self._key, self.autocast, len(arrays), (*named,), [*arrays, *named.values()]
            )
        else:
            outputs = self.outputs(arrays, named)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def outputs(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> list[Tensor]:
        """The outputs in their order."""
        if named or self.autocast or not is_plain(arrays):
            return self._checked(arrays, named, None)
        reproducible, default = _C._get_deterministic_algorithms(), torch.get_default_dtype()
        key = (*[(x.shape, x.dtype) for x in arrays], reproducible, default)
        known = self._known.get(key)
        if known is None:
            return self._checked(arrays, named, key)
        if forward_ad._current_level < 0 and not (
            _C.is_grad_enabled() and _any_requires_grad(arrays)
        ):
            return known.on_cpu(arrays)
        return recorded(known, arrays)

    def _checked(
        self, arrays: Sequence[Any], named: Mapping[str, Any], key: object
    ) -> list[Tensor]:
        f = self.function.with_values(arrays, named)
        values, given = arguments(f, arrays, named)
        tensors = _tensors(f, values)
        if self.autocast and tensors and torch.is_autocast_enabled(tensors[0].device.type):
            tensors = [x.to(self.autocast) if x.is_floating_point() else x for x in tensors]
        if isinstance(f, Function) and f.open_sizes:
            f, given = _closed(f, tensors, given)
        numbers = {n for n, v in zip(f.inputs, values, strict=True) if type(v) in NUMBERS}
        dtype = element_type(f, tensors, numbers)
        device = tensors[0].device if tensors else torch.device("cpu")
        narrow = dtype if NAMES[dtype] in HALF_TYPES and device.type != "cuda" else None
        computed = torch.float32 if narrow else dtype
        typed = _typed(f, tensors, computed, numbers)
        if not isinstance(f, Function):
            outputs = by_rounds(f, typed, given, computed)
        else:
            sized, typed = _sized(f, typed, given, computed)
            outputs = apply(sized, typed)
            is_repeated = key is not None and narrow is None
            if is_repeated and all(a is x for a, x in zip(arrays, typed, strict=False)):
                self._known.keep(key, sized)
        if narrow is None:
            return outputs
        pairs = zip(f.outputs, outputs, strict=True)
        return [y if f.declared(n) else y.to(narrow) for n, y in pairs]


class SparseModule(torch.nn.Module):
    """A function with sparse tensors: differentiable by their values, and by dense tensors."""

    def __init__(self, function: SparseFunction, module: torch.nn.Module) -> None:
        super().__init__()
        self.function = function
        self.module = module

    def extra_repr(self) -> str:
        return repr(self.function)

    def forward(self, *arrays: Any, **named: Any) -> Any:
        return self.function.called_by(self.module, arrays, named)


def _any_requires_grad(tensors: Sequence[Tensor]) -> bool:
    for x in tensors:  # noqa: SIM110 (`any` takes three times as long)
        if x.requires_grad:
            return True
    return False


def _tensors(f: Typed, values: Sequence[Any]) -> list[Tensor]:
    """The arguments as tensors on one device. Raises BackendError for arrays of others, and for several devices."""
    given = (tensor_of(v) if isinstance(v, Index) else v for v in values)
    named = dict(zip(f.inputs, given, strict=True))
    here = {n: v for n, v in named.items() if isinstance(v, Tensor)}
    for name, value in named.items():
        if name not in here and (kind := other_kinds(value)) and here:
            raise BackendError(
                None,
                f"`{next(iter(here))}` is a tensor of torch, and `{name}` an array of {kind}",
                fix=f"pass `torch.as_tensor({name})`",
            )
    for name, x in here.items():
        what = _unknown(x)
        if what:
            raise ArgumentError(
                None, f"`{name}` {what}", fix="pass a dense tensor of real numbers of up to 64 bits"
            )
    large = {n: x for n, x in here.items() if x.dim() or x.device.type != "cpu"} or here
    name, device = next(((n, x.device) for n, x in large.items()), ("", torch.device("cpu")))
    for other, x in large.items():
        if x.device != device:
            raise BackendError(
                None,
                f"`{name}` is on the device {device}, and `{other}` on {x.device}",
                fix=f"pass `{other}.to('{device}')`",
            )
    return [_tensor(n, v, device) for n, v in named.items()]


def _unknown(x: Tensor) -> str:
    """The property of the tensor that tadc does not know, if there is one."""
    if x.is_nested or x.layout is not torch.strided:
        return "is nested" if x.is_nested else f"has the layout {x.layout}"
    known = x.dtype in NAMES or not (x.is_floating_point() or x.is_complex() or x.is_quantized)
    return "" if known else f"has elements of type {x.dtype}"


def _tensor(name: str, value: Any, device: torch.device) -> Tensor:
    if isinstance(value, Tensor):
        return value if value.device == device else value.to(device)
    if type(value) is float:
        return torch.tensor(value, dtype=torch.float64, device=device)
    try:
        x = torch.as_tensor(value, device=device)
    except Exception as error:  # whatever a foreign object raises
        raise ArgumentError(None, f"`{name}` is no tensor: {error}", fix="pass a tensor") from None
    if x.is_complex():
        raise ArgumentError(None, f"`{name}` is complex", fix="pass real numbers")
    return x


def _closed(
    f: Function, tensors: Sequence[Tensor], given: Mapping[str, Any]
) -> tuple[Function, dict[str, Any]]:
    """The function for the numbers of its open sizes, and the other sizes that were given."""
    shapes = {n: tuple(map(int, x.shape)) for n, x in zip(f.inputs, tensors, strict=True)}
    return f.of_shapes(shapes, {s: int(n) for s, n in given.items()})


def element_type(f: Typed, tensors: Sequence[Tensor], numbers: Set[str]) -> torch.dtype:
    """The type of tensors without a declared one."""
    chosen = f._options.dtype
    on_gpu = any(x.is_cuda for x in tensors)
    if chosen is not None:
        if chosen in HALF_TYPES and not on_gpu:
            raise BackendError(
                None,
                f"`dtype='{chosen}'` is for arrays on a GPU, and this call computes on the CPU",
                fix=f"leave `dtype` out: then tensors of {chosen} are computed in float32",
            )
        return TYPES[chosen]
    types = {
        n: str(x.dtype).removeprefix("torch.")
        for n, x in zip(f.inputs, tensors, strict=True)
        if n not in numbers
    }
    found = promoted_beside({n: t for n in f.inputs if (t := f.declared(n))}, types)
    return TYPES[found] if found else torch.get_default_dtype()


def _typed(
    f: Typed, tensors: Sequence[Tensor], dtype: torch.dtype, numbers: Set[str]
) -> list[Tensor]:
    """The tensors in the types that the function reads. Raises ArgumentError where one would lose digits."""
    typed = []
    for name, x in zip(f.inputs, tensors, strict=True):
        declared = f.declared(name)
        wanted = TYPES[declared] if declared else dtype
        is_wide = x.is_floating_point() and x.element_size() > wanted.itemsize
        if declared and is_wide and name not in numbers:
            raise ArgumentError(
                None,
                f"`{name}` is declared {declared}, and the tensor is {x.dtype}",
                fix=f"convert it: `{name}.to({wanted})`",
            )
        if declared == INDEX and (x.is_floating_point() or x.dtype is torch.bool):
            raise ArgumentError(
                None,
                f"`{name}` is used as an index here, and is {x.dtype}",
                fix=f"pass integers: `{name}.long()`",
            )
        typed.append(x if x.dtype is wanted else x.to(wanted))
    return typed


def _sized(
    f: Function, typed: list[Tensor], given: Mapping[str, Extent], dtype: torch.dtype
) -> tuple[SizedOperator, list[Tensor]]:
    """The operator of a call with these inputs, and what it is given."""
    operator = Operator.of(f)
    if _C._get_deterministic_algorithms():
        operator = operator.reproducible
    sizes = _sizes(operator, [x.shape for x in typed], given)
    # torch finds out from tensors where to compute
    return SizedOperator.of(operator, sizes, dtype), typed or [torch.empty(0, dtype=dtype)]


def _sizes(
    operator: Operator, shapes: Sequence[torch.Size], given: Mapping[str, Extent]
) -> tuple[Extent, ...]:
    """The sizes of a call. Raises ShapeError and RangeError where they do not fit."""
    if are_numbers((*(n for shape in shapes for n in shape), *given.values())):
        return operator.sizes(tuple(map(tuple, shapes)), given)
    ranks = [len(t.shape) for t in operator.inputs]
    if ranks != list(map(len, shapes)) or _is_empty(operator, shapes, given):
        numbers = tuple(tuple(map(int, shape)) for shape in shapes)
        return operator.sizes(numbers, {s: int(n) for s, n in given.items()})
    return operator.symbolic_sizes(
        shapes, given, lambda ok, why: torch._check(ok, lambda: why), torch.sym_min, torch.sym_max
    )


def _is_empty(
    operator: Operator, shapes: Sequence[torch.Size], given: Mapping[str, Extent]
) -> bool:
    """Whether an extent is 0 for the numbers that symbols had first: then another program runs, for numbers alone."""
    hinted = [[hint(n) for n in shape] for shape in shapes]
    numbers = {s: hint(n) for s, n in given.items()}
    if any(n is None for n in (*numbers.values(), *(n for shape in hinted for n in shape))):
        return False
    return operator.is_empty(operator.sizes(tuple(map(tuple, hinted)), numbers))  # type: ignore[arg-type]


def _by_key(
    key: str, autocast: torch.dtype | None, count: int, names: Sequence[str], values: Sequence[Any]
) -> list[Tensor]:
    """A call as a graph has it: text, and what a graph can hold."""
    made = _modules.of((key, autocast), lambda: Module(function_of_key(key), autocast))
    return made._checked(values[:count], dict(zip(names, values[count:], strict=True)), None)


_traced = torch.compiler.allow_in_graph(_by_key)
