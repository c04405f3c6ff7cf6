r"""The rows of `\begin{cases}` as nested choices.

The last row needs `\text{otherwise}` or no condition; or the conditions compare the same two things and leave nothing out,
as `x_i > 0` and `x_i \le 0` do; of an index `i < N` and `i = N` do; and so do rows of which each begins where the one before ends, `x < a`,
`a \le x < b` and `x \ge b`. Rows of a distance or the like may begin at 0, `0 \le q \le 1` and `q > 1`: below there is no value, NaN.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from tadc.errors import Source, Span, SyntaxError
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
    conditions = [row.condition for row in rows]
    result = last.value
    if last.condition is not None and _begins_at_zero(conditions):
        result = Choice(last.condition, last.value, Name("nan", last.span), last.span)
    elif last.condition is not None and not _complete(conditions, indices):
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
    for row in reversed(others):
        assert row.condition is not None, "checked above"
        result = Choice(row.condition, row.value, result, row.span.to(span))
    return result


def _touching(rows: Sequence[Row]) -> tuple[str, str] | None:
    """The two sides of rows such as `r < a` and `r > a`, as they are printed, where only equality is missing."""
    conditions = [r.condition for r in rows]
    first = conditions[0]
    if isinstance(first, Comparison) and _seen(conditions) == set("<>"):
        left, right = first.operands
        return left.span.text, right.span.text
    open_ends = {
        a.high
        for a, b in pairwise(_parts(conditions))
        if a.high == b.low and not (a.has_high or b.has_low)
    }
    middles = [c for c in conditions if isinstance(c, Comparison) and len(c.operands) == 3]
    for c in middles:
        for end in (c.operands[0], c.operands[2]):
            if key(end) in open_ends:
                return c.operands[1].span.text, end.span.text
    return None


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


class _Part(NamedTuple):
    """The values of one row, between two bounds; None is where there is no bound."""

    low: tuple[object, ...] | None
    has_low: bool
    high: tuple[object, ...] | None
    has_high: bool


def _is_chain(conditions: Sequence[Condition | None]) -> bool:
    r"""Whether each row begins where the one before ends, as `x < a`, `a \le x < b` and `x \ge b` do; or from 0 on, as `h = 0`,
    `0 < h \le a` and `h > a`: there is no other case of what is not negative.
    """
    parts = _parts(conditions)
    is_whole = bool(parts) and (parts[0].low is None or _is_zero(conditions[0]))
    return is_whole and _meet(parts)


def _begins_at_zero(conditions: Sequence[Condition | None]) -> bool:
    r"""Whether each row begins where the one before ends, the first one at 0, `0 \le q`."""
    parts = _parts(conditions)
    return bool(parts) and parts[0].low == key(_ZERO) and parts[0].has_low and _meet(parts)


_ZERO = Number("0", Span(Source("", ""), 0, 0))


def _meet(parts: Sequence[_Part]) -> bool:
    """Whether each begins where the one before ends, and the last has no end."""
    meets = all(a.high == b.low and (a.has_high or b.has_low) for a, b in pairwise(parts))
    return meets and parts[-1].high is None


def _parts(conditions: Sequence[Condition | None]) -> list[_Part]:
    """The parts of one value, upwards; none where the rows compare something else."""
    middles = [
        c.operands[1] for c in conditions if isinstance(c, Comparison) and len(c.operands) == 3
    ]
    if not middles:
        return []
    found = [_part(condition, key(middles[0])) for condition in conditions]
    parts = [p for p in found if p is not None]
    if len(parts) < len(found):
        return []
    is_downward = parts[0].high is None
    return parts[::-1] if is_downward else parts


def _part(condition: Condition | None, value: tuple[object, ...]) -> _Part | None:
    if not isinstance(condition, Comparison):
        return None
    operands = [key(o) for o in condition.operands]
    signs = [_MEANING[s] for s in condition.relations]
    is_turned = signs[0][0] == ">" if len(operands) == 3 else operands[-1] == value
    if is_turned:
        operands.reverse()
        signs = [s.translate(_SWAPPED) for s in reversed(signs)]
    has_end = [s.endswith("=") for s in signs]
    if len(operands) == 3:
        is_between = operands[1] == value and {s[0] for s in signs} == {"<"}
        return _Part(operands[0], has_end[0], operands[2], has_end[1]) if is_between else None
    if operands[0] == value and signs == ["="]:
        return _Part(operands[1], True, operands[1], True)
    if operands[0] == value and signs[0][0] == "<" and signs != ["<>"]:
        return _Part(None, False, operands[1], has_end[0])
    if operands[0] == value and signs[0][0] == ">":
        return _Part(operands[1], has_end[0], None, False)
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
