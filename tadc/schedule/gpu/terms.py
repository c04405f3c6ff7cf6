"""The terms of a sum as a tensor: what a statement needs once for each of them is computed by all threads, and stored.

    f[i] = sum{j = 2..N} e(i, j)    is    t[i, j: N - 1] = e(i, j + 2);  f[i] = sum{j = 2..N} t[i, j - 2]

Where the range of an index moves with another one the tensor has the values of all of them, and the neutral element besides.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.bounds import bounded
from tadc.ir.domain import EVERYWHERE, Determined, Domain, Looked
from tadc.ir.expr import Comparison, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import DerivedSize, Statement, Tensor
from tadc.ir.range import Bound
from tadc.ir.walk import substitute

__all__ = ["Counts", "Terms", "depends_on", "guards", "has_data", "only", "terms_of"]


_NOTHING: Mapping[Symbol, Affine] = {}
_Ends: TypeAlias = tuple[Affine, Affine]  # the first and the last value of an index


@dataclass(slots=True)
class Counts:
    """The derived sizes of a program, and those that are made for numbers of terms."""

    names: Names
    sizes: tuple[DerivedSize, ...]

    def of(self, form: Affine, divisor: int) -> Affine:
        """`floor(form / divisor)`, as a size."""
        if divisor == 1:
            return form
        known = (d for d in self.sizes if (d.op, d.forms, d.modulus) == ("floor", (form,), divisor))
        found = next(known, None)
        if found is None:
            found = DerivedSize(self.names.fresh("n"), "floor", (form,), divisor)
            self.sizes = (*self.sizes, found)
        return symbol(found.name)


@dataclass(frozen=True, slots=True)
class Terms:
    """The first value of each index of a reduction, how many there are at most, and where there is a term."""

    lows: Mapping[Symbol, Affine]
    box: Mapping[Symbol, Affine]
    derived: tuple[Determined, ...]
    domain: Domain

    def stored(
        self,
        value: Expr,
        target: Tensor,
        box: Mapping[Symbol, Affine],
        derived: tuple[Determined, ...],
        where: Domain,
        otherwise: float,
    ) -> tuple[Statement, Expr]:
        """The statement that stores the value of each term in the target, whose indices are those of `box`, and the value read there.

        Values that are not needed, elsewhere than `where` or without a term, are `otherwise`: reads may be outside there.
        """
        moved = {i: symbol(i) + low for i, low in self.lows.items() if low != constant(0)}
        inner = tuple(d.substitute(moved) for d in self.derived)
        body = only(where & self.domain.substitute(moved), substitute(value, moved), otherwise)
        read = Read(target.name, tuple(symbol(i) - self.lows.get(i, 0) for i in box))
        return Statement(target, tuple(box), (*derived, *inner), body), read


def terms_of(
    e: Reduce,
    parameters: Set[Symbol],
    around: Mapping[Symbol, Affine] = _NOTHING,
    counts: Counts | None = None,
) -> Terms | None:
    """The terms of a reduction; None where `parameters` do not bound an index, or data do.

    Bounds that depend on indices of the reduction, or on ones with the extents of `around`, are taken where they are widest. How many terms
    there are may be a derived size if there are `counts`.
    """
    if any(isinstance(d, Looked) for d in e.derived):
        return None
    lows, box = {}, {}
    ends: dict[Symbol, _Ends] = {i: (constant(0), n - 1) for i, n in around.items()}
    for b in bounded(e).each:
        index, known = b.range.index, parameters - around.keys()
        low = _known(b.range.lows, parameters) or _widest(b.range.lows, ends, known, -1)
        high = _known(b.range.highs, parameters) or _widest(b.range.highs, ends, known, 1)
        if high is None and counts and (end := _rounded(b.range.highs, parameters)):
            high = counts.of(end.form + end.divisor, end.divisor) - 1
        if low is None or high is None:
            return None
        lows[index], box[index], ends[index] = low, high - low + 1, (low, high)
    inside = Domain.box(box).substitute({i: symbol(i) - low for i, low in lows.items()})
    rest = Domain.of(c for c in e.domain if c not in set(inside.conditions))
    return Terms(lows, box, e.derived, rest)


def _known(bounds: tuple[Bound, ...], parameters: Set[Symbol]) -> Affine | None:
    """A bound that is made of parameters; None if there is none."""
    known = (b.form for b in bounds if b.divisor == 1 and parameters >= set(b.form.symbols))
    return next(known, None)


def _rounded(bounds: tuple[Bound, ...], parameters: Set[Symbol]) -> Bound | None:
    """A quotient of parameters, if one is a bound."""
    return next((b for b in bounds if parameters >= set(b.form.symbols)), None)


def _widest(
    bounds: tuple[Bound, ...], ends: Mapping[Symbol, _Ends], known: Set[Symbol], sign: int
) -> Affine | None:
    """What bounds the index wherever the indices between `ends` are: from below if `sign` is -1, from above if it is 1.

    It is a number, or made of symbols that are `known`.
    """
    for b in bounds:
        most = {s: ends[s][c * sign > 0] for s, c in b.form.terms if s in ends}
        end = b.form.substitute(most)
        if end.is_constant:
            return constant(sign * (sign * end.constant // b.divisor))
        if b.divisor == 1 and known >= set(end.symbols):
            return end
    return None


def has_data(s: Statement) -> bool:
    """Whether the indices of the whole statement lead to data: nothing is known of what its sums are over."""
    return any(isinstance(d, Looked) for d in s.derived)


def depends_on(
    e: Expr, where: Domain, s: Statement
) -> tuple[dict[Symbol, Affine], tuple[Determined, ...]]:
    """The indices of the statement, with extents, and its derived ones, that a value which is needed `where` depends on."""
    used = {*e.symbols, *where.symbols}
    derived: list[Determined] = []
    for d in reversed(s.derived):
        if d.name in used:
            derived.insert(0, d)
            used |= set(d.symbols)
    return {i: s.extents[i] for i in s.indices if i in used}, tuple(derived)


def only(where: Domain, e: Expr, otherwise: float) -> Expr:
    """The value where it is needed, another one elsewhere: reads may be outside there."""
    return e if where == EVERYWHERE else Select(where, e, Const(otherwise))


def guards(body: Expr) -> dict[Reduce, Domain]:
    """The sums in no other sum, with where their values are needed; those that are needed in places of several kinds have none.

    What is needed always is computed so, although it may be needed in a choice as well.
    """
    found: dict[Reduce, dict[Domain | None, None]] = {}
    seen: set[tuple[Expr, Domain | None]] = set()
    waiting: list[tuple[Expr, Domain | None]] = [(body, EVERYWHERE)]
    while waiting:
        e, where = waiting.pop()
        if (e, where) in seen:
            continue
        seen.add((e, where))
        match e:
            case Reduce():
                found.setdefault(e, {})[where] = None
                waiting.append((e.body, None))
            case Select(Domain() as domain, then, otherwise):
                waiting += [(otherwise, None), (then, None if where is None else where & domain)]
            case Select(Comparison(_, left, right), then, otherwise):
                # What is in bounds may be computed whether it is chosen or not.
                waiting += [(o, where) for o in (otherwise, then, right, left)]
            case _:
                waiting += [(o, where) for o in reversed(e.operands)]
    needed = {}
    for e, places in found.items():
        where = EVERYWHERE if EVERYWHERE in places else next(iter(places))
        if where is not None and (where == EVERYWHERE or len(places) == 1):
            needed[e] = where
    return needed
