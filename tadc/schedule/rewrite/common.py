"""Equal statements as one, and sums and expensive values that a statement has stored already as reads of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.canonical import bound_names, canonical, canonical_value, outlines
from tadc.ir.domain import Determined
from tadc.ir.expr import Call, Expr, Read, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import Entered, postorder, rewrite_in, substitute
from tadc.normalize.reductions import extents_around_body
from tadc.schedule.rewrite.rows import is_expensive

__all__ = ["common", "in_indices_of"]

_Extents: TypeAlias = tuple[tuple[Symbol, Affine], ...]


def common(program: Program) -> Program:
    """The program in which no two statements compute the same, and none computes a value that an earlier one has stored."""
    sizes = frozenset(program.parameters)
    table = _Table(sizes, frozenset(program.outputs))
    return replace(program, statements=tuple(table.statement(s) for s in program.statements))


@dataclass(frozen=True, slots=True)
class _Stored:
    """A value that is stored: the tensor, and for each of its dimensions the number of the value's free index."""

    tensor: str
    order: tuple[int, ...]
    extents: tuple[Affine, ...]  # of the free indices


@dataclass(slots=True)
class _Table:
    sizes: frozenset[Symbol]
    outputs: frozenset[str]
    dtype: str | None = None  # of the current statement: another one would round differently
    derived: tuple[Determined, ...] = ()  # its indices that are made of others
    stored: dict[tuple[Expr, str | None], _Stored] = field(default_factory=dict)
    known: set[bytes] = field(default_factory=set)  # what is stored, but for names of indices
    here: Mapping[Expr, bytes] = field(default_factory=dict)  # likewise, of what the statement has
    copies: dict[str, tuple[tuple[Symbol, ...], Read]] = field(default_factory=dict)
    whole: dict[object, str] = field(default_factory=dict)  # statements with derived indices

    def statement(self, s: Statement) -> Statement:
        self.dtype, self.derived = s.target.dtype, s.derived
        extents = s.extents
        self.here = outlines(s.body) if self.known else {}
        body = rewrite_in(s.body, tuple(extents.items()), self._enter)
        is_own = s.target.name not in self.outputs
        if isinstance(body, Read) and body is not s.body and is_own and self._is_plain(body):
            self.copies[s.target.name] = s.indices, body
        if s.derived and is_own:
            same = self.whole.setdefault(_form(s, body), s.target.name)
            if same != s.target.name:
                self.copies[s.target.name] = s.indices, Read(same, tuple(map(symbol, s.indices)))
        if isinstance(body, Reduce) or (_is_expensive_call(body) and self._is_plain(body)):
            form, free = canonical_value(self._closed(body), self.sizes)
            if set(free) == set(s.indices):
                order = tuple(free.index(i) for i in s.indices)
                entry = _Stored(s.target.name, order, tuple(extents[i] for i in free))
                self.stored.setdefault((form, self.dtype), entry)
                self.known.add(outlines(body)[body])
        return replace(s, body=body)

    def _enter(self, e: Expr, around: _Extents) -> Entered[_Extents]:
        """A read of the stored value, or the expression with the extents of the indices around its operands."""
        extents = dict(around)
        match e:
            case Read(tensor, subscripts) if tensor in self.copies:
                indices, read = self.copies[tensor]
                return substitute(read, dict(zip(indices, subscripts, strict=True))), ()
            case Reduce():
                if self.here.get(e) in self.known and (stored := self._read(e, extents)):
                    return stored, ()
                around = tuple(extents_around_body(e, extents, self.sizes).items())
            case Call() if self.here.get(e) in self.known and _is_expensive_call(e):
                if stored := self._read(e, extents):
                    return stored, ()
            case _:
                pass
        return e, [around] * len(e.operands)

    def _read(self, e: Expr, extents: Mapping[Symbol, Affine]) -> Expr | None:
        """A read of the tensor that has the value for the same ranges of its free indices."""
        form, free = canonical_value(self._closed(e), self.sizes)
        entry = self.stored.get((form, self.dtype))
        if entry is None:
            return None
        for i, stored in zip(free, entry.extents, strict=True):
            beyond = stored - extents[i] if i in extents else constant(-1)
            if not (beyond.is_constant and beyond.constant >= 0):
                return None
        return Read(entry.tensor, tuple(symbol(free[n]) for n in entry.order))

    def _is_plain(self, e: Expr) -> bool:
        """Whether it depends on none of the indices that are made of others."""
        return e.symbols.isdisjoint(d.name for d in self.derived)

    def _closed(self, e: Expr) -> Expr:
        """The value without indices that are made of others around it: a reduction has them as its own."""
        if not isinstance(e, Reduce):
            return e
        needed = set(e.symbols)
        for d in reversed(self.derived):
            needed |= set(d.symbols) if d.name in needed else set()
        own = tuple(d for d in self.derived if d.name in needed)
        return Reduce(e.op, e.indices, (*own, *e.derived), e.domain, e.body) if own else e


def _form(s: Statement, body: Expr) -> object:
    """What a statement computes, whatever its indices are called."""
    values = {i: symbol(f"'{n}") for n, i in enumerate(s.indices)}
    derived = []
    for n, d in enumerate(s.derived):
        derived.append(d.substitute(values, f"'derived{n}"))
        values[d.name] = symbol(f"'derived{n}")
    return canonical(substitute(body, values), ()), tuple(derived), s.target.shape, s.target.dtype


def _is_expensive_call(e: Expr) -> bool:
    """Whether it is a call whose value costs more than reading it."""
    return isinstance(e, Call) and any(map(is_expensive, postorder(e)))


def in_indices_of(first: Reduce, e: Reduce) -> Expr | None:
    """The body in the indices of another reduction with the same ranges; None if they differ."""
    if len(first.indices) != len(e.indices) or len(first.derived) != len(e.derived):
        return None
    values = {i: symbol(j) for i, j in zip(e.indices, first.indices, strict=True) if i != j}
    own = bound_names(e)
    if any(s in e.symbols for s in bound_names(first) if s not in own):
        return None
    for one, other in zip(first.derived, e.derived, strict=True):
        if other.substitute(values, one.name) != one:
            return None
        if one.name != other.name:
            values[other.name] = symbol(one.name)
    return substitute(e.body, values) if e.domain.substitute(values) == first.domain else None
