r"""The rows of `\begin{cases}` as nested choices.

The last row needs `\text{otherwise}` or no condition; or the conditions compare the same two things and leave nothing out,
as `x_i > 0` and `x_i \le 0` do; of an index `i < N` and `i = N` do.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from tadc.errors import Span, SyntaxError
from tadc.syntax.ast import Choice, Comparison, Condition, Expression, Name, Number
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
        fact = "the cases may leave something out, and then there is no value"
        fix = r"write `& \text{otherwise}` in the last row"
        if (apart := _touching(rows)) is not None:
            left, right = apart
            fact = f"the cases leave out `{left} = {right}`, and then there is no value"
            fix = (
                rf"write `\le` or `\ge` in the row that holds there, `& {left} \le {right}`,"
                r" or `& \text{otherwise}` in the last row"
            )
        raise SyntaxError(last.span, fact, fix=fix)
    result = last.value
    for row in reversed(others):
        assert row.condition is not None, "checked above"
        result = Choice(row.condition, row.value, result, row.span.to(span))
    return result


def _touching(rows: Sequence[Row]) -> tuple[str, str] | None:
    """The two sides of rows such as `r < a` and `r > a`, as they are printed, where only equality is missing."""
    first = rows[0].condition
    if not isinstance(first, Comparison) or _seen([r.condition for r in rows]) != set("<>"):
        return None
    left, right = first.operands
    return left.span.text, right.span.text


_MEANING = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>"}
_SWAPPED = str.maketrans("<>", "><")


def _complete(conditions: Sequence[Condition | None], indices: Set[str]) -> bool:
    """Whether all compare the same operands and their relations hold `<`, `=` and `>` together.

    Of an index, `i < N` and `i = N` are enough: its range ends there.
    """
    seen = _seen(conditions)
    last = conditions[-1]
    operands = last.operands if isinstance(last, Comparison) else ()
    ends_there = any(isinstance(o, Name) and o.name in indices for o in operands)
    return (
        seen == set("<=>")
        or _is_chain(conditions)
        or (ends_there and seen in ({"<", "="}, {">", "="}))
    )


def _is_chain(conditions: Sequence[Condition | None]) -> bool:
    r"""Whether each row begins where the one before ends, from 0 on, as `h = 0`, `0 < h \le a`, `h > a` do: there is no other case of
    what is not negative.
    """
    ends: list[tuple[tuple[object, ...], str]] = []  # the last bound of each row, and its sign
    for place, condition in enumerate(conditions):
        if not isinstance(condition, Comparison):
            return False
        operands, signs = condition.operands, condition.relations
        is_last = place == len(conditions) - 1
        begins = _begins_at(operands, signs)
        if begins is None or (not is_last and len(signs) != (1 if place == 0 else 2)):
            return False
        low, sign = begins
        if place and (ends[-1][0] != low or {ends[-1][1], sign} not in _MEETING):
            return False
        ends.append((key(operands[-1]), _MEANING[signs[-1]]))
    return len(conditions) > 2 and _is_zero(conditions[0])


_MEETING = ({"<=", ">"}, {"<", ">="}, {"=", ">"})


def _begins_at(
    operands: Sequence[Expression], signs: Sequence[str]
) -> tuple[tuple[object, ...], str] | None:
    """Where the row begins, and whether with that value: `h = 0`, `0 < h <= a` and `h > a`."""
    if len(signs) == 1 and signs[0] in ("==", ">", ">="):
        return key(operands[1]), _MEANING[signs[0]]
    if len(signs) == 2 and signs[0] in ("<", "<=") and signs[1] in ("<", "<="):
        return key(operands[0]), _MEANING[signs[0]].translate(_SWAPPED)
    return None


def _is_zero(condition: Condition | None) -> bool:
    last = condition.operands[-1] if isinstance(condition, Comparison) else None
    return isinstance(last, Number) and last.text == "0" and condition_is_equation(condition)


def condition_is_equation(condition: Condition | None) -> bool:
    return isinstance(condition, Comparison) and condition.relations == ("==",)


def _seen(conditions: Sequence[Condition | None]) -> set[str]:
    """Those of `<`, `=` and `>` between the same two operands that hold somewhere; none where other things are compared."""
    seen: set[str] = set()
    pair: tuple[tuple[object, ...], tuple[object, ...]] | None = None
    for condition in conditions:
        if not isinstance(condition, Comparison) or len(condition.relations) != 1:
            return set()
        left, right = map(key, condition.operands)
        meaning = _MEANING[condition.relations[0]]
        if pair is None:
            pair = left, right
        if (left, right) == pair:
            seen |= set(meaning)
        elif (right, left) == pair:
            seen |= set(meaning.translate(_SWAPPED))
        else:
            return set()
    return seen
