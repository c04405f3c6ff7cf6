"""Sums of products of three tensors or more as contractions of two, which are products of matrices.

    dD[l,j] = sum{i,k} B[i,k,l]*dA[i,j]*C[k,j]      is      t[i,k,j] = dA[i,j]*C[k,j];  dD[l,j] = sum{i,k} B[i,k,l]*t[i,k,j]

`t` is the Khatri-Rao product of two of them (Bader and Kolda, "Efficient MATLAB computations with sparse and factored tensors",
2007, section 5.2.6). It is far smaller than the number of the products that are added up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from math import prod
from typing import TypeAlias, cast

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import EVERYWHERE, Domain
from tadc.ir.expr import Call, Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import substitute
from tadc.schedule.cpu.contraction import contraction

__all__ = ["with_factors_in_pairs"]

MOST = 5  # factors
WORTH = 32  # products that are added up for each that is stored

# The factors of a pair with numbers for indices, and the extents of these.
_Key: TypeAlias = tuple[frozenset[Expr], tuple[Affine, ...]]


def with_factors_in_pairs(program: Program, usual: Mapping[Symbol, int]) -> Program:
    """The program with such sums in two statements or three. `usual` has about how large all sizes are."""
    values = program.size_values(usual)
    products = {s: _product(s, program) for s in program.statements}
    ways = {s: list(_ways(p, s, program, values)) for s, p in products.items() if p}
    if not any(ways.values()):
        return program
    # What several statements may have is computed once.
    readers = Counter(k for each in ways.values() for k in {k for way in each for k in way.keys})
    names = Names((*program.tensors, *program.symbols))
    stored: dict[_Key, str] = {}
    statements: list[Statement] = []
    for s in program.statements:
        if not ways.get(s):
            statements.append(s)
            continue
        way = min(ways[s], key=lambda way: way.cost(readers, stored))
        for side in way.pairs:
            if side.key not in stored:
                stored[side.key] = names.fresh(f"{s.target.name}_pair")
                statements.append(side.statement(stored[side.key], s.target.dtype))
        statements.append(way.statement(s, stored))
    return replace(program, statements=tuple(statements))


@dataclass(frozen=True, slots=True)
class _Product:
    """The sum of the product of these reads over all values of the indices, and the extents of these and of the result's."""

    reads: tuple[Read, ...]
    indices: tuple[Symbol, ...]
    extents: Mapping[Symbol, Affine]


@dataclass(frozen=True, slots=True)
class _Side:
    """Factors, and the order of their indices in the tensor that has their product, if they are several."""

    reads: tuple[Read, ...]
    indices: tuple[Symbol, ...]
    extents: tuple[Affine, ...]

    @property
    def key(self) -> _Key:
        numbers = {i: symbol(f"'{n}") for n, i in enumerate(self.indices)}
        return frozenset(substitute(r, numbers) for r in self.reads), self.extents

    @property
    def strided(self) -> int:
        """How many factors are read elsewhere for each of its neighbours."""
        last = self.indices[-1]
        return sum(last in r.symbols and last not in r.subscripts[-1].symbols for r in self.reads)

    def read(self, stored: Mapping[_Key, str]) -> Read:
        if len(self.reads) == 1:
            return self.reads[0]
        return Read(stored[self.key], tuple(map(symbol, self.indices)))

    def statement(self, name: str, dtype: str | None) -> Statement:
        body = reduce(lambda a, b: Call("mul", (a, b)), cast(Sequence[Expr], self.reads))
        return Statement(Tensor(name, self.extents, dtype), self.indices, (), body)


@dataclass(frozen=True, slots=True)
class _Way:
    """A product as that of two sides. `elements` are those of each pair, times how expensive they are, `size` is how large the matrices are."""

    product: _Product
    sides: tuple[_Side, _Side]
    elements: tuple[int, ...]
    size: int

    @property
    def pairs(self) -> list[_Side]:
        return [side for side in self.sides if len(side.reads) > 1]

    @property
    def keys(self) -> list[_Key]:
        return [side.key for side in self.pairs]

    def cost(self, readers: Mapping[_Key, int], stored: Container[_Key]) -> tuple[float, int]:
        """The elements that are stored for it, and then how small the matrices are."""
        pairs = zip(self.elements, self.keys, strict=True)
        return sum(n / readers[k] for n, k in pairs if k not in stored), -self.size

    def statement(self, s: Statement, stored: Mapping[_Key, str]) -> Statement:
        indices = self.product.indices
        domain = Domain.box({i: self.product.extents[i] for i in indices})
        body = Call("mul", tuple(side.read(stored) for side in self.sides))
        return replace(s, body=Reduce("sum", indices, (), domain, body))


def _product(s: Statement, program: Program) -> _Product | None:
    """The sum that is the whole statement, if it is one of products of at least three different reads of whole tensors."""
    if s.derived or not s.indices or not isinstance(s.body, Reduce):
        return None
    reads: list[Read] = []
    indices: list[Symbol] = []
    domain = EVERYWHERE
    waiting: list[tuple[Expr, frozenset[Symbol]]] = [(s.body, frozenset())]
    while waiting:
        match waiting.pop(0):
            case Reduce("sum", own, (), conditions, body) as e, around if around <= e.symbols:
                # A sum inside that depends on less is one of fewer terms by itself.
                indices += own
                domain &= conditions
                waiting.append((body, frozenset((*s.indices, *indices))))
            case Call("mul", args), around:
                waiting += [(a, around) for a in args]
            case Read() as e, _:
                reads.append(e)
            case _:
                return None
    extents = s.extents
    for r in reads:
        for form, n in zip(r.subscripts, program.tensors[r.tensor].shape, strict=True):
            i = form.as_symbol()
            if i is None or extents.setdefault(i, n) != n:
                return None
    box = {i: extents[i] for i in indices if i in extents}
    types = {program.tensors[r.tensor].dtype for r in reads} | {s.target.dtype}
    if len(reads) not in range(3, MOST + 1) or len({*reads}) < len(reads) or len(types) > 1:
        return None
    is_box = len(box) == len(indices) and domain == Domain.box(box)
    return _Product(tuple(reads), tuple(indices), extents) if is_box else None


def _ways(
    p: _Product, s: Statement, program: Program, values: Mapping[Symbol, int]
) -> Iterator[_Way]:
    """All ways to make a contraction of matrices of it, with far smaller pairs."""
    products = prod(n.at(values) for n in p.extents.values())
    first, *others = p.reads
    groups = (c for count in range(len(others)) for c in combinations(others, count))
    for group in groups:
        left, right = (first, *group), tuple(r for r in others if r not in group)
        for sum_last in (False, True):
            sides = (
                _side(left, right, p, s, sum_last=sum_last),
                _side(right, left, p, s, sum_last=sum_last),
            )
            pairs = [side for side in sides if len(side.reads) > 1]
            elements = tuple(
                prod(n.at(values) for n in side.extents) * (1 + side.strided) for side in pairs
            )
            stored = {side.key: f"'{n}" for n, side in enumerate(pairs)}
            before = (side.statement(stored[side.key], s.target.dtype) for side in pairs)
            there = replace(program, statements=(*before, *program.statements))
            way = _Way(p, sides, elements, 0)
            made = contraction(way.statement(s, stored), there, values)
            if made and sum(elements) * WORTH <= products:
                of_matrix = (*made.rows, *made.columns, *made.inner)
                yield replace(way, size=prod(p.extents[i].at(values) for i in of_matrix))


def _side(
    group: Sequence[Read], other: Sequence[Read], p: _Product, s: Statement, *, sum_last: bool
) -> _Side:
    """A side whose indices are first those that the other one and the result have, then the result's, and the sum's in the other's order."""
    own = {i for r in group for i in r.symbols if i in p.extents}
    of_other = [i for r in other for form in r.subscripts for i in form.symbols if i in own]
    of_sum = [i for i in dict.fromkeys(of_other) if i not in s.indices]
    both = [i for i in s.indices if i in of_other]
    of_result = [i for i in s.indices if i in own and i not in of_other]
    last = (*of_result, *of_sum) if sum_last else (*of_sum, *of_result)
    indices = (*both, *last)
    return _Side(tuple(group), indices, tuple(p.extents[i] for i in indices))
