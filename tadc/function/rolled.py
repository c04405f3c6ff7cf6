"""Programs whose loops are too long to be written out: rounds of bodies that are compiled once.

The arrays of a call are kept by name. A segment, the statements between two loops, replaces the states that it updates; a
loop runs what it holds once a round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tadc import compiler
from tadc.errors import ArgumentError, BackendError, ShapeError, Span, counted
from tadc.function.foreign import framework_of
from tadc.function.origin import Origin
from tadc.function.signature import signature, with_argument_errors, with_names
from tadc.inplace.rounds import Numbers
from tadc.inplace.segments import Rounds, Segment, outline, round_name
from tadc.ir.element_types import HALF_TYPES, INDEX
from tadc.options import one_of, size_number
from tadc.runtime.arguments import NUMBERS, promoted_beside
from tadc.runtime.cuda.arrays import is_gpu_array
from tadc.runtime.element_types import numpy_type
from tadc.syntax import ast

if TYPE_CHECKING:
    from inspect import Signature

    from tadc.function.derivatives import Wrt
    from tadc.function.function import Function
    from tadc.options import Options

__all__ = ["Loop", "Part", "Rolled", "Values", "refuse_targets"]

Values: TypeAlias = dict[str, NDArray[Any]]

# What a `Function` has, and a program with long loops has not.
MEMBERS = (
    *("source", "plan", "cost", "check", "prove", "graph", "footprints", "block", "inverse"),
    *("function", "gradient", "jacobian", "hessian", "hvp"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """A segment as a function, which takes the indices of the loops around it as sizes."""

    function: Function
    segment: Segment

    def rounds(self, at: Mapping[str, int]) -> dict[str, int]:
        """The sizes that stand for the loops' indices, where these have the values `at`."""
        return {round_name(i): at[i] + 1 for i in self.segment.indices}

    @property
    def written(self) -> tuple[str, ...]:
        """The names of what its outputs replace."""
        return (*self.segment.updated, *self.segment.defined)

    def run(self, values: Values, sizes: Mapping[str, int], at: Mapping[str, int]) -> Values:
        """The arrays after the segment."""
        f = self.function
        given = {s: n for s, n in sizes.items() if s in f.sizes}
        arrays = [values[n] for n in f.inputs]
        results = f.calls(arrays, {**given, **self.rounds(at)})
        return {**values, **dict(zip(self.written, results, strict=True))}


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop around parts and loops."""

    loop: ast.Loop
    items: tuple[Part | Loop, ...]

    @property
    def index(self) -> str | None:
        return self.loop.index.name if self.loop.index else None


def refuse_targets(out: Any, accumulate: bool = False) -> None:
    """Raises BackendError where a call has arrays to write to."""
    one_of(False, True)("`accumulate`", accumulate)
    if out is not None or accumulate:
        raise BackendError(None, "`out` is not for long loops", fix="use what is returned")


def _check_factors(f: Function, segment: Segment) -> None:
    """Check that the segment is one program for all rounds. Raises BackendError."""
    for index in segment.indices:
        if round_name(index) in f.open_sizes:
            assert f._open is not None, "a size is open"
            raise BackendError(
                f._open.error.span,
                f"`{index}` multiplies or divides an index here, which makes every round a program of its own",
                fix="use fewer rounds, which are written out, or an array of positions, `k[t, i]`, as an input of indices",
            )


class Rolled:
    """A program that works in place, as a function of arrays that runs its loops round by round.

    It is called as a `Function`. Derivatives, texts and plans are of programs that can be written out: asking for them is a
    BackendError.
    """

    def __init__(self, origin: Origin, make: Callable[[Origin], Any]) -> None:
        self._origin = origin
        self._make = make
        self._tree = compiler.parsed(origin.source, origin.lang)
        self._wrapped: dict[str, Any] = {}  # for arrays of frameworks, by the framework's name
        self.items = self._items(outline(self._tree))

    def _items(self, items: Sequence[Segment | Rounds]) -> tuple[Part | Loop, ...]:
        made: list[Part | Loop] = []
        for item in items:
            if isinstance(item, Rounds):
                if not self._is_idle(item.loop):
                    made.append(Loop(item.loop, self._items(item.items)))
            else:
                f = self._make(replace(self._origin, segment=item.path))
                _check_factors(f, item)
                made.append(Part(f, item))
        return tuple(made)

    def _is_idle(self, loop: ast.Loop) -> bool:
        """Whether a loop has no rounds, whatever the indices of those around: what stands in it need not fit the sizes."""
        bounds = [b for b in (loop.extent, loop.low, loop.high) if b is not None]
        numbers = self.numbers()
        return not any(map(numbers.missing, bounds)) and not numbers.rounds(loop)

    # ------------------------------------------------------------------ properties

    @property
    def name(self) -> str:
        return self.parts[0].function.name

    @property
    def _options(self) -> Options:
        return self._origin.options

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All segments, in the order of the text."""

        def inner(items: Sequence[Part | Loop]) -> list[Part]:
            found: list[Part] = []
            for item in items:
                found += inner(item.items) if isinstance(item, Loop) else [item]
            return found

        return tuple(inner(self.items))

    @cached_property
    def states(self) -> Mapping[str, str]:
        """The states, each with the name of its value after the program."""
        declared = (i for i in self._tree.items if isinstance(i, ast.TensorDeclaration))
        return {i.name.name: f"{i.name.name}_" for i in declared if i.kind == "state"}

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        declared = [i.name.name for i in self._tree.items if isinstance(i, ast.TensorDeclaration)]
        defined = {n for p in self.parts for n in p.segment.defined}
        read = (n for p in self.parts for n in p.function.inputs if n not in defined)
        return tuple(dict.fromkeys((*declared, *read)))

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        named = [
            n.name
            for i in self._tree.items
            if isinstance(i, ast.OutputDeclaration)
            for n in i.names
        ]
        return tuple(self.states.get(n, n) for n in named) or tuple(self.states.values())

    @property
    def request(self) -> ast.Request | None:
        return self._tree.request

    @property
    def skipped(self) -> tuple[Span, ...]:
        """The places of a LaTeX document's displays that define no tensor."""
        return self._tree.skipped

    @property
    def notes(self) -> tuple[ast.Note, ...]:
        """How a LaTeX document was read, where it does not say so itself."""
        return self._tree.notes

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes without a number."""
        rounds = {r for p in self.parts for r in map(round_name, p.segment.indices)}
        found = (s for p in self.parts for s in p.function.sizes if s not in rounds)
        return tuple(dict.fromkeys(found))

    open_sizes = ()

    def fix(self, /, **sizes: int) -> Self:
        """The same with these sizes as numbers, as `Function.fix`."""
        numbers = {s: size_number(f"the size `{s}`", n) for s, n in sizes.items()}
        unknown = next((s for s in numbers if s not in self.sizes), None)
        if unknown is not None:
            raise ArgumentError(
                None,
                f"there is no size `{unknown}`",
                fix=f"the sizes are: {', '.join(self.sizes) or 'none'}",
            )
        fixed: Self = self._make(self._origin.with_sizes(numbers)) if numbers else self
        return fixed

    def with_values(self, arrays: Sequence[Any], named: Mapping[str, Any], wrt: Wrt = None) -> Self:
        """Itself, as `of_values`."""
        return self

    def of_values(self) -> Rolled:
        """Itself: of its index tensors none is left to a call to decide."""
        return self

    @property
    def index_inputs(self) -> tuple[str, ...]:
        """The inputs whose elements are indices."""
        return tuple(n for n in self.inputs if self.declared(n) == INDEX)

    @property
    def real_inputs(self) -> tuple[str, ...]:
        return tuple(n for n in self.inputs if self.declared(n) != INDEX)

    def shown(self, name: str) -> str:
        """The name that the text has for an output."""
        return {v: x for x, v in self.states.items()}.get(name, name)

    def declared(self, name: str) -> str | None:
        """The element type that the text gives an input or an output; None where it gives none."""
        return self._types.get(self.shown(name))

    @cached_property
    def _types(self) -> dict[str, str]:
        tensors = (t for p in self.parts for t in p.function._program.tensors.values())
        return {t.name: t.dtype for t in tensors if t.dtype}

    def rank(self, name: str) -> int | None:
        """The number of dimensions of an input or an output; None for any other name."""
        for part in self.parts:
            rank = part.function.rank(self.shown(name))
            if rank is not None:
                return rank
        return None

    @property
    def __signature__(self) -> Signature:
        """The signature of a call, for `inspect.signature` and editors."""
        return signature(self.inputs, (), self.sizes)

    def __repr__(self) -> str:
        return f"<tadc.Rolled {self.name}: {', '.join(self.inputs)} -> {', '.join(self.outputs)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return self._make, (self._origin,)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # asked for by copies, pickles and numpy
            raise AttributeError(name)
        raise self.refusal(name.lstrip("_"))

    def refusal(self, what: str) -> BackendError:
        """The error of a member that long loops do not have."""
        asked = f"`{what}`" if what in MEMBERS else "this"
        loops = [i.loop.span for i in self.items if isinstance(i, Loop)]
        return BackendError(
            loops[0] if loops else None,
            f"{asked} needs a program that is written out, and these loops are too long for that",
            fix="compile the statements of one round alone, and call that once a round; calls, tangents, adjoints and inverse modes of this program run",
        )

    # ------------------------------------------------------------------ running

    def numbers(self) -> Numbers:
        """The numbers of sizes, with which loops count their rounds."""
        return Numbers(self._tree, self._options.sizes, self._options.index_base)

    @with_argument_errors
    def __call__(
        self, /, *arrays: Any, out: Any = None, accumulate: bool = False, **named: Any
    ) -> Any:
        """The output, or a tuple of them. Raises what a call of a `Function` does."""
        framework = framework_of((*arrays, *named.values()))
        if framework is not None:
            return framework.called(self, arrays, named, out, accumulate)
        refuse_targets(out, accumulate)
        values, sizes = self.bound(with_names(self.inputs, arrays, named))
        after = self.run(self.items, values, sizes, self.numbers(), {})
        results = tuple(np.array(after[self.shown(n)]) for n in self.outputs)
        return results[0] if len(results) == 1 else results

    def run(
        self,
        items: Sequence[Part | Loop],
        values: Values,
        sizes: Mapping[str, int],
        numbers: Numbers,
        at: Mapping[str, int],
    ) -> Values:
        """The arrays after these items, where the loops around have the indices `at`."""
        for item in items:
            if isinstance(item, Part):
                values = item.run(values, sizes, at)
                continue
            for value in numbers.rounds(item.loop):
                inside = self.entered(item, value, numbers, at)
                values = self.run(item.items, values, sizes, numbers, inside)
        return values

    def entered(
        self, loop: Loop, value: int, numbers: Numbers, at: Mapping[str, int]
    ) -> Mapping[str, int]:
        """The indices of loops in a round of this one."""
        if loop.index is None:
            return at
        if value < 0:
            raise BackendError(
                loop.loop.span,
                f"`{loop.index}` is {value}, and in loops this long an index counts from 0 on",
                fix=f"shift it: write `{loop.index} - n` for an index that starts at 0",
            )
        numbers.enter(loop.index, value)
        return {**at, loop.index: value}

    def bound(self, given: Mapping[str, Any]) -> tuple[Values, dict[str, int]]:
        """The arrays of a call by input, and the sizes that it gives. Raises ArgumentError."""
        sizes = {n: v for n, v in given.items() if n in self.sizes and n not in self.inputs}
        values: Values = {}
        for name in self.inputs:
            if name not in given:
                raise ArgumentError(
                    None,
                    f"the input `{name}` is missing",
                    fix=f"the inputs are {', '.join(self.inputs)}",
                )
            if framework_of((given[name],)) is not None or is_gpu_array(given[name]):
                raise BackendError(
                    None,
                    "long loops take arrays of numpy",
                    fix="convert them: `numpy.asarray(x)`, `x.numpy()`, `cupy.asnumpy(x)`",
                )
            try:
                array = np.asarray(given[name])
            except (TypeError, ValueError):
                array = np.asarray(None)
            if array.dtype.kind not in "fiub":
                raise ArgumentError(
                    None, f"`{name}` is no array of reals", fix="pass an array of numpy"
                )
            values[name] = array
        for name in given:
            if name not in self.inputs and name not in sizes:
                raise ArgumentError(
                    None,
                    f"there is no input `{name}`",
                    fix=f"the inputs are {', '.join(self.inputs)}",
                )
        declared = {n: t for n in self.inputs if (t := self.declared(n))}
        numbers = {n for n in values if type(given[n]) in NUMBERS}
        strong = {n: a.dtype.name for n, a in values.items() if n not in numbers}
        found = self._options.dtype or promoted_beside(declared, strong) or "float64"
        dtype = "float32" if found in HALF_TYPES else found
        for name, array in values.items():
            if (
                name in numbers or name not in declared
            ):  # an array that loses digits is an error of a segment
                wanted = numpy_type(declared.get(name, dtype))
                values[name] = array.astype(wanted, copy=False)
        for name in self.inputs:
            self._check_rank(name, values[name])
        return values, sizes

    def _check_rank(self, name: str, array: NDArray[Any]) -> None:
        rank = self.rank(name)
        if rank is not None and array.ndim != rank:
            raise ShapeError(
                None,
                f"`{name}` has {counted(rank, 'dimension')}, and the array {array.ndim}",
                fix="pass an array of that rank",
            )
