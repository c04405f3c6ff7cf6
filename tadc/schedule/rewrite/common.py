"""Equal statements as one, and sums that a statement has stored already as reads of it."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Derived, Domain
from tadc.ir.expr import Expr, IndexValue, Read, Reduce, Select
from tadc.ir.program import Program, Statement
from tadc.ir.walk import descend, postorder, substitute, with_operands
from tadc.normalize.reductions import extents_inside

__all__ = ["canonical", "common", "free_indices"]


def common(program: Program) -> Program:
    """The program in which no two statements compute the same, and none computes what an earlier one has stored."""
    sizes = frozenset(program.parameters)
    table = _Table(sizes, frozenset(program.outputs))
    return replace(program, statements=tuple(table.statement(s) for s in program.statements))


@dataclass(frozen=True, slots=True)
class _Stored:
    """A sum that is stored: the tensor, and for each of its dimensions the number of the sum's free index."""

    tensor: str
    order: tuple[int, ...]
    extents: tuple[Affine, ...]  # of the free indices


@dataclass(slots=True)
class _Table:
    sizes: frozenset[Symbol]
    outputs: frozenset[str]
    dtype: str | None = None  # of the statement at hand: another one would round otherwise
    stored: dict[tuple[Expr, str | None], _Stored] = field(default_factory=dict)
    copies: dict[str, tuple[tuple[Symbol, ...], Read]] = field(default_factory=dict)

    def statement(self, s: Statement) -> Statement:
        self.dtype = s.target.dtype
        extents = s.extents
        body = descend(self._walk(s.body, extents, {}))
        if isinstance(body, Read) and body is not s.body and s.target.name not in self.outputs:
            self.copies[s.target.name] = s.indices, body
        if isinstance(body, Reduce) and not s.derived:
            free = free_indices(body, self.sizes)
            if set(free) == set(s.indices):
                order = tuple(free.index(i) for i in s.indices)
                form = canonical(body, free)
                own = _Stored(s.target.name, order, tuple(extents[i] for i in free))
                self.stored.setdefault((form, self.dtype), own)
        return replace(s, body=body)

    def _walk(
        self, e: Expr, extents: Mapping[Symbol, Affine], done: dict[tuple[object, ...], Expr]
    ) -> Generator[Any, Any, Expr]:
        key = (e, tuple(extents.items()))
        if key in done:
            return done[key]
        result = self._read(e, extents) if isinstance(e, Reduce) else None
        if isinstance(e, Read) and e.tensor in self.copies:
            indices, read = self.copies[e.tensor]
            result = substitute(read, dict(zip(indices, e.subscripts, strict=True)))
        if result is None:
            inner = extents_inside(e, extents, self.sizes) if isinstance(e, Reduce) else extents
            operands = []
            for operand in e.operands:
                operands.append((yield self._walk(operand, inner, done)))
            result = with_operands(e, tuple(operands))
        done[key] = result
        return result

    def _read(self, e: Reduce, extents: Mapping[Symbol, Affine]) -> Expr | None:
        """A read of the tensor that has the sum for the same ranges of its free indices."""
        free = free_indices(e, self.sizes)
        found = self.stored.get((canonical(e, free), self.dtype))
        if found is None or tuple(extents.get(i) for i in free) != found.extents:
            return None
        return Read(found.tensor, tuple(symbol(free[n]) for n in found.order))


def free_indices(e: Expr, sizes: Set[Symbol]) -> list[Symbol]:
    """The indices that the expression depends on, in the order in which they are met."""
    free = e.symbols - sizes
    met: dict[Symbol, None] = {}
    for node in postorder(e):
        match node:
            case Read(_, subscripts):
                met |= dict.fromkeys(s for form in subscripts for s in form.symbols)
            case IndexValue(form):
                met |= dict.fromkeys(form.symbols)
            case Select(Domain() as domain) | Reduce(domain=domain):
                met |= dict.fromkeys(domain.symbols)
            case _:
                pass
    return [s for s in met if s in free]


def canonical(e: Expr, free: Sequence[Symbol]) -> Expr:
    """The expression with its free indices called by their numbers, and its bound ones by where they are bound."""
    called = substitute(e, {s: symbol(f"'{n}") for n, s in enumerate(free)})
    return descend(_with_bound_names(called, 0, {}))


def _with_bound_names(
    e: Expr, depth: int, done: dict[tuple[Expr, int], Expr]
) -> Generator[Any, Any, Expr]:
    """The expression with its bound indices called by where they are bound."""
    if (e, depth) in done:
        return done[e, depth]
    if isinstance(e, Reduce):
        names = {
            i: f"'{depth}.{n}" for n, i in enumerate((*e.indices, *(d.name for d in e.derived)))
        }
        values = {i: symbol(name) for i, name in names.items()}
        derived = tuple(
            Derived(names[d.name], d.form.substitute(values), d.modulus) for d in e.derived
        )
        body = yield _with_bound_names(substitute(e.body, values), depth + 1, done)
        indices = tuple(names[i] for i in e.indices)
        done[e, depth] = Reduce(e.op, indices, derived, e.domain.substitute(values), body)
    else:
        operands = []
        for operand in e.operands:
            operands.append((yield _with_bound_names(operand, depth, done)))
        done[e, depth] = with_operands(e, tuple(operands))
    return done[e, depth]
