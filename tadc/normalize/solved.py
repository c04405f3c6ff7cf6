"""Every reduction over a domain with equations becomes one over plain bounds (design, section 4).

The solver's results go back into the program: guards as a choice around the reduction, quotients as derived indices
of whoever binds the parameters, loops as the reduction's indices. The result is a program again.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Any

from tadc.integer import Solution, implies, is_empty, solve
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.bounds import bounded
from tadc.ir.domain import EVERYWHERE, Condition, Derived, Domain, at_least_zero
from tadc.ir.expr import NEUTRAL, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import descend, postorder, substitute, with_operands
from tadc.normalize.counted import counted

__all__ = ["solved", "solved_statement"]


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
    known = known.near((*statement.body.symbols, *box.symbols)) & box
    taken = {*known.symbols, *statement.indices, *(d.name for d in statement.derived)}
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
    if any(c.relation != ">=" for c in reduce.domain):
        return True
    bounds = bounded(reduce)
    return any(not bound.isdisjoint(d.form.symbols) for d in reduce.derived) or not all(
        b.range.lows and b.range.highs for b in bounds.each
    )


def _without_implied(e: Reduce, known: Domain) -> tuple[Reduce, Domain]:
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
    derived: list[Derived] = field(default_factory=list)

    def of(self, d: Derived) -> _Owner:
        """The innermost owner that binds one of the symbols of `d`."""
        owner = self
        while owner.outer is not None:
            if owner.binds & set(d.form.symbols) or any(
                other.name in d.form.symbols for other in owner.derived
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
                e, domain = _without_implied(e, known)
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
