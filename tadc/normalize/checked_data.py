"""What is checked of data is known afterwards: a read at an element of an index tensor, at every place of it, shows where all of its elements are.

    a[e] = u[e]/z[d[e]];  du[e] = .. + (if 0 <= d[e] < N then dz[d[e]]*.. else 0)      has no condition for `dz`, if `z` has N elements

A call checks that such a read is inside before it runs anything (`docs/data.md`), and derivatives of the program need not ask again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tadc.integer import implies
from tadc.ir.affine import Affine, symbol
from tadc.ir.domain import Determined, Domain, Looked, between
from tadc.ir.expr import Comparison, Expr, Read, Reduce, Select
from tadc.ir.program import Program, Statement
from tadc.ir.walk import Entered, rewrite_in

__all__ = ["without_checked_conditions"]


def without_checked_conditions(program: Program) -> Program:
    """The program whose choices do not ask where elements are that are read at anyway."""
    ends = dict(_ends(program))
    if not ends:
        return program
    return replace(
        program, statements=tuple(_shorter(s, program, ends) for s in program.statements)
    )


def _ends(program: Program) -> Iterator[tuple[str, Affine]]:
    """The index tensors whose elements are all read at, with the extent of what they lead to."""
    inputs = {t.name for t in program.inputs}
    for s in program.statements:
        looked = {d.name: d for d in s.derived if isinstance(d, Looked)}
        for read in _always_read(s.body) if looked else ():
            shape = program.tensors[read.tensor].shape
            for form, extent in zip(read.subscripts, shape, strict=True):
                d = looked.get(form.as_symbol() or "")
                if d is not None and d.tensor in inputs and _is_everywhere(d, s, program):
                    yield d.tensor, extent


def _always_read(e: Expr) -> Iterator[Read]:
    """The reads that no choice, and no sum, stands around."""
    waiting = [e]
    while waiting:
        match waiting.pop():
            case Read() as read:
                yield read
            case Select(Comparison(_, left, right)):
                waiting += [left, right]
            case Select() | Reduce():
                pass
            case other:
                waiting += other.operands


def _is_everywhere(d: Looked, s: Statement, program: Program) -> bool:
    """Whether the statement looks up every element of the tensor."""
    indices = [form.as_symbol() for form in d.subscripts]
    shape = program.tensors[d.tensor].shape
    return len(set(indices)) == len(indices) and all(
        i is not None and s.extents.get(i) == n for i, n in zip(indices, shape, strict=True)
    )


def _shorter(s: Statement, program: Program, ends: dict[str, Affine]) -> Statement:
    def known_of(derived: tuple[Determined, ...]) -> Domain:
        return Domain.of(
            c
            for d in derived
            if isinstance(d, Looked) and d.tensor in ends
            for c in between(0, symbol(d.name), ends[d.tensor] - 1)
        )

    def enter(e: Expr, known: Domain) -> Entered[Domain]:
        inner = known & known_of(e.derived) if isinstance(e, Reduce) else known
        return e, [inner] * len(e.operands)

    def rule(e: Expr, known: Domain) -> Expr:
        if not isinstance(e, Select) or not isinstance(e.condition, Domain):
            return e
        left = [c for c in e.condition if not _is_known(c.form, known) or not implies(known, c)]
        if len(left) == len(tuple(e.condition)):
            return e
        return Select(Domain.of(left), e.then, e.otherwise) if left else e.then

    return replace(s, body=rewrite_in(s.body, program.known & known_of(s.derived), enter, rule))


def _is_known(form: Affine, known: Domain) -> bool:
    """Whether anything is known of the symbols in the form."""
    return set(form.symbols) <= set(known.symbols)
