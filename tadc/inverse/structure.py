"""The structure of a lump's diagonal block A: the derivative of the values after by those that they replace.

Dimensions are peeled: one in which the distance of every read is 0 holds independent systems (batch); one in which no
distance is positive, or none is negative, can be solved one slice after the other (sequential), and reads of other slices
are known then. What is left is the core. Every question is the emptiness of an integer set, for sizes that are numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tadc.errors import DerivativeError
from tadc.integer import is_empty
from tadc.inverse.lumps import Lump
from tadc.inverse.maps import Data, pattern, region_mask
from tadc.inverse.reads import (
    PathRead,
    Region,
    diagonal,
    distances,
    in_region,
    path_reads,
    region_of,
)
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Domain, at_least_zero, between
from tadc.ir.program import Program

__all__ = ["Analysis", "Kind", "Structure", "analysed", "is_stacked", "mixed_samples", "paired"]

Kind: TypeAlias = Literal[
    "diagonal", "bijection", "triangular", "blocks", "banded", "cyclic", "dense"
]

MOST_BLOCK = 32  # rows of a block that counts as a small one
MOST_MAPS = (
    4  # by which the rows of a dense block are turned, to see whether it has a structure then
)


@dataclass(frozen=True, slots=True)
class Structure:
    """How a lump's A is solved.

    `batch` and `sequential` are the peeled dimensions, `m` the rows of a system of the others, all tensors together.
    `below` and `above` bound the distances in a system, flattened: those of its band, of a cyclic one around the ring.
    """

    kind: Kind
    shape: tuple[int, ...]  # of each tensor; one dimension with all elements where they differ
    batch: tuple[int, ...]
    sequential: tuple[tuple[int, bool], ...]  # with whether it descends
    tensors: int
    below: int
    above: int
    region: Region | None = None
    by_data: bool = False  # whether elements of index tensors say where it reads

    @property
    def rest(self) -> tuple[int, ...]:
        """The dimensions of a system."""
        return tuple(d for d in range(len(self.shape)) if d not in self.batch)

    @property
    def systems(self) -> int:
        return prod(self.shape[d] for d in self.batch)

    @property
    def m(self) -> int:
        return prod(self.shape[d] for d in self.rest) * self.tensors

    @property
    def is_band(self) -> bool:
        """Whether the systems are assembled and solved as bands."""
        width = self.below + self.above + 1
        return self.kind in ("banded", "triangular") and 2 * width < self.m

    @property
    def entries(self) -> int:
        """The entries of all systems as they are assembled."""
        return self.systems * self.m * (self.below + 1 + self.above if self.is_band else self.m)

    @property
    def reason(self) -> str:
        """What the reads have that makes it of its kind."""
        match self.kind:
            case "diagonal":
                return "each element is of its own old value alone"
            case "bijection":
                return "each element is of one old value, and each of another one"
            case "triangular":
                places = " and ".join(
                    f"{'after' if down else 'before'} it in dimension {d}"
                    for d, down in self.sequential
                )
                return f"each element is of its own old value and of those {places}"
            case "blocks":
                return f"{self.m} elements are of each other's old values, at each of {self.systems} points"
            case "banded":
                return f"each element is of old values from {self.below} before to {self.above} after it"
            case "cyclic":
                return f"each element is of old values from {self.below} before to {self.above} after it, around the end"
            case "dense" if self.by_data:
                return "elements are of those that an index tensor leads to (of one each, a permutation, found when it is called)"
            case "dense":
                return f"elements are of each other's old values, both before and after them, up to {max(self.below, self.above)} places away"

    def __str__(self) -> str:
        name: str = self.kind
        if self.kind in ("banded", "cyclic"):
            name = f"{self.kind}({self.below},{self.above})"
        elif self.kind in ("blocks", "dense"):
            name = f"{self.kind}({self.m})"
        parts = [name]
        if self.batch and len(self.batch) < len(self.shape):
            parts.append(f"batch {_dimensions(self.batch)}")
        if self.sequential:
            down = [d for d, descends in self.sequential if descends]
            up = [d for d, descends in self.sequential if not descends]
            parts += [f"ascending {_dimensions(up)}"] if up else []
            parts += [f"descending {_dimensions(down)}"] if down else []
        return ", ".join(parts)


def _dimensions(those: Sequence[int]) -> str:
    return f"dimension{'s' if len(those) > 1 else ''} {', '.join(map(str, those))}"


def paired(program: Program, lump: Lump) -> tuple[tuple[str, str], ...]:
    """Each value after, with the one before that it replaces: of equal extents in order, then what is left in order.

    This labels rows: another pairing costs structure, and never correctness.
    """
    shapes = {v: program.tensors[v].shape for v in (*lump.before, *lump.after)}
    left = list(lump.before)
    pairs: dict[str, str] = {}
    for after in lump.after:
        before = next((b for b in left if shapes[b] == shapes[after]), None)
        if before is not None:
            left.remove(before)
            pairs[after] = before
    for after in lump.after:
        if after not in pairs and left:
            pairs[after] = left.pop(0)
    return tuple(pairs.items())


def is_stacked(program: Program, lump: Lump, s: Structure) -> bool:
    """Whether all values that are replaced or replace have one shape, that of the structure; else they are one system, flattened."""
    shapes = {program.tensors[v].shape for v in (*lump.before, *lump.after)}
    extents = {tuple(e.constant for e in shape) for shape in shapes}
    return s.tensors == len(lump.after) == len(lump.before) and extents == {s.shape}


@dataclass(frozen=True, slots=True)
class Analysis:
    """The structure of a block; for a bijection the element that each row reads, flattened.

    A block whose rows run against its columns, or across them, is `turned`: it has that structure once row number k has the place
    `places[k]`, all of them flattened.
    """

    structure: Structure
    image: NDArray[np.int64] | None = None
    reads: tuple[PathRead, ...] = ()  # of a bijection, which together name each element once
    turned: Structure | None = None
    places: NDArray[np.int64] | None = None
    by_data: tuple[
        PathRead, ...
    ] = ()  # all reads of a block without structure, if data lead to some

    def mask(self, rounds: Mapping[Symbol, int], data: Data) -> NDArray[np.bool_] | None:
        """Where a partial update writes, for these values of the sizes that have no number, and these index tensors; None for one that
        is not partial.
        """
        s = self.structure
        return None if s.region is None else region_mask(s.region, s.shape, rounds, data)

    @property
    def looks_up(self) -> tuple[str, ...]:
        """The index tensors that say what a partial update writes, and whether a block is a bijection."""
        region = self.structure.region
        names = (
            *(region.looks_up if region else ()),
            *(n for r in self.by_data for n in r.looks_up),
        )
        return tuple(dict.fromkeys(names))

    def at(self, data: Data) -> Analysis:
        """The analysis for these index tensors: a block is a bijection where each row reads one element, and each another one."""
        s = self.structure
        if not self.by_data:
            return self
        found = pattern(self.by_data, s.shape, data)
        image = None if found is None else _image(*found, prod(s.shape))
        return self if image is None else Analysis(_as_bijection(s), image)


def analysed(program: Program, lump: Lump, active: Sequence[str]) -> Analysis:
    """The analysis of the block of a lump. Extents are numbers; sizes that have none stand for the indices of loops.

    Raises DerivativeError for a block that is singular at every point: a row without reads, or an element that none reads.
    """
    s, entries = _structure(program, lump, active)
    if entries is None or s.tensors > 1:
        return Analysis(s)
    reads = tuple(e.read for e in entries)
    if s.by_data:
        is_open = s.kind in ("dense", "blocks") and s.region is None and not program.sizes
        is_known = {x.name for x in program.inputs}.issuperset(n for r in reads for n in r.looks_up)
        return Analysis(s, by_data=reads if is_open and is_known else ())
    turned = _turned(s, entries) if s.kind == "dense" and s.region is None else None
    if program.sizes:
        return turned or Analysis(s)
    mask = Analysis(s).mask({}, {})
    found = pattern(reads, s.shape, {})
    if found is None:
        return turned or Analysis(s)
    rows, columns = found
    _check_rank(rows, columns, s, lump, mask)
    image = None
    if s.kind != "diagonal" and mask is None:
        image = _image(rows, columns, prod(s.shape))
    return turned or Analysis(s) if image is None else Analysis(_as_bijection(s), image, reads)


def _image(
    rows: NDArray[np.int64], columns: NDArray[np.int64], count: int
) -> NDArray[np.int64] | None:
    """The element that each row reads, of so many; None where a row or an element is in no read, or in several."""
    if not len(rows) == len(np.unique(rows)) == len(np.unique(columns)) == count:
        return None
    image = np.empty(count, np.int64)
    image[rows] = columns
    return image


def _as_bijection(s: Structure) -> Structure:
    return replace(s, kind="bijection", batch=(), sequential=(), by_data=False)


def _turned(s: Structure, entries: Sequence[Entry]) -> Analysis | None:
    """The analysis with rows at the places that one of the reads gives them; None where none makes it another structure."""
    if len({e.read.rows for e in entries}) != 1:
        return None
    maps: dict[tuple[Affine, ...], PathRead] = {}
    for entry in entries:
        maps.setdefault(entry.read.subscripts, entry.read)
    candidates = ((read, _inverse(read, s.shape)) for read in maps.values())
    found_maps = [(read, values) for read, values in candidates if values is not None]
    for read, values in found_maps[:MOST_MAPS]:
        moved = [replace(e, read=_substituted(e.read, values)) for e in entries]
        found = _of_entries(moved, s.shape, 1, None)
        if found.kind == "dense":
            continue
        grid = dict(zip(read.rows, np.indices(s.shape, sparse=True), strict=True))
        places = np.zeros(s.shape, np.int64)
        for extent, form in zip(s.shape, read.subscripts, strict=True):
            at = sum((c * grid[r] for r, c in form.terms), np.asarray(form.constant))
            places = places * extent + at
        return Analysis(s, turned=found, places=places.reshape(-1))
    return None


def _inverse(read: PathRead, shape: Sequence[int]) -> dict[Symbol, Affine] | None:
    """The rows by the element that they read, under the rows' names, where the read is a map of the box onto itself that exchanges
    and reverses dimensions; None for other maps, and for the identity.
    """
    extents = dict(zip(read.rows, shape, strict=True))
    values: dict[Symbol, Affine] = {}
    for name, form in zip(read.rows, read.subscripts, strict=True):
        if len(form.terms) != 1:
            return None
        ((row, sign),) = form.terms
        first = {1: 0, -1: extents[name] - 1}.get(sign)  # of row 0
        if row in values or extents.get(row) != extents[name] or form.constant != first:
            return None
        values[row] = (symbol(name) - form.constant) * sign
    if all(form == symbol(row) for row, form in values.items()):
        return None  # rows have their places already
    return values


def _substituted(read: PathRead, values: Mapping[Symbol, Affine]) -> PathRead:
    return replace(
        read,
        derived=tuple(d.substitute(values) for d in read.derived),
        domain=read.domain.substitute(values),
        subscripts=tuple(form.substitute(values) for form in read.subscripts),
    )


def mixed_samples(
    program: Program, lump: Lump, active: Sequence[str], batch_dims: int
) -> str | None:
    """A value that the step reads at another place of the first dimensions than it writes, if there is one."""
    for after in lump.after:
        inside = frozenset(lump.statements)
        reads = path_reads(program, after, inside, frozenset(active), program.known)
        if reads is None:
            return after
        for read in reads:
            if min(len(read.rows), len(read.subscripts)) < batch_dims:
                return read.tensor
            for form, row in zip(read.subscripts[:batch_dims], read.rows, strict=False):
                for sign in (1, -1):
                    beyond = at_least_zero((form - symbol(row)) * sign - 1)
                    if not is_empty(read.domain & Domain.of((beyond,))):
                        return read.tensor
    return None


def _check_rank(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    s: Structure,
    lump: Lump,
    mask: NDArray[np.bool_] | None,
) -> None:
    """Check that every row reads an element, and every element is read. Raises DerivativeError with the smallest that is not."""
    needed = np.ones(s.shape, bool) if mask is None else mask
    for those, what, name in (
        (rows, "reads none of the values", lump.after[0]),
        (columns, "is read by none of the values", lump.before[0]),
    ):
        missing = needed.reshape(-1).copy()
        missing[those] = False
        if missing.any():
            place = np.unravel_index(int(np.argmax(missing)), s.shape)
            element = f"{name}[{', '.join(str(int(k)) for k in place)}]" if s.shape else name
            other = lump.before[0] if what.startswith("reads") else lump.after[0]
            raise DerivativeError(
                None,
                f"the Jacobian is singular at every point: `{element}` {what} of `{other}` that"
                f" {'it replaces' if what.startswith('reads') else 'replace it'}",
                fix="let each element depend on the one that it replaces, or leave it out of the update",
            )


def _structure(
    program: Program, lump: Lump, active: Sequence[str]
) -> tuple[Structure, list[Entry] | None]:
    """The structure of the block of a lump, and the reads that it was found by, if they are known."""
    pairs = paired(program, lump)
    shapes = {program.tensors[v].shape for pair in pairs for v in pair}
    if len(shapes) > 1 or len(lump.before) != len(lump.after):
        return _whole(program, lump), None
    shape = tuple(n.constant for n in next(iter(shapes)))
    entries, region = _entries(program, lump, pairs, active)
    if entries is None:
        return _whole(program, lump), None
    found = _of_entries(entries, shape, len(pairs), region)
    looks_up = bool(region and region.looks_up) or any(e.read.looks_up for e in entries)
    return replace(found, by_data=looks_up), entries


def _of_entries(
    entries: Sequence[Entry], shape: tuple[int, ...], tensors: int, region: Region | None
) -> Structure:
    """The structure of a block with these reads."""
    peeled = _peeled(entries, len(shape))
    batch, sequential = tuple(peeled.batch), tuple(peeled.sequential)
    known = Structure("dense", shape, batch, sequential, tensors, 0, 0, region)
    below, above = _band(known, entries)
    if known.m == 1 and below == above == 0:
        kind: Kind = "diagonal"
    elif not peeled.core and tensors == 1:
        kind = "triangular"
    elif known.m <= MOST_BLOCK and (known.batch or tensors > 1):
        kind = "blocks"
    elif 2 * (below + above + 1) < known.m:
        kind = "banded"
    elif (ring := _ring(known, entries)) is not None:
        kind, (below, above) = "cyclic", ring
    else:
        kind = "dense"
    return replace(known, kind=kind, below=below, above=above)


def _whole(program: Program, lump: Lump) -> Structure:
    """All values of the lump as one system."""
    count = sum(prod(n.constant for n in program.tensors[v].shape) for v in lump.after)
    return Structure("dense", (count,), (), (), 1, count, count)


@dataclass(frozen=True, slots=True)
class Entry:
    """Reads of the value before number `column` by the value after number `row`."""

    row: int
    column: int
    read: PathRead


def _entries(
    program: Program,
    lump: Lump,
    pairs: Sequence[tuple[str, str]],
    active: Sequence[str],
) -> tuple[list[Entry] | None, Region | None]:
    """The reads of the block, and the region of a partial update; None for reads that are too many."""
    columns: Mapping[str, int] = {before: k for k, (_, before) in enumerate(pairs)}
    region = None
    if len(lump.statements) == 1 and len(pairs) == 1:
        inputs = frozenset(x.name for x in program.inputs)
        region = region_of(program.definitions[pairs[0][0]], pairs[0][1], inputs)
    entries: list[Entry] = []
    for k, (after, _) in enumerate(pairs):
        reads = path_reads(
            program, after, frozenset(lump.statements), frozenset(active), program.known
        )
        if reads is None:
            return None, None
        for read in reads:
            if read.tensor not in columns:
                continue
            inner = (
                [read]
                if region is None
                else [
                    e
                    for r in in_region(read, region, rows=True)
                    for e in in_region(r, region, rows=False)
                ]
            )
            entries += [Entry(k, columns[read.tensor], r) for r in inner if not is_empty(r.domain)]
    return entries, region


@dataclass(frozen=True, slots=True)
class _Peeled:
    batch: list[int]
    sequential: list[tuple[int, bool]]
    core: list[int]


def _peeled(entries: Sequence[Entry], rank: int) -> _Peeled:
    """The dimensions by their part. Peeling greedily finds every lexicographic order: a peel only removes reads."""
    left = [(e, e.read.domain) for e in entries]
    peeled = _Peeled([], [], list(range(rank)))
    while True:
        for d in peeled.core:
            up = any(_reaches(e, domain, d, 1) for e, domain in left)
            down = any(_reaches(e, domain, d, -1) for e, domain in left)
            if up and down:
                continue
            peeled.core.remove(d)
            if not up and not down and not _differs(entries, d):
                peeled.batch.append(d)
            else:
                peeled.sequential.append((d, up))
            slices = ((e, domain & diagonal(e.read, (d,))) for e, domain in left)
            left = [(e, domain) for e, domain in slices if not is_empty(domain)]
            break
        else:
            peeled.batch.sort()
            return peeled


def _differs(entries: Sequence[Entry], d: int) -> bool:
    """Whether a read of any slice, those that are known included, has another place in the dimension."""
    return any(_reaches(e, e.read.domain, d, sign) for e in entries for sign in (1, -1))


def _reaches(entry: Entry, domain: Domain, d: int, sign: int) -> bool:
    """Whether the distance in a dimension is positive (`sign` 1) or negative (-1) somewhere; true if in doubt."""
    distance = distances(entry.read)[d]
    return not is_empty(domain & Domain.of((at_least_zero(distance * sign - 1),)))


def _band(known: Structure, entries: Sequence[Entry]) -> tuple[int, int]:
    """The greatest distances below and above the diagonal of a system, its elements flattened and its tensors interleaved."""
    below = above = 0
    for e in entries:
        between = distances(e.read)
        distance: Affine = constant(0)
        for d in known.rest:
            distance = distance * known.shape[d] + between[d]
        distance = distance * known.tensors + (e.column - e.row)
        above = max(above, _greatest(e.read.domain, distance, known.m))
        below = max(below, _greatest(e.read.domain, -distance, known.m))
    return below, above


def _ring(known: Structure, entries: Sequence[Entry]) -> tuple[int, int] | None:
    """The greatest distances below and above the diagonal around the ring of the one dimension of a system; None where they are not small."""
    if len(known.rest) != 1 or known.tensors > 1:
        return None
    m, (d,) = known.m, known.rest
    below = above = 0
    for e in entries:
        distance, domain = distances(e.read)[d], e.read.domain
        for turns in (-1, 0, 1):  # those that are shortest with so many turns around the ring
            around = distance + turns * m
            shortest = domain & Domain.of(between(-(m // 2), around, m // 2))
            if not is_empty(shortest):
                above = max(above, _greatest(shortest, around, m))
                below = max(below, _greatest(shortest, -around, m))
    folded = 2 * max(below, above)  # the band that is solved
    return (below, above) if 2 * (2 * folded + 1) < m else None


def _greatest(domain: Domain, form: Affine, bound: int) -> int:
    """The greatest value of the form, at least 0 and below `bound`, by halving the interval."""
    return _last(0, bound, lambda n: not is_empty(domain & Domain.of((at_least_zero(form - n),))))


def _last(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The last number in `low <= n < high` for which `holds`, which holds up to there; `low` counts as one."""
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low
