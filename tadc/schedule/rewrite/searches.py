"""What data decide about the reads of a program, as searches for an element that leads outside: the least position over the points
at which a read would leave its tensor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tadc.integer.projection import project
from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import Determined, Domain, Looked, at_least_zero, between
from tadc.ir.element_types import INDEX
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.resolve.bounds import ReadCheck
from tadc.resolve.ragged import Row

__all__ = ["Check", "Way", "checks_of", "searching"]


@dataclass(frozen=True, slots=True)
class Way:
    """A way in which an element of an index tensor is outside: its points, and the tensor's subscripts there."""

    looked: Looked
    derived: tuple[Determined, ...]
    domain: Domain


@dataclass(frozen=True, slots=True)
class Check:
    """What is asked of one place of the text: `ways` lead to an error. `span` says where, as text."""

    tensor: str
    low: str
    high: str
    span: str
    ways: tuple[Way, ...]


def checks_of(program: Program, checks: Sequence[ReadCheck]) -> tuple[Check, ...]:
    """Those of declared ranges, and those of reads through inputs of the program, in the order in which calls make them."""
    inputs = {t.name for t in program.inputs}
    places: dict[object, list[ReadCheck]] = {}
    for c in checks:
        if c.data and inputs.issuperset(c.index_tensors):
            places.setdefault((c.span.start, c.tensor, c.dimension), []).append(c)
    names = Names((*program.tensors, *program.symbols))
    ranged = (t for t in program.inputs if t.dtype == INDEX and t.values)
    declared = (_declared(t, names) for t in ranged)
    return (*declared, *map(_of_reads, places.values()))


def searching(way: Way, program: Program) -> Program:
    """The program that is the least element over the points: its text is another one, which returns where that is."""
    names = {d.name for d in way.derived}
    sizes = set(program.parameters)
    needed = {s for d in way.derived for s in d.symbols}
    free = [s for s in way.domain.symbols if s not in names and s not in sizes]
    away = [s for s in free if s not in needed and _is_projected_exactly(s, way.domain)]
    domain = project(way.domain, away) if away else way.domain
    indices = tuple(s for s in dict.fromkeys((*free, *sorted(needed))) if s not in away)
    indices = tuple(s for s in indices if s not in names and s not in sizes)
    body: Expr = Read(way.looked.tensor, way.looked.subscripts)
    if indices or way.derived:
        body = Reduce("min", indices, way.derived, domain, body)
    target = Tensor(Names((*program.tensors, *program.symbols)).fresh("found"), (), None)
    found = Statement(target, (), (), body)
    return replace(program, outputs=(target.name,), statements=(found,))


def _is_projected_exactly(s: Symbol, domain: Domain) -> bool:
    return all(
        abs(c.form.coefficient(s)) <= 1 and (c.relation != "|" or s not in c.form.symbols)
        for c in domain
    )


def _declared(t: Tensor, names: Names) -> Check:
    """The check of a declared range."""
    assert t.values is not None, "it is declared"
    low, high = t.values
    indices, name = tuple(names.fresh("i") for _ in t.shape), names.fresh("value")
    looked = Looked(name, t.name, tuple(map(symbol, indices)))
    box = Domain.of(
        c for i, n in zip(indices, t.shape, strict=True) for c in between(0, symbol(i), n - 1)
    )
    value = symbol(name)
    sides = (low - value - 1, value - high - 1)
    ways = tuple(Way(looked, (looked,), box & Domain.of((at_least_zero(s),))) for s in sides)
    return Check(t.name, str(low), str(high), f"{t.name}: {low}..{high}", ways)


def _of_reads(checks: Sequence[ReadCheck]) -> Check:
    """The check of one subscript, which leaves its tensor below or above."""
    first = checks[0]
    extent = first.extents[first.dimension]
    ways = tuple(way for c in checks for way in _ways(c))
    assert ways, "a check without a way out"
    place = first.places[first.dimension] or first.span
    span = f"{place.line}:{place.column}: {place.text}"
    return Check(ways[0].looked.tensor, "0", str(extent - 1), span, ways)


def _ways(c: ReadCheck) -> Iterator[Way]:
    form = c.subscripts[c.dimension]
    looked = [d for d in c.data if isinstance(d, Looked)]
    led = set(form.symbols)
    for d in reversed(c.data):
        if d.name in led:
            led |= set(d.symbols)
    of = next((d for d in reversed(looked) if d.name in led), looked[0])
    for domain in c.outside.alternatives():
        row = Row.of(form, domain, looked)
        if row is not None:
            of = row.low if at_least_zero(-form - 1) in domain.conditions else row.high
        yield Way(of, c.data, domain)
