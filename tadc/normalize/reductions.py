"""Reduction normal form (design, section 5.1): a reduction inside a larger expression becomes a statement of its own.

Inside another reduction it does so if it has fewer free indices than its surroundings, and would be computed again and
again. At the top of a statement it is computed once an element and may stay for the value; for derivatives it becomes a
statement too, because every gradient reads it at other places than where it was computed.

Inside of sums over data a reduction depends on elements of index tensors. Where these are equal to indices of the statement it is in
those; where it runs over what is equal to one, it is stored for each position that data are looked up with, and computed once for
each group of them; a long one that is needed more often than for each position is stored so too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeAlias, TypeVar

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import EVERYWHERE, Condition, Determined, Domain, Looked, at_least_zero, between
from tadc.ir.element_types import INDEX
from tadc.ir.expr import NEUTRAL, Call, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import Entered, postorder, rewrite_in, substitute, with_operands
from tadc.normalize.in_bounds import reads_are_in_bounds

__all__ = [
    "MOST_TERMS",
    "extents_around_body",
    "extents_in_body",
    "is_long",
    "plain_extent",
    "separate_inner_reductions",
    "separate_reductions",
]

MOST_TERMS = 8  # of a reduction that is rather computed again than read

LINEAR = (
    "add",
    "sub",
    "neg",
    "mul",
    "div",
    "gate",
    "difference",
    "detached",
)  # in the first operand at least

_Made = TypeVar("_Made", Looked, Determined)
_Guard: TypeAlias = tuple[Domain, bool]
_Guards: TypeAlias = tuple[_Guard, ...]


def separate_inner_reductions(program: Program, names: Names) -> Program:
    """Reductions that would be computed more than once an element become statements."""
    return _separated(program, names, top=False)


def separate_reductions(program: Program, names: Names) -> Program:
    """Besides, reductions inside a larger expression at the top of a statement become statements."""
    return _separated(program, names, top=True)


def _separated(program: Program, names: Names, *, top: bool) -> Program:
    sizes = set(program.parameters)
    statements: list[Statement] = []
    for statement in program.statements:
        separation = _Separation(statement, program, sizes, names, top, statements)
        around = _Surroundings((), (), True)
        body = rewrite_in(statement.body, around, separation.enter, separation.separated)
        statements.append(replace(statement, body=body))
    return replace(program, statements=tuple(statements))


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The context of an expression: indices bound by reductions around it, and the affine conditions on the way.

    An index has its extent, or None if its range is no plain 0..extent-1. A guard is a condition and whether it holds.
    `looked` are the data indices of reductions around it. `compared`: in a maximum or minimum, whose derivative compares the body
    with the value. `bent`: in a function that is not linear, whose derivative needs the value.
    """

    bound: tuple[tuple[Symbol, Affine | None], ...]
    guards: _Guards
    root: bool
    looked: tuple[Looked, ...] = ()
    compared: bool = False
    bent: bool = False


@dataclass(frozen=True, slots=True)
class _Form:
    """A reduction as it may be stored, what stands around it, and the data of reductions around it that lead to its value."""

    value: Reduce
    around: _Surroundings
    leading: tuple[Looked, ...]

    @classmethod
    def of(cls, value: Reduce, around: _Surroundings) -> _Form:
        """For data that elements of the reduction are equal to: those of a group have one value, which is computed once."""
        looked = {d.name for d in around.looked}
        groups = any(c.relation == "==" and not looked.isdisjoint(c.form.symbols) for c in value.domain)  # fmt: skip
        return cls(value, around, _followed(around.looked, value.symbols) if groups else ())

    @property
    def is_of_one_position(self) -> bool:
        """Whether the data are looked up with one index, or with the same ones: not with pairs of them."""
        data = {d.name for d in self.leading}
        positions = [set(d.symbols) - data for d in self.leading]
        return any(p and p >= set().union(*positions) for p in positions)


def _followed(made: Sequence[_Made], symbols: Iterable[Symbol]) -> tuple[_Made, ...]:
    """The derived or data indices that these symbols follow from."""
    needed = set(symbols)
    followed: list[_Made] = []
    for d in reversed(made):
        if d.name in needed:
            followed.insert(0, d)
            needed |= set(d.symbols)
    return tuple(followed)


def _equal(names: Set[Symbol], others: Set[Symbol], around: _Surroundings) -> dict[Symbol, Affine]:
    """Forms of the others that some of the names are equal to wherever an expression is needed, as the innermost range says."""
    values: dict[Symbol, Affine] = {}
    for domain, holds in reversed(around.guards):
        for c in domain if holds else ():
            own = [s for s in c.form.symbols if s in names]
            if c.relation != "==" or len(own) != 1 or not others >= set(c.form.symbols) - {*own}:
                continue
            (s,) = own
            k = c.form.coefficient(s)
            if abs(k) == 1:
                values.setdefault(s, symbol(s) - k * c.form)
    return values


def _inside(body: Expr, tensors: Mapping[str, Tensor]) -> Iterator[Condition]:
    """The conditions that what is read in every term is inside."""
    for node in postorder(body, lambda e: () if isinstance(e, (Reduce, Select)) else e.operands):
        if isinstance(node, Read):
            for form, n in zip(node.subscripts, tensors[node.tensor].shape, strict=True):
                yield from between(0, form, n - 1)


def _in(e: Reduce, values: Mapping[Symbol, Affine]) -> Reduce:
    """The reduction with these values of symbols that it does not bind."""
    form = substitute(e, values)
    assert isinstance(form, Reduce)
    return form


@dataclass(frozen=True, slots=True)
class _Separation:
    statement: Statement
    program: Program
    sizes: set[Symbol]
    names: Names
    top: bool
    statements: list[Statement]
    made: set[str] = field(default_factory=set)  # the tensors of reductions of fewer indices

    def enter(self, e: Expr, around: _Surroundings) -> Entered[_Surroundings]:
        inner = replace(around, root=False)
        match e:
            case Reduce(op, indices, derived, domain):
                plain = {i: plain_extent(i, domain, self.sizes) for i in indices}
                guards = (*around.guards, *_narrowing(domain, plain))
                bound = dict(around.bound) | plain | dict.fromkeys(d.name for d in derived)
                looked = (*around.looked, *(d for d in derived if isinstance(d, Looked)))
                compared = around.compared or op in ("max", "min")
                bent = around.bent or op != "sum"
                return e, [
                    _Surroundings(tuple(bound.items()), guards, False, looked, compared, bent)
                ]
            case Select(Domain() as domain):
                each = ((*around.guards, (domain, holds)) for holds in (True, False))
                return e, [replace(inner, guards=guards) for guards in each]
            case Call(function) if function not in LINEAR:
                return e, [replace(inner, bent=True)] * len(e.operands)
            case _:
                return e, [inner] * len(e.operands)

    def separated(self, e: Expr, around: _Surroundings) -> Expr:
        e = self._with_values(e, around)
        if not isinstance(e, Reduce) or around.root:
            return e
        for form in self._forms(e, around):
            if self._separates(form):
                read = self._separate(form)
                self.made.add(read.tensor)
                return read
        at_positions = self._at_positions(e, around)
        return self._separate(at_positions) if at_positions else e

    def _with_values(self, e: Expr, around: _Surroundings) -> Expr:
        """The expression with what its operands make of stored reductions as statements: in sums over data, where it is computed for
        each term, and so would be the derivative by each of these; and choices in sums, whose derivatives are no factors of terms.
        """
        if not self.made or self._value(e, around):
            return e  # a larger one may be stored
        contexts = self.enter(e, around)[1]
        forms = [self._value(o, c) for o, c in zip(e.operands, contexts, strict=False)]
        if not any(forms):
            return e
        reads = (self._read(*f) if f else o for f, o in zip(forms, e.operands, strict=False))
        return with_operands(e, (*reads, *e.operands[len(forms) :]))

    def _value(
        self, e: Expr, around: _Surroundings
    ) -> tuple[Expr, dict[Symbol, Affine], str] | None:
        """What is made of stored reductions, with the extents of its indices, which are theirs, and a name."""
        if not isinstance(e, (Call, Select)) or not around.bound:
            return None
        if isinstance(e, Call) and e.function == "detached":
            return None  # it is the same number
        form = substitute(e, self._known_values(e, around))
        nodes = tuple(postorder(form))
        reads = [n for n in nodes if isinstance(n, Read) and n.tensor in self.made]
        if any(isinstance(n, Reduce) for n in nodes) or not reads:
            return None
        if not around.looked and not any(isinstance(n, Select) for n in nodes):
            return None
        free = self._free(form)
        extents = {i: n for i, n in self._extents(around).items() if i in free}
        own = (set(r.symbols) for r in reads)
        if free != extents.keys() or not extents or free not in own:
            return None
        known = self.program.known & Domain.box(extents)
        hint = reads[-1].tensor.removeprefix(f"{self.statement.target.name}_")
        return (form, extents, hint) if reads_are_in_bounds(form, known, self._tensors) else None

    def _known_values(self, e: Expr, around: _Surroundings) -> dict[Symbol, Affine]:
        """The data around an expression that are equal to indices of the statement."""
        data = {d.name for d in around.looked if d.name in e.symbols}
        return _equal(data, {*self.statement.indices, *self.sizes}, around)

    def _read(self, e: Expr, extents: Mapping[Symbol, Affine], hint: str) -> Read:
        """A statement with a value, and the read that replaces it."""
        derived = _followed(self.statement.derived, e.symbols)
        return self._stored(e, tuple(extents), tuple(extents.values()), derived, hint)

    def _forms(self, e: Reduce, around: _Surroundings) -> Iterator[_Form]:
        """The reduction in the indices of the statement that data around it are equal to, and as it is."""
        values = self._known_values(e, around)
        if values:
            yield _Form.of(_in(e, values), around)
        yield _Form.of(e, around)

    def _separates(self, form: _Form) -> bool:
        reduce, around = form.value, form.around
        free = self._free(reduce, form.leading)
        if any(s in free and n is None for s, n in around.bound):
            return False
        data = {d.name for d in around.looked}
        if form.leading and not free.isdisjoint(
            _equal(set(self.statement.indices), data | self.sizes, around)
        ):
            return False  # pairs of positions and of what their data are equal to are far more than positions
        known = self._known_guards(free, form)
        others = set(around.guards) - set(known)
        leading = {d.name for d in form.leading}
        if any(not leading.isdisjoint(domain.symbols) for domain, _ in known):
            return False  # one guard may keep inside what another one looks up
        if others:
            # Its reads may be inside only because of an index that it does not know. And without data it may be a running
            # value, whose range has an end for each point around it.
            own = {
                d.name for d in (*self.statement.derived, *reduce.derived) if isinstance(d, Looked)
            }
            over_data = not own.isdisjoint(reduce.domain.symbols)
            if not over_data or not (
                self._has_points_of(reduce, others, free, around)
                or self._is_inside(form, free, known)
            ):
                return False
        fewer = len(free) < len(self.statement.indices) + len(around.bound)
        # Compared values must be the same to the bit, and are not computed twice.
        stored = reduce.op != "sum" or not around.bound or around.compared
        return fewer or (self.top and stored)

    def _at_positions(self, e: Reduce, around: _Surroundings) -> _Form | None:
        """A long reduction in the indices that data around it are looked up with, instead of those of the statement that data are
        equal to; None where that is no less often. As it is derived one in a function is stored too: its derivative by each term would compute it.

            sum{e | d[e] = i} exp(sum{c} q[i,c]*k[s[e],c])*v[s[e],j]     has for each `e`    sum{c} q[d[e],c]*k[s[e],c]

        It is computed wherever its reads are inside: where it is needed they are. Values that are compared have their own rule (`compared.py`).
        """
        if not around.looked or around.compared or not is_long(e, self.sizes):
            return None
        statement = set(self.statement.indices)
        values = _equal(statement, {d.name for d in around.looked} | self.sizes, around)
        reduce = _in(e, values)
        form = _Form(reduce, replace(around, guards=()), _followed(around.looked, reduce.symbols))
        free = self._free(reduce, form.leading)
        plain = self._extents(around).keys() - values.keys()
        fewer = len(free) < len(plain) or (self.top and around.bent)
        if not (free <= plain and fewer and form.is_of_one_position):
            return None
        known = self._known(form, free)
        inside = (c for c in _inside(reduce.body, self._tensors) if not implies(known & reduce.domain, c))  # fmt: skip
        reduce = Reduce(
            reduce.op, reduce.indices, (), reduce.domain & Domain.of(inside), reduce.body
        )
        return (
            replace(form, value=reduce)
            if reads_are_in_bounds(reduce, known, self._tensors)
            else None
        )

    def _known_guards(self, free: set[Symbol], form: _Form) -> _Guards:
        """Those that speak of these indices alone; of the others that hold, the conditions that do."""
        leading = {d.name for d in form.leading}
        known: list[_Guard] = []
        for domain, holds in form.around.guards:
            if free.issuperset(self._free(domain, form.leading)):
                known.append((domain, holds))
                continue
            part = Domain.of(
                c
                for c in (domain if holds else ())
                if leading.isdisjoint(c.form.symbols)
                and free.issuperset(self._free(Domain.of((c,)), form.leading))
            )
            known += [(part, True)] if part != EVERYWHERE else []
        return tuple(known)

    def _has_points_of(
        self, reduce: Reduce, guards: Set[_Guard], free: set[Symbol], around: _Surroundings
    ) -> bool:
        """Whether all its points are, by other names, points of reductions around it: it is computed only where it has any."""
        own = {d.substitute({}, ""): symbol(d.name) for d in map(_plain, reduce.derived)}
        for domain, holds in guards:
            symbols = self._free(domain, around.looked)
            other = [i for i, _ in around.bound if i in symbols and i not in free]
            if not holds or len(other) != len(reduce.indices):
                return False
            names = dict(zip(other, map(symbol, reduce.indices), strict=True))
            extents = {i: n for i, n in around.bound if i in names and n is not None}
            ranges = Domain.box({names[i].symbols[0]: n for i, n in extents.items()})
            for d in around.looked:
                same = own.get(_plain(d).substitute(names, ""))
                if same is not None:
                    names[d.name] = same
            renamed = domain.substitute(names) & ranges
            if not set(reduce.domain).issuperset(renamed):
                return False
        return True

    def _is_inside(self, form: _Form, free: set[Symbol], guards: _Guards) -> bool:
        """Whether what the reduction reads is inside its tensors wherever these guards hold."""
        known = self._known(form, free)
        for domain, holds in guards:
            known = known & domain if holds else known
        return reads_are_in_bounds(form.value, known, self._tensors)

    def _known(self, form: _Form, free: set[Symbol]) -> Domain:
        """What is known of the indices that a form depends on, and of the data that follow from them."""
        box = {i: n for i, n in self._extents(form.around).items() if i in free}
        definitions = (c for d in (*self.statement.derived, *form.leading) for c in d.conditions)
        return self.program.known & Domain.box(box) & Domain.of(definitions)

    @property
    def _tensors(self) -> dict[str, Tensor]:
        return {**self.program.tensors, **{s.target.name: s.target for s in self.statements}}

    def _extents(self, around: _Surroundings) -> dict[Symbol, Affine]:
        """Those of the indices around an expression that have plain ranges."""
        return self.statement.extents | {s: n for s, n in around.bound if n is not None}

    def _free(self, e: Expr | Domain, looked: Sequence[Looked] = ()) -> set[Symbol]:
        """The indices that `e` depends on, through derived indices of the statement too, and through data that are `looked` up."""
        free = set(e.symbols) - self.sizes
        for d in reversed((*self.statement.derived, *looked)):
            if d.name in free:
                free = free - {d.name} | set(d.symbols) - self.sizes
        return free

    def _separate(self, form: _Form) -> Read:
        """A statement over the reduction's free indices, and the read that replaces it.

        Where the guards fail, reads of the body may be outside; there it is the neutral element.
        """
        reduce, extents = form.value, self._extents(form.around)
        free = self._free(reduce, form.leading)
        positions = {s for d in form.leading for s in d.symbols}
        indices = tuple(sorted((s for s in extents if s in free), key=lambda s: s not in positions))
        guards = self._known_guards(free, form)
        held = Domain.of(c for domain, holds in guards if holds for c in domain)
        body: Expr = Reduce(
            reduce.op, reduce.indices, reduce.derived, reduce.domain & held, reduce.body
        )
        neutral = Const(NEUTRAL[reduce.op])
        for domain, holds in () if all(holds for _, holds in guards) else reversed(guards):
            # In their order: what one looks up may be inside only where those before it say so.
            body = Select(domain, body, neutral) if holds else Select(domain, neutral, body)
        known = set(indices)
        own = (d for d in self.statement.derived if known.issuperset(self._free_of(d)))
        shape = tuple(extents[i] for i in indices)
        return self._stored(body, indices, shape, (*own, *form.leading), reduce.op)

    def _stored(
        self,
        body: Expr,
        indices: tuple[Symbol, ...],
        shape: tuple[Affine, ...],
        derived: tuple[Determined, ...],
        hint: str,
    ) -> Read:
        """A read of a new statement with the value."""
        name = self.names.fresh(f"{self.statement.target.name}_{hint}")
        dtype = self.statement.target.dtype
        # What an index is computed from need not be whole.
        target = Tensor(name, shape, None if dtype == INDEX else dtype)
        self.statements.append(Statement(target, indices, derived, body))
        return Read(name, tuple(map(symbol, indices)))

    def _free_of(self, d: Determined) -> set[Symbol]:
        return self._free(Read(d.name, tuple(map(symbol, d.symbols))))


def _plain(d: Determined) -> Determined:
    """The index as it is looked up, whatever is known of its value."""
    return replace(d, values=None, inside=False) if isinstance(d, Looked) else d


def _narrowing(
    domain: Domain, bound: Mapping[Symbol, Affine | None]
) -> tuple[tuple[Domain, bool], ...]:
    """The conditions of the domain other than plain ranges, as a guard: the body is evaluated only where it holds."""
    plain = {c for i, n in bound.items() if n is not None for c in between(0, symbol(i), n - 1)}
    rest = Domain.of(c for c in domain if c not in plain)
    return ((rest, True),) if rest != EVERYWHERE else ()


def is_long(e: Reduce, sizes: Set[Symbol]) -> bool:
    """Whether the reduction has more terms than reading its value is worth, as far as no data lead to them."""
    extents = [plain_extent(i, e.domain, sizes) for i in e.indices]
    if e.derived:
        return False
    numbers = [n.constant for n in extents if n is not None and n.is_constant]
    return len(numbers) < len(extents) or prod(numbers) > MOST_TERMS


def extents_in_body(
    e: Reduce, extents: Mapping[Symbol, Affine], sizes: Set[Symbol]
) -> dict[Symbol, Affine]:
    """The extents of the indices around the reduction's body: those outside, and its own that have plain ranges."""
    inner = {i: plain_extent(i, e.domain, sizes) for i in e.indices}
    around = {i: n for i, n in extents.items() if i not in inner}
    return around | {i: n for i, n in inner.items() if n is not None}


def extents_around_body(
    e: Reduce, extents: Mapping[Symbol, Affine], sizes: Set[Symbol]
) -> dict[Symbol, Affine]:
    """The extents of the indices around the reduction's body, for its own with other ranges those that hold them."""
    result = extents_in_body(e, extents, sizes)
    known = Domain.box(extents) & e.domain
    for i in e.indices:
        highs = [c.form + symbol(i) for c in e.domain if c.form.coefficient(i) == -1]
        ends = [_greatest(high, extents) for high in highs]
        sizes_only = [end + 1 for end in ends if sizes >= set(end.symbols)]
        if i not in result and sizes_only and implies(known, at_least_zero(symbol(i))):
            result[i] = next((n for n in sizes_only if n.is_constant), sizes_only[0])
    return result


def _greatest(form: Affine, extents: Mapping[Symbol, Affine]) -> Affine:
    """The value of the form at the corner of the box where it is greatest."""
    corner = {i: extents[i] - 1 if c > 0 else constant(0) for i, c in form.terms if i in extents}
    return form.substitute(corner)


def plain_extent(index: Symbol, domain: Domain, sizes: Set[Symbol]) -> Affine | None:
    """The extent if all the domain says of the index is `0 <= index <= extent - 1`, for an extent made of sizes."""
    bounds = [c for c in domain if c.form.coefficient(index)]
    extents = [c.form + symbol(index) + 1 for c in bounds if c.form.coefficient(index) == -1]
    if len(extents) != 1 or not sizes >= set(extents[0].symbols):
        return None
    return extents[0] if set(bounds) == set(between(0, symbol(index), extents[0] - 1)) else None
