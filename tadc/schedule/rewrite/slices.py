"""Index tensors that are read at fixed places of a dimension, as a tensor for each of these: `ends[0, e]` and `ends[1, e]`.

A list has the positions of one of them then, and not of all, and the others stand beside it in its order (`companions.py`), as tensors
of their own do. Of a place that may be outside of the tensor, where nothing depends on what is read, there is the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tadc.ir.affine import Affine
from tadc.ir.domain import Determined, Looked
from tadc.ir.element_types import INDEX
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Tensor
from tadc.ir.walk import postorder, rewrite

__all__ = ["Slice", "Sliced", "with_slices"]

MOST = 7  # of a place: a tensor has few columns of which each means something else


@dataclass(frozen=True, slots=True)
class Slice:
    """An index tensor that is another one, `of`, at a place of a dimension."""

    name: str
    of: str
    dimension: int
    place: int


@dataclass(frozen=True, slots=True)
class Sliced:
    """A program whose inputs are slices of some index tensors instead of these."""

    program: Program
    slices: tuple[Slice, ...]


def with_slices(program: Program) -> Sliced:
    """The program with slices for index tensors of which nothing else is read; they are inputs where the tensors were."""
    names = Names((*program.tensors, *program.symbols))
    made: dict[tuple[str, int], Slice] = {}
    inputs: list[Tensor] = []
    for t in program.inputs:
        dimension = _fixed_dimension(t, program) if t.dtype == INDEX and len(t.shape) > 1 else None
        if dimension is None:
            inputs.append(t)
            continue
        places = {subscripts[dimension].constant for subscripts in _read_at(program, t.name)}
        shape = (*t.shape[:dimension], *t.shape[dimension + 1 :])
        for place in sorted(places):
            one = Slice(names.fresh(f"{t.name}_at_{place}"), t.name, dimension, place)
            made[t.name, place] = one
            inputs.append(replace(t, name=one.name, shape=shape))
    if not made:
        return Sliced(program, ())
    dimensions = {one.of: one.dimension for one in made.values()}

    def sliced(tensor: str, at: tuple[Affine, ...]) -> tuple[str, tuple[Affine, ...]]:
        n = dimensions[tensor]
        return made[tensor, at[n].constant].name, (*at[:n], *at[n + 1 :])

    def looked_up(derived: Iterable[Determined]) -> tuple[Determined, ...]:
        return tuple(
            replace(d, tensor=(found := sliced(d.tensor, d.subscripts))[0], subscripts=found[1])
            if isinstance(d, Looked) and d.tensor in dimensions
            else d
            for d in derived
        )

    def rule(e: Expr) -> Expr:
        match e:
            case Read(tensor, subscripts) if tensor in dimensions:
                return Read(*sliced(tensor, subscripts))
            case Reduce(op, indices, derived, domain, body) if derived:
                return Reduce(op, indices, looked_up(derived), domain, body)
            case _:
                return e

    statements = tuple(
        replace(s, derived=looked_up(s.derived), body=rewrite(s.body, rule))
        for s in program.statements
    )
    changed = replace(program, inputs=tuple(inputs), statements=statements)
    return Sliced(changed, tuple(made.values()))


def _fixed_dimension(t: Tensor, program: Program) -> int | None:
    """A dimension of which all that is read is at numbers, none of them beyond an extent that is a number."""
    reads = tuple(_read_at(program, t.name))
    for n, extent in enumerate(t.shape):
        forms = {subscripts[n] for subscripts in reads}
        most = extent.constant - 1 if extent.is_constant else MOST
        if forms and all(f.is_constant and 0 <= f.constant <= most for f in forms):
            return n
    return None


def _read_at(program: Program, tensor: str) -> Iterator[tuple[Affine, ...]]:
    """The subscripts with which the tensor is looked up, and read as a number."""
    for s in program.statements:
        nodes = tuple(postorder(s.body))
        derived = [*s.derived, *(d for e in nodes if isinstance(e, Reduce) for d in e.derived)]
        yield from (d.subscripts for d in derived if isinstance(d, Looked) and d.tensor == tensor)
        yield from (e.subscripts for e in nodes if isinstance(e, Read) and e.tensor == tensor)
