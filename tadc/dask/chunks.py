"""The chunks of a tensor that is computed, index by index, from those of the tensors that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from tadc.dask.sources import Source
from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Derived, Determined, Looked, divisions
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder

__all__ = ["chunks_between", "cuts_of"]


def cuts_of(
    program: Program,
    s: Statement,
    index: Symbol,
    sources: Mapping[str, Source],
) -> list[int]:
    """The places where an index of the statement, or of its reduction, is cut; none where nothing says so.

    They are those of the first tensor in several chunks that has the index as a subscript; else of the first whose subscript
    `c*i + ..` has it, where that passes its cuts, or `i // m`; else those of the index of an intermediate that it is a
    subscript of.
    """
    made = [*s.derived, *_derived_in(s.body)]
    reads = [e for e in postorder(s.body) if isinstance(e, Read)]
    reads += (Read(d.tensor, d.subscripts) for d in made if isinstance(d, Looked))
    derived = {d.name: d for d in divisions(made)}
    for bare in (True, False):
        for read in reads:
            source = sources.get(read.tensor)
            for d, form in enumerate(read.subscripts) if source is not None else ():
                assert source is not None
                if len(source.chunks[d]) > 1 and (form.as_symbol() == index) == bare:
                    ends = [high for _, high in source.intervals[d][:-1]]
                    cuts = sorted(set(_crossings(form, index, derived, ends)))
                    if cuts:
                        return cuts
    for read in reads:
        inner = program.definitions.get(read.tensor)
        if inner is not None and read.tensor not in sources:
            for i, form in zip(inner.indices, read.subscripts, strict=True):
                if form.as_symbol() == index and (cuts := cuts_of(program, inner, i, sources)):
                    return cuts
    return []


def chunks_between(low: int, high: int, cuts: Iterable[int]) -> tuple[int, ...]:
    """The lengths of the parts of an interval."""
    ends = [low, *(c for c in cuts if low < c < high), high]
    return tuple(b - a for a, b in pairwise(ends))


def _crossings(
    form: Affine, index: Symbol, derived: Mapping[Symbol, Derived], ends: Iterable[int]
) -> Iterator[int]:
    """The values of the index at which the subscript, all else being 0, passes the cuts of the tensor."""
    c = abs(form.coefficient(index))
    if c:
        yield from (-(-end // c) for end in ends)
        return
    quotient = derived.get(form.as_symbol() or "")
    if quotient is not None and quotient.form.coefficient(index) == 1:
        yield from (quotient.modulus * end for end in ends)


def _derived_in(body: Expr) -> Iterator[Determined]:
    for e in postorder(body):
        if isinstance(e, Reduce):
            yield from e.derived
