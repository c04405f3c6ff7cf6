r"""The rows of `\begin{cases}` as nested choices.

The last row needs `\text{otherwise}` or no condition; or the conditions compare the same two things and leave nothing out,
as `x_i > 0` and `x_i \le 0` do; of an index `i < N` and `i = N` do.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from tadc.errors import Span, SyntaxError
from tadc.syntax.ast import Choice, Comparison, Condition, Expression, Name
from tadc.syntax.nodes import key

__all__ = ["Row", "choice"]


class Row(NamedTuple):
    """`value & condition`; without a condition it is the value of all that is left."""

    value: Expression
    condition: Condition | None
    span: Span


def choice(rows: Sequence[Row], span: Span, indices: Set[str]) -> Expression:
    """The first row whose condition holds."""
    *others, last = rows
    for row in others:
        if row.condition is None:
            raise SyntaxError(
                row.span,
                "a row without a condition is not the last, so that those below it never count",
                fix=r"write its condition, `& \text{if } i = j`",
            )
    if last.condition is not None and not _complete([row.condition for row in rows], indices):
        raise SyntaxError(
            last.span,
            "the cases may leave something out, and then there is no value",
            fix=r"write `& \text{otherwise}` in the last row",
        )
    result = last.value
    for row in reversed(others):
        assert row.condition is not None, "checked above"
        result = Choice(row.condition, row.value, result, row.span.to(span))
    return result


_MEANING = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>"}
_SWAPPED = str.maketrans("<>", "><")


def _complete(conditions: Sequence[Condition | None], indices: Set[str]) -> bool:
    """Whether all compare the same operands and their relations hold `<`, `=` and `>` together.

    Of an index, `i < N` and `i = N` are enough: its range ends there.
    """
    seen: set[str] = set()
    operands: tuple[Expression, ...] = ()
    pair: tuple[tuple[object, ...], tuple[object, ...]] | None = None
    for condition in conditions:
        if not isinstance(condition, Comparison) or len(condition.relations) != 1:
            return False
        operands = condition.operands
        left, right = map(key, operands)
        meaning = _MEANING[condition.relations[0]]
        if pair is None:
            pair = left, right
        if (left, right) == pair:
            seen |= set(meaning)
        elif (right, left) == pair:
            seen |= set(meaning.translate(_SWAPPED))
        else:
            return False
    ends_there = any(isinstance(o, Name) and o.name in indices for o in operands)
    return seen == set("<=>") or (ends_there and seen in ({"<", "="}, {">", "="}))
