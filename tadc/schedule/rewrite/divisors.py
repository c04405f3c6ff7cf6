"""Divisors in sums of products, applied to one of the factors before.

    g[j,d] = sum{i} x[i,d]*e[i,j]/z[i]      is      t[i,d] = x[i,d]/z[i];  g[j,d] = sum{i} t[i,d]*e[i,j]

A division takes as long as many products, and what is left is a product of matrices. The factor is read as it is, and has all indices
of the divisor, but not all of the term. Of several it is an input, which is rarely as large as what is computed of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.normalize.reductions import extents_in_body
from tadc.schedule.rewrite.factor import Factor, factors_of, gate_by, sum_of
from tadc.schedule.rewrite.separate import Around, Extents, Separation, separated

__all__ = ["with_divisors_before"]

FEW = 8  # values of an index: so many divisions are rather done again


def with_divisors_before(program: Program, names: Names) -> Program:
    """The program with such quotients as statements."""
    inputs = frozenset(t.name for t in program.inputs)
    return separated(program, names, _Divisors(inputs).applied)


@dataclass(frozen=True, slots=True)
class _Divisors:
    inputs: frozenset[str]

    def applied(self, separation: Separation, e: Expr, around: Around) -> Expr:
        """The sum without divisors that a factor can have before."""
        if not isinstance(e, Reduce) or e.op != "sum" or e.derived:
            return e
        factors = [part for f in factors_of(e.body) for part in _parted(f)]
        extents = extents_in_body(e, around.extents, separation.sizes)
        changed = False
        for divisor in [f for f in factors if _divides(f)]:
            made = self._made(divisor, factors, extents, separation)
            if made:
                host, read = made
                factors = [
                    Factor(f.function, read) if f is host else f
                    for f in factors
                    if f is not divisor
                ]
                changed = True
        return sum_of(e.indices, e.domain, factors) if changed else e

    def _made(
        self, divisor: Factor, factors: Sequence[Factor], extents: Extents, separation: Separation
    ) -> tuple[Factor, Read] | None:
        """The factor that is divided before, and the read of the quotient; None where there is none."""
        of_term, of_divisor = (
            {s for f in some for s in f.value.symbols if s not in separation.sizes}
            for some in (factors, [divisor])
        )
        hosts = [
            f
            for f in factors
            if f.function in ("mul", "gate")
            and isinstance(f.value, Read)
            and of_divisor <= f.value.symbols
            and any(_is_many(i, extents) for i in of_term - f.value.symbols)
        ]
        hosts.sort(key=lambda f: isinstance(f.value, Read) and f.value.tensor not in self.inputs)
        for host in hosts:
            assert isinstance(host.value, Read)
            box = _box(host.value, separation, extents)
            read = separation.stored(divisor.applied(host.value), box, "quotient")
            if read is not None:
                return host, read
        return None


def _box(read: Read, separation: Separation, extents: Extents) -> Extents:
    """The indices of a read with their extents, in the order of its subscripts: neighbours stay neighbours. One without an extent has
    that of the dimension that it is the subscript of.
    """
    box: dict[Symbol, Affine] = {}
    for form, n in zip(read.subscripts, separation.tensors[read.tensor].shape, strict=True):
        for s in form.symbols:
            if s in extents:
                box[s] = extents[s]
            elif s not in separation.sizes and form.as_symbol() == s:
                box[s] = n
    return box


def _is_many(index: Symbol, extents: Extents) -> bool:
    n = extents.get(index)
    return n is None or not n.is_constant or n.constant > FEW


def _divides(f: Factor) -> bool:
    """Whether the factor is a quotient's divisor, or a gate by one alone."""
    return f.function == "div" or (
        f.function == "gate" and [p.function for p in factors_of(f.value)] == ["div"]
    )


def _parted(f: Factor) -> list[Factor]:
    """A gate by a quotient as gates by the dividend and by each divisor."""
    parts = factors_of(f.value) if f.function == "gate" else []
    divisors = [p for p in parts if p.function == "div"]
    if not divisors or len(divisors) == len(parts):
        return [f]
    others = [p for p in parts if p.function != "div"]
    return [gate_by(others), *(gate_by([d]) for d in divisors)]
