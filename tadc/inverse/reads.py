"""The active reads of a lump, from its results to the values that they replace, as integer sets.

    (row, element)  with  row in the box of the result,  element = subscripts(row, unknowns),  both in `domain`

A data index is one more unknown there, of which its declared range is known: where data lead is seen in a call alone.

Reads of local values are composed with the reads of these. A result that keeps the old value outside of a region, as a
partial update does, has reads in its region alone: the rest are rows of the identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from tadc.integer import is_empty
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import (
    EMPTY,
    Condition,
    Determined,
    Domain,
    Looked,
    at_least_zero,
    divides,
    equals_zero,
)
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.program import Program, Statement

__all__ = [
    "MOST_PATHS",
    "PathRead",
    "Region",
    "diagonal",
    "distances",
    "in_region",
    "looked_up",
    "meets",
    "path_reads",
    "region_of",
]

MOST_PATHS = 512  # of a lump; with more its structure is not looked for


@dataclass(frozen=True, slots=True)
class PathRead:
    """The reads of the elements `subscripts` of `tensor` by the elements `rows` of a result."""

    rows: tuple[Symbol, ...]
    unknowns: tuple[Symbol, ...]  # of reductions
    derived: tuple[Determined, ...]
    domain: Domain
    tensor: str
    subscripts: tuple[Affine, ...]

    @property
    def looks_up(self) -> tuple[str, ...]:
        """The index tensors that say where it is."""
        return looked_up(self.derived)

    def renamed(self, rows: Sequence[Symbol], suffix: str) -> PathRead:
        """The same with these names for the rows, and with `suffix` behind all other names."""
        names = dict(zip(self.rows, rows, strict=True))
        for s in (*self.unknowns, *(d.name for d in self.derived)):
            names[s] = f"{s}{suffix}"
        values = {s: symbol(n) for s, n in names.items()}
        return PathRead(
            tuple(rows),
            tuple(names[s] for s in self.unknowns),
            tuple(d.substitute(values, names[d.name]) for d in self.derived),
            self.domain.substitute(values),
            self.tensor,
            tuple(form.substitute(values) for form in self.subscripts),
        )


@dataclass(frozen=True, slots=True)
class Region:
    """The elements `rows` that a partial update writes: those in one of `pieces`."""

    rows: tuple[Symbol, ...]
    derived: tuple[Determined, ...]
    pieces: tuple[Domain, ...]

    @property
    def looks_up(self) -> tuple[str, ...]:
        """The index tensors that say where it is."""
        return looked_up(self.derived)


def looked_up(derived: Iterable[Determined]) -> tuple[str, ...]:
    """The index tensors among what these indices are made of."""
    return tuple(dict.fromkeys(d.tensor for d in derived if isinstance(d, Looked)))


def region_of(statement: Statement, old: str, inputs: Set[str]) -> Region | None:
    """The region outside of which the statement keeps the tensor `old` as it is; None if there is no such region, and where it
    follows from an index tensor that is none of the `inputs`.
    """
    if not inputs >= set(looked_up(statement.derived)):
        return None
    pieces: list[Domain] = []
    plain = Read(old, tuple(map(symbol, statement.indices)))
    node = statement.body
    while node is not plain:
        match node:
            case Select(Domain() as condition, then, otherwise) if then is plain:
                pieces += complement(condition)
                if not _is_within(plain, otherwise):
                    break
                return None
            case Select(Domain() as condition, _, otherwise):
                pieces.append(condition)
                node = otherwise
            case _:
                return None
    return Region(statement.indices, statement.derived, tuple(pieces)) if pieces else None


def _is_within(plain: Expr, node: Expr) -> bool:
    """Whether a further selection of the plain value hides in the other branch: then rows of the identity are not told."""
    match node:
        case Select(Domain(), then, otherwise):
            return then is plain or otherwise is plain
        case _:
            return False


def complement(domain: Domain) -> list[Domain]:
    """Domains that together are the complement."""
    parts: list[Domain] = []
    for c in domain:
        match c.relation:
            case ">=":
                parts.append(Domain.of((at_least_zero(-c.form - 1),)))
            case "==":
                parts.append(Domain.of((at_least_zero(c.form - 1),)))
                parts.append(Domain.of((at_least_zero(-c.form - 1),)))
            case "|":
                others = (divides(c.modulus, c.form - r) for r in range(1, c.modulus))
                parts += [Domain.of((other,)) for other in others]
    return parts


def path_reads(
    program: Program, result: str, inside: Set[str], active: Set[str], known: Domain
) -> tuple[PathRead, ...] | None:
    """The reads of active values outside of the lump by the elements of `result`; None if there are too many.

    `inside` are the statements of the lump, `active` the values that have a derivative.
    """
    reads = _Reads(program, inside, active, known)
    found = reads.of(result)
    return None if found is None else tuple(found)


class _Reads:
    def __init__(self, program: Program, inside: Set[str], active: Set[str], known: Domain) -> None:
        self._definitions = program.definitions
        self._inside = inside
        self._active = active
        self._known = known
        self._found: dict[str, list[PathRead] | None] = {}
        self._count = 0

    def of(self, value: str) -> list[PathRead] | None:
        if value not in self._found:
            self._found[value] = self._composed(value)
        return self._found[value]

    def _composed(self, value: str) -> list[PathRead] | None:
        composed: list[PathRead] = []
        for read in direct_reads(self._definitions[value], self._active, self._known):
            if read.tensor not in self._inside:
                composed.append(read)
            else:
                further = self.of(read.tensor)
                if further is None:
                    return None
                composed += filter(None, (self._joined(read, f) for f in further))
            if len(composed) > MOST_PATHS:
                return None
        return composed

    def _joined(self, read: PathRead, further: PathRead) -> PathRead | None:
        """The read of a local value, continued by a read of its statement."""
        self._count += 1
        middle = [f"{r}'{self._count}" for r in further.rows]
        then = further.renamed(middle, f"'{self._count}")
        values = dict(zip(middle, read.subscripts, strict=True))
        domain = read.domain & then.domain.substitute(values)
        if domain == EMPTY:
            return None
        return PathRead(
            read.rows,
            (*read.unknowns, *then.unknowns),
            (*read.derived, *(d.substitute(values) for d in then.derived)),
            domain,
            then.tensor,
            tuple(form.substitute(values) for form in then.subscripts),
        )


def direct_reads(statement: Statement, active: Set[str], known: Domain) -> Iterator[PathRead]:
    """The reads of active values in a statement that may have a derivative, each where it is evaluated."""
    waiting: list[tuple[Expr, tuple[Symbol, ...], tuple[Determined, ...], Domain]] = [
        (statement.body, (), statement.derived, statement.box & known)
    ]
    seen = set()
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        node, unknowns, derived, domain = place
        if domain == EMPTY:
            continue
        match node:
            case Read(tensor, subscripts):
                if tensor in active:
                    yield PathRead(statement.indices, unknowns, derived, domain, tensor, subscripts)
            case Call(_, args):
                waiting += [(a, unknowns, derived, domain) for a in args]
            case Select(Comparison(), then, otherwise):
                waiting += [(e, unknowns, derived, domain) for e in (then, otherwise)]
            case Select(Domain() as condition, then, otherwise):
                waiting.append((then, unknowns, derived, domain & condition))
                waiting += [
                    (otherwise, unknowns, derived, domain & part) for part in complement(condition)
                ]
            case Reduce(_, indices, more, inner, body):
                conditions: list[Condition] = [c for d in more for c in d.conditions]
                within = domain & inner & Domain.of(conditions)
                waiting.append((body, (*unknowns, *indices), (*derived, *more), within))
            case Const() | IndexValue():
                pass


def in_region(read: PathRead, region: Region, *, rows: bool) -> Iterator[PathRead]:
    """The reads by rows of a region (`rows`), or of elements in it, piece by piece."""
    at: Mapping[Symbol, Affine] = dict(
        zip(region.rows, map(symbol, read.rows) if rows else read.subscripts, strict=True)
    )
    suffix = "'r" if rows else "'e"
    names = {d.name: f"{d.name}{suffix}" for d in region.derived}
    values = {**at, **{d: symbol(n) for d, n in names.items()}}
    derived = tuple(d.substitute(values, names[d.name]) for d in region.derived)
    known = Domain.of(c for d in derived for c in d.conditions)
    for piece in region.pieces:
        domain = read.domain & piece.substitute(values) & known
        if domain != EMPTY:
            yield replace(read, derived=(*read.derived, *derived), domain=domain)


def meets(read: PathRead, region: Region) -> bool:
    """Whether a row of the region reads an element of it; true if in doubt."""
    return any(
        not is_empty(r.domain)
        for rows in in_region(read, region, rows=True)
        for r in in_region(rows, region, rows=False)
    )


def distances(read: PathRead) -> tuple[Affine, ...]:
    """The element that is read minus the row that reads it, by dimension."""
    return tuple(form - symbol(r) for form, r in zip(read.subscripts, read.rows, strict=True))


def diagonal(read: PathRead, dimensions: Sequence[int]) -> Domain:
    """The part of a read's domain whose distance is 0 in these dimensions."""
    between = distances(read)
    return read.domain & Domain.of(equals_zero(between[d]) for d in dimensions)
