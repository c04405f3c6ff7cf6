"""Sums of products as contractions of two tensors, which are products of matrices, and left to BLAS (`contraction.py`).

Of three factors or more, two are multiplied first where that is far less than what is added up:

    dD[l,j] = sum{i,k} B[i,k,l]*dA[i,j]*C[k,j]      is      t[i,k,j] = dA[i,j]*C[k,j];  dD[l,j] = sum{i,k} B[i,k,l]*t[i,k,j]

`t` is their Khatri-Rao product (Bader and Kolda, "Efficient MATLAB computations with sparse and factored tensors", 2007, section
5.2.6). A factor that is computed is stored where it is no larger than what it is made of, and so is the sum where it is a part of
a value:

    y[i,d] = tanh(sum{j} exp(s[i,j])*v[j,d])      is      t[i,j] = exp(s[i,j]);  u[i,d] = sum{j} t[i,j]*v[j,d];  y[i,d] = tanh(u[i,d])

What is read through data is stored like that, too:

    s[b,n] = sum{d} x[h[b],d]*r[b,d]*e[n,d]       is      t[b,d] = x[h[b],d]*r[b,d];  s[b,n] = sum{d} t[b,d]*e[n,d]

So is a product of matrices inside of a sum:

    q[b] = sum{i} x[b,i]*sum{j} a[i,j]*x[b,j]     is      t[b,i] = sum{j} a[i,j]*x[b,j];  q[b] = sum{i} x[b,i]*t[b,i]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from math import prod
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.canonical import free_indices
from tadc.ir.domain import EVERYWHERE, Determined, Domain, Looked
from tadc.ir.expr import Call, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder, replaced, substitute
from tadc.normalize.reductions import plain_extent
from tadc.schedule.cpu.contraction import Contraction, contraction, factor_of, is_for_blas
from tadc.schedule.nest.matrix_product import index_orders
from tadc.schedule.rewrite.looked_up import data_among, needed
from tadc.schedule.rewrite.rows import always
from tadc.schedule.rewrite.separate import Around, Separation, separated

__all__ = ["with_products"]

MOST = 5  # factors
WORTH = 32  # products that are added up for each that is stored
MOST_STORED = 8  # times as much as the factors and the result
EVEN = 80  # rows times columns over their sum: BLAS copies both matrices, and has to use each element often
LONG = 64  # terms of a sum that is a part of a value, whose factors are stored; of others the sum alone would be

# Factors with numbers for indices, the data that they are read through, and the extents of the indices.
_Key: TypeAlias = tuple[frozenset[Expr], frozenset[Determined], tuple[Affine, ...]]


def with_products(
    program: Program, usual: Mapping[Symbol, int], dtype: str
) -> tuple[Program, frozenset[str]]:
    """The program with such sums in statements of their own, and the tensors of these. `usual` has about how large all sizes are."""
    values = program.size_values(usual)
    found = [list(_sums(s, program, values, dtype)) for s in program.statements]
    # What several sums may have is computed once.
    readers = Counter(k for ss in found for s in ss for k in {k for w in s.ways for k in w.keys})
    names = Names((*program.tensors, *program.symbols))
    stored: dict[_Key, str] = {}
    statements: list[Statement] = []
    made = set[str]()
    for s, sums in zip(program.statements, found, strict=True):
        reads: dict[Expr, Expr] = {}
        for each in sums:
            way = min(each.ways, key=lambda way: way.cost(readers, stored))
            for side in way.stored:
                if side.key not in stored:
                    stored[side.key] = names.fresh(f"{s.target.name}_factor")
                    statements.append(side.statement(stored[side.key], s.target.dtype))
            target = s.target
            if each.e is not s.body:
                target = replace(target, name=names.fresh(f"{s.target.name}_product"))
                reads[each.e] = Read(target.name, tuple(map(symbol, s.indices)))
                statements.append(Statement(target, s.indices, (), way.contraction(stored)))
            else:
                reads[each.e] = way.contraction(stored)
            made.add(target.name)
        body = replaced(s.body, reads)
        derived = needed(body.symbols, s.derived) if reads else s.derived
        statements.append(replace(s, derived=derived, body=body))
    program = replace(program, statements=tuple(statements)) if made else program
    program, inner = _with_inner_products(program, values, dtype, made)
    return program, inner.union(made)


def _with_inner_products(
    program: Program, values: Mapping[Symbol, int], dtype: str, left_out: Container[str]
) -> tuple[Program, frozenset[str]]:
    """The program with products of matrices inside of sums in statements of their own, and the tensors of these. Statements of what is
    `left_out` stay.
    """
    made = set[str]()

    def stored(separation: Separation, e: Expr, around: Around) -> Expr:
        s = separation.statement
        if (
            not isinstance(e, Reduce)
            or (s.target.dtype or dtype) != dtype
            or s.target.name in left_out
        ):
            return e
        box = [i for i in around.extents if i in e.symbols]
        if set(box) <= set(s.indices):
            return e  # it is no part of another sum
        there = replace(program, statements=(*separation.statements, s))
        ways: list[tuple[Contraction, Mapping[Symbol, Affine]]] = []
        for order in index_orders(e, box):
            if ways and order[0] not in s.indices:
                continue  # what reads it sums over the first, in long steps through memory
            extents = {i: around.extents[i] for i in order}
            target = Tensor(s.target.name, tuple(extents.values()), s.target.dtype)
            found = contraction(Statement(target, order, (), e), there, values)
            if not ways and not (found and is_for_blas(found, values)):
                return e
            if found:
                ways.append((found, extents))
        best = max(ways, key=lambda way: way[0].weight(values))[1]
        most = _most_stored((e,), s.target, there, values)
        if prod(n.at(values) for n in best.values()) > most:
            return e
        read = separation.stored(e, best, "product")
        if not read:
            return e
        made.add(read.tensor)
        return read

    names = Names((*program.tensors, *program.symbols))
    changed = separated(program, names, stored)
    return (changed if made else program), frozenset(made)


@dataclass(frozen=True, slots=True)
class _Product:
    """The sum of the product of the factors over all values of the indices, the extents of these and of the result's, and the data
    indices around the factors.
    """

    factors: tuple[Expr, ...]
    indices: tuple[Symbol, ...]
    extents: Mapping[Symbol, Affine]
    data: tuple[Looked, ...]

    def free(self, factor: Expr) -> list[Symbol]:
        """The indices that a factor depends on, in the order in which they are met, those of its data first."""
        looked = [s for d in needed(factor.symbols, self.data) for s in d.symbols]
        met = dict.fromkeys((*looked, *free_indices(factor, frozenset())))
        return [i for i in met if i in self.extents]


@dataclass(frozen=True, slots=True)
class _Side:
    """Factors, with the data that they are read through, and the order of their indices in the tensor that has their product, if that
    is stored.
    """

    factors: tuple[Expr, ...]
    data: tuple[Looked, ...]
    indices: tuple[Symbol, ...]
    extents: tuple[Affine, ...]

    @property
    def is_stored(self) -> bool:
        return len(self.factors) > 1 or bool(self.data) or not _is_plain(self.factors[0])

    @property
    def key(self) -> _Key:
        numbers = {i: symbol(f"'{n}") for n, i in enumerate(self.indices)}
        numbers |= {d.name: symbol(f"'data{n}") for n, d in enumerate(self.data)}
        looked = (d.substitute(numbers, f"'data{n}") for n, d in enumerate(self.data))
        return frozenset(substitute(f, numbers) for f in self.factors), frozenset(looked), self.extents  # fmt: skip

    @property
    def strided(self) -> int:
        """How many tensors are read elsewhere for each of its neighbours."""
        last = self.indices[-1]
        reads = {n for f in self.factors for n in postorder(f) if isinstance(n, Read)}
        return sum(last in r.symbols and last not in r.subscripts[-1].symbols for r in reads)

    def read(self, stored: Mapping[_Key, str]) -> Expr:
        if not self.is_stored:
            return self.factors[0]
        return Read(stored[self.key], tuple(map(symbol, self.indices)))

    def statement(self, name: str, dtype: str | None) -> Statement:
        body = reduce(lambda a, b: Call("mul", (a, b)), self.factors)
        return Statement(Tensor(name, self.extents, dtype), self.indices, self.data, body)


@dataclass(frozen=True, slots=True)
class _Way:
    """A product as that of two sides. `elements` are those of what is stored, times how expensive they are, `size` is how large the
    matrices are.
    """

    product: _Product
    sides: tuple[_Side, _Side]
    elements: tuple[int, ...] = ()
    size: int = 0

    @property
    def stored(self) -> list[_Side]:
        return [side for side in self.sides if side.is_stored]

    @property
    def keys(self) -> list[_Key]:
        return [side.key for side in self.stored]

    def cost(self, readers: Mapping[_Key, int], stored: Container[_Key]) -> tuple[float, int]:
        """The elements that are stored for it, and then how small the matrices are."""
        pairs = zip(self.elements, self.keys, strict=True)
        return sum(n / readers[k] for n, k in pairs if k not in stored), -self.size

    def contraction(self, stored: Mapping[_Key, str]) -> Reduce:
        indices = self.product.indices
        domain = Domain.box({i: self.product.extents[i] for i in indices})
        body = Call("mul", tuple(side.read(stored) for side in self.sides))
        return Reduce("sum", indices, (), domain, body)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum of a statement, and the ways to compute it by BLAS."""

    e: Expr
    ways: Sequence[_Way]


def _sums(
    s: Statement, program: Program, values: Mapping[Symbol, int], dtype: str
) -> Iterator[_Sum]:
    """The sums of the statement that are products of matrices, and are not that already."""
    if not s.indices or (s.target.dtype or dtype) != dtype:
        return
    for e in always(s.body):
        if isinstance(e, Reduce) and e.op == "sum":
            product = _product(e, s, program, dtype)
            if product is None:
                continue
            terms = prod(product.extents[i].at(values) for i in product.indices)
            if e is s.body or terms >= LONG:
                ways = list(_ways(product, s, program, values))
                if ways:
                    yield _Sum(e, ways)


def _product(e: Reduce, s: Statement, program: Program, dtype: str) -> _Product | None:
    """The sum as one of products, if its ranges are those of whole dimensions, its factors different, and of all indices of the statement."""
    factors: list[Expr] = []
    indices: list[Symbol] = []
    derived = list(s.derived)
    domain = EVERYWHERE
    waiting: list[tuple[Expr, frozenset[Symbol]]] = [(e, frozenset())]
    while waiting:
        match waiting.pop(0):
            case Reduce("sum", own, made, conditions, body) as inner, around if (
                around <= inner.symbols
            ):
                # A sum inside that depends on less is one of fewer terms by itself.
                indices += own
                derived += made
                domain &= conditions
                waiting.append((body, frozenset((*s.indices, *indices))))
            case Call("mul", args), around:
                waiting += [(a, around) for a in args]
            case factor, _:
                factors.append(factor)
    sizes = frozenset(program.parameters)
    of_sum = {i: plain_extent(i, domain, sizes) for i in indices}
    extents = s.extents | {i: n for i, n in of_sum.items() if n is not None}
    if len({*factors}) < max(2, len(factors)) or len(factors) > MOST or None in of_sum.values():
        return None
    data = data_among(derived)
    if len(data) < len(derived) or domain != Domain.box({i: extents[i] for i in indices}):
        return None
    product = _Product(tuple(factors), tuple(indices), extents, data)
    if not set(s.indices) <= {i for f in factors for i in product.free(f)}:
        return None
    return product if all(_is_factor(f, product, program, dtype) for f in factors) else None


def _is_plain(factor: Expr) -> bool:
    """Whether the factor is an element of a tensor with an index for each dimension."""
    return isinstance(factor, Read) and bool(factor.subscripts) and factor_of(factor) is not None


def _is_factor(factor: Expr, product: _Product, program: Program, dtype: str) -> bool:
    """Whether the factor is a whole tensor, made of a tensor that is as large, or read through data."""
    free, extents = set(product.free(factor)), product.extents
    nodes = list(postorder(factor))
    reads = [n for n in nodes if isinstance(n, Read)]
    if not free or any((program.tensors[r.tensor].dtype or dtype) != dtype for r in reads):
        return False
    if needed(factor.symbols, product.data):
        return not any(isinstance(n, (Reduce, Select)) for n in nodes)
    if isinstance(factor, Read):
        shape = program.tensors[factor.tensor].shape
        whole = [extents.get(form.as_symbol() or "") for form in factor.subscripts]
        return _is_plain(factor) and whole == [*shape]
    return not any(isinstance(n, Reduce) for n in nodes) and any(
        _is_plain(r) and r.symbols >= free for r in reads
    )


def _ways(
    p: _Product, s: Statement, program: Program, values: Mapping[Symbol, int]
) -> Iterator[_Way]:
    """All ways to make a contraction of matrices of it with factors that are stored, which are far fewer than the products."""
    products = prod(n.at(values) for n in p.extents.values())
    most = _most_stored(p.factors, s.target, program, values)
    first, *others = p.factors
    groups = (c for count in range(len(others)) for c in combinations(others, count))
    for group in groups:
        left, right = (first, *group), tuple(f for f in others if f not in group)
        for sum_last in (False, True):
            way = _Way(p, (_side(left, right, p, s, sum_last), _side(right, left, p, s, sum_last)))
            elements = tuple(
                prod(n.at(values) for n in side.extents) * (1 + side.strided) for side in way.stored
            )
            if not elements or sum(elements) > most or sum(elements) * WORTH > products:
                continue
            names = {side.key: f"'{n}" for n, side in enumerate(way.stored)}
            before = (side.statement(names[side.key], s.target.dtype) for side in way.stored)
            there = replace(program, statements=(*before, *program.statements))
            made = contraction(replace(s, derived=(), body=way.contraction(names)), there, values)
            if made:
                sides = (made.rows, made.columns, made.inner)
                rows, columns, inner = (
                    prod(p.extents[i].at(values) for i in side) for side in sides
                )
                if rows * columns >= EVEN * (rows + columns):
                    yield replace(way, elements=elements, size=rows * columns * inner)


def _most_stored(
    read: Iterable[Expr], result: Tensor, program: Program, values: Mapping[Symbol, int]
) -> int:
    """How many elements are stored at most for a result that is made of these values."""
    tensors = {r.tensor for r in postorder(read) if isinstance(r, Read)}
    shapes = [result.shape, *(program.tensors[t].shape for t in tensors)]
    return MOST_STORED * sum(prod(n.at(values) for n in shape) for shape in shapes)


def _side(
    group: Sequence[Expr], other: Sequence[Expr], p: _Product, s: Statement, sum_last: bool
) -> _Side:
    """A side whose indices are first those that the other one and the result have, then the result's, and the sum's in the other's order."""
    data = needed((i for f in group for i in f.symbols), p.data)
    if len(group) == 1 and isinstance(group[0], Read) and not data:
        own = [form.symbols[0] for form in group[0].subscripts]
        return _Side(tuple(group), (), tuple(own), tuple(p.extents[i] for i in own))
    free = {i for f in group for i in p.free(f)}
    of_other = [i for f in other for i in p.free(f) if i in free]
    of_sum = [i for i in dict.fromkeys(of_other) if i not in s.indices]
    both = [i for i in s.indices if i in of_other]
    of_result = [i for i in s.indices if i in free and i not in of_other]
    last = (*of_result, *of_sum) if sum_last else (*of_sum, *of_result)
    indices = (*both, *last)
    return _Side(tuple(group), data, indices, tuple(p.extents[i] for i in indices))
