"""Residuals: values of an adjoint that need no cotangent are computed with the outputs, and kept until there is one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from tadc.ir.affine import symbol
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import rewrite
from tadc.normalize.live import live

__all__ = ["copies_of", "early", "halves"]


def halves(both: Program, program: Program, gradients: Sequence[str]) -> tuple[Program, Program]:
    """The adjoint of `program` cut in two, `both` having its outputs and then the gradients.

    The first gives the outputs, then the residuals: tensors that the second reads, and nothing else. The second takes
    the inputs, the residuals, then the cotangents. No output is a residual, since a caller may change it: what the
    second reads of one is a copy.
    """
    later = {t.name for t in both.inputs} - {t.name for t in program.inputs}
    cotangents = tuple(t for t in both.inputs if t.name in later)
    later |= set(gradients)  # and tensors that depend on a cotangent
    first: list[Statement] = []
    second: list[Statement] = []
    for s in both.statements:
        if later.isdisjoint((s.target.name, *s.reads)):
            first.append(s)
        else:
            second.append(s)
            later.add(s.target.name)
    read = {name for s in second for name in s.reads}
    kept = [s.target for s in first if s.target.name in read]
    names = Names((*both.tensors, *both.symbols))
    copies = copies_of([t for t in kept if t.name in program.outputs], names)
    residuals = [copies[t.name].target if t.name in copies else t for t in kept]
    forward = replace(
        both,
        inputs=program.inputs,
        statements=(*first, *copies.values()),
        outputs=(*program.outputs, *(t.name for t in residuals)),
    )

    def from_copy(e: Expr) -> Expr:
        if isinstance(e, Read) and e.tensor in copies:
            return Read(copies[e.tensor].target.name, e.subscripts)
        return e

    backward = replace(
        both,
        inputs=(*program.inputs, *residuals, *cotangents),
        statements=tuple(replace(s, body=rewrite(s.body, from_copy)) for s in second),
        outputs=tuple(gradients),
        given=tuple(s for s in forward.statements if _is_extreme(s.body) and s.target in residuals)
        + tuple(
            replace(s, target=copies[s.target.name].target)
            for s in first
            if _is_extreme(s.body) and s.target.name in copies
        ),
    )
    return live(forward), backward


def _is_extreme(e: Expr) -> bool:
    """Whether a running sum may have its values for references (`schedule/rewrite/telescoping.py`)."""
    return isinstance(e, Reduce) and e.op in ("max", "min")


def copies_of(tensors: Iterable[Tensor], names: Names) -> dict[str, Statement]:
    """A statement for each tensor, by its name, that gives its elements to another one."""
    copies = {}
    for t in tensors:
        indices = tuple(f"i{d}" for d in range(len(t.shape)))
        body = Read(t.name, tuple(map(symbol, indices)))
        copies[t.name] = Statement(replace(t, name=names.fresh(t.name)), indices, (), body)
    return copies


def early(program: Program, stay: Set[str]) -> Program:
    """The program with all statements but those of `stay` as early as they can be, for others to read them."""
    # Those before the first that stays, those after it, after the second, ..
    after: list[list[Statement]] = [[]]
    place: dict[str, int] = {}
    for s in program.statements:
        if s.target.name in stay:
            after.append([s])
            place[s.target.name] = len(after) - 1
    for s in program.statements:
        if s.target.name not in stay:
            place[s.target.name] = max((place.get(name, 0) for name in s.reads), default=0)
            after[place[s.target.name]].append(s)
    return replace(program, statements=tuple(s for group in after for s in group))
