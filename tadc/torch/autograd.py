"""Derivatives of operators as torch asks for them. Each is an operator again: of any order, under every transform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import torch
from torch import _C, Tensor
from torch.autograd import Function, forward_ad

from tadc.bounded_cache import BoundedCache
from tadc.function.operator import Extent, Halves, Operator, Place
from tadc.torch.launch import Program, is_grad_batch, is_plain, program
from tadc.torch.library import NAMES, TYPES, call

__all__ = ["SizedOperator", "apply", "are_numbers", "batch", "hint", "recorded"]

MOST_SIZED = 1024

Sizes: TypeAlias = tuple[Extent, ...]
_sized: BoundedCache[SizedOperator] = BoundedCache(MOST_SIZED)


@dataclass(frozen=True, eq=False)
class SizedOperator:
    """An operator for some sizes; `dtype` is the type of tensors without a declared one."""

    operator: Operator
    sizes: Sizes
    dtype: torch.dtype
    _tasks: dict[tuple[tuple[int, ...], bool], Task] = field(default_factory=dict)

    @classmethod
    def of(cls, operator: Operator, sizes: Sizes, dtype: torch.dtype) -> SizedOperator:
        if not are_numbers(sizes):
            return cls(operator, sizes, dtype)
        return _sized.of((operator.key, sizes, dtype), lambda: cls(operator, sizes, dtype))

    @cached_property
    def on_cpu(self) -> Program:
        return program(self.operator, self.sizes, self.dtype, torch.device("cpu"))

    def task(self, wrt: tuple[int, ...], are_plain: bool = False) -> Task:
        key = wrt, are_plain
        if key not in self._tasks:
            self._tasks[key] = Task(self, wrt, are_plain)
        return self._tasks[key]


@dataclass(frozen=True, slots=True)
class Pull:
    """The gradients of the inputs of `want`. Each input of `backward` is saved, by its number, or a cotangent."""

    backward: SizedOperator
    sources: tuple[tuple[bool, int], ...]
    want: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Task:
    """An operator, the inputs `wrt` by which there may be derivatives, and whether all inputs are known to be plain."""

    sized: SizedOperator
    wrt: tuple[int, ...]
    are_plain: bool
    _pulls: dict[object, Pull | None] = field(default_factory=dict)

    @cached_property
    def halves(self) -> Halves | None:
        """The halves that give the outputs and gradients; None where there are no gradients."""
        return halves(self.sized, self.wrt) if self.wrt else None

    @cached_property
    def forward(self) -> SizedOperator:
        """The operator that is run: it gives the outputs, followed by the residuals."""
        return self._with(self.halves.forward) if self.halves else self.sized

    @cached_property
    def outputs(self) -> int:
        """The number of outputs, without residuals."""
        return len(self.sized.operator.outputs)

    @cached_property
    def saved(self) -> tuple[Place, ...]:
        """The inputs and outputs that a gradient is made of."""
        inputs = range(len(self.sized.operator.inputs))
        every: tuple[Place, ...] = tuple(("input", k) for k in inputs)
        if self.halves is None:
            return every
        used = tuple(p for p in self.halves.places if p[0] != "cotangent")
        if len(self.forward.operator.outputs) == self.outputs:
            return used
        # The cotangent of a residual, which a second derivative has, needs all inputs.
        return tuple(dict.fromkeys((*used, *every)))

    def pull(self, needed: tuple[bool, ...], used: tuple[bool, ...]) -> Pull | None:
        """The gradients of the inputs that need one, for the outputs and residuals that were used; None for none."""
        key = (needed, used)
        if key not in self._pulls:
            self._pulls[key] = self._made(needed, [k for k, u in enumerate(used) if u])
        return self._pulls[key]

    def _made(self, needed: tuple[bool, ...], used: Sequence[int]) -> Pull | None:
        reached = self.forward.operator.depends(used)
        want = tuple(k for k, n in enumerate(needed) if n and k in reached)
        if not want:
            return None
        operator, places = self._derived(want, by_residuals=used[-1] >= self.outputs)
        index = {place: k for k, place in enumerate(self.saved)}
        sources = tuple((p in index, index.get(p, p[1])) for p in places)
        return Pull(self._with(operator), sources, want)

    def _derived(
        self, want: tuple[int, ...], by_residuals: bool
    ) -> tuple[Operator, tuple[Place, ...]]:
        """The gradients of the inputs of `want`, and where its inputs are from."""
        if self.halves is not None and not by_residuals and set(want) <= set(self.wrt):
            operator, places = self.halves.backward, self.halves.places
            if want == self.wrt:
                return operator, places
            some, left = operator.only([self.wrt.index(k) for k in want]).pruned()
            return some, tuple(places[k] for k in left)
        # By residuals too, or by more inputs than were foreseen: from the beginning.
        operator, left = self.forward.operator.adjoint(want).pruned()
        inputs = len(self.sized.operator.inputs)
        return operator, tuple(
            ("input", k) if k < inputs else ("cotangent", k - inputs) for k in left
        )

    def _with(self, operator: Operator) -> SizedOperator:
        return SizedOperator.of(operator, self.sized.sizes, self.sized.dtype)


def are_numbers(sizes: Sizes) -> bool:
    return all(type(n) is int for n in sizes)


def halves(sized: SizedOperator, wrt: tuple[int, ...]) -> Halves:
    """The halves for these sizes; where some are symbols, for the numbers that they had first."""
    sizes = sized.sizes
    hints = [n for n in map(hint, sizes) if n is not None]
    known = hints if len(hints) == len(sizes) else None
    return sized.operator.halves(wrt, known, NAMES[sized.dtype])


def hint(n: Extent) -> int | None:
    """The number, or the one that a symbol had first, if there was one."""
    if type(n) is int:
        return n
    found: int | None = n.node.hint if n.node.has_hint() else None
    return found


class Call(Function):
    """A task on tensors: its outputs, and the residuals behind them, so that derivatives of derivatives are exact."""

    @staticmethod
    def forward(task: Task, *inputs: Tensor) -> tuple[Tensor, ...]:
        if task.are_plain:
            return tuple(task.forward.on_cpu(inputs))
        return tuple(computed(task.forward, inputs))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        ctx.task, *tensors = inputs
        ctx.save_for_backward(
            *[(tensors if p == "input" else output)[k] for p, k in ctx.task.saved]
        )
        ctx.save_for_forward(*tensors)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *cotangents: Tensor | None) -> tuple[Tensor | None, ...]:
        gradients = pulled_back(ctx.task, ctx.saved_tensors, ctx.needs_input_grad[1:], cotangents)
        return (None, *gradients)

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Tensor | None) -> tuple[Tensor, ...]:
        wrt = tuple(k for k, t in enumerate(tangents) if t is not None)
        given = (*ctx.saved_tensors, *(tangents[k] for k in wrt))
        forward = ctx.task.forward
        operator, left = forward.operator.tangent(wrt).pruned()
        tangent = SizedOperator.of(operator, forward.sizes, forward.dtype)
        return tuple(apply(tangent, [given[k] for k in left]))

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int | None, ...], task: Task, *inputs: Tensor
    ) -> tuple[tuple[Tensor, ...], tuple[int | None, ...]]:
        outputs, dims = batch(task.forward, inputs, in_dims[1:], info.batch_size)
        return tuple(outputs), tuple(dims)


class EagerCall(Call):
    """The same outside of `torch.func`: torch inspects the signature of a `setup_context` at every call."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> tuple[Tensor, ...]:
        outputs = Call.forward(*inputs)
        Call.setup_context(ctx, inputs, outputs)
        return outputs

    setup_context = torch.autograd.function._SingleLevelFunction.setup_context


def pulled_back(
    task: Task,
    saved: Sequence[Tensor],
    needed: tuple[bool, ...],
    cotangents: Sequence[Tensor | None],
) -> list[Tensor | None]:
    """The gradient of each input that needs one; None where no output that was used depends on it."""
    gradients: list[Tensor | None] = [None] * len(needed)
    pull = task.pull(needed, tuple([c is not None for c in cotangents]))
    if pull is None:
        return gradients
    inputs = []
    for is_saved, k in pull.sources:
        x = saved[k] if is_saved else cotangents[k]
        inputs.append(_zeros(task, k, cotangents) if x is None else x)
    for k, gradient in zip(pull.want, apply(pull.backward, inputs), strict=True):
        gradients[k] = gradient
    return gradients


def _zeros(task: Task, output: int, cotangents: Sequence[Tensor | None]) -> Tensor:
    """The cotangent of an output that was not used."""
    forward, like = task.forward, next(c for c in cotangents if c is not None)
    shape = forward.operator.shapes(forward.sizes, torch.sym_min, torch.sym_max)[output]
    declared = forward.operator.outputs[output].dtype
    return like.new_zeros(shape, dtype=TYPES[declared] if declared else forward.dtype)


def computed(sized: SizedOperator, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The outputs, without derivatives."""
    if is_plain(inputs):
        return sized.on_cpu(inputs)
    found: list[Tensor] = call(sized.operator.key, list(inputs), list(sized.sizes), sized.dtype)
    return found


def _of_grad_batches(sized: SizedOperator, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The outputs for tensors of which some stand for many, as in `torch.autograd.grad(.., is_grads_batched=True)`. What these hold
    is differentiated, not they themselves.
    """
    level = _C._vmapmode_increment_nesting() - 1
    _C._vmapmode_decrement_nesting()
    values: list[Tensor | None] = [None]
    while not any(v is not None for v in values):
        assert level > 0, "a tensor stands for many of no level"
        values = [_many(x, level) for x in inputs]
        level -= 1
    dims = [None if v is None else 0 for v in values]
    size = next(len(v) for v in values if v is not None)
    pairs = zip(inputs, values, strict=True)
    outputs, found = batch(sized, [x if v is None else v for x, v in pairs], dims, size)
    return [
        y if d is None else torch._add_batch_dim(y, d, level + 1)
        for y, d in zip(outputs, found, strict=True)
    ]


def _many(x: Tensor, level: int) -> Tensor | None:
    """The tensors that one stands for, at a level of batches; None if it stands for itself there."""
    if not is_grad_batch(x):
        return None
    values = torch._remove_batch_dim(x, level, 0, 0)  # none of them where it stands for itself
    return values if len(values) else None


def apply(sized: SizedOperator, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The outputs, which take part in torch's differentiation. The inputs are of the types that the operator reads."""
    if any(map(is_grad_batch, inputs)):
        return _of_grad_batches(sized, inputs)
    in_func = _C._are_functorch_transforms_active()
    if in_func:
        wrt = tuple(k for k, x in enumerate(inputs) if x.is_floating_point())
    elif _C.is_grad_enabled():
        wrt = tuple([k for k, x in enumerate(inputs) if x.requires_grad])
    else:
        wrt = ()
    if not (in_func or wrt or forward_ad._current_level >= 0):
        return computed(sized, inputs)
    outputs = (Call if in_func else EagerCall).apply(sized.task(wrt), *inputs)
    return list(outputs[: len(sized.operator.outputs)])


def recorded(sized: SizedOperator, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The same for tensors that are known to be plain, of which one has a derivative."""
    grad = _C.is_grad_enabled()
    wrt = tuple([k for k, x in enumerate(inputs) if x.requires_grad]) if grad else ()
    outputs = EagerCall.apply(sized.task(wrt, are_plain=True), *inputs)
    return list(outputs[: len(sized.operator.outputs)])


def batch(
    sized: SizedOperator, inputs: Sequence[Tensor], dims: Sequence[int | None], size: int
) -> tuple[list[Tensor], list[int | None]]:
    """The outputs for many values of the inputs that have a dimension in `dims`, and the dimension of each output."""
    operator = sized.operator
    many = operator.batched([k for k, d in enumerate(dims) if d is not None])
    leading = [x if d is None else x.movedim(d, 0) for x, d in zip(inputs, dims, strict=True)]
    outputs = apply(SizedOperator.of(many, (*sized.sizes, size), sized.dtype), leading)
    pairs = zip(many.outputs, operator.outputs, strict=True)
    return outputs, [0 if len(m.shape) > len(o.shape) else None for m, o in pairs]
