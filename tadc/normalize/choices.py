"""Choices in a sum as conditions of the sum: however a border or a mask is spelled, the loops are those of a condition.

    sum{r} (if 0 <= i + r < N then x[i+r] else 0)*w[r]    is    sum{r | 0 <= i + r < N} x[i+r]*w[r]
    sum{j} (if A then t else (if B then t else 0))        is    sum{j | A} t + sum{j | B and not A} t

A factor that is 0 by a choice makes a product 0 if the other factors are numbers for all inputs that are (language,
section 8), and a gate always.
"""

from __future__ import annotations

from dataclasses import replace

from tadc.integer import implies
from tadc.ir.domain import EMPTY, EVERYWHERE, Condition, Domain, at_least_zero
from tadc.ir.expr import Call, Comparison, Const, Expr, Reduce, Select
from tadc.ir.program import Program
from tadc.ir.walk import postorder, rewrite
from tadc.normalize.masks import Judge, Marks

__all__ = ["negated", "with_conditions"]

MOST_SUMS = 4  # that one is split into


def with_conditions(program: Program) -> Program:
    """The program whose sums run only where their terms are not 0 by a choice."""
    if not any(_is_candidate(e) for s in program.statements for e in postorder(s.body)):
        return program
    marks = Marks(program.known)
    statements = []
    for s in program.statements:
        judge = marks.judge(s)
        body = rewrite(s.body, lambda e, judge=judge: _conditioned(e, judge))  # type: ignore[misc]
        statements.append(s if body is s.body else replace(s, body=body))
        marks.note(statements[-1])
    return replace(program, statements=tuple(statements))


def negated(domain: Domain) -> Domain | None:
    """The complement, where it is one inequality."""
    match domain.conditions:
        case (condition,) if condition.negation:
            return Domain.of((condition.negation,))
        case _:
            return None


def _is_candidate(e: Expr) -> bool:
    return (
        isinstance(e, Reduce)
        and e.op == "sum"
        and any(
            isinstance(node, Select) and isinstance(node.condition, Domain)
            for node in postorder(e.body, _in_term)
        )
    )


def _in_term(e: Expr) -> tuple[Expr, ...]:
    return () if isinstance(e, Reduce) else e.operands


def _conditioned(e: Expr, judge: Judge) -> Expr:
    if not _is_candidate(e):
        return e
    assert isinstance(e, Reduce)
    domain = e.domain & _support(e.body, judge, e.domain)
    pieces = _pieces(e.body)
    if pieces is None:
        return e if domain == e.domain else Reduce(e.op, e.indices, e.derived, domain, e.body)
    term, domains = pieces
    sums: list[Expr] = [
        Reduce(e.op, e.indices, e.derived, domain & piece, term)
        for piece in domains
        if domain & piece != EMPTY
    ]
    total = sums[0] if sums else Const(0)
    for further in sums[1:]:
        total = Call("add", (total, further))
    return total


def _support(root: Expr, judge: Judge, known: Domain) -> Domain:
    """Conditions that hold wherever the value is not 0 by a choice of conditions on indices. In all terms of its sum `known` holds."""
    support: dict[Expr, Domain] = {}
    for e in postorder(root, _in_product):
        match e:
            case Select(condition, then, Const(0)):
                support[e] = support[then] & _affine(condition)
            case Select(condition, Const(0), otherwise):
                support[e] = support[otherwise] & _failing(_affine(condition), known)
            case Select(_, a, b) | Call("add" | "sub", (a, b)):
                both = set(support[a].conditions) & set(support[b].conditions)
                support[e] = Domain.of(c for c in support[a] if c in both)
            case Call("gate", (a, b)):
                support[e] = support[a] & support[b]
            case Call("mul", (a, b)):
                support[e] = EVERYWHERE
                for factor, other in ((a, b), (b, a)):
                    if support[factor] != EVERYWHERE and not judge.may_be_infinite(other):
                        support[e] &= support[factor]
            case Call("neg", (a,)):
                support[e] = support[a]
            case Call("div", (a, divisor)) if judge.is_number(divisor):
                support[e] = support[a]
            case Const(0):
                support[e] = EMPTY
            case _:
                support[e] = EVERYWHERE
    return support[root]


def _failing(condition: Domain, known: Domain) -> Domain:
    """Where the condition does not hold, if that is one inequality: of `r = 0`, where r is not negative, it is `r >= 1`."""
    if (complement := negated(condition)) is not None:
        return complement
    match condition.conditions:
        case (Condition("==", form),):
            for side in (form, -form):
                if implies(known, at_least_zero(side)):
                    return Domain.of((at_least_zero(side - 1),))
    return EVERYWHERE


def _in_product(e: Expr) -> tuple[Expr, ...]:
    """The operands that may make `e` 0."""
    match e:
        case Select():
            return e.then, e.otherwise
        case Call("add" | "sub" | "gate" | "mul" | "neg"):
            return e.args
        case Call("div", (a, _)):
            return (a,)
        case _:
            return ()


def _affine(condition: Domain | Comparison) -> Domain:
    return condition if isinstance(condition, Domain) else EVERYWHERE


def _pieces(e: Expr) -> tuple[Expr, list[Domain]] | None:
    """A term and the disjoint domains in which it is taken, in a chain of choices that is 0 elsewhere.

    None where there is no choice but one that is a condition already, where the terms differ, or in too many pieces.
    """
    pieces: list[tuple[Domain, Expr]] = []
    waiting = [(EVERYWHERE, e)]
    alternatives = 0
    while waiting:
        around, e = waiting.pop()
        if around == EMPTY or (isinstance(e, Const) and e.value == 0):
            continue
        if not (isinstance(e, Select) and isinstance(e.condition, Domain)):
            pieces.append((around, e))
            if len(pieces) > MOST_SUMS:
                return None
            continue
        fails = _complement(e.condition)
        alternatives += _is_alternative(e, e.condition)
        if isinstance(e.otherwise, Const) and e.otherwise.value == 0:
            fails = []
        if fails is None or len(fails) > MOST_SUMS or len(waiting) > MOST_SUMS:
            return None
        waiting += [(around & domain, e.otherwise) for domain in reversed(fails)]
        waiting.append((around & e.condition, e.then))
    if not alternatives or len({term for _, term in pieces}) != 1:
        return None
    return pieces[0][1], [domain for domain, _ in pieces]


def _is_alternative(e: Select, condition: Domain) -> bool:
    """Whether a choice is no condition of the sum already. Points that an equation leaves out cost less than a second sum."""
    then, otherwise = (isinstance(x, Const) and x.value == 0 for x in (e.then, e.otherwise))
    if then and not otherwise:
        return negated(condition) is None and all(c.relation == ">=" for c in condition)
    return not otherwise


def _complement(domain: Domain) -> list[Domain] | None:
    """Disjoint domains that hold where this one does not; None where a divisibility is in it."""
    parts: list[Domain] = []
    held: list[Condition] = []
    for c in domain:
        match c:
            case Condition(">=", form):
                fails = [at_least_zero(-form - 1)]
            case Condition("==", form):
                fails = [at_least_zero(-form - 1), at_least_zero(form - 1)]
            case _:
                return None
        parts += [Domain.of((*held, f)) for f in fails]
        held.append(c)
    return [part for part in parts if part != EMPTY]
