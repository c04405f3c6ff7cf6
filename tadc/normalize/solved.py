"""Every reduction over a domain with equations becomes one over plain bounds (design, section 4).

The solver's results go back into the program: guards as a choice around the reduction, quotients as derived indices
of whoever binds the parameters, loops as the reduction's indices. The result is a program again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tadc.integer import Solution, implies, is_empty, solve
from tadc.integer.projection import project
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.bounds import bounded
from tadc.ir.domain import EVERYWHERE, Condition, Derived, Determined, Domain, Looked, at_least_zero
from tadc.ir.expr import NEUTRAL, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import descend, postorder, substitute, with_operands
from tadc.normalize.counted import counted

__all__ = ["solved", "solved_statement", "without_implied"]


def solved(program: Program) -> Program:
    """The program with every reduction's domain turned into bounds, where it has equations, remainders or divisions."""
    known = program.known
    return replace(
        program, statements=tuple(solved_statement(s, known) for s in program.statements)
    )


def solved_statement(statement: Statement, known: Domain) -> Statement:
    """The statement with its reductions' domains turned into bounds; `known` holds of the sizes."""
    if not any(_matters(e) for e in postorder(statement.body)):
        return statement
    box = statement.box
    sizes = known.symbols  # far ones too: what is known of a size holds of no index
    known = known.near((*statement.body.symbols, *box.symbols)) & box
    taken = {*sizes, *known.symbols, *statement.indices, *(d.name for d in statement.derived)}
    for e in postorder(statement.body):
        taken |= e.symbols
        if isinstance(e, Reduce):
            taken |= {*e.indices, *(d.name for d in e.derived)}
    solver = _Solver(Names(taken), {}, {})
    owner = _Owner(frozenset())
    body = descend(solver.walk(statement.body, known, owner))
    return replace(statement, derived=(*statement.derived, *owner.derived), body=body)


def _matters(e: Expr) -> bool:
    match e:
        case Reduce():
            return (
                _needs_solving(e)
                or not e.body.symbols.issuperset(e.indices)
                or any(len(bounds) > 1 for bounds in _several(e))
            )
        case Select(Domain()):
            return True
        case _:
            return False


def _needs_solving(reduce: Reduce) -> bool:
    """Whether its domain is more than bounds of its indices, each in terms of symbols further out."""
    bound = {*reduce.indices, *(d.name for d in reduce.derived)}
    if not reduce.indices:
        return True  # derived indices alone: an existing value, of sizes or of symbols further out
    if any(bound.isdisjoint(c.form.symbols) for c in reduce.domain):
        return True  # a guard
    if any(bound.isdisjoint(d.symbols) for d in reduce.derived):
        return True  # of somebody further out
    tests = _tests(reduce)
    if any(c.relation != ">=" and c not in tests for c in reduce.domain):
        return True
    bounds = bounded(reduce)
    divided = (d for d in reduce.derived if isinstance(d, Derived))
    return any(not bound.isdisjoint(d.symbols) for d in divided) or not all(
        b.range.lows and b.range.highs for b in bounds.each
    )


def _tests(e: Reduce) -> Domain:
    """The conditions that are tested at each point once its data indices are known, because they bound no index.

    An equation with a data index is one where every index in it has to be known before the data.
    """
    looked = {d.name for d in e.derived if isinstance(d, Looked)}
    if not looked:
        return EVERYWHERE
    needed = _followed(looked, e.derived)
    free = set(e.indices) - needed
    return Domain.of(
        c
        for c in e.domain
        if not looked.isdisjoint(_followed(c.form.symbols, e.derived))
        and free.isdisjoint(c.form.symbols)
        and c.relation != ">="
    )


def _followed(symbols: Iterable[Symbol], derived: Iterable[Determined]) -> set[Symbol]:
    """The symbols, and all that those of them follow from which are derived or data indices."""
    made = {d.name: d for d in derived}
    followed: set[Symbol] = set()
    waiting = list(symbols)
    while waiting:
        s = waiting.pop()
        if s not in followed:
            followed.add(s)
            if s in made:
                waiting += made[s].symbols
    return followed


def without_implied(e: Reduce, known: Domain) -> tuple[Reduce, Domain]:
    """The reduction without the bounds that follow from those around it and from its others, where an index has several."""
    needed = list(e.domain)
    for bounds in _several(e):
        left = len(bounds)
        for c in bounds if left > 1 else ():
            others = [other for other in needed if other is not c]
            if left > 1 and implies(known & Domain.of(_up_to(e, c, others)), c):
                needed = others
                left -= 1
    if len(needed) == len(e.domain):
        return e, e.domain
    domain = Domain.of(needed)
    return Reduce(e.op, e.indices, e.derived, domain, e.body), domain


def _up_to(e: Reduce, c: Condition, conditions: list[Condition]) -> list[Condition]:
    """The conditions whose indices of the reduction stand no further in than those of `c`."""
    inner = {*e.indices, *(d.name for d in e.derived)}
    for i in e.indices:
        inner.discard(i)
        if inner.isdisjoint(c.form.symbols):
            break
    return [other for other in conditions if inner.isdisjoint(other.form.symbols)]


def _several(e: Reduce) -> list[list[Condition]]:
    """The lower bounds of each index, and the upper ones."""
    several = []
    further_in = {*e.indices, *(d.name for d in e.derived)}
    for i in e.indices:
        further_in.discard(i)
        own = [c for c in e.domain if further_in.isdisjoint(c.form.symbols)]
        several += [[c for c in own if c.form.coefficient(i) * sign > 0] for sign in (1, -1)]
    return several


@dataclass(slots=True, eq=False)
class _Owner:
    """Who binds indices, and gets the quotients that are made of them: the statement, or a reduction."""

    binds: frozenset[Symbol]
    outer: _Owner | None = None
    derived: list[Determined] = field(default_factory=list)

    def of(self, d: Determined) -> _Owner:
        """The innermost owner that binds one of the symbols of `d`."""
        owner = self
        while owner.outer is not None:
            if owner.binds & set(d.symbols) or any(
                other.name in d.symbols for other in owner.derived
            ):
                return owner
            owner = owner.outer
        return owner


@dataclass(frozen=True, slots=True)
class _Solver:
    names: Names
    done: dict[tuple[Expr, Domain, _Owner], Expr]
    ranges: dict[Expr, bool]  # whether a reduction or an affine condition is in there

    def walk(self, e: Expr, known: Domain, owner: _Owner) -> Generator[Any, Any, Expr]:
        if not self._has_ranges(e):
            return e
        known = known.near(e.symbols)  # so that conditions far outside cost nothing further in
        key = (e, known, owner)
        if key in self.done:
            return self.done[key]
        result = e
        match e:
            case Reduce() if _needs_solving(e):
                result = yield self._solved(e, known, owner)
            case Reduce(_, indices, derived, domain, body):
                e, domain = without_implied(e, known)
                inner = _Owner(frozenset((*indices, *(d.name for d in derived))), owner)
                conditions = Domain.of(c for d in derived for c in d.conditions)
                new = yield self.walk(body, known & domain & conditions, inner)
                result = with_operands(e, (new,))
                if inner.derived and isinstance(result, Reduce):
                    result = Reduce(e.op, indices, (*derived, *inner.derived), domain, new)
                if isinstance(result, Reduce):
                    result = counted(result, known)
            case Select(Domain() as domain, then, otherwise):
                result = yield self._chosen(domain, then, otherwise, known, owner)
            case _:
                operands = []
                for operand in e.operands:
                    operands.append((yield self.walk(operand, known, owner)))
                result = with_operands(e, tuple(operands))
        self.done[key] = result
        return result

    def _has_ranges(self, e: Expr) -> bool:
        ranges = self.ranges
        if e not in ranges:
            for node in postorder(e, lambda n: () if n in ranges else n.operands):
                ranges[node] = (
                    isinstance(node, Reduce)
                    or (isinstance(node, Select) and isinstance(node.condition, Domain))
                    or any(ranges[o] for o in node.operands)
                )
        return ranges[e]

    def _chosen(
        self, domain: Domain, then: Expr, otherwise: Expr, known: Domain, owner: _Owner
    ) -> Generator[Any, Any, Expr]:
        """A choice without the conditions that hold anyway; one branch alone where the other is never taken."""
        needed = Domain.of(c for c in domain if not implies(known, c))
        if needed == EVERYWHERE:
            return (yield self.walk(then, known, owner))
        if is_empty(known & needed):
            return (yield self.walk(otherwise, known, owner))
        yes = yield self.walk(then, known & needed, owner)
        match needed.conditions:
            case (Condition(">=", form),):
                known &= Domain.of((at_least_zero(-form - 1),))
            case _:
                pass
        no = yield self.walk(otherwise, known, owner)
        return Select(needed, yes, no)

    def _solved(self, e: Reduce, known: Domain, owner: _Owner) -> Generator[Any, Any, Expr]:
        if any(isinstance(d, Looked) for d in e.derived):
            return (yield self._looked(e, known, owner))
        e, lifted = self._lifted(_with_given_quotients(e), owner, Derived)
        known &= Domain.of(c for d in lifted for c in d.conditions)
        if not e.indices and not e.derived:
            return (yield self.walk(_chosen_by(e), known, owner))
        derived = tuple(d.name for d in e.derived)
        unknowns = (*_loop_order(e), *derived)
        domain = e.domain & Domain.of(c for d in e.derived for c in d.conditions)
        solution = solve(unknowns, domain, known, self.names.fresh, keep=(*e.indices, *derived))
        neutral = Const(NEUTRAL[e.op])
        if solution is None:
            return neutral
        for quotient in solution.quotients:
            owner.of(quotient).derived.append(quotient)
        values = {s: form for s, form in solution.substitution.items() if form.as_symbol() != s}
        indices, derived_indices = self._loops(solution, owner, values)
        body = substitute(e.body, values)
        bounds = (c for loop in solution.loops if loop.index in indices for c in loop.conditions)
        loops = Domain.of(bounds).substitute(values)
        reduce: Expr
        if indices:
            inner = _Owner(frozenset(indices), owner)
            quotients = (c for q in solution.quotients for c in q.conditions)
            body = yield self.walk(body, known & Domain.of((*loops, *quotients)), inner)
            reduce = Reduce(e.op, indices, (*derived_indices, *inner.derived), loops, body)
        else:
            reduce = yield self.walk(body, known, owner)
        guards = Domain.of(solution.guards)
        return reduce if guards == EVERYWHERE else Select(guards, reduce, neutral)

    def _looked(self, e: Reduce, known: Domain, owner: _Owner) -> Generator[Any, Any, Expr]:
        """A reduction with data indices: those that it does not bind go further out, and the others split it in two.

        Outside stand the indices that data are looked up with, inside those that are solved once the data are known.
        """
        e, lifted = self._lifted(_without_equal(_without_declared(e)), owner, Looked)
        looked = [d for d in e.derived if isinstance(d, Looked)]
        if not looked:
            known &= Domain.of(c for d in lifted for c in d.conditions)
            if not e.indices and not e.derived:
                return (yield self.walk(_chosen_by(e), known, owner))
            return (yield self._solved(e, known, owner))
        late = _late(e, looked)
        outer = tuple(i for i in e.indices if i not in late)
        inner = tuple(i for i in e.indices if i in late)
        if inner:
            return (yield self._nested(e, outer, inner, known, owner))
        return (yield self._looping(e, looked, known, owner))

    def _lifted(
        self, e: Reduce, owner: _Owner, kind: type[Looked | Derived]
    ) -> tuple[Reduce, list[Determined]]:
        """The reduction without the derived indices of a kind that follow from symbols further out: these are the owner's, under new names."""
        bound = {*e.indices, *(d.name for d in e.derived)}
        lifted: list[Determined] = []
        values: dict[Symbol, Affine] = {}
        kept: list[Determined] = []
        for d in e.derived:
            d = d.substitute(values)
            if isinstance(d, kind) and bound.isdisjoint(d.symbols):
                place = owner.of(d)
                same = (o for o in place.derived if o.substitute({}, d.name) == d)
                new = next(same, None) or d.substitute({}, self.names.fresh(d.name))
                if new not in place.derived:
                    place.derived.append(new)
                lifted.append(new)
                values[d.name] = symbol(new.name)
                bound.discard(d.name)
            else:
                kept.append(d)
        if not values:
            return e, lifted
        domain = e.domain.substitute(values)
        body = substitute(e.body, values)
        return Reduce(e.op, e.indices, tuple(kept), domain, body), lifted

    def _nested(
        self,
        e: Reduce,
        outer: tuple[Symbol, ...],
        inner: tuple[Symbol, ...],
        known: Domain,
        owner: _Owner,
    ) -> Generator[Any, Any, Expr]:
        """A reduction over the indices of data, and in it one over those that are solved when the data are known."""
        within = set(inner)
        parts: list[Determined] = []
        for d in e.derived:
            if not within.isdisjoint(d.symbols):
                within.add(d.name)
                parts.append(d)
        around = tuple(d for d in e.derived if d.name not in within)
        conditions = [c for c in e.domain if within.isdisjoint(c.form.symbols)]
        others = Domain.of(c for c in e.domain if not within.isdisjoint(c.form.symbols))
        part = Reduce(e.op, inner, tuple(parts), others, e.body)
        if not outer:
            # Everything that is looked up here follows from what is bound inside; other conditions are guards.
            return (
                yield self._looping(e, [d for d in parts if isinstance(d, Looked)], known, owner)
            )
        quotients = tuple(d for d in parts if isinstance(d, Derived))
        for told in ((), quotients):
            if all(_is_bounded(i, conditions, around) for i in outer):
                break
            # `j <= i` and `i <= 2` bound `j` too, and so do `j // 3 = i // 3` and `i <= 2`: what is said of the inner indices
            # is still said inside.
            unknown = {d.name for d in parts if d not in told}
            facts = (*others, *(c for d in told for c in d.conditions))
            plain = Domain.of(c for c in facts if unknown.isdisjoint(c.form.symbols))
            conditions += project(plain, (*inner, *(d.name for d in told)))
        whole = Reduce(e.op, outer, around, Domain.of(conditions), part)
        return (yield self.walk(whole, known, owner))

    def _looping(
        self, e: Reduce, looked: Sequence[Looked], known: Domain, owner: _Owner
    ) -> Generator[Any, Any, Expr]:
        """A reduction all of whose indices are needed to look something up: what says nothing of the data is solved."""
        names = {d.name for d in looked}
        of_data = {
            d.name for d in e.derived if not names.isdisjoint(_followed((d.name,), e.derived))
        }
        plain = tuple(d for d in e.derived if d.name not in of_data)
        domain = e.domain & Domain.of(c for d in plain for c in d.conditions)
        free = Domain.of(c for c in domain if of_data.isdisjoint(c.form.symbols))
        bound_by_data = Domain.of(c for c in domain if not of_data.isdisjoint(c.form.symbols))
        unknowns = (*_loop_order(e), *(d.name for d in plain))
        solution = solve(
            unknowns, free, known, self.names.fresh, keep=(*e.indices, *(d.name for d in plain))
        )
        neutral = Const(NEUTRAL[e.op])
        if solution is None:
            return neutral
        for quotient in solution.quotients:
            owner.of(quotient).derived.append(quotient)
        values = {s: form for s, form in solution.substitution.items() if form.as_symbol() != s}
        indices, derived_indices = self._loops(solution, owner, values)
        bounds = (c for loop in solution.loops if loop.index in indices for c in loop.conditions)
        loops = Domain.of(bounds).substitute(values)
        data = tuple(d.substitute(values) for d in e.derived if d.name in of_data)
        # What says no more than what a quotient of data is, holds wherever the data are.
        defined = {c for d in data if isinstance(d, Derived) for c in d.conditions}
        tests = Domain.of(c for c in bound_by_data.substitute(values) if c not in defined)
        body = substitute(e.body, values)
        guards = Domain.of(solution.guards)
        every = (*derived_indices, *data)
        if any(set(indices).isdisjoint(_followed((d.name,), every)) for d in data):
            again = Reduce(e.op, indices, every, loops & tests, body)
            reduce = yield self._looked(again, known, owner)
        else:
            inner = _Owner(frozenset((*indices, *(d.name for d in every))), owner)
            facts = [c for d in (*solution.quotients, *every) for c in d.conditions]
            within = known & Domain.of((*loops, *tests, *facts))
            body = yield self.walk(body, within, inner)
            reduce = Reduce(e.op, indices, (*every, *inner.derived), loops & tests, body)
        return reduce if guards == EVERYWHERE else Select(guards, reduce, neutral)

    def _loops(
        self, solution: Solution, owner: _Owner, values: dict[Symbol, Affine]
    ) -> tuple[tuple[Symbol, ...], tuple[Derived, ...]]:
        """The indices of the solution's loops, and those that are floor divisions of symbols further out.

        Such a loop runs once. Where it needs no other loop its index goes to the owner, under a name of its own that
        `values` gets: other reductions there may have derived indices of the same name.
        """
        indices: list[Symbol] = []
        derived: list[Derived] = []
        for loop in solution.loops:
            if loop.value is None or loop.value.divisor == 1:
                indices.append(loop.index)
                continue
            form = loop.value.form.substitute(values)
            if {*indices, *(d.name for d in derived)}.isdisjoint(form.symbols):
                lifted = Derived(self.names.fresh(loop.index), form, loop.value.divisor)
                owner.of(lifted).derived.append(lifted)
                new = {loop.index: symbol(lifted.name)}
                values.update({s: f.substitute(new) for s, f in values.items()} | new)
            else:
                derived.append(Derived(loop.index, form, loop.value.divisor))
        return tuple(indices), tuple(derived)


def _with_given_quotients(e: Reduce) -> Reduce:
    """The reduction without indices that equations give by symbols further out, if a quotient follows from such ones alone.

    As an unknown of the system it would be mixed with the others: of `h[q,i] = g[q, (i - q//3) % N]` each `q//3` is known where `q` is.
    """
    if not e.derived:
        return e
    given: dict[Symbol, Affine] = {}
    bound = {*e.indices, *(d.name for d in e.derived)}
    for c in e.domain:
        unknown = [s for s in c.form.symbols if s in bound]
        if c.relation == "==" and len(unknown) == 1 and unknown[0] in e.indices:
            (i,) = unknown
            n = c.form.coefficient(i)
            if abs(n) == 1:
                given.setdefault(i, (c.form - n * symbol(i)) * -n)
    left = bound - given.keys()
    if not any(isinstance(d, Derived) and left.isdisjoint(d.symbols) for d in e.derived):
        return e
    derived = tuple(d.substitute(given) for d in e.derived)
    indices = tuple(i for i in e.indices if i not in given)
    return Reduce(e.op, indices, derived, e.domain.substitute(given), substitute(e.body, given))


def _chosen_by(e: Reduce) -> Expr:
    """A reduction without indices: its body where the conditions hold."""
    return Select(e.domain, e.body, Const(NEUTRAL[e.op]))


def _without_declared(e: Reduce) -> Reduce:
    """The reduction without what is declared of the data that it looks up: that holds always."""
    declared = {c for d in e.derived if isinstance(d, Looked) for c in d.conditions}
    domain = Domain.of(c for c in e.domain if c not in declared)
    return e if domain == e.domain else Reduce(e.op, e.indices, e.derived, domain, e.body)


def _without_equal(e: Reduce) -> Reduce:
    """The reduction without the indices that an equation says are other forms of symbols further out.

    Where one is an element of a tensor too, its terms are in the symbols further out: these do not change from element to element.
    """
    bound = {*e.indices, *(d.name for d in e.derived)}
    for c in e.domain:
        own = [(s, k) for s, k in c.form.terms if s in bound]
        if c.relation != "==" or len(own) != 1:
            continue
        ((i, k),) = own
        if i not in e.indices or abs(k) != 1:
            continue
        values = {i: symbol(i) - k * c.form}
        return _without_equal(
            Reduce(
                e.op,
                tuple(j for j in e.indices if j != i),
                tuple(d.substitute(values) for d in e.derived),
                e.domain.substitute(values),
                substitute(e.body, values),
            )
        )
    return e


def _late(e: Reduce, looked: Sequence[Looked]) -> set[Symbol]:
    """The indices that are solved after data were looked up: those that nothing is looked up with, and those that only
    data bound.
    """
    names = {d.name for d in looked}
    needed = _followed(names, e.derived)
    data = {d.name for d in e.derived if not names.isdisjoint(_followed((d.name,), e.derived))}
    plain = e.domain & Domain.of(c for d in e.derived if d.name not in data for c in d.conditions)
    free = [c for c in plain if data.isdisjoint(c.form.symbols)]
    ends = {i: _is_bounded(i, free, e.derived) for i in e.indices}
    late = {i for i in e.indices if i not in needed or not ends[i]}
    return set() if late == set(e.indices) and all(ends.values()) else late


def _is_bounded(
    index: Symbol, conditions: Iterable[Condition], derived: Sequence[Determined]
) -> bool:
    """Whether conditions say that it is at least, and that it is at most something that does not follow from it."""
    made = {d.name for d in derived if index in _followed((d.name,), derived)}
    signs = set()
    for c in conditions:
        if not made.isdisjoint(c.form.symbols):
            continue
        k = c.form.coefficient(index)
        if k and c.relation == "==":
            return True
        if k and c.relation == ">=":
            signs.add(k > 0)
    return len(signs) == 2


def _loop_order(e: Reduce) -> tuple[Symbol, ...]:
    """The reduction's indices in the order in which loops are wanted, outermost first.

    Innermost stand those that run through memory with unit stride most often.
    """
    score = dict.fromkeys(e.indices, 0)
    for node in postorder(e.body):
        if isinstance(node, Read) and node.subscripts:
            for s in node.subscripts[-1].symbols:
                if s in score:
                    score[s] += 1
    return tuple(sorted(e.indices, key=lambda s: score[s]))
