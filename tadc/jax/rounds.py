"""Long loops of arrays of JAX: a scan of each loop, whose body is traced once, so that derivatives of all orders follow.

Where a segment reads the index of a loop, a callback computes it in each round. A loop whose index bounds the rounds of another is
traced round by round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp

from tadc.bounded_cache import BoundedCache
from tadc.errors import BackendError
from tadc.function.function import Function
from tadc.function.operator import Operator
from tadc.function.rolled import Loop, Part, Rolled
from tadc.function.rolled_derivatives import RolledDerivative
from tadc.function.rolled_volume import RolledVolume
from tadc.function.walk import Place, Walk
from tadc.inplace.rounds import Numbers
from tadc.inplace.segments import round_name
from tadc.jax.primitive import Sizes, bound
from tadc.resolve.declarations import names_in

__all__ = ["Long", "by_rounds"]

SUM = ""  # the name of what is summed, among those of tensors
MOST_TRACED = 64  # sets of sizes and types for which what is compiled is kept

Long: TypeAlias = Rolled | RolledDerivative | RolledVolume
Values: TypeAlias = dict[str, Any]


def by_rounds(f: Long, inputs: Sequence[Any], sizes: Mapping[str, int], dtype: str) -> list[Any]:
    """The outputs, for inputs of the types that `f` reads; `dtype` is that of tensors without a declared one.

    A tangent or an adjoint is JAX's of the rounds, which is one of tadc for each of them.
    """
    run = _Rounds(f if isinstance(f, Rolled) else f.of_function, sizes, dtype)
    run.check([x.shape for x in inputs[: len(run.f.inputs)]])
    traced = f._wrapped.setdefault("jax", BoundedCache(MOST_TRACED))
    key = (dtype, *sorted(sizes.items()))
    outputs: list[Any] = traced.of(key, lambda: jax.jit(partial(_outputs, f, run)))(*inputs)
    return outputs


def _outputs(f: Long, run: _Rounds, *inputs: Any) -> list[Any]:
    if isinstance(f, Rolled):
        return run(inputs)
    if isinstance(f, RolledVolume):
        return [run.volume(inputs, f.programs)]
    count = len(run.f.inputs)
    point, vectors = inputs[:count], inputs[count:]
    moving = [run.f.inputs.index(x) for x in f.wrt]

    def moved(*at: Any) -> list[Any]:
        every = dict(enumerate(point)) | dict(zip(moving, at, strict=True))
        return run([*every.values()])

    start = tuple(point[k] for k in moving)
    if f.mode == "tangent":
        return list(jax.jvp(moved, start, tuple(vectors))[1])
    return list(jax.vjp(moved, *start)[1](list(vectors)))


@dataclass(frozen=True)
class _Rounds:
    f: Rolled
    sizes: Mapping[str, int]
    dtype: str
    programs: Mapping[Part, Function] = field(default_factory=dict)

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        values = dict(zip(self.f.inputs, inputs, strict=True))
        after = self._after(self.f.items, values, self.f.numbers(), {})
        return [after[self.f.shown(y)] for y in self.f.outputs]

    def volume(self, inputs: Sequence[Any], programs: Mapping[Part, Function]) -> Any:
        """The sum of what these programs of segments give in all rounds."""
        values = dict(zip(self.f.inputs, inputs, strict=True)) | {SUM: jnp.zeros((), self.dtype)}
        summing = replace(self, programs=programs)
        return summing._after(self.f.items, values, self.f.numbers(), {})[SUM]

    def check(self, shapes: Sequence[tuple[int, ...]]) -> None:
        """Check that all rounds fit the inputs of these shapes. Raises ShapeError and RangeError."""

        def visit(part: Part, values: Values, nothing: Values, place: Place) -> tuple[Values, Any]:
            operator = Operator.of(part.function)
            given = tuple(values[n] for n in part.function.inputs)
            found = operator.shapes(self._numbers(operator, part, given, place.at))
            return {**values, **dict(zip(part.written, found, strict=True))}, nothing

        f = self.f
        start = dict(zip(f.inputs, shapes, strict=True))
        is_indexed = any(p.segment.indices for p in f.parts)
        if is_indexed:
            Walk(f, f.numbers(), "materialize").forward(start, {}, visit)  # type: ignore[arg-type]

    def _numbers(
        self,
        operator: Operator,
        part: Part,
        shapes: tuple[tuple[int, ...], ...],
        at: Mapping[str, int],
    ) -> tuple[int, ...]:
        known = {s: n for s, n in self.sizes.items() if s in operator.program.sizes}
        return operator.sizes(shapes, {**known, **part.rounds(at)})

    def _after(
        self, items: Sequence[Part | Loop], values: Values, numbers: Numbers, at: Mapping[str, Any]
    ) -> Values:
        """The arrays after these items; `at` has the indices of the loops around, which may be traced."""
        for item in items:
            if isinstance(item, Part):
                values = self._of_part(item, values, at)
            elif _bounds_another(item):
                for value in numbers.rounds(item.loop):
                    inside = self.f.entered(item, value, numbers, {})
                    values = self._after(item.items, values, numbers, {**at, **inside})
            else:
                values = self._scanned(item, values, numbers, at)
        return values

    def _scanned(
        self, loop: Loop, values: Values, numbers: Numbers, at: Mapping[str, Any]
    ) -> Values:
        """The arrays after a loop: it carries what it updates."""
        updated = dict.fromkeys(n for p in _parts(loop) for n in p.segment.updated)
        if SUM in values:
            updated[SUM] = None
        rest = {n: a for n, a in values.items() if n not in updated}

        def body(carried: Values, value: Any) -> tuple[Values, None]:
            inside = {**at, loop.index: value} if loop.index else at
            after = self._after(loop.items, {**rest, **carried}, numbers, inside)
            return {n: after[n] for n in updated}, None

        rounds = numbers.rounds(loop.loop)
        indices = jnp.asarray(list(rounds)) if loop.index else None
        carried = {n: values[n] for n in updated}
        after, _ = jax.lax.scan(body, carried, indices, length=len(rounds))
        return {**rest, **after}

    def _of_part(self, part: Part, values: Values, at: Mapping[str, Any]) -> Values:
        """The arrays after a segment."""
        operator = Operator.of(part.function)
        inputs = [values[n] for n in part.function.inputs]
        shapes = tuple(x.shape for x in inputs)
        sizes: Sizes = self._numbers(operator, part, shapes, dict.fromkeys(part.segment.indices, 0))
        if part.segment.indices:
            indices = {round_name(i): i for i in part.segment.indices}
            names = operator.program.sizes
            _check_shapes(operator, part)
            sizes = tuple(None if s in indices else n for s, n in zip(names, sizes, strict=True))
            inputs = [*inputs, jnp.stack([at[indices[s]] + 1 for s in names if s in indices])]
        outputs = bound(operator, inputs, sizes, self.dtype)
        after = {**values, **dict(zip(part.written, outputs, strict=True))}
        if part in self.programs:
            (summand,) = self._of_program(self.programs[part], values)
            after[SUM] = after[SUM] + summand
        return after

    def _of_program(self, f: Function, values: Values) -> Any:
        """The outputs of a program whose sizes are numbers."""
        operator = Operator.of(f)
        inputs = [values[n] for n in f.inputs]
        return bound(
            operator, inputs, operator.sizes(tuple(x.shape for x in inputs), {}), self.dtype
        )


def _check_shapes(operator: Operator, part: Part) -> None:
    """Check that no shape depends on the index of a loop. Raises BackendError."""
    rounds = {round_name(i) for i in part.segment.indices}
    for t in operator.program.tensors.values():
        if any(not rounds.isdisjoint(extent.symbols) for extent in t.shape):
            raise BackendError(
                None,
                f"the shape of `{t.name}` changes from round to round, which no loop of JAX can do",
                fix="give it the largest extent, or call with arrays of numpy",
            )


def _parts(loop: Loop) -> list[Part]:
    return [p for i in loop.items for p in (_parts(i) if isinstance(i, Loop) else [i])]


def _bounds_another(loop: Loop) -> bool:
    """Whether the rounds of a loop within this one depend on its index."""
    return loop.index in _bounding(loop)


def _bounding(loop: Loop) -> set[str]:
    """The names in the bounds of the loops within this one."""
    found: set[str] = set()
    for inner in (i for i in loop.items if isinstance(i, Loop)):
        bounds = (inner.loop.extent, inner.loop.low, inner.loop.high)
        found |= {n.name for n in names_in(b for b in bounds if b is not None)} | _bounding(inner)
    return found
