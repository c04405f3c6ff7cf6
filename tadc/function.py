"""The public object: a program as a function of arrays, and its derivatives as functions again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tadc import compiler
from tadc.bounded_cache import BoundedCache
from tadc.cache import disk_cached
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
from tadc.ir.names import identifier
from tadc.ir.program import Program
from tadc.open_sizes import OpenSizes
from tadc.options import Options, checked_options, size_number
from tadc.printing.idx import program_text, tensor_text
from tadc.printing.tex import tex_display, tex_text
from tadc.resolve.resolve import Resolved
from tadc.schedule.lowered import CpuModule, GpuModule, modes_of
from tadc.signature import signature, with_argument_errors

if TYPE_CHECKING:  # text is compiled without numpy, and without what calls need
    from inspect import Signature

    from numpy.typing import DTypeLike, NDArray

    from tadc.check import Report
    from tadc.prove import Report as Proofs
    from tadc.runtime.calls import Call, Calls
    from tadc.runtime.pullback import Halves
    from tadc.schedule.nest.cost import Cost
    from tadc.schedule.plan import Plan

__all__ = ["Function", "compile", "in_mode", "load"]

Array: TypeAlias = "NDArray[Any]"
Wrt: TypeAlias = str | Sequence[str] | None
Derivation: TypeAlias = tuple[str, tuple[str, ...]]  # how a derivative was asked for, and by what


MOST_CLOSED = 64  # sets of sizes for which functions or decisions are kept
MOST_SIGNATURES = 256  # of calls, for which it is kept what they run
STAND_INS = (2, 3, 1, 5, 8)  # for open sizes, while no call gives numbers


@with_argument_errors
def compile(
    source: str,
    *,
    lang: Literal["idx", "tex"] = "idx",
    dtype: DTypeLike | None = None,
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

    Parameters
    ----------
    source, lang
        The text, and its spelling: "idx", or "tex" for LaTeX.
    dtype
        The element type of tensors that declare none: "float32", "float64", on GPUs "float16" and "bfloat16", or what
        `numpy.dtype` takes for one of these. None: that of the arrays of a call, float32 in generated text.
    sizes
        Numbers for symbolic sizes.
    backend
        "auto", "numpy", "native", "cuda", or "interpreter", which is the oracle.
    memory, memory_limit
        What happens to intermediate tensors: "auto", "recompute", "materialize"; and the bytes they may have together.
    blas
        Whether matrix products are left to BLAS, or to cuBLAS.
    index_base
        The first index, 0 or 1, where the text does not say.
    name
        That of the program in generated code.
    threads
        How many threads of the CPU a call may use.
    fast_math
        Approximate divisions, roots and functions of float32 on GPUs, and no subnormals there.

    Raises
    ------
    SyntaxError, ShapeError, RangeError
        With the place in the text.
    ArgumentError
        For options that are none, or of another kind.
    BackendError
        For an option that an explicitly named backend has no use for.
    """
    options = checked_options(
        dtype=dtype,
        sizes=sizes,
        backend=backend,
        memory=memory,
        blas=blas,
        index_base=index_base,
        name=name,
        threads=threads,
        memory_limit=memory_limit,
        fast_math=fast_math,
    )
    return _compiled(Source(_text(source), "<string>"), lang, options)


@with_argument_errors
def load(
    path: str | Path,
    *,
    lang: Literal["idx", "tex"] | None = None,
    dtype: DTypeLike | None = None,
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
    """A function of arrays from an `.idx` or `.tex` file; `lang` says otherwise than its name. The rest as `compile`.

    Raises what `compile` does, and FileError for a file that cannot be read.
    """
    if not isinstance(path, (str, Path)):
        raise ArgumentError(None, f"the path is {path!r:.40}", fix="pass a string or a `Path`")
    options = checked_options(
        dtype=dtype,
        sizes=sizes,
        backend=backend,
        memory=memory,
        blas=blas,
        index_base=index_base,
        name=Path(path).stem if name is None or name == "" else name,
        threads=threads,
        memory_limit=memory_limit,
        fast_math=fast_math,
    )
    if lang is None:
        lang = "tex" if Path(path).suffix.lower() == ".tex" else "idx"
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


class Function:
    """A program as a function of arrays.

    Call it with one array an input, by position in the order of `inputs` or by name; sizes that do not follow from
    the shapes are keywords. Made by `compile`, `load`, and the methods that derive.

    Where a size without a number multiplies or divides an index, there is no program before a call gives the number:
    the function is compiled for each number that it meets. It has a text; what else needs the numbers asks for
    `fix`: derivatives as text, C, CUDA and numpy, costs and plans.
    """

    def __init__(
        self,
        origin: _Origin,
        resolved: Resolved,
        program: Program,
        mode: str,
        open_: OpenSizes | None = None,
    ) -> None:
        self._origin = origin
        self._open = (
            open_  # then `program` is one with other numbers, and tells inputs and outputs only
        )
        self._closed: BoundedCache[Function] = BoundedCache(MOST_CLOSED)
        self._numbers_of_calls: BoundedCache[dict[str, int]] = BoundedCache(MOST_CLOSED)
        self._resolved = resolved
        self._program = program
        self._mode = mode
        self._derived: dict[Derivation, Function] = {}
        self._vjps: BoundedCache[Halves] = BoundedCache(MOST_SIGNATURES)
        self._value_types: BoundedCache[tuple[Any, ...]] = BoundedCache(MOST_SIGNATURES)
        self._decided: BoundedCache[tuple[Function, Function]] = BoundedCache(MOST_CLOSED)

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
            raise self._open.refusal()
        return self._program

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes that have no number yet: first those that need one before there is a program (`open_sizes`)."""
        return (*self.open_sizes, *self._program.sizes)

    @property
    def open_sizes(self) -> tuple[str, ...]:
        """The sizes without a number that multiply or divide indices."""
        return self._open.names if self._open is not None else ()

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
        if self._open is not None:
            raise self._open.refusal()
        return self._resolved.ranges

    @property
    def skipped(self) -> tuple[Span, ...]:
        """The places of a LaTeX document's displays that define no tensor, and are no part of the program."""
        return self._resolved.skipped

    def fix(self, /, **sizes: int) -> Function:
        """The same function with these sizes as numbers. Raises ArgumentError for what is no size of it."""
        numbers = self._numbers(sizes)
        return self._of_numbers(numbers) if numbers else self

    def _numbers(self, sizes: Mapping[str, Any]) -> dict[str, int]:
        """The given numbers of sizes. Raises ArgumentError for unknown sizes and for what is no number."""
        numbers = {s: size_number(f"the size `{s}`", n) for s, n in sizes.items()}
        for size in numbers:
            if size not in self.sizes:
                known = ", ".join(self.sizes) or "none"
                raise ArgumentError(
                    None, f"there is no size `{size}`", fix=f"the sizes are: {known}"
                )
        return numbers

    @property
    def _tree(self) -> OpenSizes | None:
        """What has the text of a program that is none before its sizes have numbers; derivatives have no text then."""
        return None if self._origin.derivations else self._open

    def __str__(self) -> str:
        return self._tree.text() if self._tree is not None else program_text(self.program)

    def _repr_latex_(self) -> str | None:
        if self._tree is not None:
            return self._tree.tex_display()
        return None if self._open is not None else tex_display(self._program)

    def __repr__(self) -> str:
        inputs, outputs = (
            ", ".join(map(self._shaped, names)) for names in (self.inputs, self.outputs)
        )
        return f"<tadc.Function {self.name}: {inputs} -> {outputs}>"

    def _shaped(self, name: str) -> str:
        """The tensor with its shape and declared type: `x[N, 2*K]: float32`; the name alone where nothing is known yet."""
        if self._open is not None:
            text = self._open.shapes().get(name, name)
        else:
            text = tensor_text(self._program.tensors[name])
        return text.replace("[]", "")

    @property
    def __signature__(self) -> Signature:
        """How the function is called, for `inspect.signature` and editors."""
        shapes = {s for t in self._program.inputs for n in t.shape for s in n.symbols}
        shown = shapes if self._open is None else {*shapes, *self._open.shown()}
        groups: dict[bool, list[str]] = {True: [], False: []}
        for size in self.sizes:
            groups[size in shown].append(size)
        return signature(self.inputs, groups[True], groups[False])

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._origin,)

    @with_argument_errors
    def source(self, target: str = "idx") -> str:
        """The function as text: "idx", "latex", "cuda", "c", "numpy"; of an adjoint also "cuda-atomic".

        Generated for float32 unless `dtype` says otherwise. Raises ArgumentError for another target, BackendError for
        elements that it has not, and SyntaxError where a size has to have a number first.
        """
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
                return self._tree.tex() if self._tree is not None else tex_text(self.program)
            case "cuda":
                from tadc.emit.cuda.file import cuda_text

                gpu = [GpuModule.of(m, dtype=dtype) for m in modes_of({self._mode: self.program})]
                return cuda_text(gpu, self._origin.source.text, dtype).text  # type: ignore[arg-type]
            case "numpy":
                from tadc.emit.numpy.module import emit_numpy

                return emit_numpy(self.program, self._mode, dtype)
            case "c":
                from tadc.emit.c.file import emit_c

                cpu = [CpuModule.of(m, dtype) for m in modes_of({self._mode: self.program})]
                return emit_c(cpu, dtype, "int64")  # type: ignore[arg-type]
            case "cuda-atomic":
                from tadc.emit.cuda.file import cuda_text

                return cuda_text([self._scattered()], self._origin.source.text, dtype).text  # type: ignore[arg-type]
            case _:
                raise ArgumentError(
                    None,
                    f"there is no target `{target}`",
                    fix="use `cuda`, `cuda-atomic`, `c`, `numpy`, `idx` or `latex`",
                )

    def _scattered(self) -> GpuModule:
        """The adjoint with atomic additions, of which this function is the gathering form."""
        match self._origin.derivations:
            case (*before, ("adjoint", wrt)):
                f = _rebuilt(replace(self._origin, derivations=tuple(before)))
                return GpuModule.plain(compiler.atomic_mode(f.program, wrt, points=False))
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
        if self._open is not None:
            f, named = self._of_call(arrays, named)
            return f(*arrays, out=out, accumulate=accumulate, **named)
        into = () if out is None else self._targets(out)
        return _returned(self.calls(arrays, named, into, accumulate))

    def vjp(
        self, /, *arrays: Any, wrt: Wrt = None, out: Any = None, **named: Any
    ) -> tuple[Any, Callable[..., dict[str, Array]]]:
        """The outputs, and the pullback: a function from cotangents to a dict of gradients by input.

        The pullback takes one cotangent, a tuple, or several; None is zero. It reads the arrays again, which must not
        change before it is called, and nothing that is returned or written to `out`: these may change. `wrt` restricts
        the gradients; without it all inputs with real elements have one.
        """
        if self._open is not None:
            f, named = self._of_call(arrays, named)
            return f.vjp(*arrays, wrt=wrt, out=out, **named)
        from tadc.runtime.calls import signature

        into = self._targets(out)
        ordered, sizes = self.calls.ordered(arrays, named)
        chosen = wrt if isinstance(wrt, (str, NoneType)) else self._wrt(wrt, ())
        key = signature(ordered, sizes)
        halves = None if key is None else self._vjps.get((key, chosen))
        if halves is None:
            bound = self.calls.bound(ordered, sizes)
            made = self._made_halves(bound, chosen)
            if isinstance(made, Function):
                return made.vjp(*ordered, wrt=chosen, out=out)
            halves = made
            pairs = zip(self.inputs, ordered, strict=True)
            ordered = [a if n in bound.scalars else bound.arrays[n] for n, a in pairs]
            if key is not None:
                self._vjps.keep((key, chosen), halves)
        values, pullback = halves.run(ordered, sizes, into)
        return _returned(values), pullback

    def _made_halves(self, bound: Call, wrt: Wrt) -> Halves | Function:
        """What `vjp` runs for a call; or the function of its numbers, where an extent is 0."""
        from tadc.runtime.element_types import is_real
        from tadc.runtime.pullback import Halves

        types = {n: a.dtype if is_real(a.dtype) else None for n, a in bound.arrays.items()}
        chosen = self._wrt(wrt, [n for n, t in types.items() if t is not None])
        dtype = self.calls.element_type(bound)
        forward, backward = self._halves(chosen, bound.sizes, dtype)
        if self._program.sizes and any(
            f._program.is_empty(bound.sizes) for f in (forward, backward)
        ):
            return self._of_numbers({s: bound.sizes[s] for s in self._program.sizes})
        backward.calls.prepare(bound.sizes, dtype, self.calls.backend(bound))
        gradients = tuple(types[x] for x in chosen)
        return Halves(forward.calls, backward.calls, self.outputs, chosen, gradients)

    def graph(
        self, /, *arrays: Any, cotangents: Any = None, wrt: Wrt = None, **named: Any
    ) -> Callable[[], Any]:
        """A call on a GPU as a graph of CUDA: a function that launches it once more, as one, on the current stream.

        A launch returns the outputs, and with `cotangents` (as for the pullback of `vjp`) the outputs and a dict of the
        gradients. It reads the given arrays as they are then, and returns the same arrays every time. Raises
        ArgumentError for arrays that are not on a GPU, and what the call raises.
        """
        from tadc.runtime.cuda.arrays import on_one_device
        from tadc.runtime.cuda.graph import Graph, of_gpu
        from tadc.runtime.pullback import seeds

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
        given_seeds = seeds(self.outputs, cotangents)
        named_so = {
            f"d{f}": v for f, v in zip(self.outputs, given_seeds, strict=True) if v is not None
        }
        on_gpu = of_gpu(named_so)
        on_device = tuple(on_gpu.get(f"d{f}") for f in self.outputs)

        def call() -> tuple[Any, dict[str, Array]]:
            values, pullback = self.vjp(wrt=wrt, **arguments)
            return values, pullback(*on_device)

        return Graph(call, on_one_device([*inputs.items(), *on_gpu.items()]))

    def jvp(
        self,
        primals: Mapping[str, Any],
        tangents: Mapping[str, Any],
        *,
        out: Any = None,
        accumulate: bool = False,
    ) -> tuple[Any, Any]:
        """The outputs and their tangents. An input left out of `tangents` is not differentiated by.

        `out` and `accumulate` are for the tangents, as those of a call are for the outputs, whose names a dict has.
        """
        for what, given in (("primals", primals), ("tangents", tangents)):
            if not isinstance(given, Mapping):
                raise ArgumentError(
                    None, f"`{what}` is no dict", fix="give arrays by input: {'x': x}"
                )
        if self._open is not None:
            f, named = self._of_call((), primals)
            return f.jvp(named, tangents, out=out, accumulate=accumulate)
        from tadc.runtime.calls import signature

        into = self._targets(out)
        count = len(self.outputs)
        arrays, sizes = self.calls.ordered((), primals)
        chosen = tuple([x for x in self.inputs if x in tangents])
        if len(chosen) < len(tangents):
            self._wrt(tuple(tangents), ())
        key = signature(arrays, sizes)
        types = None if key is None else self._value_types.get(key)
        if types is None:
            call = self.calls.bound(arrays, sizes)
            types = self.calls.types(call)
            if key is not None:
                self._value_types.keep(key, types)
        both = self._derivative("jvp", chosen).calls(
            (*arrays, *map(tangents.__getitem__, chosen)),
            sizes,
            (*(None,) * count, *into) if into else (),
            accumulate,
            (*types, *(None,) * count),
        )
        return _returned(both[:count]), _returned(both[count:])

    def check(self, /, *, seed: int = 0, **sizes: int) -> Report:
        """Compare derivatives with numeric differentiation, and backends with each other, on random input.

        Sizes that are not given are chosen small; the report says which. It is true when all agree.
        """
        from tadc.check import check

        return check(self, size_number("`seed`", seed), self._numbers(sizes))

    # ------------------------------------------------------------------ what it costs

    def cost(self, /, *, mode: str = "primal", **sizes: int) -> Cost:
        """Operations and bytes of every kernel for these sizes, and as formulas of the sizes; without any, as formulas alone.

        `mode` is "primal", "adjoint", "tangent", or "vjp": the value and all gradients as `vjp` and its pullback run
        them. Bytes are those of float64 unless `dtype` says otherwise. Raises ShapeError where some sizes are given and
        one is missing, ArgumentError for one that there is not.
        """
        from tadc.schedule.nest.cost import Cost, program_cost

        total = Cost(())
        options = self._origin.options
        for part, numbers, dtype in self._runs(mode, sizes):
            run = compiler.module(part._program, part._mode, numbers, dtype, options)
            forward = part._mode == "forward"
            residuals = set(part.outputs) - set(self.outputs) if forward else set()
            total += program_cost(run.program, run.kernels, numbers, dtype, residuals)
        return total

    def prove(self, /, **sizes: int) -> Proofs:
        """Proofs that reads are inside their tensors, that gradients gather each point once, and that loops visit what sums
        say: for all sizes at once, but those that are given, as equality of Presburger sets.

        True when all hold. Raises BackendError without islpy (`tadc[prove]`), and SyntaxError where a size multiplies or
        divides an index and has no number.
        """
        from tadc.prove import Report, prove

        f = self.fix(**sizes)
        adjoint = f.adjoint().program if f.inputs else None
        checks = f._resolved.checks
        return Report(sizes, tuple(prove(f.program, checks, adjoint, f.inputs)))

    def plan(self, /, *, mode: str = "primal", **sizes: int) -> Plan:
        """What is stored, and how each kernel runs, in words: with `backend="cuda"` on a GPU, else on a CPU. As `cost`."""
        from tadc.schedule.plan import Plan

        total = Plan((), {})
        for part, numbers, dtype in self._runs(mode, sizes):
            total += part._plan(numbers, dtype)
        return total

    def _plan(self, sizes: Mapping[str, int] | None, dtype: str) -> Plan:
        """The plan of what runs the program, with numbers for all of its sizes, or for none."""
        from tadc.runtime.cpu.native import NativeRunner
        from tadc.runtime.cuda.launch import CudaRunner
        from tadc.schedule.plan import cpu_plan, gpu_plan

        options = self._origin.options
        if options.backend == "cuda":
            gpu = CudaRunner(self._program, dtype, options).lowered(sizes)  # type: ignore[arg-type]
            return gpu_plan(gpu, self._mode, sizes, dtype)
        cpu = NativeRunner(self._program, dtype, options).lowered(sizes)  # type: ignore[arg-type]
        return cpu_plan(cpu, self._mode, sizes, dtype)

    def _runs(
        self, mode: str, sizes: Mapping[str, int]
    ) -> Iterator[tuple[Function, dict[str, int] | None, str]]:
        """The functions that are run for a mode, with the values of all sizes, if any, and the element type."""
        from tadc.runtime.binding import bind_sizes

        f, numbers = self._with_numbers(sizes)
        values = bind_sizes(f._program, {}, numbers) if sizes or not f.sizes else None
        dtype = self._origin.options.dtype or "float64"
        for part in f._parts(mode, values):
            yield part, values, dtype

    def _with_numbers(self, sizes: Mapping[str, int]) -> tuple[Function, dict[str, int]]:
        """The function with numbers for the sizes that need them, and the numbers of its other sizes."""
        numbers = self._numbers(sizes)
        if self._open is None:
            return self, numbers
        missing = [s for s in self.open_sizes if s not in numbers]
        if missing:
            raise self._open.refusal(missing)
        return self._of_numbers({s: numbers.pop(s) for s in self.open_sizes}), numbers

    def _parts(self, mode: str, sizes: Mapping[str, int] | None) -> tuple[Function, ...]:
        """The functions that are run for a mode, one after the other; as if all fitted into memory where there are no sizes."""
        match mode:
            case "primal":
                return (self,)
            case "adjoint":
                return (self.adjoint(),)
            case "tangent":
                return (self.tangent(),)
            case "vjp":
                wrt = self._wrt(None, self.inputs)
                options = self._origin.options
                dtype = options.dtype or "float64"
                halves = dtype not in HALF_TYPES and options.backend != "interpreter"
                if sizes is None and halves:
                    return self._derivative("forward", wrt), self._derivative("backward", wrt)
                if sizes is None:
                    return self, self.adjoint(wrt)
                return self._halves(wrt, sizes, dtype)
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
        from tadc.schedule.nest.memory import oversized

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

    @with_argument_errors
    def adjoint(self, wrt: Wrt = None) -> Function:
        """The adjoint program. Inputs: those of this one, then `d<output>`..; outputs: `d<input>` for each of `wrt`."""
        return self._derivative("adjoint", self._wrt(wrt, self.inputs))

    @with_argument_errors
    def tangent(self, wrt: Wrt = None) -> Function:
        """The tangent program. Inputs: those of this one, then `d<input>` for each of `wrt`; outputs: `d<output>`."""
        return self._derivative("tangent", self._wrt(wrt, self.inputs))

    @with_argument_errors
    def gradient(self, wrt: Wrt = None) -> Function:
        """The gradient of a scalar output: the adjoint with cotangent 1. Raises DerivativeError for any other output."""
        self._one_output("gradient", scalar=True)
        return self._derivative("gradient", self._wrt(wrt, self.inputs))

    @with_argument_errors
    def jacobian(self, wrt: Wrt = None) -> Function:
        """The dense Jacobian of the single output by one input, `d<output>_d<input>`: shapes one after the other."""
        self._one_output("jacobian", scalar=False)
        return self._derivative("jacobian", self._one_input("jacobian", wrt))

    @with_argument_errors
    def hessian(self, wrt: Wrt = None) -> Function:
        """The Hessian of a scalar output by one input, `d2<output>_d<input>`."""
        self._one_output("hessian", scalar=True)
        return self._derivative("hessian", self._one_input("hessian", wrt))

    @with_argument_errors
    def hvp(self, wrt: Wrt = None) -> Function:
        """Products with the Hessian of a scalar output. Inputs: those of this one, then `d<input>` for each of `wrt`."""
        self._one_output("hvp", scalar=True)
        return self._derivative("hvp", self._wrt(wrt, self.inputs))

    def _derivative(self, mode: str, wrt: tuple[str, ...]) -> Function:
        key = (mode, wrt)
        if key not in self._derived:
            if mode in ("forward", "backward"):
                made_from = self._origin.key, "vjp", wrt
                halves = disk_cached(made_from, lambda: compiler.vjp_programs(self._program, wrt))
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

    def rank(self, name: str) -> int | None:
        """How many dimensions an input or an output has; None for any other name."""
        tensor = self._program.tensors.get(name)
        return None if tensor is None else len(tensor.shape)

    def of_call(self, named: Mapping[str, Any]) -> tuple[Function, dict[str, Any]]:
        """The function that a call with these arguments runs, which has its program, and what is left of them for it."""
        return (self, dict(named)) if self._open is None else self._of_call((), named)

    def _of_call(
        self, arrays: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Function, dict[str, Any]]:
        """The function for the open sizes of this call, and its named arguments without them."""
        from tadc.runtime.arguments import bound_arguments

        assert self._open is not None
        bound = bound_arguments(replace(self._program, sizes=self.sizes), arrays, named)
        shapes = {n: a.shape for n, a in bound.arrays.items()}
        key = (tuple(shapes.items()), tuple(sorted(bound.sizes.items())))
        numbers = self._numbers_of_calls.of(key, lambda: self._numbers_of(shapes, bound.sizes))
        return self._of_numbers(numbers), {n: a for n, a in named.items() if n not in numbers}

    def _numbers_of(
        self, shapes: Mapping[str, Sequence[int]], given: Mapping[str, int]
    ) -> dict[str, int]:
        assert self._open is not None
        return self._open.numbers(shapes, given)

    def _targets(self, out: Any) -> tuple[Any, ...]:
        if out is None:
            return ()
        from tadc.runtime.arguments import targets

        return targets(self.outputs, out, "outputs")


def _returned(results: Sequence[Array]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


def _text(source: Any) -> str:
    if not isinstance(source, str):
        raise ArgumentError(
            None,
            f"the source is a {type(source).__name__}",
            fix="pass a string, and for a file `tadc.load(path)`",
        )
    return source


def _compiled(source: Source, lang: Literal["idx", "tex"], options: Options) -> Function:
    if lang not in ("idx", "tex"):
        raise ArgumentError(None, f"`lang` is {lang!r}", fix="use 'idx' or 'tex'")
    name = identifier(options.name or "program")
    origin = _Origin(source, lang, options)
    try:
        resolved = disk_cached(
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
    source, lang, options = origin.source, origin.lang, origin.options
    for number in STAND_INS:
        stand_ins: dict[str, int] = {}
        problem = error
        while all(e.sizes for e in problem.errors) and not stand_ins.keys() >= {
            s for e in problem.errors for s in e.sizes
        }:
            stand_ins |= {s: number for e in problem.errors for s in e.sizes}
            sizes = {**options.sizes, **stand_ins}
            try:
                resolved = compiler.front(source, lang, name, sizes, options.index_base)
            except Error as next_:
                problem = next_
                continue
            tree = compiler.parsed(source, lang)
            names = tuple(stand_ins)
            open_ = OpenSizes(
                error, names, tree, options.sizes, options.index_base, resolved.extents
            )
            return Function(origin, resolved, resolved.program, "primal", open_)
    return None


def in_mode(f: Function, mode: str, wrt: Wrt = None) -> Function:
    """The function in one of the command line's modes: itself, or a derivative; "vjp" is value and gradients together."""
    match mode:
        case "primal":
            f._wrt(wrt, f.inputs)
            return f
        case "adjoint":
            return f.adjoint(wrt)
        case "tangent":
            return f.tangent(wrt)
        case "jacobian":
            return f.jacobian(wrt)
        case "gradient":
            return f.gradient(wrt)
        case "hessian":
            return f.hessian(wrt)
        case "hvp":
            return f.hvp(wrt)
        case _:
            assert mode == "vjp", mode
            return f._derivative("vjp", f._wrt(wrt, f.inputs))


def _derived(f: Function, mode: str, wrt: tuple[str, ...]) -> Function:
    key = f._origin.key, mode, wrt
    return _function(f, mode, wrt, disk_cached(key, lambda: _derivative_of(f._program, mode, wrt)))


def _derivative_of(program: Program, mode: str, wrt: tuple[str, ...]) -> Program:
    match mode:
        case "adjoint":
            return compiler.adjoint_program(program, wrt)
        case "tangent":
            return compiler.tangent_program(program, wrt)
        case "vjp":
            return compiler.vjp_program(program, wrt)
        case "jvp":
            return compiler.jvp_program(program, wrt)
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
