"""Expensive values that not all indices of a sum change are computed once for those that do.

    l = sum{i,j} t[i,j]*(x[i,j] - log(s[i]))      is      v[i] = log(s[i]);  l = sum{i,j} t[i,j]*(x[i,j] - v[i])

They are stored where they are made of a tensor that is as large: nothing larger is. What indices of the result alone do not
change stays where it is: a kernel more would cost more than it saves. But not what is made of no tensor, as in a cosine transform,

    y[b,k] = sum{n} x[b,n]*cos(n*k*c)                is      v[n,k] = cos(n*k*c);  y[b,k] = sum{n} x[b,n]*v[n,k]

which is as many values for one row as for all of them; nor where there is no sum around, as in rotations by position:

    y[b,n,k] = x[b,n,k]*cos(n/10000**(k/D))          is      v[n,k] = cos(n/10000**(k/D));  y[b,n,k] = x[b,n,k]*v[n,k]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.canonical import canonical_value
from tadc.ir.expr import Call, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.walk import postorder, replaced
from tadc.normalize.reductions import extents_around_body
from tadc.schedule.rewrite.rows import is_expensive
from tadc.schedule.rewrite.running import passes_of
from tadc.schedule.rewrite.separate import Around, Extents, Separation, separated

__all__ = ["invariant_values"]

FEW = 8  # terms: so many values are rather computed again


def invariant_values(program: Program, names: Names) -> Program:
    """The program with such values as statements, and with reads of them wherever else they are computed. Running sums stay as they are."""
    return separated(program, names, _Invariants().applied, left=passes_of(program))


@dataclass(slots=True)
class _Invariants:
    """`stored` has a tensor for each value in terms of its free indices, in an order, with their extents."""

    stored: dict[tuple[Expr, tuple[Affine, ...], str | None], str] = field(default_factory=dict)

    def applied(self, separation: Separation, e: Expr, around: Around) -> Expr:
        """The expression with reads for values, or a read of one that is stored already."""
        if isinstance(e, Reduce) and e.op == "sum" and not e.derived:
            inside = extents_around_body(e, around.extents, separation.sizes)
            reads = dict(self._reads(separation, e.body, e.indices, inside))
            body = replaced(e.body, reads) if reads else e.body
            e = Reduce("sum", e.indices, (), e.domain, body) if reads else e
        elif isinstance(e, (Call, Select)) and self.stored and e.symbols:
            free, key = _key(separation, e, around.extents)
            name = self.stored.get(key)
            e = e if name is None else Read(name, tuple(map(symbol, free)))
        if around.is_whole:
            extents = separation.statement.extents
            e = replaced(e, dict(self._reads(separation, e, (), extents)))
        return e

    def _reads(
        self, separation: Separation, e: Expr, summed: Sequence[Symbol], inside: Extents
    ) -> Iterator[tuple[Expr, Expr]]:
        """Values in an expression, and what reads them; in a sum those over the indices that are `summed`, too."""
        numbers = {i: n.constant for i, n in inside.items() if n.is_constant}
        many = {i for i in inside if numbers.get(i, FEW + 1) > FEW}
        ranks = [len(r.subscripts) for r in postorder(e) if isinstance(r, Read)]
        for value in _outermost(e, many.intersection(summed), many, max(ranks, default=0)):
            read = separation.stored(value, inside, "value")
            if read is not None:
                free, key = _key(separation, value, inside)
                if list(read.subscripts) == [*map(symbol, free)]:
                    self.stored[key] = read.tensor
                yield value, read


def _key(
    separation: Separation, e: Expr, extents: Extents
) -> tuple[list[Symbol], tuple[Expr, tuple[Affine, ...], str | None]]:
    """The free indices, and what the value is for any names of them."""
    form, free = canonical_value(e, separation.sizes)
    box = tuple(extents[i] for i in free if i in extents)
    return free, (form, box, separation.statement.target.dtype)


def _outermost(root: Expr, many: set[str], around: set[str], rank: int) -> Iterator[Expr]:
    """The largest expensive values that one of the indices does not change, or of those `around`, where they are made of no tensor and
    depend on so many at most.
    """
    waiting, seen = [root], {root}
    while waiting:
        e = waiting.pop()
        if isinstance(e, (Call, Select)) and (
            (not many <= e.symbols and _is_worth(e))
            or (not around <= e.symbols and _is_of_indices(e, around, rank))
        ):
            yield e
        elif not isinstance(e, Reduce):
            new = [o for o in e.operands if o not in seen]
            waiting += new
            seen.update(new)


def _is_worth(e: Expr) -> bool:
    """Whether it is expensive, and no larger than a tensor that it is made of."""
    nodes = list(postorder(e))
    return any(map(is_expensive, nodes)) and any(
        isinstance(n, Read) and n.symbols and n.symbols >= e.symbols for n in nodes
    )


def _is_of_indices(e: Expr, around: set[str], rank: int) -> bool:
    """Whether it is expensive, and made of these indices alone, at most so many."""
    nodes = list(postorder(e))
    return (
        any(map(is_expensive, nodes))
        and not any(isinstance(n, (Read, Reduce)) for n in nodes)
        and 0 < len(around & e.symbols) <= rank
    )
