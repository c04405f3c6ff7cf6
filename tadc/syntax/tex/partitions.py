r"""Cases that take the range of an index apart, `p = 0` and `1 \le p \le M-1`: they say the range, and the last row is all that is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from tadc.syntax.tex.ranges import Said, said_ranges
from tadc.syntax.tex.script_tokens import left_indices
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.token_list import Token

__all__ = ["with_partitions"]


def with_partitions(display: Sequence[Statement]) -> list[Statement]:
    """The statements, those definitions whose cases are such with the range, and without the last condition."""
    return [_with_range(s) if s.kind == "definition" and not s.ranges else s for s in display]


def _with_range(statement: Statement) -> Statement:
    right = statement.right
    left = left_indices(statement.tokens)
    is_cases = bool(right) and right[0].type == "CASES_B" and right[-1].type == "CASES_E"
    if not is_cases or len(left) != 1:
        return statement
    conditions = list(_conditions(right))
    said = [_said(c) for c in conditions]
    if len(said) < 2 or any(s is None or s.name.value != left[0].value for s in said):
        return statement
    runs = [s for s in said if s is not None]
    if not _is_number(runs[0].low) or runs[0].low[0].value not in ("0", "1"):
        return statement
    if any(not _follows(a.high, b.low) for a, b in pairwise(runs)):
        return statement
    at = conditions[-1][0].start
    begin = (left[0], Token("EQ", "=", at, at), *runs[0].low)
    comma, dots = Token("COMMA", ",", at, at), Token("DOTS", "..", at, at)
    ranges = (*begin, comma, dots, comma, *runs[-1].high)
    last = next(n for n in range(len(right) - 1, 0, -1) if right[n] is conditions[-1][0])
    rest = Token("OTHERWISE", "otherwise", at, right[-1].start)
    tokens = (*statement.tokens[: statement.equal + 1], *right[:last], rest, right[-1])
    return replace(statement, tokens=tokens, ranges=ranges)


def _conditions(right: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """What stands behind the sign of each row."""
    start: int | None = None
    for place, (token, depth) in enumerate(depths(right[1:-1]), 1):
        if depth == 0 and token.type == "AMP":
            start = place + 1
        elif depth == 0 and token.type == "ROW":
            yield right[start or place : place]
            start = None
    yield right[start or len(right) - 1 : len(right) - 1]


def _said(condition: Sequence[Token]) -> Said | None:
    r"""The range of `p = 0`, `1 \le p < M` or `p = 1, \dots, M-1`; None for all else."""
    tokens = [t for t in condition if t.type not in ("IF", "TEXT", "THIN")]
    kinds = [t.type for t in tokens]
    if kinds == ["NAME", "EQ", "NUM"]:
        return Said(tokens[0], (tokens[2],), (tokens[2],))
    said = said_ranges(tokens)
    return said[0] if said is not None and len(said) == 1 and said[0].high else None


def _is_number(tokens: Sequence[Token]) -> bool:
    return len(tokens) == 1 and tokens[0].value.isdigit()


def _follows(high: Sequence[Token], low: Sequence[Token]) -> bool:
    """Whether a run begins one behind the end of the one before."""
    if _is_number(high) and _is_number(low):
        return int(low[0].value) == int(high[0].value) + 1
    values = [t.value for t in low]
    return values == [*(t.value for t in high), "+", "1"]
