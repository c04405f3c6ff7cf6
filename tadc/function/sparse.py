"""Functions with sparse tensors: a function of the arrays in their stead, called with sparse arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from tadc.errors import ArgumentError, BackendError, DerivativeError
from tadc.function.derivatives import HALVES, Wrt, chosen_inputs, derivative
from tadc.function.foreign import framework_of
from tadc.function.signature import signature, with_argument_errors, with_names
from tadc.ir.sparse import Sparse
from tadc.options import size_number
from tadc.printing.idx import program_text

if TYPE_CHECKING:
    from inspect import Signature

    from tadc.function.function import Function
    from tadc.runtime.sparse import Pattern, Stored
    from tadc.schedule.plan import Plan

__all__ = ["SparseFunction", "with_sparse"]

# Members that mean the same of the function of arrays.
SAME = {
    *(
        "name",
        "program",
        "notes",
        "skipped",
        "reading",
        "request",
        "ranges",
        "states",
        "open_sizes",
    ),
    *("cost", "check", "prove", "shown", "_origin", "_options", "_mode"),
}
JACOBIANS = ("jacobian", "hessian")


def with_sparse(f: Function) -> Function:
    """The function for calls with sparse arrays; itself where its text declares none."""
    resolved = getattr(f, "_resolved", None) if type(f).__name__ == "Function" else None
    if resolved is None or not resolved.sparse:
        return f
    return cast(
        "Function", SparseFunction(f, {s.values: s for s in resolved.sparse})
    )  # used as one


@dataclass(frozen=True, slots=True)
class _Call:
    """Arguments of a call: those of the function of arrays, and the sparse ones by the tensor whose pattern they have."""

    arrays: list[Any]
    sizes: dict[str, Any]
    sparse: Mapping[str, Stored]


class SparseFunction:
    """A function with sparse tensors. It is called as a `Function`, and has the same members.

    `plain` has arrays in their stead, by which all is computed: for `A[N, M]: csr` the inputs `A_val`, `A_ptr` and `A_1`. `tensors`
    are the sparse ones by the name of their values.
    """

    def __init__(self, plain: Function, tensors: Mapping[str, Sparse], runs: Any = None) -> None:
        self.plain = plain
        self._tensors = dict(tensors)
        self._runs: Any = plain if runs is None else runs
        self._derived: dict[object, SparseFunction] = {}

    # ------------------------------------------------------------------ properties

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs: a sparse tensor is one."""
        parts = {p for s in self._tensors.values() if not s.is_like for p in s.pattern}
        return tuple(self._public(n) for n in self.plain.inputs if n not in parts)

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(map(self._public, self.plain.outputs))

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes that have no number yet, but for the numbers of stored elements."""
        counts = {s.count for s in self._tensors.values()}
        return tuple(s for s in self.plain.sizes if s not in counts)

    @property
    def real_inputs(self) -> tuple[str, ...]:
        """The inputs that there are derivatives by."""
        return tuple(n for n in map(self._public, self.plain.real_inputs) if n in self.inputs)

    @property
    def index_inputs(self) -> tuple[str, ...]:
        """The index tensors of the function of arrays."""
        return self.plain.index_inputs

    @property
    def sparse(self) -> Mapping[str, Sparse]:
        """The sparse inputs and outputs by name."""
        return {s.name: s for s in self._tensors.values()}

    def rank(self, name: str) -> int | None:
        """The number of dimensions of an input or an output; None for any other name."""
        return self.sparse[name].rank if name in self.sparse else self.plain.rank(name)

    def with_values(
        self, arrays: Sequence[Any], named: Mapping[str, Any], wrt: Wrt = None
    ) -> SparseFunction:
        """Itself: what its arrays decide, the function of arrays asks."""
        return self

    def of_values(self) -> SparseFunction:
        """Itself, as `with_values`."""
        return self

    def of_call(self, named: Mapping[str, Any]) -> tuple[SparseFunction, dict[str, Any]]:
        """The function that a call with these arguments runs: itself."""
        return self, dict(named)

    def source(self, target: str = "idx") -> str:
        """The function as text; in texts but `idx` the arrays stand for the sparse tensors."""
        return str(self) if target == "idx" else self.plain.source(target)

    def _public(self, name: str) -> str:
        return self._tensors[name].name if name in self._tensors else name

    def _values_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names, those of sparse tensors by their values."""
        values = {s.name: n for n, s in self._tensors.items()}
        return tuple(values.get(n, n) for n in names)

    def __getattr__(self, name: str) -> Any:
        if name in SAME:
            return getattr(self.plain, name)
        if name.startswith("_") or name in ("plain",):
            raise AttributeError(name)
        raise BackendError(
            None,
            f"`{name}` does not know sparse tensors",
            fix="write the program with `A_val`, `A_ptr` and `A_1` as inputs",
        )

    def __str__(self) -> str:
        return program_text(self.plain.program, self._tensors)

    def __repr__(self) -> str:
        return f"<tadc.Function {self.name}: {', '.join(self.inputs)} -> {', '.join(self.outputs)}>"

    @property
    def __signature__(self) -> Signature:
        return signature(self.inputs, self.sizes, ())

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.plain._origin,)

    @with_argument_errors
    def fix(self, /, **sizes: int) -> SparseFunction:
        """The same function with these sizes as numbers."""
        plain = self.plain.fix(**sizes)
        numbers = {s: size_number(s, n) for s, n in sizes.items()}
        return SparseFunction(plain, {n: s.at(numbers) for n, s in self._tensors.items()})

    @with_argument_errors
    def plan(self, /, *, mode: str = "primal", **sizes: int) -> Plan:
        """The plan of the function of arrays; it says where a sparse tensor is read as a dense one."""
        from tadc.function.runs import plan_with_sparse

        return plan_with_sparse(self.plain, self._tensors.values(), mode, sizes)

    # ------------------------------------------------------------------ derivatives

    @with_argument_errors
    def adjoint(self, wrt: Wrt = None) -> SparseFunction:
        """The adjoint program, as that of a `Function`: gradients by sparse tensors have their pattern."""
        return self._in_mode("adjoint", wrt)

    @with_argument_errors
    def tangent(self, wrt: Wrt = None) -> SparseFunction:
        """The tangent program."""
        return self._in_mode("tangent", wrt)

    @with_argument_errors
    def gradient(self, wrt: Wrt = None) -> SparseFunction:
        """The gradient of a scalar output."""
        return self._in_mode("gradient", wrt)

    @with_argument_errors
    def hvp(self, wrt: Wrt = None) -> SparseFunction:
        """Products with the Hessian of a scalar output."""
        return self._in_mode("hvp", wrt)

    @with_argument_errors
    def jacobian(self, wrt: Wrt = None) -> SparseFunction:
        """The dense Jacobian by one dense input. Raises DerivativeError for a sparse one."""
        return self._in_mode("jacobian", wrt)

    @with_argument_errors
    def hessian(self, wrt: Wrt = None) -> SparseFunction:
        """The dense Hessian by one dense input. Raises DerivativeError for a sparse one."""
        return self._in_mode("hessian", wrt)

    def _in_mode(self, mode: str, wrt: Wrt) -> SparseFunction:
        return cast(SparseFunction, derivative(cast("Function", self), mode, wrt))

    def _refuse_sparse(self, mode: str, names: Iterable[str]) -> None:
        name = next((n for n in names if n in self._tensors), None)
        if name is not None:
            raise DerivativeError(
                None,
                f"the {mode} has no sparse tensor, and `{self._public(name)}` is one",
                fix="use `adjoint` or `tangent`, whose derivatives have its pattern",
            )

    def _derivative(self, mode: str, wrt: tuple[str, ...]) -> SparseFunction:
        """The derivative of this mode by these inputs."""
        wrt = self._values_of(wrt)
        if mode in JACOBIANS:
            self._refuse_sparse(mode, (*wrt, *self.plain.outputs))
        if (mode, wrt) not in self._derived:
            plain = self.plain._derivative(mode, wrt)
            pairs = _sources(mode, self.plain, plain, wrt)
            made = {
                new: self._tensors[source].like(_public_name(new))
                for new, source in pairs
                if source in self._tensors
            }
            self._derived[mode, wrt] = SparseFunction(plain, {**self._tensors, **made})
        return self._derived[mode, wrt]

    # ------------------------------------------------------------------ calls

    def __call__(
        self, /, *arrays: Any, out: Any = None, accumulate: bool = False, **named: Any
    ) -> Any:
        """The output, or a tuple of them: sparse arrays of the class of the one that they are like."""
        call = self._bound(with_names(self.inputs, arrays, named))
        self._refuse_out(out, self.plain.outputs)
        results = self._runs(*call.arrays, out=out, accumulate=accumulate, **call.sizes)
        return self._returned(results, call)

    def vjp(
        self, /, *arrays: Any, wrt: Wrt = None, out: Any = None, **named: Any
    ) -> tuple[Any, Callable[..., dict[str, Any]]]:
        """As that of a `Function`: a gradient by a sparse array has its class and pattern, and so have cotangents of such outputs."""
        call = self._bound(with_names(self.inputs, arrays, named))
        self._refuse_out(out, self.plain.outputs)
        chosen = self.plain_names(wrt)
        values, pullback = self._runs.vjp(*call.arrays, wrt=chosen, out=out, **call.sizes)

        def pulled(*cotangents: Any, out: Any = None, accumulate: bool = False) -> dict[str, Any]:
            several = len(self.outputs) > 1 and len(cotangents) == 1
            given = cotangents[0] if several and isinstance(cotangents[0], tuple) else cotangents
            seeds = self._seeds(given, call)
            self._refuse_out(out, self._tensors if chosen is None else chosen)
            return self._gradients(pullback(*seeds, out=out, accumulate=accumulate), call)

        return self._returned(values, call), pulled

    def value_and_gradients(
        self, /, *arrays: Any, cotangent: Any = None, wrt: Wrt = None, **named: Any
    ) -> tuple[Any, dict[str, Any]]:
        """As that of a `Function`."""
        call = self._bound(with_names(self.inputs, arrays, named))
        if len(self.outputs) > 1 and isinstance(cotangent, tuple):
            cotangent = self._seeds(cotangent, call)
        elif cotangent is not None:
            (cotangent,) = self._seeds((cotangent,), call)
        values, gradients = self._runs.value_and_gradients(
            *call.arrays, cotangent=cotangent, wrt=self.plain_names(wrt), **call.sizes
        )
        return self._returned(values, call), self._gradients(gradients, call)

    def jvp(
        self,
        primals: Mapping[str, Any],
        tangents: Mapping[str, Any],
        *,
        out: Any = None,
        accumulate: bool = False,
    ) -> tuple[Any, Any]:
        """As that of a `Function`: the tangent of a sparse array has its pattern."""
        call = self._bound(dict(primals))
        self._refuse_out(out, self.plain.outputs)
        values = {s.name: n for n, s in self._tensors.items()}
        moved = {
            values.get(n, n): self._values_like(f"d{n}", self._tensors[values[n]].of, t, call)
            if n in values
            else t
            for n, t in tangents.items()
        }
        named = dict(zip(self.plain.inputs, call.arrays, strict=True)) | call.sizes
        results, slopes = self._runs.jvp(named, moved, out=out, accumulate=accumulate)
        return self._returned(results, call), self._returned(slopes, call)

    def called_by(
        self, run: Callable[..., Any], arrays: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        """The outputs, computed by another form of the function of arrays: that of a framework."""
        call = self._bound(with_names(self.inputs, arrays, named))
        return self._returned(run(*call.arrays, **call.sizes), call)

    def run_by(self, runs: Any) -> SparseFunction:
        """The function for calls and derivatives that another form of the function of arrays runs."""
        return SparseFunction(self.plain, self._tensors, runs)

    def plain_call(
        self, arrays: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """The arguments and the sizes of such a call of the function of arrays."""
        call = self._bound(with_names(self.inputs, arrays, named))
        return call.arrays, call.sizes

    def plain_names(self, names: Wrt) -> tuple[str, ...] | None:
        """The names of the function of arrays. Raises ArgumentError for names of no input."""
        if names is None:
            return None
        return self._values_of(chosen_inputs(self, names, ()))

    # ------------------------------------------------------------------ arguments and results

    def _bound(self, given: dict[str, Any]) -> _Call:
        """The arguments of the function of arrays."""
        from tadc.function.index import stored
        from tadc.runtime.sparse import checked, joined, sizes_of

        arrays: dict[str, Any] = {}
        sparse: dict[str, Stored] = {}
        sizes = {n: v for n, v in given.items() if n not in self.inputs}
        tensors = self._tensors.values()
        inputs = [s for s in tensors if s.name in self.inputs]
        for s in inputs:
            if s.name not in given:
                raise ArgumentError(
                    None,
                    f"the input `{s.name}` is missing",
                    fix=f"the inputs are {', '.join(self.inputs)}",
                )
        for s in (s for s in inputs if not s.is_like):
            found = stored(s.name, s, given[s.name])
            if self.plain._options.bounds != "trust":
                _when_known(checked, s, found.pattern)
            if found.pattern.shape is not None:
                known = sizes_of(s.name, s, found.pattern.shape)
                known = {n: v for n, v in known.items() if n in self.plain.sizes}
                sizes = joined(sizes, known, s.name)
            sparse[s.name] = found
            arrays |= dict(zip(s.parts, (found.values, *found.pattern.arrays), strict=True))
        unknown = next((n for n in sizes if n not in self.plain.sizes), None)
        if unknown is not None:
            raise ArgumentError(
                None,
                f"there is no input or size `{unknown}`",
                fix=f"the inputs are {', '.join(self.inputs)}, the sizes {', '.join(self.sizes) or 'none'}",
            )
        call = _Call([], sizes, sparse)
        for name, s in self._tensors.items():
            if s.is_like and s.name in self.inputs:
                arrays[name] = self._values_like(s.name, s.of, given[s.name], call)
        arrays |= {n: v for n, v in given.items() if n in self.inputs and n not in self.sparse}
        missing = [n for n in self.plain.inputs if n not in arrays]
        if missing:
            raise ArgumentError(
                None,
                f"the input `{missing[0]}` is missing",
                fix=f"the inputs are {', '.join(self.inputs)}",
            )
        call.arrays.extend(arrays[n] for n in self.plain.inputs)
        return call

    def _values_like(self, name: str, of: str, value: Any, call: _Call) -> Any:
        """The values of an argument that has the pattern of another. Raises ArgumentError if it has not."""
        from tadc.function.index import stored
        from tadc.runtime.sparse import same_pattern

        if value is None:
            return None
        pattern: Pattern = call.sparse[of].pattern
        found = stored(name, self.sparse[of], value)
        if not same_pattern(found.pattern, pattern):
            raise ArgumentError(
                None,
                f"`{name}` has another pattern than `{of}`",
                fix=f"make it of the index arrays of `{of}`, in their order, with values of its own",
            )
        return found.values

    def _seeds(self, cotangents: Sequence[Any], call: _Call) -> tuple[Any, ...]:
        """The cotangents of the outputs, sparse ones as their values."""
        if len(cotangents) != len(self.outputs):
            return tuple(cotangents)  # the function of arrays says so
        pairs = zip(self.plain.outputs, cotangents, strict=True)
        return tuple(
            self._values_like(f"d{self._public(n)}", self._tensors[n].of, c, call)
            if n in self._tensors
            else c
            for n, c in pairs
        )

    def _returned(self, results: Any, call: _Call) -> Any:
        """The outputs, sparse ones as such."""
        values = results if isinstance(results, tuple) else (results,)
        pairs = zip(self.plain.outputs, values, strict=True)
        made = tuple(self._made(n, v, call) for n, v in pairs)
        return made if isinstance(results, tuple) else made[0]

    def _gradients(self, gradients: Mapping[str, Any], call: _Call) -> dict[str, Any]:
        return {self._public(n): self._made(n, g, call) for n, g in gradients.items()}

    def _made(self, name: str, values: Any, call: _Call) -> Any:
        if name not in self._tensors or values is None:
            return values
        like = call.sparse[self._tensors[name].of]
        # An array of scipy needs numbers, which some frameworks have later; a tuple takes any values.
        later = getattr(framework_of((values,)), "later", None)
        shape = like.pattern.shape
        if later is None or shape is None:
            return like.made(values)
        return later(like.made, values, shape)

    def _refuse_out(self, out: Any, names: Iterable[str]) -> None:
        name = next((n for n in names if n in self._tensors), None)
        if out is not None and name is not None:
            raise BackendError(
                None,
                f"`{self._public(name)}` is sparse, and `out` is for dense arrays",
                fix="leave `out` out",
            )


def _when_known(check: Callable[[Sparse, Pattern], None], s: Sparse, pattern: Pattern) -> None:
    """Check a pattern, but for one that is traced: it has no numbers. Raises ArgumentError for pointers that are computed later."""
    framework = framework_of(pattern.arrays)
    if framework is None:
        check(s, pattern)
        return
    if s.compressed is None:
        return  # nothing but what every index tensor is checked for
    pointers = pattern.arrays[s.compressed]
    if hasattr(framework_of((pointers,)), "later"):
        raise ArgumentError(
            None,
            f"`{s.pointers}` is not computed yet, and a call looks whether it ascends",
            fix=f"pass `{s.pointers}.compute()`",
        )
    import numpy as np

    try:
        held = pointers.detach().cpu() if hasattr(pointers, "detach") else pointers
        arrays = list(pattern.arrays)
        arrays[s.compressed] = np.asarray(held)
    except Exception:  # whatever a tracer raises
        return
    check(s, replace(pattern, arrays=tuple(arrays)))


def _sources(mode: str, f: Function, g: Function, wrt: Sequence[str]) -> list[tuple[str, str]]:
    """The further inputs and the outputs of a derivative, each with what of `f` it is a derivative of."""
    more = g.inputs[len(f.inputs) :]
    match mode:
        case "adjoint" | "gradient":
            return [*zip(more, f.outputs, strict=False), *zip(g.outputs, wrt, strict=True)]
        case "vjp":
            results = (*f.outputs, *wrt)
            return [*zip(more, f.outputs, strict=False), *zip(g.outputs, results, strict=True)]
        case "tangent":
            return [*zip(more, wrt, strict=True), *zip(g.outputs, f.outputs, strict=True)]
        case "hvp":
            return [*zip(more, wrt, strict=True), *zip(g.outputs, wrt, strict=True)]
        case _:
            assert mode not in HALVES, "calls run the halves of the function of arrays"
            return []


def _public_name(values: str) -> str:
    """`dA` for the values `dA_val`."""
    before, _, after = values.rpartition("_val")
    return before + after


def _again(origin: Any) -> SparseFunction:
    """The function of an origin, for copies in other processes."""
    from tadc.function.function import Function

    f = cast(SparseFunction, with_sparse(Function._of(replace(origin, derivations=()))))
    for mode, wrt in origin.derivations:
        f = f._derivative(mode, wrt)
    return f
