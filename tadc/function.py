"""The public object: a program as a function of arrays, and its derivatives as functions again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tadc import compiler
from tadc.cache import remembered
from tadc.emit.c_names import identifier
from tadc.errors import (
    ArgumentError,
    BackendError,
    DerivativeError,
    Error,
    FileError,
    Source,
    Span,
)
from tadc.ir.element_types import HALF_TYPES
from tadc.ir.idx_text import program_text
from tadc.ir.program import Program
from tadc.ir.tex_text import tex_display, tex_text
from tadc.kept import Kept
from tadc.options import BACKENDS, DTYPES, MEMORY, Options
from tadc.resolve.resolve import Resolved

if TYPE_CHECKING:  # text is compiled without numpy, and without what calls need
    from numpy.typing import NDArray

    from tadc.check import Report
    from tadc.emit.launcher import Mode
    from tadc.runtime.calls import Calls
    from tadc.schedule.cost import Cost
    from tadc.schedule.plan import Plan

__all__ = ["Function", "compile", "load"]

Array: TypeAlias = "NDArray[Any]"
Wrt: TypeAlias = str | Sequence[str] | None
Derivation: TypeAlias = tuple[str, tuple[str, ...]]  # how a derivative was asked for, and by what


MOST_CLOSED = 64  # sets of sizes for which functions or decisions are kept
STAND_INS = (2, 3, 1, 5, 8)  # for open sizes, while no call gives numbers


def compile(
    source: str,
    *,
    lang: Literal["idx", "tex"] = "idx",
    dtype: str | None = None,
    sizes: Mapping[str, int] | None = None,
    backend: str = "auto",
    memory: str = "auto",
    blas: bool = True,
    index_base: int = 0,
    name: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    fast_math: bool = False,
) -> Function:
    """A function of arrays from the text of a program.

    `sizes` gives numbers to symbolic sizes, `dtype` ("float32", "float64", on GPUs "float16" and "bfloat16") fixes the
    type of tensors that declare none. With `fast_math` kernels on GPUs have approximate divisions, roots and functions
    of float32, and no subnormals. Raises SyntaxError, ShapeError or RangeError, with the place in the text.
    """
    options = _options(
        dtype, sizes, backend, memory, blas, index_base, name, threads, memory_limit, fast_math
    )
    return _compiled(Source(_text(source), "<string>"), lang, options)


def load(
    path: str | Path,
    *,
    dtype: str | None = None,
    sizes: Mapping[str, int] | None = None,
    backend: str = "auto",
    memory: str = "auto",
    blas: bool = True,
    index_base: int = 0,
    name: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    fast_math: bool = False,
) -> Function:
    """A function of arrays from an `.idx` or `.tex` file. As `compile`; raises FileError for one that cannot be read."""
    if not isinstance(path, (str, Path)):
        raise ArgumentError(None, f"the path is {path!r}", fix="pass a string or a `Path`")
    options = _options(
        dtype,
        sizes,
        backend,
        memory,
        blas,
        index_base,
        name or Path(path).stem,
        threads,
        memory_limit,
        fast_math,
    )
    lang: Literal["idx", "tex"] = "tex" if Path(path).suffix.lower() == ".tex" else "idx"
    try:
        text = Path(path).read_text("utf-8")
    except OSError as error:
        raise FileError(None, f"{path}: {error.strerror or error}", fix="check the path") from None
    except UnicodeDecodeError:
        raise FileError(None, f"{path} is not UTF-8 text", fix="save it as UTF-8") from None
    except ValueError as error:  # a null character
        raise FileError(None, f"{path!r} is no path: {error}", fix="check the path") from None
    return _compiled(Source(text, str(path)), lang, options)


@dataclass(frozen=True, slots=True)
class _Origin:
    """What a function was made from: all that a copy in another process needs."""

    source: Source
    lang: Literal["idx", "tex"]
    options: Options
    derivations: tuple[Derivation, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """What decides about the program: under it, it is found again."""
        o = self.options
        sizes = sorted(o.sizes.items())
        return self.source, self.lang, o.name, sizes, o.index_base, self.derivations


@dataclass(frozen=True, slots=True)
class _Open:
    """Sizes that get their numbers from a call, since subscripts are multiplied or divided by them.

    `error` says where; `extents` has the input and dimension that show a size, if there are some.
    """

    error: Error
    sizes: tuple[str, ...]
    extents: Mapping[str, tuple[str, int]]


class Function:
    """A program as a function of arrays.

    Call it with one array an input, by position in the order of `inputs` or by name; sizes that do not follow from
    the shapes are keywords. Made by `compile`, `load`, and the methods that derive.

    Where a size without a number multiplies an index, there is no program before a call gives the number: the
    function is compiled for each number that it meets, and has no text.
    """

    def __init__(
        self,
        origin: _Origin,
        resolved: Resolved,
        program: Program,
        mode: str,
        open_: _Open | None = None,
    ) -> None:
        self._origin = origin
        self._open = (
            open_  # then `program` is one with other numbers, and tells inputs and outputs only
        )
        self._closed: Kept[Function] = Kept(MOST_CLOSED)
        self._resolved = resolved
        self._program = program
        self._mode = mode
        self._derived: dict[Derivation, Function] = {}
        self._decided: Kept[tuple[Function, Function]] = Kept(MOST_CLOSED)

    # ------------------------------------------------------------------ what it is

    @property
    def name(self) -> str:
        return self._program.name

    @property
    def program(self) -> Program:
        """The program in tadc's intermediate representation.

        Raises SyntaxError where a size multiplies or divides an index and has no number yet.
        """
        if self._open is not None:
            raise self._open.error
        return self._program

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs: in the order of their declarations, then of first use."""
        return tuple(t.name for t in self._program.inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        return self._program.outputs

    @property
    def ranges(self) -> tuple[Any, ...]:
        """Every index of the program, its range, and the rule and place that gave it."""
        return self._resolved.ranges

    @property
    def skipped(self) -> tuple[Span, ...]:
        """The places of a LaTeX document's displays that define no tensor, and are no part of the program."""
        return self._resolved.skipped

    def __str__(self) -> str:
        return program_text(self.program)

    def _repr_latex_(self) -> str:
        return tex_display(self._program)

    def __repr__(self) -> str:
        return f"<tadc.Function {self.name}: {', '.join(self.inputs)} -> {', '.join(self.outputs)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._origin,)

    def source(self, target: str) -> str:
        """The function as text: "cuda", "c", "numpy", "idx", "latex"; of an adjoint also "cuda-atomic". Generated for float32 unless `dtype` says otherwise."""
        dtype = self._origin.options.dtype or "float32"
        if dtype in HALF_TYPES and target in ("c", "numpy"):
            raise BackendError(
                None,
                f"the target `{target}` has no elements of {dtype}",
                fix='use "cuda", or `dtype="float32"`',
            )
        match target:
            case "idx":
                return str(self)
            case "latex":
                return tex_text(self.program)
            case "cuda":
                from tadc.emit.cuda import emit_cuda

                return emit_cuda({self._mode: self.program}, self._origin.source.text, dtype).text  # type: ignore[arg-type]
            case "numpy":
                from tadc.emit.numpy import emit_numpy

                return emit_numpy(self.program, self._mode, dtype)
            case "c":
                from tadc.emit.c import emit_c
                from tadc.emit.launcher import modes_of

                return emit_c(modes_of({self._mode: self.program}), dtype, "int64")  # type: ignore[arg-type]
            case "cuda-atomic":
                from tadc.emit.cuda import GpuMode, cuda_text

                mode = GpuMode.of(self._scattered())
                return cuda_text([mode], self._origin.source.text, dtype).text  # type: ignore[arg-type]
            case _:
                raise ArgumentError(
                    None,
                    f"there is no target `{target}`",
                    fix="use `cuda`, `cuda-atomic`, `c`, `numpy`, `idx` or `latex`",
                )

    def _scattered(self) -> Mode:
        """The adjoint with atomic additions, of which this function is the gathering form."""
        from tadc.emit.launcher import atomic_mode

        match self._origin.derivations:
            case (*before, ("adjoint", wrt)):
                f = _rebuilt(replace(self._origin, derivations=tuple(before)))
                return atomic_mode(f.program, wrt, points=False)
            case _:
                raise DerivativeError(
                    None,
                    "only an adjoint has a form with atomic additions",
                    fix='take it from the adjoint: `f.adjoint().source("cuda-atomic")`',
                )

    # ------------------------------------------------------------------ calls

    def __call__(
        self, /, *arrays: Any, out: Any = None, accumulate: bool = False, **named: Any
    ) -> Any:
        """The output, or a tuple of them in the order of `outputs`.

        `out` is an array, a tuple or a dict of arrays to write to; `accumulate` adds to them instead. Raises
        ArgumentError, ShapeError and RangeError for arguments that do not fit.
        """
        if out is None and not (named or accumulate or self._open):
            outputs = self.calls.again(arrays)
            if outputs is not None:
                return outputs[0] if len(outputs) == 1 else tuple(outputs)

        from tadc.runtime.arguments import written

        if self._open is not None:
            f, named = self._of_call(arrays, named)
            return f(*arrays, out=out, accumulate=accumulate, **named)
        targets = self._targets(out)
        results = self.calls.run(self.calls.bound(arrays, named), None if accumulate else targets)
        return self._returned(written(results, targets, accumulate))

    def vjp(
        self, /, *arrays: Any, wrt: Wrt = None, **named: Any
    ) -> tuple[Any, Callable[..., dict[str, Array]]]:
        """The outputs, and the pullback: a function from cotangents to a dict of gradients by input.

        The pullback takes one cotangent, a tuple, or several; None is zero. The arrays must not change before it
        is called. `wrt` restricts the gradients; without it all inputs with real elements have one.
        """
        from numpy import zeros_like

        from tadc.runtime.arguments import as_array, written
        from tadc.runtime.element_types import is_real

        if self._open is not None:
            f, named = self._of_call(arrays, named)
            return f.vjp(*arrays, wrt=wrt, **named)
        bound = self.calls.bound(arrays, named)
        chosen = self._wrt(wrt, [n for n in self.inputs if is_real(bound.arrays[n].dtype)])
        dtype = self.calls.element_type(bound)
        halves = self._halves(chosen, bound.sizes, dtype)
        if self._program.sizes and any(f._program.is_empty(bound.sizes) for f in halves):
            numbers = {s: bound.sizes[s] for s in self._program.sizes}
            return self._of_numbers(numbers).vjp(**bound.arrays, wrt=chosen)
        forward, backward = (half.calls for half in halves)
        preparing = backward.prepare(bound.sizes, dtype, self.calls.backend(bound))
        kept = forward.run(forward.bound(arrays, named))
        values = {f: kept[f] for f in self.outputs}

        def pullback(
            *cotangents: Any, out: Any = None, accumulate: bool = False
        ) -> dict[str, Array]:
            given = self._seeds(cotangents[0] if len(cotangents) == 1 else cotangents)
            arrays = {**kept, **bound.arrays}
            for name, f, cotangent in zip(
                halves[1].inputs[len(halves[1].inputs) - len(given) :],
                self.outputs,
                given,
                strict=True,
            ):
                arrays[name] = (
                    zeros_like(values[f]) if cotangent is None else as_array(name, cotangent)
                )
            arrays = {name: arrays[name] for name in halves[1].inputs}
            if isinstance(out, tuple):
                out = self._matched(chosen, out, "gradients")
            elif not isinstance(out, (dict, NoneType)):
                raise ArgumentError(
                    None, "`out` is neither a dict nor a tuple", fix="give one by input"
                )
            named_so = dict(zip(chosen, halves[1].outputs, strict=True))
            targets = {named_so[x]: a for x, a in (out or {}).items() if x in named_so}
            preparing.join()
            results = backward.run(
                backward.bound((), {**arrays, **bound.given}), None if accumulate else targets
            )
            gradients = {
                x: results[dx].astype(bound.arrays[x].dtype, copy=False)
                if is_real(bound.arrays[x].dtype)
                else results[dx]
                for x, dx in named_so.items()
            }
            return written(gradients, out, accumulate)

        return self._returned(dict(values)), pullback

    def graph(
        self, /, *arrays: Any, cotangents: Any = None, wrt: Wrt = None, **named: Any
    ) -> Callable[[], Any]:
        """A call on a GPU as a graph of CUDA: a function that launches it once more, as one, on the current stream.

        A launch returns the outputs, and with `cotangents` (as for the pullback of `vjp`) the outputs and a dict of the
        gradients. It reads the given arrays as they are then, and returns the same arrays every time. Raises
        ArgumentError for arrays that are not on a GPU, and what the call raises.
        """
        from tadc.runtime.gpu import on_one_device
        from tadc.runtime.graph import Graph, of_gpu

        if self._open is not None:
            f, named = self._of_call(arrays, named)
            return f.graph(*arrays, cotangents=cotangents, wrt=wrt, **named)
        bound = self.calls.bound(arrays, named)
        given = {**dict(zip(self.inputs, arrays, strict=False)), **named}
        inputs = of_gpu({n: given[n] for n in self.inputs})
        if not inputs or self._program.is_empty(bound.sizes):
            raise ArgumentError(None, "this call has nothing to launch", fix="call the function")
        arguments: dict[str, Any] = {**inputs, **bound.given}
        if cotangents is None:
            return Graph(lambda: self(**arguments), on_one_device(inputs.items()))
        seeds = self._seeds(cotangents)
        named_so = {f"d{f}": v for f, v in zip(self.outputs, seeds, strict=True) if v is not None}
        on_gpu = of_gpu(named_so)
        seeds = tuple(on_gpu.get(f"d{f}") for f in self.outputs)

        def call() -> tuple[Any, dict[str, Array]]:
            values, pullback = self.vjp(wrt=wrt, **arguments)
            return values, pullback(*seeds)

        return Graph(call, on_one_device([*inputs.items(), *on_gpu.items()]))

    def _seeds(self, cotangents: Any) -> tuple[Any, ...]:
        """A cotangent for each output."""
        given = cotangents if isinstance(cotangents, tuple) else (cotangents,)
        if len(given) != len(self.outputs):
            raise ArgumentError(
                None,
                f"{len(given)} cotangents are given, and there are {len(self.outputs)} outputs",
                fix="give a tuple, of one for each output; None is zero",
            )
        return given

    def jvp(self, primals: Mapping[str, Any], tangents: Mapping[str, Any]) -> tuple[Any, Any]:
        """The outputs and their tangents. An input left out of `tangents` is not differentiated by."""
        for what, given in (("primals", primals), ("tangents", tangents)):
            if not isinstance(given, Mapping):
                raise ArgumentError(
                    None, f"`{what}` is no dict", fix="give arrays by input: {'x': x}"
                )
        if self._open is not None:
            f, named = self._of_call((), primals)
            return f.jvp(named, tangents)
        call = self.calls.bound((), primals)
        chosen = self._wrt(tuple(tangents), [])
        values = self.calls.run(call)
        tangent = self.tangent(chosen)
        given = dict(
            zip(tangent.inputs[len(self.inputs) :], (tangents[x] for x in chosen), strict=True)
        )
        results = tangent.calls.run(tangent.calls.bound((), {**call.arrays, **given, **call.given}))
        return self._returned(dict(values)), tangent._returned(results)

    def check(self, /, *, seed: int = 0, **sizes: int) -> Report:
        """Compare derivatives with numeric differentiation, and backends with each other, on random input.

        Sizes that are not given are chosen small; the report says which. It is true when all agree.
        """
        from tadc.check import check

        numbers = {s: _number(f"the size `{s}`", n) for s, n in sizes.items()}
        f = self
        if self._open is not None:
            chosen = {s: numbers.pop(s, n) for n, s in enumerate(self._open.sizes, 2)}
            f = self._of_numbers(chosen)
        return check(f, _number("`seed`", seed), numbers)

    # ------------------------------------------------------------------ what it costs

    def cost(self, *, mode: str = "primal", **sizes: int) -> Cost:
        """Operations and bytes of every kernel for these sizes, and as formulas of the sizes.

        `mode` is "primal", "adjoint", "tangent", or "vjp": the value and all gradients as `vjp` and its pullback run
        them. Bytes are those of float64 unless `dtype` says otherwise. Raises ShapeError where a size is missing.
        """
        from tadc.schedule.cost import Cost, program_cost
        from tadc.schedule.lower import kernels

        total = Cost(())
        for program, name, numbers, dtype in self._runs(mode, sizes):
            residuals = set(program.outputs) - set(self.outputs) if name == "forward" else set()
            total += program_cost(program, kernels(program, name), numbers, dtype, residuals)
        return total

    def plan(self, *, mode: str = "primal", **sizes: int) -> Plan:
        """What is stored, and how each kernel runs, in words: with `backend="cuda"` on a GPU, else on a CPU. As `cost`."""
        from tadc.schedule.lower import kernels
        from tadc.schedule.plan import Plan, gpu_plan, program_plan

        total = Plan((), {})
        options = self._origin.options
        for program, name, numbers, dtype in self._runs(mode, sizes):
            if options.backend == "cuda":
                total += gpu_plan(program, name, numbers, dtype, options.blas)
            else:
                run = kernels(program, name)
                total += program_plan(program, run, numbers, dtype, options.blas)
        return total

    def _runs(
        self, mode: str, sizes: Mapping[str, int]
    ) -> Iterator[tuple[Program, str, dict[str, int], str]]:
        """The programs that are run for a mode, with their modes' names, the sizes and the element type."""
        from tadc.runtime.binding import bind_sizes
        from tadc.schedule.memory import oversized
        from tadc.schedule.program import scheduled

        numbers = {s: _number(f"the size `{s}`", n) for s, n in sizes.items()}
        f = self
        if self._open is not None:
            f = self._of_numbers({s: numbers.pop(s) for s in self._open.sizes if s in numbers})
        unknown = [s for s in numbers if s not in f._program.sizes]
        if unknown:
            known = ", ".join(f._program.sizes) or "none"
            raise ArgumentError(
                None, f"there is no size `{unknown[0]}`", fix=f"the sizes are: {known}"
            )
        values = bind_sizes(f._program, {}, numbers)
        for part in f._parts(mode, values):
            program = scheduled(part.program)
            options = self._origin.options
            dtype = options.dtype or "float64"
            again = oversized(program, values, dtype, options.memory, options.memory_limit)
            yield scheduled(part.program, again), part._mode, values, dtype

    def _parts(self, mode: str, sizes: Mapping[str, int]) -> tuple[Function, ...]:
        """The functions that are run for a mode, one after the other."""
        match mode:
            case "primal":
                return (self,)
            case "adjoint":
                return (self.adjoint(),)
            case "tangent":
                return (self.tangent(),)
            case "vjp":
                dtype = self._origin.options.dtype or "float64"
                return self._halves(self._wrt(None, self.inputs), sizes, dtype)
            case _:
                raise ArgumentError(
                    None,
                    f"there is no mode `{mode}`",
                    fix="use primal, adjoint, tangent or vjp",
                )

    def _halves(
        self, wrt: tuple[str, ...], sizes: Mapping[str, int], dtype: str
    ) -> tuple[Function, Function]:
        """What `vjp` runs first, with the residuals behind the outputs; and what its pullback runs on them.

        Where the residuals would be too large, or rounded to 16 bits, there are none, and the second is the whole adjoint.
        Decided once for a set of sizes.
        """
        key = (wrt, dtype in HALF_TYPES, tuple(sizes[s] for s in self._program.sizes))
        # Residuals are results: they would be rounded, by the interpreter too, which has float32 nowhere else.
        rounds = dtype in HALF_TYPES or self._origin.options.backend == "interpreter"
        return self._decided.of(
            key, lambda: (self, self.adjoint(wrt)) if rounds else self._decide(wrt, sizes)
        )

    def _decide(self, wrt: tuple[str, ...], sizes: Mapping[str, int]) -> tuple[Function, Function]:
        from tadc.schedule.memory import oversized

        forward, backward = (self._derivative(half, wrt) for half in ("forward", "backward"))
        kept = set(forward.outputs) - set(self.outputs)
        inside = replace(forward._program, outputs=self.outputs)  # where residuals are temporaries
        options = self._origin.options
        dtype = options.dtype or "float64"
        values = inside.size_values({s: sizes[s] for s in inside.sizes})
        if kept & oversized(inside, values, dtype, options.memory, options.memory_limit):
            return self, self.adjoint(wrt)
        return forward, backward

    # ------------------------------------------------------------------ derivatives

    def adjoint(self, wrt: Wrt = None) -> Function:
        """The adjoint program. Inputs: those of this one, then `d<output>`..; outputs: `d<input>` for each of `wrt`."""
        return self._derivative("adjoint", self._wrt(wrt, self.inputs))

    def tangent(self, wrt: Wrt = None) -> Function:
        """The tangent program. Inputs: those of this one, then `d<input>` for each of `wrt`; outputs: `d<output>`."""
        return self._derivative("tangent", self._wrt(wrt, self.inputs))

    def gradient(self, wrt: Wrt = None) -> Function:
        """The gradient of a scalar output: the adjoint with cotangent 1. Raises DerivativeError for any other output."""
        self._one_output("gradient", scalar=True)
        return self._derivative("gradient", self._wrt(wrt, self.inputs))

    def jacobian(self, wrt: Wrt = None) -> Function:
        """The dense Jacobian of the single output by one input, `d<output>_d<input>`: shapes one after the other."""
        self._one_output("jacobian", scalar=False)
        return self._derivative("jacobian", self._one_input("jacobian", wrt))

    def hessian(self, wrt: Wrt = None) -> Function:
        """The Hessian of a scalar output by one input, `d2<output>_d<input>`."""
        self._one_output("hessian", scalar=True)
        return self._derivative("hessian", self._one_input("hessian", wrt))

    def hvp(self, wrt: Wrt = None) -> Function:
        """Products with the Hessian of a scalar output. Inputs: those of this one, then `d<input>` for each of `wrt`."""
        self._one_output("hvp", scalar=True)
        return self._derivative("hvp", self._wrt(wrt, self.inputs))

    def _derivative(self, mode: str, wrt: tuple[str, ...]) -> Function:
        key = (mode, wrt)
        if key not in self._derived:
            if mode in ("forward", "backward"):
                made_from = self._origin.key, "vjp", wrt
                halves = remembered(made_from, lambda: compiler.vjp_programs(self._program, wrt))
                for half, program in zip(("forward", "backward"), halves, strict=True):
                    self._derived[half, wrt] = _function(self, half, wrt, program)
            else:
                self._derived[key] = _derived(self, mode, wrt)
        return self._derived[key]

    def _wrt(self, wrt: Wrt, default: Sequence[str]) -> tuple[str, ...]:
        if not isinstance(wrt, (str, Iterable, NoneType)):
            raise ArgumentError(
                None, f"`wrt` is {wrt!r}", fix="give the name of an input, or several"
            )
        names = tuple(default) if wrt is None else (wrt,) if isinstance(wrt, str) else tuple(wrt)
        for k, name in enumerate(names):
            if name not in self.inputs:
                raise ArgumentError(
                    None, f"`{name}` is no input", fix=f"the inputs are {', '.join(self.inputs)}"
                )
            if name in names[:k]:
                raise ArgumentError(None, f"`{name}` stands twice in `wrt`", fix="name it once")
        return names

    def _one_output(self, what: str, *, scalar: bool) -> None:
        if len(self.outputs) != 1:
            raise DerivativeError(
                None,
                f"the {what} needs one output, and there are {len(self.outputs)}: {', '.join(self.outputs)}",
                fix="name one with `output`, or use `adjoint`",
            )
        rank = len(self._program.tensors[self.outputs[0]].shape)
        if scalar and rank:
            raise DerivativeError(
                None,
                f"the {what} needs a scalar output, and {self.outputs[0]} has {rank} dimensions",
                fix="sum over it, or use `adjoint` or `jacobian`",
            )

    def _one_input(self, what: str, wrt: Wrt) -> tuple[str, ...]:
        names = self._wrt(wrt, self.inputs)
        if len(names) != 1:
            raise ArgumentError(
                None, f"the {what} is by one input", fix=f"say which: {', '.join(self.inputs)}"
            )
        return names

    # ------------------------------------------------------------------ running

    @cached_property
    def calls(self) -> Calls:
        """What binds arguments and runs the program."""
        from tadc.runtime.calls import Calls

        return Calls(self._program, self._resolved, self._origin.options, self._for_numbers)

    def _for_numbers(self, sizes: Mapping[str, int]) -> Calls:
        """The calls of the program whose sizes are all numbers."""
        return self._of_numbers(sizes).calls

    def _of_numbers(self, sizes: Mapping[str, int]) -> Function:
        """The same function, compiled for these sizes alone."""
        origin = self._origin
        options = replace(origin.options, sizes={**origin.options.sizes, **sizes})
        return self._closed.of(
            tuple(sizes.items()), lambda: _rebuilt(replace(origin, options=options))
        )

    def _of_call(
        self, arrays: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Function, dict[str, Any]]:
        """The function for the open sizes of this call, and its named arguments without them."""
        from tadc.runtime.arguments import as_array

        assert self._open is not None
        rest = dict(named)
        given = {**dict(zip(self.inputs, arrays, strict=False)), **rest}
        numbers: dict[str, int] = {}
        for size in self._open.sizes:
            tensor, d = self._open.extents.get(size, ("", 0))
            shape = as_array(tensor, given[tensor]).shape if tensor in given else ()
            if size in rest:
                numbers[size] = _number(f"the size `{size}`", rest.pop(size))
            elif tensor:
                numbers[size] = shape[d] if d < len(shape) else 1  # a wrong rank is noticed later
            else:
                raise ArgumentError(
                    None,
                    f"the size `{size}` is missing: no extent of an input is `{size}`",
                    fix=f"give it by name: `f(.., {size}=8)`",
                )
        return self._of_numbers(numbers), rest

    def _targets(self, out: Any) -> Mapping[str, Any] | None:
        if out is None or isinstance(out, dict):
            return out
        targets = out if isinstance(out, (tuple, list)) else (out,)
        return self._matched(self.outputs, targets, "outputs")

    @staticmethod
    def _matched(names: Sequence[str], targets: Sequence[Any], what: str) -> dict[str, Any]:
        if len(targets) != len(names):
            raise ArgumentError(
                None,
                f"`out` has {len(targets)} arrays for {len(names)} {what}",
                fix="give one for each",
            )
        return dict(zip(names, targets, strict=True))

    def _returned(self, results: Mapping[str, Array]) -> Any:
        values = tuple(results[f] for f in self.outputs)
        return values[0] if len(values) == 1 else values


def _options(
    dtype: str | None,
    sizes: Mapping[str, int] | None,
    backend: str,
    memory: str,
    blas: bool,
    index_base: int,
    name: str | None,
    threads: int | None,
    memory_limit: int | None,
    fast_math: bool,
) -> Options:
    for what, value, allowed in (
        ("dtype", dtype, (None, *DTYPES)),
        ("backend", backend, BACKENDS),
        ("memory", memory, MEMORY),
        ("index_base", index_base, (0, 1)),
        ("fast_math", fast_math, (False, True)),
    ):
        if value not in allowed:
            choices = ", ".join(repr(a) for a in allowed)
            raise ArgumentError(None, f"`{what}` is {value!r}", fix=f"use one of {choices}")
    if threads is not None and (not isinstance(threads, int) or threads is True or threads < 1):
        raise ArgumentError(None, f"`threads` is {threads!r:.40}", fix="give a positive integer")
    if not isinstance(name, (str, NoneType)):
        raise ArgumentError(None, f"`name` is {name!r}", fix="give a string")
    if not isinstance(sizes, (Mapping, NoneType)):
        raise ArgumentError(None, f"`sizes` is {sizes!r}", fix="give a dict, such as {'N': 4}")
    numbers = {s: _number(f"the size `{s}`", n) for s, n in (sizes or {}).items()}
    if memory_limit is not None:
        memory_limit = _number("`memory_limit`", memory_limit)
    return Options(
        dtype, numbers, backend, memory, blas, index_base, name, threads, memory_limit, fast_math
    )


def _number(what: str, n: object) -> int:
    if not isinstance(n, Integral) or isinstance(n, bool) or not 0 <= int(n) < 2**63:
        raise ArgumentError(None, f"{what} is {n!r:.40}", fix="give an integer from 0 to 2**63 - 1")
    return int(n)


def _text(source: Any) -> str:
    if not isinstance(source, str):
        raise ArgumentError(None, f"the source is a {type(source).__name__}", fix="pass a string")
    return source


def _compiled(source: Source, lang: Literal["idx", "tex"], options: Options) -> Function:
    if lang not in ("idx", "tex"):
        raise ArgumentError(None, f"`lang` is {lang!r}", fix="use 'idx' or 'tex'")
    name = identifier(options.name or "program")
    origin = _Origin(source, lang, options)
    try:
        resolved = remembered(
            ("front", *origin.key),
            lambda: compiler.front(source, lang, name, options.sizes, options.index_base),
        )
        return Function(origin, resolved, resolved.program, "primal")
    except Error as error:
        found = _with_stand_ins(origin, name, error)
        if found is None:
            raise
        return found


def _with_stand_ins(origin: _Origin, name: str, error: Error) -> Function | None:
    """The function whose open sizes get their numbers from calls; None if the text is no program with any.

    What it takes and gives is found with stand-ins for the numbers.
    """
    for number in STAND_INS:
        stand_ins: dict[str, int] = {}
        problem = error
        while all(e.sizes for e in problem.errors) and not stand_ins.keys() >= {
            s for e in problem.errors for s in e.sizes
        }:
            stand_ins |= {s: number for e in problem.errors for s in e.sizes}
            sizes = {**origin.options.sizes, **stand_ins}
            try:
                resolved = compiler.front(
                    origin.source, origin.lang, name, sizes, origin.options.index_base
                )
            except Error as next_:
                problem = next_
                continue
            extents = compiler.named_extents(origin.source, origin.lang)
            open_ = _Open(error, tuple(stand_ins), extents)
            return Function(origin, resolved, resolved.program, "primal", open_)
    return None


def _derived(f: Function, mode: str, wrt: tuple[str, ...]) -> Function:
    key = f._origin.key, mode, wrt
    return _function(f, mode, wrt, remembered(key, lambda: _derivative_of(f._program, mode, wrt)))


def _derivative_of(program: Program, mode: str, wrt: tuple[str, ...]) -> Program:
    match mode:
        case "adjoint":
            return compiler.adjoint_program(program, wrt)
        case "tangent":
            return compiler.tangent_program(program, wrt)
        case "gradient":
            return compiler.gradient_program(program, wrt)
        case "jacobian":
            return compiler.jacobian_program(program, wrt[0], f"d{program.outputs[0]}_d{wrt[0]}")
        case "hessian":
            gradient = compiler.gradient_program(program, wrt)
            return compiler.jacobian_program(gradient, wrt[0], f"d2{program.outputs[0]}_d{wrt[0]}")
        case _:
            return compiler.hvp_program(program, wrt)


def _function(f: Function, mode: str, wrt: tuple[str, ...], program: Program) -> Function:
    """The derivative as a function that knows where it comes from."""
    origin = f._origin
    derivations = (*origin.derivations, (mode, wrt))
    new = _Origin(origin.source, origin.lang, origin.options, derivations)
    return Function(new, f._resolved, program, mode, f._open)


def _rebuilt(origin: _Origin) -> Function:
    function = _compiled(origin.source, origin.lang, origin.options)
    for mode, wrt in origin.derivations:
        function = function._derivative(mode, wrt)
    return function
