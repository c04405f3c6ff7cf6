"""A program as steps: each replaces some values by others, and is solved with alone.

One step, with `W` the values that it replaces and `R` those that it reads and keeps, has the derivative `A` by `W` and `B` by
`R`. Its products are those of its own program, which is a part of the program:

    inverse tangent   v[W] = A⁻¹ (v[W] - B v[R])
    inverse adjoint   w[W] = A⁻ᵀ w[W];  w[R] -= Bᵀ w[W]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tadc import compiler
from tadc.derive.coloured import Colouring
from tadc.errors import BackendError, DerivativeError, SingularError, Span
from tadc.function.krylov import Krylov, Solver
from tadc.function.parts import Part, Parts
from tadc.function.substitution import Substitution
from tadc.inverse.explicit import check_written_out
from tadc.inverse.lumps import Lump, Narrow, active_values, lumps
from tadc.inverse.reads import meets, path_reads
from tadc.inverse.structure import Analysis, analysed, is_stacked, mixed_samples, paired
from tadc.runtime.cuda.arrays import module_of, on_host
from tadc.runtime.index import as_index
from tadc.runtime.linear import (
    Block,
    ByHost,
    Entries,
    Singular,
    Turned,
    TurnedEntries,
    as_on_gpu,
    assembled,
)
from tadc.runtime.run import native_threads

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["Step", "Values", "steps_of"]

Array: TypeAlias = NDArray[Any]
Values: TypeAlias = dict[str, Array]  # by the names of the program


def steps_of(
    f: Function, wrt: Sequence[str], of: Sequence[str], solver: Solver, first: int = 0
) -> tuple[Step, ...]:
    """The steps of a function whose extents are numbers, from the inputs `wrt` to the outputs `of`, numbered from `first`.

    Values without elements are in none. Raises DerivativeError where the numbers of elements differ, where fewer numbers than these are live between two
    statements, and for a step that is singular at every point.
    """
    program = f.program
    elements = {n: prod(e.constant for e in t.shape) for n, t in program.tensors.items()}
    before, after = (sum(elements[n] for n in names) for names in (wrt, of))
    if before != after:
        raise DerivativeError(
            None,
            f"the Jacobian is not square: {', '.join(wrt)} {_have(wrt)} {before} elements,"
            f" {', '.join(of)} {_have(of)} {after}",
            fix="say which inputs are replaced by which outputs: `wrt`, `of`",
        )
    wrt, of = ([n for n in names if elements[n]] for names in (wrt, of))
    if not before:
        return ()
    found = lumps(program, wrt, of, elements)
    if isinstance(found, Narrow):
        raise _narrow(f, found, before, wrt)
    active = active_values(program, wrt, of)
    parts = Parts(f)
    return tuple(Step(f, lump, active, k, solver, parts) for k, lump in enumerate(found, first))


def _have(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _narrow(f: Function, cut: Narrow, needed: int, wrt: Sequence[str]) -> DerivativeError:
    width = "only 1 number is" if cut.width == 1 else f"only {cut.width} numbers are"
    where = "before the first statement" if cut.value is None else f"after `{cut.value}`"
    place = place_of(f, cut.value)
    read = {x for s in f.program.statements for x in s.reads}
    unread = next((x for x in wrt if x not in read), None)
    if cut.value is None and unread is not None:
        zeros = ", ".join("0" for _ in f.program.tensors[unread].shape)
        element = f"{unread}[{zeros}]" if zeros else unread
        where += f" (nothing reads `{element}`)"
        versions = (v for v, state in f._resolved.versions.items() if state == unread)
        place = place_of(f, next(versions, None))
    return DerivativeError(
        place,
        f"the Jacobian is singular at every point: {width} live {where}, {needed} are needed",
        fix="keep what is overwritten in another state, or let fewer inputs be replaced: `wrt`, `of`",
    )


def place_of(f: Function, value: str | None) -> Span | None:
    """The statement of a value in the text."""
    return None if value is None else f._resolved.statements.get(value)


class Step:
    """One lump of a function, with the parts of its program."""

    def __init__(
        self,
        f: Function,
        lump: Lump,
        active: Sequence[str],
        number: int,
        solver: Solver,
        parts: Parts,
    ) -> None:
        self.lump = lump
        self._active = active
        self.number = number
        self._f = f
        self._solver = solver
        self._parts = parts
        try:
            self.analysis: Analysis = analysed(f.program, lump, active)
        except DerivativeError as error:
            raise DerivativeError(self.place, error.fact, fix=error.fix) from None
        self.structure = self.analysis.turned or self.analysis.structure
        pairs = paired(f.program, lump)
        self._stacked = is_stacked(f.program, lump, self.analysis.structure)
        self._after = tuple(a for a, _ in pairs) if self._stacked else lump.after
        self._before = tuple(b for _, b in pairs) if self._stacked else lump.before

    @property
    def function(self) -> Function:
        """The function that it is a step of."""
        return self._f

    @property
    def place(self) -> Span | None:
        return place_of(self._f, self.lump.statements[-1])

    @cached_property
    def _part(self) -> Part:
        return self._parts.part(self._after, self._before, self.lump.kept)

    @property
    def _is_substituted(self) -> bool:
        """Whether triangles are solved by recurrences in native code."""
        return native_threads(self._f._options) is not None and self.analysis.places is None

    @cached_property
    def _substitution(self) -> Substitution:
        (x,) = self._part.names(self._before)
        return Substitution(self._part.function, x, self.analysis.structure)

    def forward(self, values: Values, rounds: Mapping[str, int]) -> Values:
        """The values after the step. `rounds` are the sizes that stand for the indices of loops around."""
        return dict(
            zip(self._after, self._called(self._part.function, values, (), rounds), strict=True)
        )

    def check_reversible(self) -> None:
        """Check that the step is affine in what it replaces, with coefficients that do not depend on it. Raises DerivativeError."""
        read = self._coefficient_read
        if read is not None:
            raise DerivativeError(
                self.place,
                f"the step cannot be run backwards: its derivative by `{self._f.shown(read)}` depends on `{self._f.shown(read)}`",
                fix='use `memory="recompute"`, or make the step affine in what it replaces',
            )

    @cached_property
    def _coefficient_read(self) -> str | None:
        """A value that the step replaces, and whose elements its block depends on; None where there is none."""
        names = self._part.names(self._before)
        region = self.analysis.structure.region
        program = self._part.tangent(self._before).program
        if region is not None:
            program = compiler.restricted_program(program, region)
        inside = frozenset(s.target.name for s in program.statements)
        for output in program.outputs:
            reads = path_reads(program, output, inside, inside.union(names), program.known)
            if reads is None:
                return self._before[0]
            for read in reads:
                if read.tensor in names and (region is None or meets(read, region)):
                    return self._before[names.index(read.tensor)]
        return None

    def undone(
        self, values: Values, rounds: Mapping[str, int], iteration: tuple[int, ...], *, check: bool
    ) -> tuple[Values, Block]:
        """The values before the step, from those after it, and its block: `x = A⁻¹(x' - f(0))`. Raises SingularError."""
        after = [values[n] for n in self._after]
        xp = module_of(after[0])
        mask = self._mask(values, rounds, xp)
        zeros = [xp.zeros(self._shape(n), _type_of(after)) for n in self._before]
        if mask is not None:  # what a partial update keeps is known
            zeros = [xp.where(mask, z, a) for z, a in zip(zeros, after, strict=True)]
        at = {**values, **dict(zip(self._before, zeros, strict=True))}
        block = self.block(at, rounds, iteration, check=check)
        rest = self._joined(after) - self._joined(list(self.forward(at, rounds).values()))
        b = rest if mask is None else xp.where(mask, rest, self._joined(after))
        solved = self._split(block.solve(b, transposed=False), self._before)
        return dict(zip(self._before, solved, strict=True)), block

    def block(
        self,
        values: Values,
        rounds: Mapping[str, int],
        iteration: tuple[int, ...] = (),
        *,
        check: bool,
    ) -> Block:
        """The diagonal block at a point, factored. Raises SingularError.

        On a GPU long bands and triangles are solved by the host, and dense blocks that are solved iteratively.
        """
        a, xp = self.analysis.at(self._data(values)), module_of(values[self._before[0]])
        here = a.turned or a.structure
        is_iterative = self._solver.iterative and here.kind == "dense"
        structure = here if xp is np else as_on_gpu(here)
        if structure is None or (xp is not np and is_iterative):
            on_cpu = {n: on_host(a) for n, a in values.items()}
            return ByHost(self.block(on_cpu, rounds, iteration, check=check))
        mask = self._mask(values, rounds, xp)
        dtype = _type_of([values[n] for n in self._before])
        seeds = [
            xp.ones(self._shape(n), dtype) if mask is None else mask.astype(dtype)
            for n in self._before
        ]
        places = None if a.places is None else xp.asarray(a.places)
        entries: Entries = _Entries(self, values, seeds, rounds)
        if places is not None:
            entries = TurnedEntries(entries, places)
        threads = native_threads(self._f._options)
        try:
            if xp is np and structure.kind == "triangular" and self._is_substituted:
                primals = [values[n] for n in self._part.inputs]
                block = self._substitution.block(primals, rounds, mask, dtype, check=check)
                if block is not None:
                    return block
            if is_iterative:
                return self._by_products(values, rounds, mask)
            block = assembled(
                entries,
                structure,
                dtype,
                self._solver.limit,
                None if a.image is None else xp.asarray(a.image),
                mask,
                threads,
                check=check,
            )
            return block if places is None else Turned(block, places)
        except Singular as singular:
            raise self._singular(singular, iteration) from None
        except DerivativeError as error:
            raise DerivativeError(self.place, error.fact, fix=error.fix) from None

    def _by_products(
        self, values: Values, rounds: Mapping[str, int], mask: NDArray[np.bool_] | None
    ) -> Krylov:
        """The block as its products. In a partial update it is the identity outside of the region."""
        tangent = self._part.tangent(self._before)
        adjoint = self._part.adjoint(self._before)

        def applied(f: Function, names: Sequence[str], v: Array) -> Array:
            vectors = v if mask is None else np.where(mask, v, 0)
            found = self._joined(self._called(f, values, self._split(vectors, names), rounds))
            return found if mask is None else np.where(mask, found, v)

        def product(v: Array) -> Array:
            return applied(tangent, self._before, v)

        def transposed(w: Array) -> Array:
            return applied(adjoint, self._after, w)

        return Krylov(product, transposed)

    def check_written_out(self, *, solves: bool = True) -> None:
        """Check that a program can hold the solution of the step, or its determinant alone. Raises BackendError."""
        try:
            check_written_out(self.number, self.analysis.structure, self.lump, solves=solves)
        except BackendError as error:
            raise BackendError(self.place, error.fact, fix=error.fix) from None

    def check_samples(self, batch_dims: int) -> None:
        """Check that no read mixes samples, the first dimensions of all values. Raises DerivativeError."""
        mixed = batch_dims and mixed_samples(self._f.program, self.lump, self._active, batch_dims)
        if mixed or (batch_dims and not self._stacked):
            name = self._f.shown(mixed or self._before[0])
            raise DerivativeError(
                self.place,
                f"the samples, the first {batch_dims} dimensions, are mixed by a read of `{name}`",
                fix="read the same sample, or ask for one number for all: `batch_dims=0`",
            )

    def inverse_tangent(
        self, values: Values, v: Values, block: Block, rounds: Mapping[str, int]
    ) -> None:
        """Replace the tangents of the values after the step in `v` by those before it."""
        b = self._joined([v.pop(n) for n in self._after])
        xp = module_of(b)
        mask = self._mask(values, rounds, xp)
        known = {n: v[n] for n in self.lump.kept}
        if mask is not None:  # what a partial update keeps is known
            (x,) = self._before
            known[x] = xp.where(mask, 0, b[0])
        if known:
            change = self._called(
                self._part.tangent(tuple(known)), values, tuple(known.values()), rounds
            )
            difference = b - self._joined(change)
            b = difference if mask is None else xp.where(mask, difference, b)
        v.update(
            zip(
                self._before,
                self._split(block.solve(b, transposed=False), self._before),
                strict=True,
            )
        )

    def inverse_adjoint(
        self, values: Values, w: Values, block: Block, rounds: Mapping[str, int]
    ) -> None:
        """Replace the cotangents of the values before the step in `w` by those after it."""
        b = self._joined([w.pop(n) for n in self._before])
        solved = block.solve(b, transposed=True)
        xp = module_of(b)
        mask = self._mask(values, rounds, xp)
        wrt = self.lump.kept if mask is None else (*self.lump.kept, *self._before)
        if wrt:
            written = solved if mask is None else xp.where(mask, solved, 0)
            adjoint = self._part.adjoint(wrt)
            change = self._called(adjoint, values, self._split(written, self._after), rounds)
            for name, d in zip(self.lump.kept, change, strict=False):
                w[name] = w[name] - d
            if mask is not None:
                solved = xp.where(mask, solved, solved - change[-1])
        w.update(zip(self._after, self._split(solved, self._after), strict=True))

    # ------------------------------------------------------------------ costs

    def value_operations(self) -> int:
        """The operations of the values after the step."""
        return self._part.function.cost().operations

    def product_operations(self, *, transposed: bool) -> int:
        """The operations of a product with the derivative by what the step keeps, and of its subtraction."""
        kept = (
            self.lump.kept
            if self.analysis.structure.region is None
            else (*self.lump.kept, *self._before)
        )
        if not kept:
            return 0
        derive = self._part.adjoint if transposed else self._part.tangent
        changed = kept if transposed else self._before
        return derive(kept).cost().operations + sum(prod(self._shape(n)) for n in changed)

    def entry_operations(self) -> tuple[int, int]:
        """The operations of the entries of the block; and those of a solution by substitution in native code, 0 where it is not so solved."""
        s = self.structure
        if s.kind == "triangular" and self._is_substituted:
            (x,) = self._part.names(self._before)
            diagonal, solution = (
                self._part.function._derivative(mode, (x,)).cost().operations
                for mode in ("diagonal", "substitution")
            )
            return diagonal, solution
        if s.kind in ("diagonal", "bijection"):
            return self._part.tangent(self._before).cost().operations, 0
        columns = s.below + 1 + s.above if s.is_band or s.kind == "cyclic" else s.m
        return columns * self._part.tangent(self._before).cost().operations, 0

    # ------------------------------------------------------------------ arrays

    def _mask(self, values: Values, rounds: Mapping[str, int], xp: Any) -> NDArray[np.bool_] | None:
        """Where a partial update writes, an array of the module `xp`; it is found once where neither an index of a loop nor data stand in
        its condition.
        """
        region = self.analysis.structure.region
        varies = region is not None and (rounds or region.looks_up)
        mask = self.analysis.mask(rounds, self._data(values)) if varies else self._fixed_mask
        return None if mask is None else xp.asarray(mask)

    def _data(self, values: Values) -> Values:
        """The index tensors that the structure follows from, on the host."""
        return {n: as_index(n, on_host(values[n])).array for n in self.analysis.looks_up}

    @cached_property
    def _fixed_mask(self) -> NDArray[np.bool_] | None:
        return self.analysis.mask({}, {})

    def _called(
        self,
        f: Function,
        values: Mapping[str, Array],
        further: Sequence[Array],
        rounds: Mapping[str, int],
    ) -> Sequence[Array]:
        """The outputs of a derivative of the part at these values, with its tangents or cotangents."""
        primals = [values[n] for n in self._part.inputs]
        taken = {s: n for s, n in rounds.items() if s in f.sizes}
        return f.calls((*primals, *further), taken)

    def _shape(self, name: str) -> tuple[int, ...]:
        return tuple(e.constant for e in self._f.program.tensors[name].shape)

    def _joined(self, arrays: Sequence[Array], further: int = 0) -> Array:
        """The values of one side of the step as one array: (tensors, *shape), or (1, elements) where shapes differ.

        Arrays may have `further` dimensions in front, which stay there.
        """
        xp = module_of(arrays[0])
        arrays = [xp.asarray(a) for a in arrays]
        if len(arrays) == 1 and self._stacked:
            return arrays[0][(slice(None),) * further + (None,)]
        joined: Array
        if self._stacked:
            joined = xp.stack(arrays, axis=further)
            return joined
        flat = [a.reshape(*a.shape[:further], -1) for a in arrays]
        joined = xp.concatenate(flat, axis=further)
        return joined[(slice(None),) * further + (None,)]

    def _split(self, joined: Array, names: Sequence[str]) -> list[Array]:
        if self._stacked:
            return list(joined)
        sizes = [prod(self._shape(n)) for n in names]
        ends = list(accumulate(sizes))
        parts = (joined[0][end - size : end] for size, end in zip(sizes, ends, strict=True))
        return [p.reshape(self._shape(n)) for p, n in zip(parts, names, strict=True)]

    def _singular(self, singular: Singular, iteration: tuple[int, ...]) -> SingularError:
        tensor, *index = singular.index
        name = self._after[tensor]
        places = self.analysis.places
        if places is not None:  # the row that stands there
            shape = self.structure.shape
            row = int(np.flatnonzero(places == np.ravel_multi_index(index, shape))[0])
            index = [int(k) for k in np.unravel_index(row, shape)]
        if not self._stacked:
            flat = index[0]
            for name in self._after:
                if flat < prod(self._shape(name)):
                    break
                flat -= prod(self._shape(name))
            index = [int(k) for k in np.unravel_index(flat, self._shape(name))]
        element = (
            f"{self._f.shown(name)}[{', '.join(map(str, index))}]" if index else self._f.shown(name)
        )
        iteration = iteration or self._f._resolved.rounds.get(self.lump.statements[-1], ())
        pivot = "0" if singular.pivot == 0 else f"{singular.pivot:.3g}"
        rounds = f", round {', '.join(map(str, iteration))}" if iteration else ""
        line = f", line {self.place.line}" if self.place else ""
        error = SingularError(
            self.place,
            f"the step's Jacobian is singular: its pivot is {pivot} at {element}{line}{rounds}",
            fix="no inverse exists at this point: change the point or the step size, or pass `check=False` for NaN",
        )
        return error.at(self.number, iteration, tuple(index), singular.pivot)


def _type_of(arrays: Sequence[Array]) -> np.dtype[Any]:
    return np.result_type(*(a.dtype for a in arrays))


@dataclass(frozen=True, slots=True)
class _Entries:
    """Products with the block of a step at a point. `seeds` are 1, or 0 where a partial update keeps values."""

    step: Step
    values: Values
    seeds: Sequence[Array]
    rounds: Mapping[str, int]

    @property
    def sides(self) -> int:
        return len(self.seeds)

    @property
    def is_stacked(self) -> bool:
        return self.step._stacked

    def ones(self) -> Array:
        step = self.step
        tangent = step._part.tangent(step._before)
        return step._joined(step._called(tangent, self.values, self.seeds, self.rounds))

    def coloured(self, tensor: int, colourings: Sequence[Colouring] | None) -> Array:
        step, seed = self.step, self.seeds[tensor]
        if colourings is None:
            unit = np.eye(seed.ndim, dtype=int)
            colourings = [
                Colouring(tuple(map(int, e)), 0, n, cyclic=False)
                for e, n in zip(unit, seed.shape, strict=True)
            ]
        (x,) = step._part.names((step._before[tensor],))
        f = step._part.function._derivative("coloured", (x, *map(str, colourings)))
        return step._joined(
            step._called(f, self.values, (seed,), self.rounds), further=len(colourings)
        )
