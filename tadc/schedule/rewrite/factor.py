"""Factors moved out of sums that they do not depend on, and sums of products cut into sums of sums (design, section 5.6).

    sum{j,k} x[i,j,k]*b[j,r]*c[k,r]    is    sum{j} b[j,r]*(sum{k} x[i,j,k]*c[k,r])
    sum{j,k} a[j]*b[k]                 is    (sum{j} a[j])*(sum{k} b[k])

Which index is summed first is chosen as in the contraction of tensor networks: the one whose sum leaves the most work
outside, where it is done less often. Gates are by factors, too:

    sum{j} gate(d[j], y[j]/s)          is    gate(sum{j} gate(d[j], y[j]), 1/s)

An infinite or undefined element of an input may then give another infinite or undefined value. What the program computes is multiplied
by a sum without terms only where it is finite, as it would be in its definition: a value stored for a gradient changes no result. Where
the sum has terms only for some sizes, or some elements, they are tested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from tadc.ir.affine import Symbol
from tadc.ir.domain import EVERYWHERE, Determined, Domain
from tadc.ir.expr import Call, Const, Expr, Read, Reduce, Select
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import Entered, postorder, rewrite_in
from tadc.normalize.counted import counted
from tadc.normalize.in_bounds import reads_are_in_bounds
from tadc.normalize.masks import Marks, is_never_empty, may_be_infinite, where_not_empty

__all__ = [
    "Factor",
    "factored",
    "factors_of",
    "gate_by",
    "nested_over_data",
    "product_of",
    "sum_of",
    "with_factors_outside",
    "without_factors",
]

MOST_FACTORS = 32
MOST_BOUNDS = 3  # of an index from above


def factored(program: Program, by_rows: bool = True) -> Program:
    """Every sum of the program, with what it need not do for each term outside. Of two sums that may be the inner one, with `by_rows` it is
    the one that reads rows.
    """
    infinite = Marks.of(program).infinite
    statements = (_factored_statement(program, s, infinite, by_rows) for s in program.statements)
    return replace(program, statements=tuple(statements))


def nested_over_data(program: Program) -> Program:
    """The program whose sums over data are cut into sums of sums, where the inner one is of all values of an index that no data decide:

    sum{e, m | k[e] = i} u[e]*x[e,m]*v[m]      is      sum{e | k[e] = i} u[e]*(sum{m} x[e,m]*v[m])
    """
    factoring = _Factoring(program.tensors, Marks.of(program).infinite)

    def cut(e: Expr, known: Domain) -> Expr:
        return factoring.nested(e, known) if isinstance(e, Reduce) and e.op == "sum" else e

    statements = (
        replace(s, body=rewrite_in(s.body, program.known & s.box, _known_in, cut))
        for s in program.statements
    )
    return replace(program, statements=tuple(statements))


def with_factors_outside(program: Program, s: Statement) -> Statement:
    """The statement, with the factors outside of its sums that leave these as a whole; itself where a sum is cut into several."""
    moved = _factored_statement(program, s, Marks.of(program).infinite, by_rows=True)
    sums, before = (
        [e.indices for e in postorder(t.body) if isinstance(e, Reduce)] for t in (moved, s)
    )
    return moved if sums == before else s


def _factored_statement(
    program: Program, s: Statement, infinite: Set[str], by_rows: bool
) -> Statement:
    factoring = _Factoring(program.tensors, infinite, by_rows)
    return replace(s, body=rewrite_in(s.body, program.known & s.box, _known_in, factoring.factored))


def without_factors(
    e: Reduce, known: Domain, tensors: Mapping[str, Tensor], infinite: Set[str]
) -> tuple[Reduce, Callable[[Expr], Expr]]:
    """A sum without the factors that depend on none of its indices, those of data included, and what applies them to its value.

    `infinite` are the tensors with elements that may be no numbers.
    """
    bound = (*e.indices, *(d.name for d in e.derived))
    factoring = _Factoring(tensors, infinite)
    factors = [part for f in factors_of(e.body) for part in _parted(f, bound)]
    leaving = [
        f for f in factors if f.value.symbols.isdisjoint(bound) and factoring.is_harmless(f, known)
    ]
    if e.op != "sum" or not 0 < len(leaving) < len(factors) <= MOST_FACTORS:
        return e, lambda value: value
    staying = [f for f in factors if f not in leaving]
    outside = _gated(leaving, staying)
    inner = sum_of(e.indices, e.domain, staying, e.derived)
    return inner, lambda value: product_of(outside, value)


@dataclass(frozen=True, slots=True)
class Factor:
    """`mul`, `div` or `gate` by a value: in a product, applied to what stands before it."""

    function: str
    value: Expr

    def applied(self, before: Expr) -> Expr:
        return Call(self.function, (before, self.value))


@dataclass(frozen=True, slots=True)
class _Factoring:
    """`known` holds around an expression: reads of a factor that leaves a sum which may be empty must be in bounds there."""

    tensors: Mapping[str, Tensor]
    infinite: Set[str]
    by_rows: bool = True

    def factored(self, e: Expr, known: Domain) -> Expr:
        if isinstance(e, Reduce) and e.op == "sum" and not e.derived:
            return self._counted(e, known)
        return e

    def _counted(self, e: Reduce, known: Domain) -> Expr:
        """The sum without indices that only repeat its terms: a number, which is a factor, says how often."""
        match counted(e, known, MOST_BOUNDS):
            case Call("mul", (count, Reduce() as inner)):
                return Call("mul", (count, self._sum(inner, known)))
            case Reduce() as same:
                return self._sum(same, known)
            case value:
                return value

    def _sum(self, e: Reduce, known: Domain) -> Expr:
        factors = [part for f in factors_of(e.body) for part in _parted(f, e.indices)]
        if len(factors) > MOST_FACTORS:
            return e
        where = where_not_empty(e, known)
        without = [
            f
            for f in factors
            if f.value.symbols.isdisjoint(e.indices)
            and (where is not None or self.is_harmless(f, known))
        ]
        if without and len(without) < len(factors):
            within = [f for f in factors if f not in without]
            inner = sum_of(e.indices, e.domain, within)
            value = product_of(_gated(without, within), self._sum(inner, known))
            if where in (None, EVERYWHERE) or all(self.is_harmless(f, known) for f in without):
                return value
            return Select(where, value, Const(0))
        if without or len(e.indices) == 1:
            return e
        alone = [i for i in e.indices if _is_alone(i, e)]
        nearness = {i: _nearness(i, e) if self.by_rows else 0 for i in alone}
        best = max(reversed(alone), key=lambda i: (_saved(i, factors), nearness[i]), default="")
        of_best = Domain.of(c for c in e.domain if best in c.form.symbols)
        rest = Domain.of(c for c in e.domain if best not in c.form.symbols)
        within = [f for f in factors if best in f.value.symbols]
        outside = [f for f in factors if f not in within]
        if not (best and _saved(best, factors)):
            return e
        alone_ = Reduce("sum", (best,), (), of_best, Const(1))
        if not is_never_empty(alone_, known & rest) and not all(
            self.is_harmless(f, known & rest) for f in outside
        ):
            return e
        inner_sum = self._sum(sum_of((best,), of_best, within), known & rest)
        others = tuple(i for i in e.indices if i != best)
        body = product_of(_gated(outside, within), inner_sum)
        return self._sum(Reduce("sum", others, (), rest, body), known)

    def nested(self, e: Reduce, known: Domain) -> Reduce:
        """The sum over data as one of sums: of the index whose sum leaves the most work outside, one that data neither decide nor are looked
        up with, and that has a value wherever there are any.
        """
        looked_up = frozenset(s for d in e.derived for s in (d.name, *d.symbols))
        factors = factors_of(e.body)
        if not e.derived or len(e.indices) < 2 or len(factors) > MOST_FACTORS:
            return e
        alone = [i for i in e.indices if i not in looked_up and _is_alone(i, e)]
        best = max(reversed(alone), key=lambda i: (_saved(i, factors), _nearness(i, e)), default="")
        if not best or not _saved(best, factors):
            return e
        of_best = Domain.of(c for c in e.domain if best in c.form.symbols)
        if not looked_up.isdisjoint(of_best.symbols) or not is_never_empty(
            Reduce("sum", (best,), (), of_best, Const(1)), known
        ):
            return e
        rest = Domain.of(c for c in e.domain if best not in c.form.symbols)
        within = [f for f in factors if best in f.value.symbols]
        outside = [f for f in factors if f not in within]
        others = tuple(i for i in e.indices if i != best)
        body = product_of(_gated(outside, within), sum_of((best,), of_best, within))
        return self.nested(Reduce("sum", others, e.derived, rest, body), known)

    def is_harmless(self, factor: Factor, known: Domain) -> bool:
        """Whether it can be computed where the sum has no terms, and changes nothing there."""
        return self.is_finite(factor) and self.is_in_bounds(factor.value, known)

    def is_finite(self, factor: Factor) -> bool:
        """Whether it is a number where the sum has no terms, and is then multiplied by 0."""
        gate = factor.function == "gate"
        return gate or not (
            factor.function == "div"
            or any(
                e.tensor in self.infinite if isinstance(e, Read) else may_be_infinite(e)
                for e in postorder(factor.value)
            )
        )

    def is_in_bounds(self, e: Expr, known: Domain) -> bool:
        return reads_are_in_bounds(e, known, self.tensors)


def _known_in(e: Expr, known: Domain) -> Entered[Domain]:
    match e:
        case Reduce(domain=domain):
            return e, [known & domain]
        case Select(Domain() as domain, _, _):
            return e, [known & domain, known]
        case _:
            return e, [known] * len(e.operands)


def _is_alone(index: Symbol, e: Reduce) -> bool:
    """Whether the range of the index depends on no other one of the sum: without it, those would run for nothing."""
    mentioning = (c for c in e.domain if index in c.form.symbols)
    return all(set(e.indices).isdisjoint(set(c.form.symbols) - {index}) for c in mentioning)


def _saved(index: Symbol, factors: Sequence[Factor]) -> int:
    """The number of operations saved for each value of the index, if it is summed first."""
    outside = [f for f in factors if index not in f.value.symbols]
    if len(outside) == len(factors):
        return 0
    return sum(1 + sum(isinstance(n, (Call, Reduce)) for n in postorder(f.value)) for f in outside)


def _nearness(index: Symbol, e: Reduce) -> int:
    """How many reads have neighbours where the index does, less those that have not: of two sums the inner one is to read rows."""
    reads = [r for r in postorder(e.body) if isinstance(r, Read) and index in r.symbols]
    rows = [r for r in reads if index in r.subscripts[-1].symbols]
    return 2 * len(rows) - len(reads)


def factors_of(e: Expr) -> list[Factor]:
    """The factors of a product, in order."""
    factors: list[Factor] = []
    waiting = [Factor("mul", e)]
    while waiting:
        f = waiting.pop()
        match f.value:
            case Call("mul", (a, b)) if f.function == "mul":
                waiting += [Factor("mul", b), Factor("mul", a)]
            case Call("gate" | "div" as function, (a, b)) if f.function == "mul":
                waiting += [Factor(function, b), Factor("mul", a)]
            case Call("neg", (x,)) if f.function == "mul":
                waiting += [Factor("mul", x), Factor("mul", Const(-1))]
            case Const(1):
                pass
            case _:
                factors.append(f)
    return factors


def _parted(factor: Factor, indices: Sequence[Symbol]) -> list[Factor]:
    """A gate by a product or a quotient as a gate by each part, if one of these can leave a sum over the indices."""
    if factor.function != "gate":
        return [factor]
    parts = factors_of(factor.value)
    leaving = [f for f in parts if f.value.symbols.isdisjoint(indices)]
    if not leaving or len(leaving) == len(parts):
        return [factor]
    staying = [f for f in parts if f not in leaving]
    return [gate_by([f]) for f in leaving] + [gate_by(staying)]


def gate_by(factors: Sequence[Factor]) -> Factor:
    value = product_of(factors, Const(1))
    return Factor("mul" if isinstance(value, Const) else "gate", value)


def sum_of(
    indices: tuple[Symbol, ...],
    domain: Domain,
    factors: Sequence[Factor],
    derived: tuple[Determined, ...] = (),
) -> Reduce:
    # A gate on 1 alone changes nothing.
    first = next((f for f in factors if f.function in ("mul", "gate")), None)
    first = next((f for f in factors if f.function == "mul"), first)
    rest = [f for f in factors if f is not first]
    return Reduce(
        "sum", indices, derived, domain, product_of(rest, first.value if first else Const(1))
    )


def _gated(outside: Sequence[Factor], inner: Sequence[Factor]) -> list[Factor]:
    """The factors that leave a sum: a zero among them still masks what a gate in the sum would have let it mask."""
    if all(f.function != "gate" for f in inner):
        return list(outside)
    return [
        Factor("gate", f.value) if f.function == "mul" and not isinstance(f.value, Const) else f
        for f in outside
    ]


def product_of(factors: Sequence[Factor], value: Expr) -> Expr:
    """The value times the factors. A sign comes last."""
    negative = False
    for f in factors:
        if f.function == "mul" and f.value is Const(-1):
            negative = not negative
        elif f.function == "mul" and value is Const(1):
            value = f.value
        else:
            value = f.applied(value)
    return Call("neg", (value,)) if negative else value
