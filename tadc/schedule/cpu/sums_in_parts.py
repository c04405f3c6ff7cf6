"""Long sums in parts, each over so little that a cache holds what its terms read.

    dw[o,c,r] = sum{n,p} dy[n,o,p]*x[n,p+r,c]     is     t[n,o,c,r] = sum{p} dy[n,o,p]*x[n,p+r,c];  dw[o,c,r] = sum{n} t[n,o,c,r]

Otherwise each tile of the few elements goes through all of `dy` and `x`, and takes them from memory again (Lam, Rothberg and Wolf,
"The cache performance and optimizations of blocked algorithms", 1991). The parts follow from the extents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import count
from math import prod

from tadc.ir.affine import Affine, Symbol
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder, replaced
from tadc.normalize.in_bounds import is_never_empty
from tadc.normalize.reductions import extents_around_body, plain_extent
from tadc.schedule.cpu.parts import Blocks, in_parts
from tadc.schedule.rewrite.rows import always
from tadc.schedule.rewrite.running import running

__all__ = ["with_long_sums_in_parts"]

HELD = 2**19  # elements that a cache holds
OFTEN = 32  # reads of an element
FEWEST = 64  # terms of a part
NEIGHBOURS = 256  # elements of a tensor that a part reads side by side, if it reads neighbours
SHORT = 16  # values of an index: lanes are no neighbours along it


def with_long_sums_in_parts(
    program: Program, usual: Mapping[Symbol, int], left_out: Set[str] = frozenset()
) -> Program:
    """The program with such sums in two statements, but for the tensors `left_out`. `usual` has about how large all sizes are."""
    sizes = frozenset(program.parameters)
    values = dict(program.size_values(usual))
    blocks = Blocks(Names((*program.tensors, *program.symbols)), values)
    statements: list[Statement] = []
    for s in program.statements:
        parted: dict[Expr, Expr] = {}
        if s.target.name not in left_out and not s.derived and not running(s, program):
            for e in always(s.body):
                part = _part(e, s, program, values, sizes)
                if part:
                    # Neighbours in memory are those along an index of many values.
                    box = dict(
                        sorted(s.extents.items(), key=lambda pair: pair[1].at(values) >= SHORT)
                    )
                    first, parted[e] = in_parts(
                        part.e, part.index, part.extent, part.length, blocks, s, box
                    )
                    statements.append(first)
        statements.append(replace(s, body=replaced(s.body, parted)) if parted else s)
    if len(statements) == len(program.statements):
        return program
    all_derived = (*program.derived_sizes, *blocks.made.values())
    return replace(program, statements=tuple(statements), derived_sizes=all_derived)


@dataclass(frozen=True, slots=True)
class _Part:
    """A sum whose parts have `length` values of the index each, of its `extent`."""

    e: Reduce
    index: Symbol
    extent: Affine
    length: int


def _part(
    e: Expr,
    s: Statement,
    program: Program,
    values: Mapping[Symbol, int],
    sizes: frozenset[Symbol],
) -> _Part | None:
    """The parts of the sum, if each element that it reads is read often, and a cache holds those of a part, but not all."""
    if not (isinstance(e, Reduce) and e.op == "sum") or any(
        isinstance(n, Reduce) and n.derived for n in postorder(e)
    ):
        return None
    places = list(_reads(e, s.extents, sizes))
    extents = {i: max(1, n.at(values)) for place in places for i, n in place.extents.items()}
    reads = {(place.read.tensor, place.read.subscripts): place for place in places}

    shapes = {t: [max(1, n.at(values)) for n in program.tensors[t].shape] for t, _ in reads}

    def elements(extents: Mapping[Symbol, int]) -> int:
        return sum(_elements(p.read, shapes[p.read.tensor], extents) for p in reads.values())

    def of_part(index: Symbol, length: int) -> int:
        return elements({**extents, index: length})

    results = prod(n.at(values) for n in s.target.shape)
    whole = elements(extents)
    terms = prod(n for i, n in extents.items() if i not in s.extents)
    if whole <= HELD or results * terms < OFTEN * whole:
        return None
    found = []
    for i in e.indices:
        extent = plain_extent(i, e.domain, sizes)
        if extent is None or of_part(i, 1) > HELD or not is_never_empty([extent], program):
            continue
        length = next(2**n for n in count() if of_part(i, 2 ** (n + 1)) > HELD)
        if length < NEIGHBOURS and any(i in p.read.subscripts[-1].symbols for p in places):
            continue
        number = -(-extents[i] // length)
        if number > 1 and results * number <= whole and terms * length >= FEWEST * extents[i]:
            found.append((number, _Part(e, i, extent, length)))
    return min(found, key=lambda pair: pair[0])[1] if found else None


@dataclass(frozen=True, slots=True)
class _Place:
    """A read, and the extents of the indices around it."""

    read: Read
    extents: Mapping[Symbol, Affine]


def _reads(e: Expr, around: Mapping[Symbol, Affine], sizes: frozenset[Symbol]) -> Iterator[_Place]:
    waiting, seen = [(e, around)], set()
    while waiting:
        node, extents = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Read) and node.subscripts:
            yield _Place(node, extents)
        if isinstance(node, Reduce):
            extents = extents_around_body(node, extents, sizes)
        waiting += [(o, extents) for o in node.operands]


def _elements(read: Read, shape: Sequence[int], extents: Mapping[Symbol, int]) -> int:
    """How many elements are read, for all values of the indices: those of the box that holds them."""

    def along(form: Affine, whole: int) -> int:
        if any(i not in extents for i in form.symbols):
            return whole
        return min(whole, 1 + sum(abs(c) * (extents[i] - 1) for i, c in form.terms))

    return prod(map(along, read.subscripts, shape))
