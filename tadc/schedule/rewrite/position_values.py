"""Expensive values of positions that sums over lists need as well are computed once, and stored.

    z[i] = sum{e | d[e] = i} exp(u[e] - m[i]);  a[e] = exp(u[e] - m[d[e]])/z[d[e]]

is `t[e] = exp(u[e] - m[d[e]])`, a sum over `t` and a quotient of it. A tensor of the positions is no larger than the one that has a
value for each of them, and neighbours of it are computed in lanes. So it is with values that sums over lists alone need, where they compute
one more than once for a position: in several sums, or for each value of an index that it does not depend on.

    y[i,c] = sum{e | d[e] = i} exp(u[e] - m[i])*x[s[e],c]

is `t[e] = if 0 <= d[e] < N then exp(u[e] - m[d[e]]) else 0`, since a position may be in no list, and the sum of `t[e]*x[s[e],c]`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import prod

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.canonical import canonical
from tadc.ir.domain import EVERYWHERE, Condition, Determined, Domain, Looked, between
from tadc.ir.expr import Call, Comparison, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder, replaced, rewrite, substitute, with_operands
from tadc.normalize.reductions import plain_extent
from tadc.schedule.rewrite.looked_up import needed
from tadc.schedule.rewrite.rows import always, is_expensive

__all__ = ["with_position_values"]

MOST = 8  # values that sums alone need, of a program
# What they run over stays as it is computed everywhere: it is compared with them.
COMPARING = ("max", "min")


def with_position_values(program: Program) -> Program:
    """The program in which no sum over a list computes an expensive value again that a statement has for each position."""
    names = Names((*program.tensors, *program.symbols))
    sizes = frozenset(program.parameters)
    for s in program.statements:
        for value in _values(s):
            program = _stored(program, value, sizes, names)
    for _ in range(MOST):
        repeated = _repeated(program, sizes)
        if repeated is None:
            break
        program = _stored(program, repeated, sizes, names)
    return program


@dataclass(frozen=True, slots=True)
class _Value:
    """A value `e` for each point of the `indices`, made of what data lead to from there, `derived`. It is needed, and can be computed,
    where `within` holds.
    """

    e: Expr
    indices: tuple[Symbol, ...]
    extents: tuple[Affine, ...]
    derived: tuple[Determined, ...]
    dtype: str | None
    within: Domain = EVERYWHERE

    @property
    def body(self) -> Expr:
        """What is stored: where the value is not needed, an expensive function of zeros, which all lanes compute alike."""
        if self.within == EVERYWHERE:
            return self.e
        expensive = set[Expr]()
        for node in always(self.e):
            if (isinstance(node, Call) and is_expensive(node)) or not expensive.isdisjoint(node.operands):  # fmt: skip
                expensive.add(node)
        done: dict[Expr, Expr] = {}
        for node in always(self.e):
            if node in expensive:
                done[node] = with_operands(node, tuple(done[o] for o in node.operands))
            else:
                done[node] = Select(self.within, node, Const(0))
        return done[self.e]

    @property
    def form(self) -> object:
        """What it is, whatever its indices are called."""
        return _form(self.e, self.indices, self.derived)


def _values(s: Statement) -> list[_Value]:
    """The expensive values that a statement always needs, made of data and of a tensor that has an element for each position."""
    found = []
    for e in reversed(always(s.body)):
        derived = needed(e.symbols, s.derived)
        if not isinstance(e, Call) or not is_expensive(e) or e is s.body or not derived:
            continue
        symbols = e.symbols.union(*(d.symbols for d in derived))
        indices = tuple(i for i in s.indices if i in symbols)
        if indices in _positions(e):
            extents = tuple(s.extents[i] for i in indices)
            found.append(_Value(e, indices, extents, derived, s.target.dtype))
    return found


def _repeated(program: Program, sizes: Set[Symbol]) -> _Value | None:
    """The largest value that sums over lists compute more than once for a position; None where there is none."""
    times: Counter[object] = Counter()
    values: dict[object, _Value] = {}
    for t in program.statements:
        for e in postorder(t.body):
            if isinstance(e, Reduce) and e.op not in COMPARING:
                for value, count in _values_of_terms(e, t, program, sizes):
                    key = value.form, value.extents, value.dtype
                    times[key] += count
                    values.setdefault(key, value)
    several = (v for key, v in values.items() if times[key] > 1)
    return max(several, key=lambda v: sum(1 for _ in postorder(v.e)), default=None)


def _values_of_terms(
    e: Reduce, t: Statement, program: Program, sizes: Set[Symbol]
) -> Iterator[tuple[_Value, int]]:
    """The expensive values in the terms of a sum over a list that a position decides, and how often each is computed for one. An
    extent without a number counts as several.
    """
    equal = _equal_to_data(e, t.indices)
    if not equal or t.derived:
        return
    ranges = _without_data(e)
    extents = {i: n for i, n in t.extents.items() if i not in equal}
    extents |= {i: n for i in e.indices if (n := plain_extent(i, ranges, sizes)) is not None}
    inner = set[Expr]()
    for node in reversed(always(substitute(e.body, equal))):
        whole = node not in inner and any(map(is_expensive, always(node)))
        if not whole and not is_expensive(node):
            continue
        derived = needed(node.symbols, e.derived)
        symbols = node.symbols.union(*(d.symbols for d in derived))
        free = symbols - {d.name for d in derived} - sizes
        at = next((p for p in _places(node, free, e, t) if set(p) == free), ())
        if not (derived or isinstance(node, Reduce)) or free.isdisjoint(e.indices):
            continue
        if not at or not set(at) <= extents.keys():
            continue
        box = Domain.box({i: extents[i] for i in at})
        within = _within(node, derived, box & program.known, program)
        if within is None:
            continue
        inner.update(always(node))
        others = [n for i, n in extents.items() if i not in free]
        others += [constant(2) for i in e.indices if i not in extents]
        count = prod(n.constant if n.is_constant else 2 for n in others)
        shape = tuple(extents[i] for i in at)
        yield _Value(node, at, shape, derived, t.target.dtype, within), count


def _within(
    e: Expr, derived: Sequence[Determined], known: Domain, program: Program
) -> Domain | None:
    """Where all reads of a value are inside of their tensors; None where more than data say so."""
    known &= Domain.of(c for d in derived for c in d.conditions)
    bound = {i for n in postorder(e) if isinstance(n, Reduce) for i in n.indices}
    inside: list[Condition] = []
    for node in postorder(e):
        match node:
            case Select(Domain()):
                return None
            case Reduce() if node.derived or not bound.union(program.parameters).issuperset(
                node.domain.symbols
            ):
                return None
            case Read(tensor, subscripts):
                for form, n in zip(subscripts, program.tensors[tensor].shape, strict=True):
                    if bound.isdisjoint(form.symbols):
                        inside += (c for c in between(0, form, n - 1) if not implies(known, c))
                    elif not bound.union(program.parameters).issuperset(form.symbols):
                        return None
            case _:
                pass
    return Domain.of(inside)


def _compared(e: Reduce) -> Set[Expr]:
    """What the terms of a sum compare: it has the bits of what it is compared with."""
    selects = (n for n in postorder(e.body) if isinstance(n, Select))
    sides = [s for n in selects if isinstance(n.condition, Comparison) for s in n.operands[:2]]
    return set(postorder(sides))


def _kind(e: Expr) -> object:
    """What a value is computed by; None of what is no value that costs anything."""
    return e.function if isinstance(e, Call) else e.op if isinstance(e, Reduce) else None


def _places(node: Expr, free: Set[Symbol], e: Reduce, t: Statement) -> Iterator[tuple[Symbol, ...]]:
    """The indices that tensors are read with, where nothing else stands; or the only index. Of a sum in a reduction of a statement, the
    indices of that, before those around it.
    """
    yield from sorted(_positions(node))
    if len(free) == 1 or isinstance(node, Reduce):
        yield tuple(i for i in (*e.indices, *t.indices) if i in free)


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
    what = value.e.function if isinstance(value.e, Call) else "sum"
    name = names.fresh(f"{what}_of_{'_'.join(value.indices)}")

    def in_sum(t: Statement, e: Reduce) -> Expr:
        if e.op in COMPARING:
            return e
        reads: dict[Expr, Expr] = {}
        equal = _equal_to_data(e, t.indices)
        compared = _compared(e)
        for node in always(e.body):
            if _kind(node) == _kind(value.e) and node not in compared:
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
    stored = Statement(target, value.indices, value.derived, value.body)
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
    derived, outer = needed(node.symbols, e.derived), t.extents
    free = node.symbols.union(*(d.symbols for d in derived)) - {d.name for d in derived} - sizes
    for at in _places(node, free, e, t):
        if len(at) == len(value.indices) and _form(node, at, derived) == form:
            own = _without_data(e)
            extents = tuple(plain_extent(i, own, sizes) if i in e.indices else outer.get(i) for i in at)  # fmt: skip
            return at if extents == value.extents else None
    return None


def _without_data(e: Reduce) -> Domain:
    """The conditions of a reduction on its indices alone: those on data leave out points and add none."""
    made = {d.name for d in e.derived}
    return Domain.of(c for c in e.domain if made.isdisjoint(c.form.symbols))
