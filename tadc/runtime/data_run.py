"""Calls of programs with index tensors: their elements are checked, lists are made of them, and then the program runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tadc import compiler
from tadc.bounded_cache import BoundedCache
from tadc.ir.domain import Looked
from tadc.ir.element_types import INDEX
from tadc.ir.program import Program
from tadc.options import ON_DEVICES, Options
from tadc.resolve.bounds import ReadCheck
from tadc.resolve.resolve import Resolved
from tadc.runtime.cpu.native import Launch, available_threads
from tadc.runtime.cuda import arrays as cuda
from tadc.runtime.cuda.resident import beside, device_of
from tadc.runtime.data_checks import check_read, check_values, is_inside
from tadc.runtime.element_types import array_form
from tadc.runtime.index import (
    Index,
    as_index,
    companion_tensors,
    facts_of,
    list_tensors,
    lists_of,
    nearer,
    sliced,
)
from tadc.runtime.opencl import arrays as opencl
from tadc.runtime.outside import Element, LeadsOutside, Outside
from tadc.runtime.run import Runners, resolved_backend
from tadc.schedule.rewrite.list_tensors import Facts, Listed

__all__ = ["DataRun", "LaunchAgain"]

Made = TypeVar("Made")

CHECKING = ("numpy", "interpreter")  # the backends that never read outside of an array
MOST = 2**53  # of a computed index that is written as an integer
FAR = 2**62  # an index that is inside of no tensor
MOST_CHECKED = (
    256  # reads, with the least and greatest elements for which they are known to be inside
)


class DataRun:
    """Runs one program with index tensors among its inputs. `resolved` has the checks of its reads."""

    def __init__(self, program: Program, resolved: Resolved, options: Options) -> None:
        self._program = program
        self._key = object()  # of what an `Index` keeps
        self._options = options
        self._sliced = compiler.with_slices(program)
        self._plain = Runners(program, options)
        self._listed: dict[tuple[Facts | None, bool], tuple[Listed, Runners]] = {}
        names = {t.name for t in program.inputs}
        self._checks = tuple(
            c for c in resolved.checks if c.data and all(t in names for t in c.index_tensors)
        )
        self._subscripts: dict[object, list[ReadCheck]] = {}
        for c in self._checks:
            self._subscripts.setdefault((c.span.start, c.tensor, c.dimension), []).append(c)
        self._moved, self._wrapped = resolved.moved, resolved.wrapped
        self._base = resolved.base
        self._given = {t.name for t in resolved.program.inputs}
        self._inside: BoundedCache[bool] = BoundedCache(MOST_CHECKED)
        self._large = compiler.large_data(program, self._checks)
        self._stages: tuple[DataRun, DataRun] | None = None
        if found := compiler.index_stages(program):
            first, rest = (DataRun(p, resolved, options) for p in found)
            self._stages = first, rest

    def run(
        self,
        backend: str,
        dtype: str,
        arrays: Mapping[str, NDArray[Any]],
        indices: Mapping[str, Index],
        sizes: Mapping[str, int],
        out: Mapping[str, Any],
    ) -> dict[str, NDArray[Any]]:
        """The outputs by name. Raises DataError for an element that leads out of a tensor, before anything is written."""
        try:
            return self._run(backend, dtype, arrays, indices, sizes, out)
        except LeadsOutside as found:
            raise found.outside.error from None

    def _run(
        self,
        backend: str,
        dtype: str,
        arrays: Mapping[str, NDArray[Any]],
        indices: Mapping[str, Index],
        sizes: Mapping[str, int],
        out: Mapping[str, Any],
    ) -> dict[str, NDArray[Any]]:
        if self._stages is not None:
            first, rest = self._stages
            found = first._run(backend, dtype, arrays, indices, sizes, {})
            values = {n: _on_host(a) for n, a in found.items()}
            more = {n: as_index(n, _integers(a)) for n, a in values.items()}
            known = {**arrays, **{n: k.array for n, k in more.items()}}
            try:
                self._refuse_no_indices(values)
                return rest._run(backend, dtype, known, {**indices, **more}, sizes, out)
            except LeadsOutside as found_:
                if self._options.bounds == "nan":
                    return self._nothing(resolved_backend(backend), arrays, sizes, dtype)
                raise LeadsOutside(_as_computed(found_.outside, values)) from None
        backend = resolved_backend(backend)
        given, indices = indices, self._narrow(indices)
        arrays = {**arrays, **{n: k.array for n, k in indices.items()}}
        if self._options.bounds != "trust" or backend in CHECKING:
            try:
                self._check(indices, sizes, given)
            except LeadsOutside:
                if self._options.bounds != "nan":
                    raise
                return self._nothing(backend, arrays, sizes, dtype)
        if backend == "interpreter":
            return self._plain.run(backend, dtype, arrays, sizes)
        return self._by_lists(backend, dtype, arrays, indices, sizes, out)

    def _refuse_no_indices(self, values: Mapping[str, NDArray[Any]]) -> None:
        """Raises LeadsOutside for NaN, where a computed index is moved inside of a tensor; where by a period, for very large values too."""
        if self._options.bounds == "trust":
            return
        for moved, is_none in (self._moved, np.isnan), (self._wrapped, _is_far):
            for name, span in moved.items():
                if name not in values:
                    continue
                refused = is_none(values[name])
                if not refused.any():
                    continue
                position = tuple(map(int, np.argwhere(refused)[0]))
                at = ", ".join(str(i + self._base) for i in position)
                value = float(values[name][position])
                raise LeadsOutside(
                    Outside(
                        span,
                        f"{name}{f'[{at}]' if at else ''}",
                        Element(name, position, value, -MOST, MOST),
                        beyond=", which is no index",
                        fix=f"write `pad({span.text})` to read 0 there",
                    )
                )

    def _by_lists(
        self,
        backend: str,
        dtype: str,
        arrays: Mapping[str, NDArray[Any]],
        indices: Mapping[str, Index],
        sizes: Mapping[str, int],
        out: Mapping[str, Any],
    ) -> dict[str, NDArray[Any]]:
        """The outputs by name, of checked index tensors, with the lists that are made of them."""
        runners, given, numbers = self.with_lists(backend, arrays, indices, sizes)
        return runners.run(backend, dtype, given, numbers, out)

    def with_lists(
        self,
        backend: str,
        arrays: Mapping[str, NDArray[Any]],
        indices: Mapping[str, Index],
        sizes: Mapping[str, int],
    ) -> tuple[Runners, dict[str, Any], dict[str, int]]:
        """What runs the program along lists, its inputs with the lists that are made, and its sizes with their lengths: an `Index` keeps
        them.
        """
        others = {n: a for n, a in arrays.items() if n not in indices}
        device = device_of(others) if backend == "cuda" else None
        (facts, narrow), own, counts = self._remembered(
            ("along lists", backend, device),
            indices,
            sizes,
            lambda: self._with_lists(backend, device, indices, sizes),
        )
        _, runners = self._runners(facts, narrow=narrow)
        return runners, {**arrays, **own}, {**sizes, **counts}

    def again(
        self, dtype: str, indices: Mapping[str, Index], sizes: Mapping[str, int]
    ) -> LaunchAgain | None:
        """What runs native code for these very index tensors and sizes, of which a call was checked; None where more than that is needed."""
        if self._stages is not None or self._narrow(indices) != indices:
            return None
        if self._options.bounds == "nan":
            try:
                self._check(indices, sizes, indices)
            except LeadsOutside:
                return None
        runners, _, numbers = self.with_lists("native", {}, indices, sizes)
        if runners.program.is_empty(numbers) or not runners.launch("native", dtype, numbers, None):
            return None
        names = tuple(t.name for t in self._program.inputs)
        return LaunchAgain(self, dtype, names, frozenset(indices), dict(sizes))

    def _remembered(
        self,
        what: Hashable,
        indices: Mapping[str, Index],
        sizes: Mapping[str, int],
        make: Callable[[], Made],
    ) -> Made:
        """What follows from index tensors and sizes alone, made once for them."""
        if not indices:
            return make()
        first, *others = indices.values()
        numbers = tuple(sorted(sizes.items()))
        return first.remembered((what, self._key, numbers), make, others)

    def _with_lists(
        self,
        backend: str,
        device: int | None,
        indices: Mapping[str, Index],
        sizes: Mapping[str, int],
    ) -> tuple[tuple[Facts | None, bool], dict[str, Any], dict[str, int]]:
        """What decides how the program runs along lists, the index tensors with the lists that are made, and the lengths of these."""
        indices = sliced(indices, self._sliced.slices)
        lists = compiler.with_lists(self._sliced.program).lists
        limit, threads = self._options.list_limit, self._options.threads or available_threads()
        made = lists_of(lists, indices, sizes, limit, threads, device)
        given = {n: k.array for n, k in indices.items()}
        narrow = {n: a for n, k in indices.items() if (a := k.in_32_bits) is not None}
        fits = len(narrow) == len(given) and all(each.begin.dtype == np.int32 for each in made)
        facts, fits_there = None, False
        if backend != "numpy":  # which sums pieces of its own
            facts, fits_there = facts_of(lists, made), fits
            given = narrow if fits else given
        listed, _ = self._runners(facts, narrow=fits_there)
        width = np.int32 if fits else np.int64
        tensors, counts = list_tensors(listed.lists, made, indices, sizes, width)
        tensors |= companion_tensors(listed, made, indices, width, threads)
        own = {**given, **tensors}
        if backend == "cuda":
            own = beside(device, own)
        return (facts, fits_there), own, counts

    def _runners(self, facts: Facts | None, *, narrow: bool) -> tuple[Listed, Runners]:
        key = facts, narrow
        if key not in self._listed:
            listed = (
                compiler.with_lists(self._sliced.program)
                if facts is None
                else compiler.with_companions(self._sliced.program, facts, narrow)
            )
            self._listed[key] = listed, Runners(listed.program, self._options)
        return self._listed[key]

    def _nothing(
        self, backend: str, arrays: Mapping[str, Any], sizes: Mapping[str, int], dtype: str
    ) -> dict[str, Any]:
        """Outputs of NaN, where an element leads out of a tensor and that is no error."""
        tensors = (self._program.tensors[n] for n in self._program.outputs)
        forms = {t.name: array_form(t, sizes, dtype) for t in tensors}
        nans = {n: _undefined(shape, kind) for n, (shape, kind) in forms.items()}
        if backend not in ON_DEVICES:
            return nans
        by_host = cuda.by_host if backend == "cuda" else opencl.by_host
        return by_host(lambda *_: nans, arrays)

    def _narrow(self, indices: Mapping[str, Index]) -> Mapping[str, Index]:
        """The index tensors in numbers of which no form overflows. Raises LeadsOutside for larger ones that cannot be replaced."""
        most, period = self._large.most_exact, self._large.period
        large = [n for n, k in indices.items() if not k.is_within(most)]
        if not large:
            return indices
        if needed := [n for n in large if n in self._large.exact]:
            raise _too_large(
                needed[0], indices[needed[0]], most, "a value, or to be added to others"
            )
        try:
            return nearer(indices, most, period)
        except OverflowError:
            raise _too_large(large[0], indices[large[0]], most, "divided") from None

    def check_all(self, indices: Mapping[str, Index], sizes: Mapping[str, int]) -> None:
        """Raises DataError as a call with these index tensors does, for reads through them alone."""
        try:
            self._check(self._narrow(indices), sizes, indices)
        except LeadsOutside as found:
            raise found.outside.error from None

    def _check(
        self,
        indices: Mapping[str, Index],
        sizes: Mapping[str, int],
        given: Mapping[str, Index],
    ) -> None:
        """Raises LeadsOutside for the first read in the text that leaves its tensor, and its smallest element that does.

        `given` are the index tensors as they were, for the error.
        """

        def checked() -> tuple[()]:
            for each in self._of_batch(indices):
                self._check_one(each, sizes)
            return ()

        try:
            self._remembered("checked", indices, sizes, checked)
        except LeadsOutside as found:
            element = found.outside.element
            k = given.get(element.tensor)
            if k is None or k.ndim != len(element.position):
                raise
            value = k.element(element.position)
            if value == element.value:
                raise
            raise LeadsOutside(found.outside.with_value(value)) from None

    def _of_batch(self, indices: Mapping[str, Index]) -> Iterator[Mapping[str, Index]]:
        """The index tensors as the text has them: of a batched program one call after the other."""
        ranks = {
            d.tensor: len(d.subscripts)
            for c in self._checks
            for d in c.data
            if isinstance(d, Looked)
        }
        many = {t: k for t, k in indices.items() if k.ndim > ranks.get(t, k.ndim)}
        if not many:
            yield indices
            return
        for b in range(len(next(iter(many.values())))):
            yield {t: Index(k.array[b]) if t in many else k for t, k in indices.items()}

    def _check_one(self, indices: Mapping[str, Index], sizes: Mapping[str, int]) -> None:
        arrays = {name: k.array for name, k in indices.items()}
        for t in self._program.inputs:
            if t.dtype == INDEX and t.values is not None:
                low, high = (end.at(sizes) for end in t.values)
                check_values(
                    t, indices[t.name].array, low, high, self._base, is_given=t.name in self._given
                )
        given = tuple(sorted(sizes.items()))
        for place, checks in self._subscripts.items():
            unproved = [c for c in checks if not self._is_inside(c, indices, sizes, given)]
            if not unproved:
                continue
            tensors = dict.fromkeys(t for c in unproved for t in c.index_tensors)
            first, *others = (indices[t] for t in tensors)

            def searched(unproved: list[ReadCheck] = unproved) -> tuple[()]:
                check_read(unproved, sizes, arrays)
                return ()

            # Of an `Index` it is known afterwards that it passed.
            first.kept(("inside", self._key, place, given), searched, others)

    def _is_inside(
        self,
        check: ReadCheck,
        indices: Mapping[str, Index],
        sizes: Mapping[str, int],
        given: Hashable,
    ) -> bool:
        """Whether the least and the greatest elements show it."""
        ends = {t: (indices[t].min, indices[t].max) for t in check.index_tensors}
        key = (self._checks.index(check), given, *ends.items())
        return self._inside.of(key, lambda: is_inside(check, sizes, ends))


@dataclass(frozen=True, slots=True)
class LaunchAgain:
    """The launcher of a program for sizes and the same `Index` in place of each index tensor, which keeps the lists: nothing is checked."""

    run: DataRun
    dtype: str
    names: tuple[str, ...]
    indices: frozenset[str]
    sizes: Mapping[str, int]

    def __call__(
        self, inputs: Sequence[Any], into: Sequence[NDArray[Any] | None] = ()
    ) -> list[NDArray[Any]]:
        """The outputs, as `Launch` gives them. The inputs are in their order, ready for native code but for index tensors, which are as they were."""
        given = dict(zip(self.names, inputs, strict=True))
        indices = {n: given[n] for n in self.names if n in self.indices}
        runners, own, numbers = self.run.with_lists("native", {}, indices, self.sizes)
        launch = runners.launch("native", self.dtype, numbers, None)
        assert isinstance(launch, Launch), "it was compiled before"
        given |= own
        return launch([given[t.name] for t in runners.program.inputs], into)


def _too_large(name: str, k: Index, most: int, use: str) -> LeadsOutside:
    """What is raised for an element that is too large for its use."""
    beyond = (k.array > most) | (k.array < -most)
    position = tuple(map(int, np.argwhere(beyond)[0]))
    return LeadsOutside(
        Outside(
            None,
            f"{name}{list(position) if position else ''}",
            Element(name, position, k.element(position), -most, most),
            beyond=f", which is too large to be {use}",
            fix=f"use integers from {-most} to {most}",
        )
    )


def _as_computed(outside: Outside, values: Mapping[str, NDArray[Any]]) -> Outside:
    """The same with the value that was computed, where it is no index or a very large one."""
    position = outside.element.position
    known = values.get(outside.element.tensor)
    if known is None or known.ndim != len(position) or abs(known[position]) < MOST:
        return outside
    return outside.with_value(float(known[position]))


def _undefined(shape: tuple[int, ...], kind: np.dtype[Any]) -> NDArray[Any]:
    """An array of NaN; of integers, which have none, of the least one, which is an index of no tensor."""
    return np.full(shape, np.iinfo(kind).min if kind.kind == "i" else np.nan, kind)


def _is_far(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which are inside of no tensor; NaN is."""
    far: NDArray[np.bool_] = ~(np.abs(values) < FAR)
    return far


def _on_host(values: Any) -> NDArray[Any]:
    array: NDArray[Any] = values.get() if hasattr(values, "get") else values
    return array


def _integers(values: NDArray[Any]) -> NDArray[np.int64]:
    """Whole numbers as indices; what is none, or very large, is far outside of everything."""
    inside = ~_is_far(values)
    result: NDArray[np.int64] = np.where(inside, values, 0).astype(np.int64)
    result[~inside] = np.where(values[~inside] < 0, -FAR, FAR)
    return result
