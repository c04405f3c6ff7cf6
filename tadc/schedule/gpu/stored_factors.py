"""Factors of long sums of products as tensors, where that is faster by the model of a GPU:

    f[i, k] = sum{j} (a[i, j]/n[j] - b[j])*x[j, k]    is    v[i, j] = a[i, j]/n[j] - b[j];  f[i, k] = sum{j} v[i, j]*x[j, k]

A tile of `f` would compute each factor again for every few of the elements `k`. What is stored is made of a tensor that is as large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.canonical import canonical_value
from tadc.ir.domain import EVERYWHERE
from tadc.ir.expr import Call, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder, replaced
from tadc.normalize.in_bounds import is_never_empty
from tadc.schedule.gpu.terms import Terms, depends_on, guards, has_data, terms_of
from tadc.schedule.nest.sizes import Sizes

__all__ = ["with_stored_factors"]

OFTEN = 16  # elements that need a factor
MUCH = 2**26  # products in all: with fewer another kernel costs more than it saves
MOST_VALUES = 2**26  # that are stored
ITEM = 8  # bytes of each, at most
WORTH = 1.1  # times as fast
SEVERAL = 2  # operations: fewer are done again

# The seconds of some statements, and the least that they need.
Times: TypeAlias = Callable[[Program, Sequence[Statement]], tuple[float, float]]
_Key: TypeAlias = tuple[Expr, tuple[Affine, ...], str | None]


def with_stored_factors(program: Program, sizes: Sizes, room: int | None, times: Times) -> Program:
    """The program for these values of all sizes. Factors are stored in `room` bytes, if that is not None."""
    most = MOST_VALUES if room is None else min(MOST_VALUES, room // ITEM)
    factors = _Factors(program, sizes, times, most, Names((*program.tensors, *program.symbols)))
    statements = [made for s in program.statements for made in factors.before(s)]
    return replace(program, statements=tuple(statements))


@dataclass(slots=True)
class _Factors:
    program: Program
    sizes: Sizes
    times: Times
    most: int  # values that may still be stored
    names: Names
    stored: dict[_Key, str] = field(default_factory=dict)  # tensors, by what they have

    def before(self, s: Statement) -> Iterator[Statement]:
        """The statements of the factors, and the statement that reads them."""
        if not has_data(s):
            for e, where in guards(s.body).items():
                terms = terms_of(e, set(self.program.parameters))
                is_box = terms and not (terms.derived or terms.domain.conditions)
                if terms and is_box and where == EVERYWHERE and e.op == "sum" and self._is_much(terms, s):  # fmt: skip
                    for factor in _factors(e.body):
                        made, s = self._with_stored(factor, terms, s)
                        yield from made
        yield s

    def _is_much(self, terms: Terms, s: Statement) -> bool:
        box = {**s.extents, **terms.box}
        return prod(max(1, n.at(self.sizes)) for n in box.values()) >= MUCH

    def _with_stored(
        self, factor: Expr, terms: Terms, s: Statement
    ) -> tuple[list[Statement], Statement]:
        """The statement of a factor, if it is worth it and new, and the one that reads it."""
        of_elements, derived = depends_on(factor, EVERYWHERE, s)
        of_terms = {i: n for i, n in terms.box.items() if i in factor.symbols}
        box = {**of_elements, **of_terms}
        counts = [n.at(self.sizes) for n in box.values()]
        often = prod(max(1, n.at(self.sizes)) for i, n in s.extents.items() if i not in of_elements)
        known = is_never_empty(box.values(), self.program)
        if derived or not (of_terms and known and often >= OFTEN and _is_large(factor, box.keys())):
            return [], s
        form, free = canonical_value(factor, set(self.program.sizes))
        if set(free) != box.keys():
            return [], s
        box = {i: box[i] for i in free}  # in the order that equal factors have
        key = form, tuple(box.values()), s.target.dtype
        begins = any(terms.lows[i] != constant(0) for i in of_terms)
        if not begins and key in self.stored:
            read: Expr = Read(self.stored[key], tuple(map(symbol, free)))
            return [], replace(s, body=replaced(s.body, {factor: read}))
        if not 0 < prod(counts) <= self.most:
            return [], s
        name = self.names.copy().fresh(f"{s.target.name}_factor")
        target = Tensor(name, tuple(box.values()), s.target.dtype)
        statement, read = terms.stored(factor, target, box, (), EVERYWHERE, 0.0)
        reading = replace(s, body=replaced(s.body, {factor: read}))
        now, _ = self.times(self.program, [s])
        then, _ = self.times(self.program, [statement, reading])
        if now < WORTH * then:
            return [], s
        self.names.fresh(name)
        self.most -= prod(counts)
        if not begins:
            self.stored[key] = name
        return [statement], reading


def _factors(body: Expr) -> list[Expr]:
    """The factors of a product that are more than a few operations, and no sums."""
    factors, waiting = list[Expr](), [body] if _is_product(body) else []
    while waiting:
        e = waiting.pop()
        if _is_product(e):
            waiting += reversed(e.operands)
        elif sum(isinstance(n, (Call, Select)) for n in postorder(e)) >= SEVERAL and not any(
            isinstance(n, Reduce) for n in postorder(e)
        ):
            factors.append(e)
    return factors


def _is_product(e: Expr) -> bool:
    return isinstance(e, Call) and e.function == "mul"


def _is_large(e: Expr, indices: Set[Symbol]) -> bool:
    """Whether it is made of a tensor that is as large as all of its values."""
    return any(isinstance(n, Read) and n.symbols >= indices for n in postorder(e))
