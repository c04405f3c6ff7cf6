"""Tangents and adjoints of programs that run round by round: those of their segments, one after the other.

tangent   the tangents of what a segment writes, from those of what it reads; first segment to last
adjoint   cotangents of what it writes become such of what it reads, added to those of other reads; last segment to first
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from tadc.errors import ArgumentError, ShapeError
from tadc.function.derivatives import Wrt, chosen_inputs
from tadc.function.foreign import framework_of
from tadc.function.krylov import Solver
from tadc.function.rolled import Part, Rolled, Values, refuse_targets
from tadc.function.rolled_mode import RolledMode
from tadc.function.signature import with_argument_errors, with_names
from tadc.function.sweeps import Looped, Sides
from tadc.function.vjp import seeds
from tadc.function.walk import Memory, Place, Walk
from tadc.ir.names import Names

if TYPE_CHECKING:
    from tadc.function.origin import Origin

__all__ = ["RolledDerivative", "RolledPullback"]


class RolledDerivative(RolledMode):
    """The tangent or adjoint of a program that runs round by round, as a function of arrays.

    An adjoint needs the values before each round: `memory` says which are kept, and in "reverse", for programs whose steps are
    affine in what they replace, the program is run backwards instead; `drift` is how far, relative to the largest value of the
    start, the last call has missed the start then.
    """

    def __init__(
        self, f: Rolled, mode: Literal["tangent", "adjoint"], wrt: Wrt, memory: Memory
    ) -> None:
        super().__init__(f)
        self.mode = mode
        self._memory = memory
        self.wrt = tuple(x for x in chosen_inputs(f, wrt, f.real_inputs))
        self.drift: float | None = None
        names = Names((*f.inputs, *f.sizes))
        self._given, self._results = (
            (self.wrt, f.outputs) if mode == "tangent" else (f.outputs, self.wrt)
        )
        self._vectors = {names.derivative(f"d{n}"): n for n in self._given}
        names = Names((*f.inputs, *f.sizes))
        self.inputs = (*f.inputs, *self._vectors)
        self.outputs = tuple(names.derivative(f"d{n}") for n in self._results)
        self.values = {**self._vectors, **dict(zip(self.outputs, self._results, strict=True))}

    @property
    def name(self) -> str:
        return f"{self.of_function.name}_{self.mode}"

    @property
    def _origin(self) -> Origin:
        return replace(self.of_function._origin, derivations=((self.mode, self.wrt),))

    def __repr__(self) -> str:
        return f"<tadc.RolledDerivative {self.name}: {', '.join(self.inputs)} -> {', '.join(self.outputs)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return RolledDerivative, (self.of_function, self.mode, self.wrt, self._memory)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # asked for by copies, pickles and numpy
            raise AttributeError(name)
        raise self.of_function.refusal(name.lstrip("_"))

    @with_argument_errors
    def __call__(
        self, /, *arrays: Any, out: Any = None, accumulate: bool = False, **named: Any
    ) -> Any:
        """The output, or a tuple of them. Raises what a call of the function does."""
        framework = framework_of((*arrays, *named.values()))
        if framework is not None:
            return framework.called(self, arrays, named, out, accumulate)
        refuse_targets(out, accumulate)
        given = with_names(self.inputs, arrays, named)
        vectors = {value: given.pop(name, None) for name, value in self._vectors.items()}
        missing = next((d for d, value in self._vectors.items() if vectors[value] is None), None)
        if missing is not None:
            raise ArgumentError(
                None,
                f"the input `{missing}` is missing",
                fix=f"the inputs are {', '.join(self.inputs)}",
            )
        values, _ = self.of_function.bound(given)
        found = self.at(values, vectors)
        results = tuple(found[n] for n in self._results)
        return results[0] if len(results) == 1 else results

    def at(self, values: Values, vectors: Mapping[str, Any]) -> Values:
        """The results by the values that they are vectors of, from the given ones; None is zero."""
        f = self.of_function
        if self.mode == "tangent":
            known = {x: self._vector(x, v, values[x]) for x, v in vectors.items()}
            after, slopes = self._walk.forward(values, known, self._tangent)
            found = {y: slopes.get(f.shown(y)) for y in f.outputs}
            return {y: _or_zeros(d, after[f.shown(y)]) for y, d in found.items()}
        after = self._walk.after(values)
        known = {
            f.shown(y): self._vector(y, v, after[f.shown(y)])
            for y, v in vectors.items()
            if v is not None
        }
        if self._memory == "reverse":
            gradients = self._in_reverse(values, after, known)
        else:
            gradients = self._walk.backward(values, known, self._adjoint)
        return {x: _or_zeros(gradients.get(x), values[x]) for x in self.wrt}

    @property
    def _walk(self) -> Walk:
        return Walk(self.of_function, self.of_function.numbers(), self._memory)

    def _vector(self, name: str, given: Any, like: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        try:
            vector = np.asarray(given)
            if vector.dtype.kind not in "fiub":
                raise TypeError
            vector = vector.astype(like.dtype, copy=False)
        except (TypeError, ValueError):
            raise ArgumentError(
                None, f"`d{name}` is no array of numbers", fix="pass an array of numpy"
            ) from None
        if vector.shape != like.shape:
            raise ShapeError(
                None,
                f"`d{name}` has the shape {vector.shape}, and `{self.of_function.shown(name)}` {like.shape}",
                fix="pass an array of that shape",
            )
        return vector

    # ------------------------------------------------------------------ segments

    def _tangent(
        self, part: Part, values: Values, v: Values, place: Place
    ) -> tuple[Values, Values]:
        wrt = tuple(x for x in part.function.real_inputs if x in v)
        after = part.run(values, {}, place.at)
        rest = {n: d for n, d in v.items() if n not in part.written}
        if not wrt:
            return after, rest
        tangents = _called(part, "tangent", wrt, values, [v[x] for x in wrt], place)
        return after, {**rest, **dict(zip(part.written, tangents, strict=True))}

    def _adjoint(self, part: Part, values: Values, w: Values, place: Place) -> Values:
        rest = {n: d for n, d in w.items() if n not in part.written}
        if len(rest) == len(w):
            return w
        wrt = tuple(x for x in part.function.real_inputs if x in self._active)
        if not wrt:
            return rest
        # What is not written yet, a definition, has its shape from the values after.
        shaped = (
            values if all(n in values for n in part.written) else part.run(values, {}, place.at)
        )
        cotangents = [_or_zeros(w.get(n), shaped[n]) for n in part.written]
        gradients = _called(part, "adjoint", wrt, values, cotangents, place)
        for x, gradient in zip(wrt, gradients, strict=True):
            rest[x] = rest[x] + gradient if x in rest else gradient
        return rest

    @property
    def _active(self) -> frozenset[str]:
        """What may depend on `wrt`."""
        written = (n for p in self.of_function.parts for n in p.written)
        return frozenset((*self.wrt, *written))

    def _in_reverse(self, start: Values, after: Values, w: Values) -> Values:
        """The gradients, where the program is run backwards. Raises DerivativeError for a step that cannot be."""
        f = self.of_function
        sides = Sides(tuple(f.states), tuple(f.states.values()))
        undoing = Looped(f, {n: start[n] for n in f.inputs}, sides, Solver(4096), "reverse")
        undoing.check_reversible()

        def visit(part: Part, values: Values, w: Values, place: Place) -> tuple[Values, Values]:
            before = undoing.before(part, values, place)
            return before, self._adjoint(part, before, w, place)

        with np.errstate(all="ignore"):
            found, gradients = self._walk.undone(after, w, visit)
        largest, missed = (
            max(float(np.max(np.abs(a), initial=0)) for a in those)
            for those in (
                [start[x] for x in f.states],
                [found[x] - start[x] for x in f.states],
            )
        )
        self.drift = missed / (largest or 1.0)
        return gradients


class RolledPullback:
    """The second half of `vjp`: gradients by input, from cotangents of the outputs."""

    def __init__(self, adjoint: RolledDerivative, values: Values) -> None:
        self._adjoint = adjoint
        self._values = values

    def __call__(self, /, *cotangents: Any, out: Any = None, accumulate: bool = False) -> Values:
        """One cotangent, a tuple, or several; None is zero."""
        refuse_targets(out, accumulate)
        outputs = self._adjoint.of_function.outputs
        given = seeds(outputs, cotangents[0] if len(cotangents) == 1 else cotangents)
        return self._adjoint.at(self._values, dict(zip(outputs, given, strict=True)))


def _called(
    part: Part,
    mode: Literal["tangent", "adjoint"],
    wrt: tuple[str, ...],
    values: Values,
    vectors: Sequence[Any],
    place: Place,
) -> Sequence[np.ndarray[Any, Any]]:
    """The outputs of a segment's derivative."""
    f = part.function
    derivative = f._derivative(mode, wrt)
    rounds = part.rounds(place.at)
    return derivative.calls(
        (*(values[n] for n in f.inputs), *vectors),
        {s: n for s, n in rounds.items() if s in derivative.sizes},
    )


def _or_zeros(vector: Any, like: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.zeros_like(like) if vector is None else np.asarray(vector)
