"""Large elements of index tensors: for which of them affine forms fit into 64 bits, and what the others may be replaced by.

A form of elements of at most `most_exact` is computed as it stands. Larger ones are outside of every tensor; others stand in their
stead that leave the same remainders and are in the same order. Where their values count for more than that, there are none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Condition, Determined, Domain, Looked
from tadc.ir.element_types import INDEX
from tadc.ir.expr import IndexValue, Read, Reduce, Select
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder
from tadc.resolve.bounds import ReadCheck
from tadc.resolve.known import Known

__all__ = ["LargeData"]

MOST = 2**62  # of a form of elements, to which indices are added


@dataclass(frozen=True, slots=True)
class LargeData:
    """What a program does with large elements of its index tensors.

    `period`: elements that leave the same remainder by it are divided alike. Up to `most_exact` no form of them overflows.
    `exact` are the tensors whose elements are values, or are combined with those of others but for their order.
    """

    period: int
    most_exact: int
    exact: frozenset[str]

    @classmethod
    def of(cls, program: Program, checks: Sequence[ReadCheck] = ()) -> LargeData:
        """That of a program, and of the checks of its reads."""
        forms = _Forms({t.name for t in program.tensors.values() if t.dtype == INDEX})
        for s in program.statements:
            forms.add(s)
        for check in checks:
            forms.add_check(check)
        return cls(forms.period, MOST // max(1, forms.weight), frozenset(forms.exact))


@dataclass(slots=True)
class _Forms:
    """What the forms of a program are made of: `weights` are how often an element stands in an index, `tensors` whose it is.

    `slopes` are by how much an index grows with each element. `indices` are the index tensors.
    """

    indices: Set[str]
    period: int = 1
    weight: int = 1
    exact: set[str] = field(default_factory=set)
    weights: dict[Symbol, int] = field(default_factory=dict)
    tensors: dict[Symbol, set[str]] = field(default_factory=dict)
    slopes: dict[Symbol, Mapping[Symbol, Fraction]] = field(default_factory=dict)

    def add(self, s: Statement) -> None:
        for d in _determined(s):  # the forms of all of them, before what is made of these
            self._index(d)
        for e in postorder(s.body):
            match e:
                case Reduce(domain=Domain() as domain) | Select(condition=Domain() as domain):
                    for c in domain:
                        self._condition(c)
                case Read(tensor, subscripts):
                    self.exact |= {tensor} & self.indices  # it is a number there
                    for form in subscripts:
                        self._form(form)
                case IndexValue(form):
                    self._form(form)
                    self._is_exact(form)
                case _:
                    pass

    def add_check(self, check: ReadCheck) -> None:
        for d in check.data:
            self._index(d)
        waiting: list[Known] = [check.outside]
        while waiting:
            known = waiting.pop()
            waiting += (k for choice in known.choices for k in choice)
            for c in known.domain:
                self._condition(c)

    def _index(self, d: Determined) -> None:
        for form in d.forms:
            self._form(form)
        if isinstance(d, Looked):
            self.weights[d.name], self.slopes[d.name] = 1, {d.name: Fraction(1)}
            self.tensors.setdefault(d.name, set()).add(d.tensor)
        elif self._data(d.form):
            self.period *= d.modulus
            self.slopes[d.name] = {s: c / d.modulus for s, c in self._slopes(d.form).items()}
            self.weights[d.name] = self._weight(d.form)

    def _condition(self, c: Condition) -> None:
        data = self._data(c.form)
        if c.relation == "|" and data:
            self.period *= c.modulus
        self._form(c.form, is_order=all(s in self.slopes[s] for s in data) and _is_order(c))

    def _form(self, form: Affine, *, is_order: bool = False) -> None:
        self.weight = max(self.weight, self._weight(form))
        if len(self._slopes(form)) > 1 and not is_order:
            self._is_exact(form)

    def _slopes(self, form: Affine) -> dict[Symbol, Fraction]:
        """By how much the form grows with each element, quotients taken for fractions; remainders do not grow."""
        slopes: defaultdict[Symbol, Fraction] = defaultdict(Fraction)
        for s, c in form.terms:
            if s in self.weights:
                for element, slope in self.slopes[s].items():
                    slopes[element] += c * slope
        return {s: slope for s, slope in slopes.items() if slope}

    def _is_exact(self, form: Affine) -> None:
        for s in self._slopes(form):
            self.exact |= self.tensors[s]

    def _data(self, form: Affine) -> list[Symbol]:
        return [s for s in form.symbols if s in self.weights]

    def _weight(self, form: Affine) -> int:
        return sum(abs(c) * self.weights.get(s, 0) for s, c in form.terms)


def _determined(s: Statement) -> Iterator[Determined]:
    """The data indices and quotients of a statement, outer ones first."""
    yield from s.derived
    for e in reversed(list(postorder(s.body))):
        if isinstance(e, Reduce):
            yield from e.derived


def _is_order(c: Condition) -> bool:
    """Whether the condition says of two symbols which is greater, or that they are equal, and no more."""
    least = {">=": (0, -1), "==": (0,), "|": ()}[c.relation]
    return sorted(k for _, k in c.form.terms) == [-1, 1] and c.form.constant in least
