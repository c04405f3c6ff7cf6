"""The public object: a program as a function of arrays, and its derivatives as functions again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from tadc.bounded_cache import BoundedCache
from tadc.errors import ArgumentError, Span
from tadc.function.data import holds_floats, refuse_data
from tadc.function.derivatives import Wrt, derivative, derived_programs
from tadc.function.foreign import framework_of
from tadc.function.letters import own_letters
from tadc.function.open_sizes import OpenSizes
from tadc.function.origin import Derivation, Origin
from tadc.function.reading import reading_lines
from tadc.function.signature import signature, with_argument_errors, with_names
from tadc.function.targets import source
from tadc.inplace.versions import TooManyVersions
from tadc.ir.element_types import INDEX
from tadc.ir.program import Program
from tadc.options import Options, size_number
from tadc.printing.idx import program_text, tensor_text
from tadc.printing.tex import tex_display
from tadc.resolve.resolve import Resolved

if TYPE_CHECKING:  # text is compiled without numpy, and without what calls need
    from inspect import Signature

    from numpy.typing import NDArray

    from tadc.blocks.footprints import Footprint
    from tadc.check import Report
    from tadc.function.inverse import Inverse
    from tadc.function.inverse_modes import InverseMode
    from tadc.function.jvp import Jvp
    from tadc.function.newton import Solution
    from tadc.function.value_and_gradients import ValueAndGradients
    from tadc.function.vjp import Vjp
    from tadc.prove import Report as Proofs
    from tadc.runtime.calls import Calls
    from tadc.schedule.nest.cost import Cost
    from tadc.schedule.plan import Plan
    from tadc.syntax.ast import Note, Request

__all__ = ["Function"]

Array: TypeAlias = "NDArray[Any]"

MOST_ROWS = 4096  # of a dense system of an inverse mode, unless `dense_limit` says otherwise
MOST_CLOSED = 64  # sets of sizes for which functions are kept


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
        origin: Origin,
        resolved: Resolved,
        program: Program,
        mode: str,
        open_: OpenSizes | None = None,
        base: Function | None = None,
    ) -> None:
        self._origin = origin
        self._base = base  # the function that this is a derivative of
        self._wrapped: dict[str, Any] = {}  # for arrays of frameworks, by the framework's name
        self._open = open_  # then `program` has other numbers, and tells inputs and outputs only
        self._resolved = resolved
        self._program = program
        self._mode = mode
        self._derived: dict[Derivation, Function] = {}
        self._with_floats: dict[tuple[str, ...], Function] = {}  # by inputs that hold floats
        self._closed: BoundedCache[Function] = BoundedCache(MOST_CLOSED)
        self._numbers_of_calls: BoundedCache[dict[str, int]] = BoundedCache(MOST_CLOSED)

    @classmethod
    def _of(cls, origin: Origin) -> Function:
        """The function of a text, or the derivative that was taken last; a `RolledFunction` for a text with long loops."""
        base = replace(origin, derivations=())
        try:
            resolved, open_ = base.resolved()
            f = cls(base, resolved, resolved.program, "primal", open_)
        except TooManyVersions:
            from tadc.function.rounds import RolledFunction

            f = cast("Function", RolledFunction(base, Function._of))  # used as one
        for mode, wrt in origin.derivations:
            f = f._derivative(mode, wrt)
        return f

    @property
    def _options(self) -> Options:
        return self._origin.options

    # ------------------------------------------------------------------ properties

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

    @property
    def notes(self) -> tuple[Note, ...]:
        """How a LaTeX document was read, where it does not say so itself: `.text`, `.span`, and `.is_guess`."""
        return self._resolved.notes

    @property
    def request(self) -> Request | None:
        r"""The derivative that a LaTeX document asks for by a display `\frac{\partial f}{\partial x_i}`; `compile` and `load` give it."""
        return self._resolved.request

    @property
    def reading(self) -> str:
        """How a LaTeX document was read: each formula as a statement, ranges and their reasons, notes, what was skipped and why."""
        if self._origin.lang != "tex":
            return ""
        return "".join(f"{line}\n" for line in reading_lines(self._origin.tree(), self._resolved))

    @with_argument_errors
    def fix(self, /, **sizes: int) -> Function:
        """The same function with these sizes as numbers. Raises ArgumentError for names that are no sizes of it."""
        numbers = self._numbers(sizes)
        return self._of_numbers(numbers) if numbers else self

    def _numbers(self, sizes: Mapping[str, Any]) -> dict[str, int]:
        """The given numbers of sizes. Raises ArgumentError for unknown sizes and for values that are no numbers."""
        numbers = {s: size_number(f"the size `{s}`", n) for s, n in sizes.items()}
        for size in numbers:
            if size not in self.sizes:
                if size in self._resolved.places and size not in self.inputs:
                    from tadc.runtime.arguments import has_a_number

                    raise has_a_number(size)
                known = ", ".join(self.sizes) or "none"
                raise ArgumentError(
                    None, f"there is no size `{size}`", fix=f"the sizes are: {known}"
                )
        return numbers

    def shown(self, name: str) -> str:
        """The name that the text has for a tensor: versions of a state are the state."""
        return self._resolved.versions.get(name, name)

    @property
    def states(self) -> Mapping[str, str]:
        """The states, each with the output that is its value after the program; a derivative has none."""
        states = {} if self._base is not None else self._resolved.states
        return {x: y for x, y in states.items() if y in self.outputs}

    @property
    def real_inputs(self) -> tuple[str, ...]:
        """The inputs that there are derivatives by."""
        tensors = self._program.inputs
        return tuple(t.name for t in tensors if t.dtype is None or t.dtype.startswith("float"))

    @property
    def index_inputs(self) -> tuple[str, ...]:
        """The inputs whose elements are indices: there is no derivative by them."""
        return tuple(t.name for t in self._program.inputs if t.dtype == INDEX)

    def with_values(
        self, arrays: Sequence[Any], named: Mapping[str, Any], wrt: Wrt = None
    ) -> Function:
        """The function for arrays of floats where an input is compared with indices, and for derivatives by such an input;
        itself where these are of integers.
        """
        undecided = self._resolved.undecided
        if not undecided:
            return self
        given = dict(zip(self.inputs, arrays, strict=False)) | dict(named)
        asked = {wrt} if isinstance(wrt, str) else {*wrt} if isinstance(wrt, Collection) else set()
        floats = {n for n in undecided if n in given and holds_floats(given[n])}
        return self._of_values(tuple(n for n in undecided if n in floats | asked))

    def of_values(self) -> Function:
        """The function to which inputs that are compared with indices, and no more, are values: no index tensor of them
        is asked for, and all backends run it.
        """
        return self._of_values(self._resolved.undecided)

    def _of_values(self, values: tuple[str, ...]) -> Function:
        if not values:
            return self
        if values not in self._with_floats:
            self._with_floats[values] = Function._of(replace(self._origin, values=values))
        return self._with_floats[values]

    @property
    def _tree(self) -> OpenSizes | None:
        """The source of a program whose sizes need numbers first, if it is one; derivatives have no text then."""
        return None if self._origin.derivations else self._open

    def __str__(self) -> str:
        return self._tree.text() if self._tree is not None else program_text(self.program)

    def _repr_latex_(self) -> str | None:
        if self._tree is not None:
            return self._tree.tex_display()
        return None if self._open is not None else tex_display(self._program, own_letters(self))

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
        """The signature of a call, for `inspect.signature` and editors."""
        shapes = {s for t in self._program.inputs for n in t.shape for s in n.symbols}
        shown = shapes if self._open is None else {*shapes, *self._open.shown()}
        groups: dict[bool, list[str]] = {True: [], False: []}
        for size in self.sizes:
            groups[size in shown].append(size)
        return signature(self.inputs, groups[True], groups[False])

    def __reduce__(self) -> tuple[Any, ...]:
        return Function._of, (self._origin,)

    @with_argument_errors
    def source(self, target: str = "idx") -> str:
        """The function as text: "idx", "latex", "cuda", "opencl", "c", "numpy"; of an adjoint also "cuda-atomic".

        Generated for float32 unless `dtype` says otherwise. Raises ArgumentError for another target, BackendError for
        elements that it has not, and SyntaxError where a size has to have a number first.
        """
        return source(self, target)

    # ------------------------------------------------------------------ calls

    def __call__(
        self, /, *arrays: Any, out: Any = None, accumulate: bool = False, **named: Any
    ) -> Any:
        """The output, or a tuple of them in the order of `outputs`.

        `out` is an array, a tuple or a dict of arrays to write to; `accumulate` adds to them instead. Raises
        ArgumentError, ShapeError and RangeError for arguments that do not fit.
        """
        framework = framework_of((*arrays, *named.values()))
        if framework is not None:
            return framework.called(self, arrays, named, out, accumulate)
        if (f := self.with_values(arrays, named)) is not self:
            return f(*arrays, out=out, accumulate=accumulate, **named)
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
        framework = framework_of((*arrays, *named.values()))
        if framework is not None:
            outside: tuple[Any, Callable[..., Any]] = framework.vjp(self, arrays, named, wrt, out)
            return outside
        if (f := self.with_values(arrays, named, wrt)) is not self:
            return f.vjp(*arrays, wrt=wrt, out=out, **named)
        if self._open is not None:
            f, named = self._of_call(arrays, named)
            return f.vjp(*arrays, wrt=wrt, out=out, **named)
        values, pullback = self._vjp(arrays, named, wrt, out)
        return _returned(values), pullback

    def value_and_gradients(
        self, /, *arrays: Any, cotangent: Any = None, wrt: Wrt = None, **named: Any
    ) -> tuple[Any, dict[str, Array]]:
        """The outputs, and a dict of gradients by input, from one call.

        The outputs are as those of `f(*arrays)`. `cotangent` is as for the pullback of `vjp`: an array of the
        output's shape, a tuple of one for each of several outputs, in which None is zero; for a scalar output it is 1
        if it is left out. A gradient has the shape and type of its input; `wrt` restricts them, without it all inputs
        with real elements have one. One program computes both where that is cheaper than the two halves of `vjp`.

        Raises ArgumentError where a cotangent is missing, and what a call raises.

        >>> import tadc
        >>> value, gradients = tadc.compile("s = sum{i} x[i]**2").value_and_gradients([1.0, 2.0])
        >>> value.item(), gradients["x"].tolist()
        (5.0, [2.0, 4.0])
        """
        framework = framework_of((*arrays, *named.values()))
        if framework is not None:
            outside: tuple[Any, dict[str, Any]] = framework.value_and_gradients(
                self, arrays, named, cotangent, wrt
            )
            return outside
        if (f := self.with_values(arrays, named, wrt)) is not self:
            return f.value_and_gradients(*arrays, cotangent=cotangent, wrt=wrt, **named)
        if self._open is not None:
            f, named = self._of_call(arrays, named)
            return f.value_and_gradients(*arrays, cotangent=cotangent, wrt=wrt, **named)
        values, gradients = self._value_and_gradients(arrays, named, cotangent, wrt)
        return _returned(values), gradients

    def graph(
        self, /, *arrays: Any, cotangents: Any = None, wrt: Wrt = None, **named: Any
    ) -> Callable[[], Any]:
        """A call on a GPU as a graph of CUDA: a function that launches it once more, as one, on the current stream.

        A launch returns the outputs, and with `cotangents` (as for the pullback of `vjp`) the outputs and a dict of the
        gradients. It reads the given arrays as they are then, and returns the same arrays every time. Raises
        ArgumentError for arrays that are not on a GPU, and any error of the call.
        """
        from tadc.function.graph import graph

        refuse_data(self.of_values(), "`graph`", "call the function on arrays of the CPU")
        if self._open is not None:
            f, named = self._of_call(arrays, named)
            return f.graph(*arrays, cotangents=cotangents, wrt=wrt, **named)
        return graph(self.of_values(), arrays, named, cotangents, wrt)

    @with_argument_errors
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
            if type(given) is not dict and not isinstance(given, Mapping):
                raise ArgumentError(
                    None, f"`{what}` is no dict", fix="give arrays by input: {'x': x}"
                )
        framework = framework_of((*primals.values(), *tangents.values()))
        if framework is not None:
            both: tuple[Any, Any] = framework.jvp(self, primals, tangents, out, accumulate)
            return both
        if (f := self.with_values((), primals, tuple(tangents))) is not self:
            return f.jvp(primals, tangents, out=out, accumulate=accumulate)
        if self._open is not None:
            f, named = self._of_call((), primals)
            return f.jvp(named, tangents, out=out, accumulate=accumulate)
        values, slopes = self._jvp(primals, tangents, out, accumulate)
        return _returned(values), _returned(slopes)

    @with_argument_errors
    def check(self, /, *, seed: int = 0, **sizes: int) -> Report:
        """Compare derivatives with numeric differentiation, and backends with each other, on random input; of a program with
        states also J⁻¹ with J.

        Sizes that are not given are chosen small; the report says which. It is true when all agree.
        """
        from tadc.function.inverse_check import checked

        return checked(self, size_number("`seed`", seed), self._numbers(sizes))

    # ------------------------------------------------------------------ costs

    @with_argument_errors
    def cost(self, /, *, mode: str = "primal", **sizes: int) -> Cost:
        """Operations and bytes of every kernel for these sizes, and as formulas of the sizes; without any, as formulas alone.

        `mode` is "primal", "adjoint", "tangent", or the value and all gradients as they are run by `vjp` and its
        pullback, "vjp", or by `value_and_gradients`; of "inverse-tangent", "inverse-adjoint" and "logdet" the operations are by steps. Bytes are those of float64 unless `dtype` says otherwise. Raises ShapeError where some sizes are given and
        one is missing, ArgumentError for one that there is not. Windows that may overlap, as `e = lo[i]..hi[i]`, count as all of what they read,
        each; `pairs`, where it is no size, is how many elements all of them have together.
        """
        from tadc.function.inverse_modes import inverse_in_mode, is_inverse
        from tadc.function.runs import cost

        if is_inverse(mode):
            return cast("Cost", inverse_in_mode(self, mode, None).cost(**sizes))  # by steps
        return cost(self, mode, sizes)

    @with_argument_errors
    def prove(self, /, **sizes: int) -> Proofs:
        """Proofs that reads are inside their tensors, that gradients gather each point once, and that loops visit what sums
        say: for all sizes at once, but those that are given, as equality of Presburger sets.

        True when all hold. Raises BackendError without islpy (`tadc[prove]`), and SyntaxError where a size multiplies or
        divides an index and has no number.
        """
        from tadc.prove import Report, prove

        refuse_data(
            self.of_values(),
            "`prove`",
            "use `f.check()` for its derivatives; what data decide about reads is checked by each call",
        )
        f = self.of_values().fix(**sizes)
        adjoint = f.adjoint().program if f.inputs else None
        checks = f._resolved.checks
        return Report(sizes, tuple(prove(f.program, checks, adjoint, f.inputs)))

    @with_argument_errors
    def plan(self, /, *, mode: str = "primal", **sizes: int) -> Plan:
        """The plan, in words: the tensors that are stored, and how each kernel runs; with `backend="cuda"` on a GPU, else on a CPU. As `cost`."""
        from tadc.function.inverse_modes import inverse_in_mode, is_inverse, planned_steps
        from tadc.function.runs import plan

        if is_inverse(mode):
            return cast("Plan", inverse_in_mode(self, mode, None).plan(**sizes))  # by steps
        found = plan(self, mode, sizes)
        if mode != "primal" or not self.states:
            return found
        return replace(found, steps=planned_steps(self.fix(**sizes)))

    # ------------------------------------------------------------------ blocks

    @with_argument_errors
    def footprints(
        self, target: str, box: Any, /, *, through: Wrt = (), **sizes: int
    ) -> dict[str, Footprint]:
        """The elements of other tensors that a block of `target` is computed from, by tensor.

        `target` is an output or an intermediate, `box` has a slice or `(low, high)` for each of its dimensions, counted from 0,
        `high` excluded. `through` names intermediates that the block computes itself. A footprint has `.box`, the smallest one
        that holds all, `.boxes`, one a read, `.elements` and `.bytes` (of float64 unless `dtype` says otherwise). A tensor
        that is not read is no key. All sizes are given. Raises ArgumentError and ShapeError for what does not fit.

        >>> import tadc
        >>> f = tadc.compile("y[i: N] = x[pad(i-1)] + x[pad(i+1)]; input x[N]")
        >>> f.footprints("y", (4, 8), N=8)["x"].boxes
        (((5, 8),), ((3, 7),))
        """
        from tadc.function.boxes import footprints_of

        return footprints_of(self, target, box, () if through is None else through, sizes)

    @with_argument_errors
    def block(self, target: str, /, *, split: Wrt = (), through: Wrt = ()) -> Function:
        """The function of a block of `target`, an output or an intermediate: one text for all blocks.

        Its sizes are `o_0`, `n_0`, .. (offset and extent of the block in each dimension), `ro_0`, `rn_0`, .. (of the parts of the
        reduction indices `split`, where the whole statement is a reduction), `x_o0`, `x_n0`, .. (of the slice of `x` that the block
        has, where that does not follow), and those of the whole that still occur; `sizes_of` gives their numbers. Inputs
        are slices. `through` names intermediates that the block computes itself.

        >>> import tadc
        >>> f = tadc.compile("c[i,j] = sum{k} a[i,k]*b[k,j]")
        >>> print(f.block("c"))
        size K, n_0, n_1
        input a[n_0, K], b[K, n_1]
        output c
        c[i: n_0, j: n_1] = sum{k=0..K - 1} a[i, k]*b[k, j]
        <BLANKLINE>
        """
        from tadc.function.boxes import block_of

        return block_of(self, target, split or (), through or ())

    @with_argument_errors
    def sizes_of(self, box: Any, cut: Any = (), /, **sizes: int) -> dict[str, int]:
        """The numbers of a block's sizes at a place: `box` of the target, `cut` of the indices in `split`; `sizes` of the whole.

        Raises ArgumentError for a function that no `block` made, and for places outside of the whole.
        """
        from tadc.function.boxes import block_sizes

        numbers = block_sizes(self, box, cut, sizes).sizes
        return {s: numbers[s] for s in self._program.sizes}

    def _with_numbers(self, sizes: Mapping[str, int]) -> tuple[Function, dict[str, int]]:
        """The function with numbers for the sizes that need them, and the numbers of its other sizes."""
        numbers = self._numbers(sizes)
        if self._open is None:
            return self, numbers
        missing = [s for s in self.open_sizes if s not in numbers]
        if missing:
            raise self._open.refusal(missing)
        return self._of_numbers({s: numbers.pop(s) for s in self.open_sizes}), numbers

    # ------------------------------------------------------------------ derivatives

    @with_argument_errors
    def adjoint(self, wrt: Wrt = None) -> Function:
        """The adjoint program. Inputs: those of this one, then `d<output>`..; outputs: `d<input>` for each of `wrt`."""
        return derivative(self, "adjoint", wrt)

    @with_argument_errors
    def tangent(self, wrt: Wrt = None) -> Function:
        """The tangent program. Inputs: those of this one, then `d<input>` for each of `wrt`; outputs: `d<output>`."""
        return derivative(self, "tangent", wrt)

    @with_argument_errors
    def gradient(self, wrt: Wrt = None) -> Function:
        """The gradient of a scalar output: the adjoint with cotangent 1. Raises DerivativeError for any other output."""
        return derivative(self, "gradient", wrt)

    @with_argument_errors
    def jacobian(self, wrt: Wrt = None) -> Function:
        """The dense Jacobian of the single output by one input, `d<output>_d<input>`: shapes one after the other."""
        return derivative(self, "jacobian", wrt)

    @with_argument_errors
    def hessian(self, wrt: Wrt = None) -> Function:
        """The Hessian of a scalar output by one input, `d2<output>_d<input>`."""
        return derivative(self, "hessian", wrt)

    @with_argument_errors
    def hvp(self, wrt: Wrt = None) -> Function:
        """Products with the Hessian of a scalar output. Inputs: those of this one, then `d<input>` for each of `wrt`."""
        return derivative(self, "hvp", wrt)

    # ------------------------------------------------------------------ inverses

    @with_argument_errors
    def inverse_tangent(
        self,
        wrt: Wrt = None,
        of: Wrt = None,
        *,
        solver: str = "direct",
        memory: str | None = None,
        dense_limit: int = MOST_ROWS,
    ) -> InverseMode:
        """J⁻¹v: inputs of this function, then `d<output>` for each of `of`; outputs `d<input>` for each of `wrt`.

        `wrt` and `of` are by default the states, without states all real inputs and all outputs; they have equally many
        elements. `dense_limit` bounds the rows of dense systems, which `solver="krylov"` solves by GMRES with
        products instead, as far as rounding (ConvergenceError where it does not get there); `memory` "materialize" keeps
        the values before each step or round, "recompute" those before some, and "reverse" none: steps are undone, which takes
        such as are affine in what they replace, and `.drift` is the error of the start that is come back to. Raises DerivativeError for a Jacobian that is singular at
        every point, as soon as sizes have numbers; a call raises SingularError for one that is singular at its point.

        >>> import tadc
        >>> f = tadc.compile("state a, b; b <- b*(1 + a**2) + a")
        >>> da, db = f.inverse_tangent()(2.0, 3.0, 1.0, 18.0)
        >>> da.item(), db.item()
        (1.0, 1.0)
        """
        from tadc.function.inverse_modes import InverseMode, sides_of
        from tadc.function.krylov import Solver

        sides = sides_of(self, wrt, of)
        return InverseMode(
            self, "inverse-tangent", sides, solver=Solver.of(dense_limit, solver), memory=memory
        )

    @with_argument_errors
    def inverse_adjoint(
        self,
        wrt: Wrt = None,
        of: Wrt = None,
        *,
        solver: str = "direct",
        dense_limit: int = MOST_ROWS,
    ) -> InverseMode:
        """J⁻ᵀw: inputs of this function, then `d<input>` for each of `wrt`; outputs `d<output>` for each of `of`.

        It runs with the primal, from the first step to the last, and stores nothing. The rest as `inverse_tangent`.
        """
        from tadc.function.inverse_modes import InverseMode, sides_of
        from tadc.function.krylov import Solver

        sides = sides_of(self, wrt, of)
        return InverseMode(self, "inverse-adjoint", sides, solver=Solver.of(dense_limit, solver))

    @with_argument_errors
    def logdet(
        self,
        wrt: Wrt = None,
        of: Wrt = None,
        *,
        batch_dims: int = 0,
        dense_limit: int = MOST_ROWS,
    ) -> InverseMode:
        """Log |det J|, from the inputs of this function: a scalar.

        With `batch_dims` one number a sample, the samples being the first dimensions of every tensor that is replaced: a
        DerivativeError where a read mixes them. The rest as `inverse_tangent`.
        """
        from tadc.function.inverse_modes import InverseMode, sides_of
        from tadc.function.krylov import Solver

        sides = sides_of(self, wrt, of)
        samples = size_number("`batch_dims`", batch_dims)
        return InverseMode(
            self, "logdet", sides, solver=Solver.of(dense_limit, "direct"), batch_dims=samples
        )

    @with_argument_errors
    def inverse(
        self,
        /,
        *arrays: Any,
        wrt: Wrt = None,
        of: Wrt = None,
        refine: int = 0,
        check: bool = True,
        solver: str = "direct",
        dense_limit: int = MOST_ROWS,
        **named: Any,
    ) -> Inverse:
        """The inverse of the Jacobian at a point, factored: `.value`, `.tangent(dy)`, `.adjoint(dx)`, `.logdet`, `.condition()`.

        `refine` products with J improve each result of `.tangent`. The rest as `inverse_tangent`.
        """
        from tadc.function.inverse import Inverse
        from tadc.function.inverse_modes import sides_of
        from tadc.function.krylov import Solver

        given = with_names(self.inputs, arrays, named)
        sides = sides_of(self, wrt, of)
        return Inverse.at(
            self, sides, given, refine=refine, check=check, solver=Solver.of(dense_limit, solver)
        )

    @with_argument_errors
    def newton(
        self,
        /,
        *arrays: Any,
        target: Any = 0,
        wrt: Wrt = None,
        of: Wrt = None,
        tol: float | None = None,
        max_iterations: int = 50,
        line_search: bool = True,
        solver: str = "direct",
        dense_limit: int = MOST_ROWS,
        **named: Any,
    ) -> Solution:
        """The solution of `f = target` by Newton's method from the given start: `.x`, `.iterations`, `.residual`, `.history`.

        `target` is a number, an array (for one output), a tuple in the order of `of`, or a dict. `tol` is on the largest
        residual, by default `1e3 * eps * max(1, abs target)`. A step is halved while the residual does not fall
        (`line_search`). Raises ConvergenceError, whose `.result` is what was reached, and SingularError.

        >>> import tadc
        >>> f = tadc.compile("state a, b; a <- a**2 + b; b <- b**2 + a")
        >>> solution = f.newton(1.5, 2.5, target=(3.0, 7.0))
        >>> round(solution.x["a"].item(), 12), round(solution.x["b"].item(), 12)
        (1.0, 2.0)
        """
        from tadc.function.inverse_modes import sides_of
        from tadc.function.krylov import Solver
        from tadc.function.newton import newton

        given = with_names(self.inputs, arrays, named)
        sides = sides_of(self, wrt, of)
        return newton(
            self,
            sides,
            given,
            target,
            tol,
            max_iterations,
            line_search=line_search,
            solver=Solver.of(dense_limit, solver),
        )

    def _derivative(self, mode: str, wrt: tuple[str, ...]) -> Function:
        """The derivative of this mode by these inputs."""
        if (mode, wrt) not in self._derived:
            programs = derived_programs(self._origin.key, self._program, mode, wrt)
            for derived, program in programs.items():
                taken = (*self._origin.derivations, (derived, wrt))
                origin = replace(self._origin, derivations=taken)
                resolved = self._resolved
                if derived == "block":
                    from tadc.function.boxes import of_block

                    resolved = of_block(resolved, program)
                f = Function(origin, resolved, program, derived, self._open, self)
                self._derived[derived, wrt] = f
        return self._derived[mode, wrt]

    # ------------------------------------------------------------------ running

    @cached_property
    def calls(self) -> Calls:
        """The binder of arguments, which also runs the program."""
        from tadc.runtime.calls import Calls

        return Calls(self._program, self._resolved, self._options, self._for_numbers)

    @cached_property
    def _vjp(self) -> Vjp:
        from tadc.function.vjp import Vjp

        return Vjp(self)

    @cached_property
    def _value_and_gradients(self) -> ValueAndGradients:
        from tadc.function.value_and_gradients import ValueAndGradients

        return ValueAndGradients(self)

    @cached_property
    def _jvp(self) -> Jvp:
        from tadc.function.jvp import Jvp

        return Jvp(self)

    def _for_numbers(self, sizes: Mapping[str, int]) -> Calls:
        """The calls of the program whose sizes are all numbers."""
        return self._of_numbers(sizes).calls

    def _of_numbers(self, sizes: Mapping[str, int]) -> Function:
        """The same function, compiled for these sizes alone."""
        return self._closed.of(tuple(sizes.items()), lambda: self._closed_for(sizes))

    def _closed_for(self, sizes: Mapping[str, int]) -> Function:
        """The same function for these sizes: derived again, since simplifications may not hold where one is 0.

        Its inputs and outputs stand in the same order, and names of derivatives may differ.
        """
        base = self._base
        if base is None:
            return self._of(self._origin.with_sizes(sizes))
        mode, chosen = self._origin.derivations[-1]
        known = {s: n for s, n in sizes.items() if s in base.sizes}
        empty = len(known) == len(base.sizes) and base._is_empty(known)
        if mode in ("batched", "block") and not empty:
            return self._derivative("fixed", tuple(f"{s}={n}" for s, n in sizes.items()))
        closed = base._of_numbers(known) if known else base
        before, after = (
            (base.outputs, closed.outputs) if mode == "only" else (base.inputs, closed.inputs)
        )
        f = closed._derivative(mode, tuple(after[before.index(n)] for n in chosen))
        left = {s: n for s, n in sizes.items() if s not in known}
        numbers = zip(f.sizes, left.values(), strict=True)  # names may differ, the order does not
        return f._derivative("fixed", tuple(f"{s}={n}" for s, n in numbers)) if left else f

    def _is_empty(self, sizes: Mapping[str, int]) -> bool:
        """Whether a size or an extent is 0, for these numbers of all sizes."""
        return self._program.is_empty(self._program.size_values(sizes))

    def rank(self, name: str) -> int | None:
        """The number of dimensions of an input or an output; None for any other name."""
        tensor = self._program.tensors.get(name)
        return None if tensor is None else len(tensor.shape)

    def declared(self, name: str) -> str | None:
        """The element type that the text gives an input or an output; None where it gives none."""
        return self._program.tensors[name].dtype

    def of_call(self, named: Mapping[str, Any]) -> tuple[Function, dict[str, Any]]:
        """The function that a call with these arguments runs, which has its program, and the remaining arguments for it."""
        return (self, dict(named)) if self._open is None else self._of_call((), named)

    def _of_call(
        self, arrays: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Function, dict[str, Any]]:
        """The function for the open sizes of this call, and its named arguments without them."""
        from tadc.runtime.arguments import bound_arguments

        bound = bound_arguments(replace(self._program, sizes=self.sizes), arrays, named)
        f, left = self.of_shapes({n: a.shape for n, a in bound.arrays.items()}, bound.sizes)
        return f, {n: a for n, a in named.items() if n not in bound.sizes or n in left}

    def of_shapes(
        self, shapes: Mapping[str, Sequence[int]], given: Mapping[str, int]
    ) -> tuple[Function, dict[str, int]]:
        """The function for the open sizes of a call with these shapes and sizes, and the other sizes."""
        key = (tuple(shapes.items()), tuple(sorted(given.items())))
        numbers = self._numbers_of_calls.of(key, lambda: self._numbers_of(shapes, given))
        return self._of_numbers(numbers), {s: n for s, n in given.items() if s not in numbers}

    def _numbers_of(
        self, shapes: Mapping[str, Sequence[int]], given: Mapping[str, int]
    ) -> dict[str, int]:
        assert self._open is not None
        return self._open.numbers(shapes, given)

    def _targets(self, out: Any) -> tuple[Any, ...]:
        if out is None:
            return ()
        from tadc.runtime.arguments import targets

        return targets(self.outputs, out, "output")


def _returned(results: Sequence[Array]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)
