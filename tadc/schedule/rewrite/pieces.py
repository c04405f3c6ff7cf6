"""Long lists in pieces: sums over more than 512 positions of a key as sums of pieces of at most so many.

    y[i] = sum{t = 0 .. ptr[i+1]-ptr[i]-1} f(i, perm[ptr[i] + t])             becomes
    p[q] = sum{t = 0 .. min(511, ptr[key[q]+1]-begin[q]-1)} f(key[q], perm[begin[q] + t])
    y[i] = sum{u = 0 .. pieces[i+1]-pieces[i]-1} p[pieces[i] + u]
         + sum{t = 0 .. min(511, ptr[i+1]-ptr[i]-1) | ptr[i+1]-ptr[i] <= 512} f(i, perm[ptr[i] + t])

A list is cut from its own start. So the order of a sum depends on the list alone, no thread has more work than a piece, and the
rounding errors of long sums stay small. Short lists have no pieces: theirs is the second sum. Where all are short there is nothing
else, with the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Domain, Looked, at_least_zero, between, equals_zero
from tadc.ir.element_types import INDEX, arithmetic
from tadc.ir.expr import Call, Expr, Read, Reduce, ReduceOp
from tadc.ir.names import Names
from tadc.ir.program import Statement, Tensor
from tadc.ir.walk import substitute

__all__ = ["PIECE", "ListLoop", "Pieces", "can_be_cut", "in_pieces", "with_short_lists"]

PIECE = 512  # positions of a list that are added up one after the other
COMBINED: dict[ReduceOp, str] = {"sum": "add", "prod": "mul", "max": "max", "min": "min"}


@dataclass(frozen=True, slots=True)
class ListLoop:
    """The loop of a reduction over a list: the index `t` of its positions, and the data indices that are its ends.

    `keys` are what each key is equal to, with the least of its values; nothing where that is not known.
    """

    begin: Tensor
    t: Symbol
    ends: tuple[Symbol, Symbol]
    keys: tuple[tuple[Affine, Affine], ...]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of long lists: how many there are before each key, where each of them begins, and its keys."""

    before: Tensor
    begin: Tensor
    keys: tuple[Tensor, ...]
    count: Symbol

    @classmethod
    def of(cls, begin: Tensor, keys: int, names: Names) -> Pieces:
        """The pieces of the list that begins so and has so many keys."""
        name = begin.name.removesuffix("_ptr")
        count = names.fresh(f"{name}_pieces")
        shape = (symbol(count),)
        return cls(
            Tensor(names.fresh(f"{name}_pieces_ptr"), begin.shape, INDEX),
            Tensor(names.fresh(f"{name}_pieces_begin"), shape, INDEX),
            tuple(Tensor(names.fresh(f"{name}_pieces_key"), shape, INDEX) for _ in range(keys)),
            count,
        )

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return (self.before, self.begin, *self.keys)


def can_be_cut(e: Reduce, loop: ListLoop, s: Statement) -> bool:
    """Whether the reduction is over a list alone, whose keys are indices of the statement, or differ from them by sizes; or are sizes
    alone, as the place in `ends[1, e] = i`.
    """
    inner = {*s.indices, *(d.name for d in s.derived)}
    of_points = [form for form, _ in loop.keys if not inner.isdisjoint(form.symbols)]
    indices = [_index_of(form, s) for form in of_points]
    distinct = None not in indices and len(set(indices)) == len(indices) > 0
    return e.indices == (loop.t,) and distinct


def _index_of(form: Affine, s: Statement) -> Symbol | None:
    """The one index of the statement in the form; None unless it has the coefficient 1 or -1, and all else are sizes."""
    found = [i for i in form.symbols if i in s.indices]
    inner = {d.name for d in s.derived}
    if len(found) != 1 or not inner.isdisjoint(form.symbols):
        return None
    return found[0] if abs(form.coefficient(found[0])) == 1 else None


def with_short_lists(e: Reduce, loop: ListLoop) -> Reduce:
    """The reduction over a list that is not long."""
    return _restricted(e, PIECE - 1 - symbol(loop.t))


def _restricted(e: Reduce, *forms: Affine) -> Reduce:
    """The reduction over the points at which these are at least zero."""
    domain = e.domain & Domain.of(map(at_least_zero, forms))
    return Reduce(e.op, e.indices, e.derived, domain, e.body)


def in_pieces(
    s: Statement, e: Reduce, loop: ListLoop, pieces: Pieces, names: Names
) -> tuple[Statement, Expr]:
    """The statement that reduces each piece, and what stands in place of a reduction in the statement: the reduction of the pieces of
    a long list, or that of a short one.
    """
    piece, extents = names.fresh("q"), s.extents
    values: dict[Symbol, Affine] = {}
    keys: list[Looked] = []
    of_list: list[Condition] = []  # of the pieces of other lists there is nothing
    for tensor, (form, low), keys_of in zip(pieces.keys, loop.keys, loop.begin.shape, strict=True):
        index, number = _index_of(form, s), names.fresh("key")
        if index is None:
            ends = constant(0), keys_of
            of_list.append(equals_zero(form - low - symbol(number)))
        else:
            sign = form.coefficient(index)
            rest = form - symbol(index) * sign - low
            values[index] = (symbol(number) - rest) * sign
            ends = rest, rest + (extents[index] - 1) * sign
            ends = ends if sign > 0 else ends[::-1]
        keys.append(Looked(number, tensor.name, (symbol(piece),), ends))
    needed = set(e.symbols)
    for d in reversed(s.derived):
        needed |= set(d.symbols) if d.name in needed else set()
    others = [i for i in s.indices if i not in values and i in needed]
    one, (begin, end) = with_short_lists(e, loop), loop.ends
    derived = tuple(
        Looked(begin, pieces.begin.name, (symbol(piece),), d.values)
        if isinstance(d, Looked) and d.name == begin
        else d
        for d in one.derived
    )
    domain = one.domain & Domain.of(of_list)
    one = Reduce(one.op, one.indices, derived, domain, one.body)
    body = substitute(one, values)
    dtype = arithmetic(s.target.dtype) if s.target.dtype else None
    shape = (symbol(pieces.count), *(extents[i] for i in others))
    target = Tensor(names.fresh(f"{s.target.name}_pieces"), shape, dtype)
    within = (*keys, *(d.substitute(values) for d in s.derived if d.name in needed))
    total = _total(e, loop, pieces, target, others, names)
    short = _restricted(with_short_lists(e, loop), PIECE - symbol(end) + symbol(begin))
    return Statement(target, (piece, *others), within, body), Call(COMBINED[e.op], (total, short))


def _total(
    e: Reduce, loop: ListLoop, pieces: Pieces, target: Tensor, others: list[Symbol], names: Names
) -> Reduce:
    """The reduction over the pieces of a key, of which a short list has none."""
    first, last = (names.fresh(pieces.before.name) for _ in range(2))
    whole = (constant(0), symbol(pieces.count))
    ends = {d.name: d for d in e.derived if isinstance(d, Looked)}
    derived = tuple(
        Looked(name, pieces.before.name, ends[end].subscripts, whole)
        for name, end in zip((first, last), loop.ends, strict=True)
    )
    u = names.fresh("u")
    domain = Domain.of(between(0, symbol(u), symbol(last) - symbol(first) - 1))
    read = Read(target.name, (symbol(first) + symbol(u), *map(symbol, others)))
    return Reduce(e.op, (u,), derived, domain, read)
