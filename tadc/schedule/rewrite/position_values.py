"""Expensive values of positions that sums over lists need as well are computed once, and stored.

    z[i] = sum{e | d[e] = i} exp(u[e] - m[i]);  a[e] = exp(u[e] - m[d[e]])/z[d[e]]

is `t[e] = exp(u[e] - m[d[e]])`, a sum over `t` and a quotient of it. A tensor of the positions is no larger than the one that has a
value for each of them, and neighbours of it are computed in lanes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.canonical import canonical
from tadc.ir.domain import Determined, Domain, Looked
from tadc.ir.expr import Call, Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import replaced, rewrite, substitute
from tadc.normalize.reductions import plain_extent
from tadc.schedule.rewrite.rows import always, is_expensive

__all__ = ["with_position_values"]


def with_position_values(program: Program) -> Program:
    """The program in which no sum over a list computes an expensive value again that a statement has for each position."""
    names = Names((*program.tensors, *program.symbols))
    sizes = frozenset(program.parameters)
    for s in program.statements:
        for value in _values(s):
            program = _stored(program, value, sizes, names)
    return program


@dataclass(frozen=True, slots=True)
class _Value:
    """A value `e` for each point of the statement's `indices`, made of what data lead to from there, `derived`."""

    e: Call
    indices: tuple[Symbol, ...]
    extents: tuple[Affine, ...]
    derived: tuple[Determined, ...]
    dtype: str | None

    @property
    def form(self) -> object:
        """What it is, whatever its indices are called."""
        return _form(self.e, self.indices, self.derived)


def _values(s: Statement) -> list[_Value]:
    """The expensive values that a statement always needs, made of data and of a tensor that has an element for each position."""
    found = []
    for e in reversed(always(s.body)):
        derived = _needed(e, s.derived)
        if not isinstance(e, Call) or not is_expensive(e) or e is s.body or not derived:
            continue
        symbols = e.symbols.union(*(d.symbols for d in derived))
        indices = tuple(i for i in s.indices if i in symbols)
        if indices in _positions(e):
            extents = tuple(s.extents[i] for i in indices)
            found.append(_Value(e, indices, extents, derived, s.target.dtype))
    return found


def _needed(e: Expr, derived: Iterable[Determined]) -> tuple[Determined, ...]:
    """Those that the value depends on."""
    needed: list[Determined] = []
    symbols = set(e.symbols)
    for d in reversed(tuple(derived)):
        if d.name in symbols:
            needed.insert(0, d)
            symbols |= set(d.symbols)
    return tuple(needed)


def _positions(e: Expr) -> set[tuple[Symbol, ...]]:
    """The indices that tensors are read with, where nothing else stands."""
    reads = (n for n in always(e) if isinstance(n, Read))
    bare = (tuple(form.as_symbol() for form in r.subscripts) for r in reads)
    return {tuple(i for i in each if i) for each in bare if each and all(each)}


def _form(e: Expr, indices: tuple[Symbol, ...], derived: tuple[Determined, ...]) -> object:
    values: dict[Symbol, Affine] = {i: symbol(f"'{n}") for n, i in enumerate(indices)}
    made: dict[Determined, Symbol] = {}
    for d in derived:
        plain = d.substitute(values, "")
        if isinstance(plain, Looked):  # what is known of an element makes no other one
            plain = replace(plain, values=None, inside=False)
        values[d.name] = symbol(made.setdefault(plain, f"'data{len(made)}"))
    return canonical(substitute(e, values), ()), tuple(made)


def _stored(program: Program, value: _Value, sizes: Set[Symbol], names: Names) -> Program:
    """The program with the value as a tensor, if a sum over a list needs it too."""
    form, written = value.form, [t.body for t in program.statements]
    name = names.fresh(f"{value.e.function}_of_{'_'.join(value.indices)}")

    def in_sum(t: Statement, e: Reduce) -> Expr:
        reads: dict[Expr, Expr] = {}
        equal = _equal_to_data(e, t.indices)
        for node in always(e.body):
            if isinstance(node, Call) and node.function == value.e.function:
                at = _position(substitute(node, equal), e, t, value, form, sizes)
                if at is not None:
                    reads[node] = Read(name, tuple(map(symbol, at)))
        body = replaced(e.body, reads)
        return e if body is e.body else Reduce(e.op, e.indices, e.derived, e.domain, body)

    def in_sums(t: Statement) -> Expr:
        if t.target.dtype != value.dtype:
            return t.body
        return rewrite(t.body, lambda e: in_sum(t, e) if isinstance(e, Reduce) else e)

    bodies = [in_sums(t) for t in program.statements]
    if all(new is old for new, old in zip(bodies, written, strict=True)):
        return program
    target = Tensor(name, value.extents, value.dtype)
    stored = Statement(target, value.indices, value.derived, value.e)
    statements = []
    for t, body in zip(program.statements, bodies, strict=True):
        own: dict[Expr, Expr] = {
            v.e: Read(name, tuple(map(symbol, v.indices)))
            for v in _values(t)
            if (v.form, v.extents, v.dtype) == (form, value.extents, value.dtype)
        }
        statements.append(replace(t, body=replaced(body, own)))
    # As early as can be: sums that need it may share a kernel with those before them.
    ready = [n for n, t in enumerate(statements, 1) if t.target.name in stored.reads]
    statements.insert(max(ready, default=0), stored)
    return replace(program, statements=tuple(statements))


def _equal_to_data(e: Reduce, indices: tuple[Symbol, ...]) -> Mapping[Symbol, Affine]:
    """The indices around a reduction that an element of data is equal to in all of its terms."""
    data = {d.name for d in e.derived if isinstance(d, Looked)}
    values: dict[Symbol, Affine] = {}
    for c in e.domain:
        for i in (i for i in c.form.symbols if i in indices and i not in values):
            k = c.form.coefficient(i)
            rest = c.form - k * symbol(i)
            if c.relation == "==" and abs(k) == 1 and data.issuperset(rest.symbols):
                values[i] = rest * -k
                break
    return values


def _position(
    node: Expr, e: Reduce, t: Statement, value: _Value, form: object, sizes: Set[Symbol]
) -> tuple[Symbol, ...] | None:
    """The indices of a reduction, or around it, for which an expression in it is the value; None where it is another one."""
    derived, outer = _needed(node, e.derived), t.extents
    for at in _positions(node):
        if len(at) == len(value.indices) and _form(node, at, derived) == form:
            own = _without_data(e)
            extents = tuple(plain_extent(i, own, sizes) if i in e.indices else outer.get(i) for i in at)  # fmt: skip
            return at if extents == value.extents else None
    return None


def _without_data(e: Reduce) -> Domain:
    """The conditions of a reduction on its indices alone: those on data leave out points and add none."""
    made = {d.name for d in e.derived}
    return Domain.of(c for c in e.domain if made.isdisjoint(c.form.symbols))
