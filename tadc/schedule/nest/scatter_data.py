"""Scatters over data: their points are those of the positions that data are looked up with, where additions go to what data say.

A sum over a list, `y[i] = sum{e | k[e] = i} f(e)`, is such a scatter as well: a point for each `e`, which adds to `y[k[e]]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tadc.derive.adjoint import Scatter
from tadc.derive.uses import Use
from tadc.errors import BackendError
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import EMPTY, EVERYWHERE, Determined, Domain, Looked
from tadc.ir.expr import Const, Read, Reduce, Select
from tadc.ir.program import Program, Statement, Tensor
from tadc.normalize.reductions import plain_extent
from tadc.normalize.solved import solved_statement
from tadc.schedule.rewrite.lists import listed

__all__ = ["Points", "points_over_data", "with_scattered_sums"]

POINTS = "'points"  # a tensor that no program has: its subscripts are the symbols of a scatter


@dataclass(frozen=True, slots=True)
class Points:
    """The points of a scatter: a thread for each of `box`, which has an extent for each index, and in it the loops of `ranges`.

    `values` are the symbols of the statement in terms of these.
    """

    box: Mapping[Symbol, Affine]
    ranges: Reduce
    values: Mapping[Symbol, Affine]


def with_scattered_sums(program: Program) -> tuple[Program, dict[str, Scatter]]:
    """The program with zeros in place of sums over lists, and for each of these tensors the scatter that adds up its terms.

    Raises BackendError where something else runs over a list.
    """
    scatters = {
        s.target.name: _of_sum(s)
        for s in program.statements
        if listed(replace(program, statements=(s,))).lists
    }
    zeros = tuple(
        replace(s, derived=(), body=Const(0)) if s.target.name in scatters else s
        for s in program.statements
    )
    return replace(program, statements=zeros), scatters


def _of_sum(s: Statement) -> Scatter:
    match s.body:
        case Reduce("sum", indices, derived, domain, body):
            unknowns = (*indices, *s.indices)
            read = Read(s.target.name, tuple(map(symbol, s.indices)))
            made = (*s.derived, *derived)
            within = s.box & domain & Domain.of(c for d in made for c in d.conditions)
            return Scatter(s, (Use(read, unknowns, made, within, body),), (s.target.name,))
        case _:
            raise _refused(s)


def _refused(s: Statement) -> BackendError:
    return BackendError(
        None,
        f"`{s.target.name}` runs over lists of positions, and is no plain sum: there is no form of it with atomic additions",
        fix="use the gathering form, `cuda`",
    )


def points_over_data(s: Scatter, program: Program, *, points: bool) -> Points | None:
    """The points of a scatter in which data are looked up; None where it has none.

    A thread is a position that data are looked up with, with `points` a value of the other indices too, where their ranges are those of
    extents. Raises BackendError where a value that is added runs over a list.
    """
    use = s.uses[0]
    symbols = (*use.unknowns, *(d.name for d in use.derived))
    mark = Read(POINTS, tuple(map(symbol, symbols)))
    whole = Reduce("sum", use.unknowns, use.derived, use.domain, mark)
    solved = solved_statement(Statement(Tensor(POINTS, ()), (), (), whole), program.known)
    flat = _flat(solved)
    if flat.domain == EMPTY:
        return None
    needed = {i for d in flat.derived if isinstance(d, Looked) for i in d.symbols}
    sizes = set(program.parameters)
    box: dict[Symbol, Affine] = {}
    for i in flat.indices:
        extent = plain_extent(i, flat.domain, sizes)
        if extent is not None and (points or i in needed):
            box[i] = extent
    inner = Domain.of(c for c in flat.domain if not {*c.form.symbols} - sizes <= {*box})
    guards = Domain.of(c for c in flat.domain if sizes >= {*c.form.symbols})
    loops = tuple(i for i in flat.indices if i not in box)
    assert isinstance(flat.body, Read), "a point is no point"
    values = dict(zip(symbols, flat.body.subscripts, strict=True))
    ranges = Reduce("sum", loops, flat.derived, inner & guards, flat.body)
    one = Statement(Tensor(POINTS, tuple(box.values())), tuple(box), (), ranges)
    safe = listed(replace(program, statements=(one,)))
    (body,) = (each.body for each in safe.program.statements)
    if safe.lists or not isinstance(body, Reduce):
        raise _refused(s.statement)
    return Points(box, body, values)


def _flat(s: Statement) -> Reduce:
    """The reductions and choices that stand in each other, as one over all of their indices."""
    indices: tuple[Symbol, ...] = ()
    derived: tuple[Determined, ...] = s.derived
    domain, e = EVERYWHERE, s.body
    while not isinstance(e, Read):
        match e:
            case Reduce(_, more, made, conditions, body):
                indices, derived = (*indices, *more), (*derived, *made)
                domain, e = domain & conditions, body
            case Select(Domain() as conditions, then, Const()):
                domain, e = domain & conditions, then
            case _:
                assert isinstance(e, Const), "no points, and no end of them"
                return Reduce("sum", indices, derived, EMPTY, e)
    assert len({*indices, *(d.name for d in derived)}) == len(indices) + len(derived), "names meet"
    return Reduce("sum", indices, derived, domain, e)
