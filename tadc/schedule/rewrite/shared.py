"""Expensive values that several statements compute in their sums are computed once, and stored (design, section 5.3).

    f[i] = sum{j} exp(-s[i,j])*w[j];  dw[j] = sum{i} df[i]*exp(-s[i,j])

is `e[i,j] = exp(-s[i,j])` and sums over `e`. Where `s` is computed its exponential is too, and `s` itself is not stored.
Long sums that several statements have are such values as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeAlias, cast

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder, replaced
from tadc.normalize.reductions import extents_in_body, plain_extent
from tadc.schedule.rewrite.common import canonical, free_indices
from tadc.schedule.rewrite.in_bounds import is_never_empty, reads_are_in_bounds
from tadc.schedule.rewrite.rows import is_expensive

__all__ = ["shared"]

MOST_SHARED = 16  # values: each is one pass over all statements
MOST_TERMS = 8  # of a sum that is rather computed again than read

_Place: TypeAlias = tuple[Expr, Mapping[Symbol, Affine], bool, bool]  # in a sum, behind a condition


@dataclass(slots=True)
class _Value:
    """A value with the extents of its free indices, and where it stands: statements by number, and how it is written."""

    extents: tuple[Affine, ...]
    places: dict[int, list[tuple[Expr, tuple[Symbol, ...]]]] = field(default_factory=dict)


def shared(program: Program) -> Program:
    """The program in which no two statements compute the same expensive value in their sums."""
    names = Names((*program.tensors, *program.symbols))
    for _ in range(MOST_SHARED):
        values = _values(program)
        several = [v for v in values if len(v.places) > 1]
        if not several:
            break
        program = _with(program, max(several, key=_size), names)
    return program


def _size(value: _Value) -> int:
    (e, _), *_ = next(iter(value.places.values()))
    return sum(1 for _ in postorder(e))


def _values(program: Program) -> list[_Value]:
    """The expensive values of sums that may be computed for all values of their indices."""
    sizes = frozenset(program.parameters)
    values: dict[tuple[Expr, tuple[Affine, ...], str | None], _Value] = {}
    for n, s in enumerate(program.statements):
        for e, extents in _expensive(s, sizes):
            free = tuple(free_indices(e, sizes))
            box = {i: extents[i] for i in free if i in extents}
            if len(box) < max(1, len(free)) or s.body is e:
                continue
            known = program.known & Domain.box(box)
            key = (canonical(e, free), tuple(box.values()), s.target.dtype)
            if key in values or (
                is_never_empty(box.values(), program)
                and reads_are_in_bounds(e, known, program.tensors)
            ):
                value = values.setdefault(key, _Value(key[1]))
                value.places.setdefault(n, []).append((e, free))
    return list(values.values())


def _expensive(
    s: Statement, sizes: frozenset[Symbol]
) -> list[tuple[Expr, Mapping[Symbol, Affine]]]:
    """The long sums of the statement, and the expensive calls inside its reductions, with the extents of the indices around.

    What is behind a condition is needed at some points only: a sum would have to be computed at all of them.
    """
    values: dict[Expr, Mapping[Symbol, Affine]] = {}
    waiting: list[_Place] = [(s.body, s.extents, False, False)]
    seen = set()
    while waiting:
        e, extents, in_sum, is_guarded = waiting.pop()
        if (e, in_sum, is_guarded) in seen:
            continue
        seen.add((e, in_sum, is_guarded))
        match e:
            case Reduce():
                if not is_guarded and _is_long(e, sizes):
                    values.setdefault(e, extents)
                extents = extents_in_body(e, extents, sizes)
                in_sum = True
            case Call() if in_sum and is_expensive(e):
                values.setdefault(e, extents)
            case Select():
                is_guarded = True
            case _:
                pass
        waiting += [(operand, extents, in_sum, is_guarded) for operand in e.operands]
    return list(values.items())


def _is_long(e: Reduce, sizes: frozenset[Symbol]) -> bool:
    """Whether the sum has more terms than reading its value is worth."""
    extents = [plain_extent(i, e.domain, sizes) for i in e.indices]
    if e.derived:
        return False
    numbers = [n.constant for n in extents if n is not None and n.is_constant]
    return len(numbers) < len(extents) or prod(numbers) > MOST_TERMS


def _with(program: Program, value: _Value, names: Names) -> Program:
    """The program with a statement for the value, before the first that needs it."""
    statements = list(program.statements)
    first = min(value.places)
    e, free = value.places[first][0]
    dtype = statements[first].target.dtype
    kind = e.function if isinstance(e, Call) else cast(Reduce, e).op
    name = names.fresh(f"{statements[first].target.name}_{kind}")
    target = Tensor(name, value.extents, dtype)
    for n, written in value.places.items():
        reads = {original: Read(name, tuple(map(symbol, indices))) for original, indices in written}
        statements[n] = replace(statements[n], body=replaced(statements[n].body, reads))
    statements.insert(first, Statement(target, free, (), e))
    return replace(program, statements=tuple(statements))
