"""A function as an operator of a framework: arrays and sizes in, arrays out, and its derivatives operators again.

A framework has its own arrays, allocates results, traces calls with symbols in place of numbers, and differentiates by
rules that are asked for again and again. What all of that needs is here; what a framework calls it, in its own room.

Inputs and outputs are told by their positions: names of higher derivatives say nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce
from typing import Any, Literal, Protocol, TypeAlias

from tadc.bounded_cache import BoundedCache
from tadc.errors import ShapeError, Source
from tadc.function.derivatives import HALVES
from tadc.function.function import Function
from tadc.function.origin import Origin
from tadc.ir.affine import Affine
from tadc.ir.element_types import HALF_TYPES, INDEX
from tadc.ir.program import DerivedSize, Program, Tensor
from tadc.normalize.live import read_inputs
from tadc.options import Options
from tadc.runtime.arguments import argument_order, in_order

__all__ = [
    "Extent",
    "Halves",
    "Operator",
    "Place",
    "Typed",
    "arguments",
    "function_of_key",
    "key_of",
    "result_types",
]

MOST_OPERATORS = 1024
MOST_SIZES = 256  # sets of shapes whose sizes are kept

# An extent: a number, or a symbol of a framework that has its arithmetic.
Extent: TypeAlias = Any
# Where an input of a backward half is from: an input or an output of the forward half, or a cotangent of an output.
Place: TypeAlias = tuple[Literal["input", "output", "cotangent"], int]
# Is told a condition that must hold, and the message where it does not.
Check: TypeAlias = Callable[[Any, str], None]

_operators: BoundedCache[Operator] = BoundedCache(MOST_OPERATORS)


@dataclass(frozen=True, slots=True)
class Halves:
    """The two parts of `vjp`: `forward` gives outputs and residuals, `backward` the gradients of what is in `places`."""

    forward: Operator
    backward: Operator
    places: tuple[Place, ...]


class HasOrigin(Protocol):
    @property
    def _origin(self) -> Origin: ...


class Typed(Protocol):
    """What is known of a call beforehand, of functions and of programs that run round by round."""

    @property
    def inputs(self) -> tuple[str, ...]: ...
    @property
    def outputs(self) -> tuple[str, ...]: ...
    @property
    def sizes(self) -> tuple[str, ...]: ...
    @property
    def index_inputs(self) -> tuple[str, ...]: ...
    @property
    def _options(self) -> Options: ...
    def declared(self, name: str) -> str | None: ...


class Operator:
    """One function, whose sizes are all passed along: `sizes` are numbers of `program.sizes`, in this order.

    It is made by `Operator.of`; `key` is text from which `Operator.of_key` makes the same in another process.
    """

    def __init__(self, function: Function, key: str) -> None:
        self.function = function
        self.key = key
        self.program: Program = function.program
        self.inputs: tuple[Tensor, ...] = self.program.inputs
        self.outputs = tuple(self.program.tensors[n] for n in self.program.outputs)
        self._sizes: BoundedCache[tuple[int, ...]] = BoundedCache(MOST_SIZES)
        self._derived: dict[object, Operator] = {}
        self._halves: BoundedCache[Halves] = BoundedCache(MOST_SIZES)

    @classmethod
    def of(cls, function: Function) -> Operator:
        """That of a function without open sizes. Raises SyntaxError where one has some."""
        key = key_of(function)
        return _operators.of(key, lambda: cls(function, key))

    @classmethod
    def of_key(cls, key: str) -> Operator:
        return _operators.of(key, lambda: cls(function_of_key(key), key))

    @cached_property
    def reads_data(self) -> bool:
        """Whether it reads through index tensors, given or computed."""
        return any(t.dtype == INDEX for t in self.program.tensors.values())

    @cached_property
    def trusting(self) -> Operator:
        """The same without checks of its index tensors, for elements that were checked."""
        return self._with_options(bounds="trust")

    # ------------------------------------------------------------------ sizes and shapes

    def sizes(
        self, shapes: tuple[tuple[int, ...], ...], given: Mapping[str, int]
    ) -> tuple[int, ...]:
        """The sizes of a call with these shapes. Raises ShapeError and RangeError where they do not fit."""
        key = (shapes, *given.items()) if given else shapes
        found = self._sizes.get(key)
        if found is None:
            named = dict(zip(self.function.inputs, shapes, strict=True))
            values = self.function.calls.sizes(named, given)
            found = self._sizes.keep(key, tuple(values[s] for s in self.program.sizes))
        return found

    def symbolic_sizes(
        self,
        shapes: Sequence[Sequence[Extent]],
        given: Mapping[str, Extent],
        check: Check,
        least: Callable[..., Extent] = min,
        most: Callable[..., Extent] = max,
    ) -> tuple[Extent, ...]:
        """The same where extents may be symbols, by `+ - * // %` alone; `check` is told what must hold.

        That all extents are at least 1 is part of it: where one is 0, another program runs. Raises ShapeError for sizes
        that do not follow from one extent after the other.
        """
        values: dict[str, Extent] = dict(given)
        extents = [
            (t, d, form, extent)
            for t, shape in zip(self.inputs, shapes, strict=True)
            for d, (form, extent) in enumerate(zip(t.shape, shape, strict=True))
        ]
        known = -1
        while known < len(values):
            known = len(values)
            for t, _, form, extent in extents:
                unknown = [(s, c) for s, c in form.terms if s not in values]
                if len(unknown) != 1 or unknown[0][0] not in self.program.sizes:
                    continue
                ((size, factor),) = unknown
                others = Affine.of({s: c for s, c in form.terms if s != size}, form.constant)
                rest = extent - _at(others, values)
                if factor != 1:
                    check(rest % factor == 0, f"no size {size} makes {form} an extent of {t.name}")
                values[size] = rest if factor == 1 else rest // factor
        missing = [s for s in self.program.sizes if s not in values]
        if missing:
            raise ShapeError(
                None,
                f"the size {missing[0]} does not follow from the shapes of the inputs",
                fix=f"give it: `{missing[0]}=..`",
            )
        sizes = tuple(values[s] for s in self.program.sizes)
        values = self._values(sizes, least, most)
        for t, d, form, extent in extents:
            check(extent == _at(form, values), f"dimension {d} of {t.name} is not {form}")
        for form in {n: None for t in self.program.tensors.values() for n in t.shape}:
            if not form.is_constant:
                check(_at(form, values) >= 1, f"{form} is 0")
        return sizes

    def _values(
        self,
        sizes: Sequence[Extent],
        least: Callable[..., Extent],
        most: Callable[..., Extent],
    ) -> dict[str, Extent]:
        """All sizes by name, derived ones included."""
        values = dict(zip(self.program.sizes, sizes, strict=True))
        for d in self.program.derived_sizes:
            values[d.name] = _derived(d, values, least, most)
        return values

    def shapes(
        self,
        sizes: Sequence[Extent],
        least: Callable[..., Extent] = min,
        most: Callable[..., Extent] = max,
    ) -> list[tuple[Extent, ...]]:
        """Those of the outputs. `least` and `most` are minimum and maximum of extents."""
        values = self._values(sizes, least, most)
        return [tuple(_at(n, values) for n in t.shape) for t in self.outputs]

    def is_empty(self, sizes: Sequence[int]) -> bool:
        """Whether a size or an extent is 0: then the launcher does not run it."""
        return self.function._is_empty(self.named(sizes))

    def named(self, sizes: Sequence[int]) -> dict[str, int]:
        return dict(zip(self.program.sizes, sizes, strict=True))

    # ------------------------------------------------------------------ derived operators

    def batched(self, inputs: Sequence[int]) -> Operator:
        """For many values of these inputs along a leading dimension; how many is the last size."""
        return self._by_inputs("batched", inputs)

    def tangent(self, inputs: Sequence[int]) -> Operator:
        """The outputs' tangents, from the inputs and then the tangents of these."""
        return self._by_inputs("tangent", inputs)

    def adjoint(self, inputs: Sequence[int]) -> Operator:
        """The gradients of these inputs, from the inputs and then a cotangent for each output."""
        return self._by_inputs("adjoint", inputs)

    def only(self, outputs: Sequence[int]) -> Operator:
        """With these outputs alone."""
        if len(outputs) == len(self.outputs):
            return self
        return self._made("only", tuple(self.function.outputs[k] for k in outputs))

    def pruned(self) -> tuple[Operator, tuple[int, ...]]:
        """Without the inputs that it does not read, and which of the inputs are left.

        One is left in any case, the last: the framework finds out from it where to compute.
        """
        names = self.function.inputs
        read = read_inputs(self.program) or names[-1:]
        if len(read) == len(names):
            return self, tuple(range(len(names)))
        return self._made("pruned", read), tuple(map(names.index, read))

    def halves(self, inputs: Sequence[int], sizes: Sequence[int] | None, dtype: str) -> Halves:
        """The two parts of `vjp` by these inputs. Without sizes, all residuals are kept between them."""
        key = (tuple(inputs), None if sizes is None else tuple(sizes), dtype)
        wrt = tuple(self.function.inputs[k] for k in inputs)
        return self._halves.of(key, lambda: self._cut(wrt, sizes, dtype))

    def _cut(self, wrt: tuple[str, ...], sizes: Sequence[int] | None, dtype: str) -> Halves:
        f = self.function
        if sizes is None:
            first, second = (f._derivative(half, wrt) for half in HALVES)
        else:
            first, second = f._vjp.parts(wrt, self.named(sizes), dtype)
            if any(g._is_empty(self.named(sizes)) for g in (first, second)):
                first, second = f, f._derivative("adjoint", wrt)  # residuals may differ for numbers
        backward, left = Operator.of(second).pruned()
        inputs, residuals = len(f.inputs), len(first.outputs) - len(f.outputs)

        def place(k: int) -> Place:
            if k < inputs:
                return "input", k
            if k < inputs + residuals:
                return "output", len(f.outputs) + k - inputs
            return "cotangent", k - inputs - residuals

        return Halves(Operator.of(first), backward, tuple(map(place, left)))

    def depends(self, outputs: Sequence[int]) -> frozenset[int]:
        """The inputs from which these outputs are computed, by the program's text."""
        needed = {self.function.outputs[k] for k in outputs}
        for s in reversed(self.program.statements):
            if s.target.name in needed:
                needed |= s.reads
        return frozenset(k for k, t in enumerate(self.inputs) if t.name in needed)

    @cached_property
    def reproducible(self) -> Operator:
        """The same without BLAS, which may add in another order every time."""
        return self._with_options(blas=False)

    def _with_options(self, **changed: Any) -> Operator:
        origin = self.function._origin
        options = replace(origin.options, **changed)
        if options == origin.options:
            return self
        return Operator.of(Function._of(replace(origin, options=options)))

    def _by_inputs(self, mode: str, inputs: Sequence[int]) -> Operator:
        return self._made(mode, tuple(self.function.inputs[k] for k in inputs))

    def _made(self, mode: str, names: tuple[str, ...]) -> Operator:
        if (mode, names) not in self._derived:
            self._derived[mode, names] = Operator.of(self.function._derivative(mode, names))
        return self._derived[mode, names]


def arguments(
    f: Typed, arrays: Sequence[Any], named: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, int]]:
    """The inputs of a call in their order, as they were given, and the sizes among the arguments.

    Sizes may be symbols of a framework, which are no integers of Python. Raises ArgumentError for missing, unexpected and
    double arguments, and for what is no size.
    """
    order = argument_order(f.inputs, f.sizes, len(arrays), tuple(named))
    symbols = {n: v for n, v in named.items() if hasattr(v, "node") and n in f.sizes}
    numbers = {n: 0 if n in symbols else v for n, v in named.items()}
    values, given = in_order(order, arrays, numbers)
    return values, given | symbols


def result_types(f: Typed, types: Mapping[str, str]) -> list[str | None]:
    """The types of the outputs that are not what they are computed in, for floating-point inputs of these types.

    Inputs that all have elements of 16 bits are computed in float32 on a CPU, and the outputs are of their type again.
    """
    given = {t for n, t in types.items() if f.declared(n) is None}
    narrow = given.pop() if len(given) == 1 and given <= {*HALF_TYPES} else None
    if f._options.dtype is not None:
        narrow = None
    return [f.declared(n) or narrow for n in f.outputs]


def _at(form: Affine, values: Mapping[str, Extent]) -> Extent:
    total: Extent = form.constant
    for size, factor in form.terms:
        total = total + factor * values[size]
    return total


def _derived(
    d: DerivedSize,
    values: Mapping[str, Extent],
    least: Callable[..., Extent],
    most: Callable[..., Extent],
) -> Extent:
    forms = [_at(form, values) for form in d.forms]
    match d.op:
        case "floor":
            return forms[0] // d.modulus
        case "min":
            return reduce(least, forms)
        case "max":
            return reduce(most, forms)


def key_of(function: HasOrigin) -> str:
    """The function as text: its own, with the options that were chosen and the derivatives that were taken."""
    origin, plain = function._origin, Options()
    chosen = {
        field.name: value
        for field in fields(Options)
        if (value := getattr(origin.options, field.name)) != getattr(plain, field.name)
    }
    return json.dumps(
        [
            origin.source.text,
            origin.lang,
            chosen,
            origin.derivations,
            origin.values,
            origin.segment,
        ]
    )


def function_of_key(key: str) -> Function:
    """The function whose text this is."""
    text, lang, chosen, derivations, values, segment = json.loads(key)
    taken = tuple((mode, tuple(names)) for mode, names in derivations)
    source = Source(text, "<string>", lang)
    options = replace(Options(), **chosen)
    path = None if segment is None else tuple(segment)
    return Function._of(Origin(source, lang, options, taken, path, tuple(values)))
