r"""The first and last elements that formulas with printed ranges read, in letters: `\sum_{i=k+1}^{N} x_i x_{i-k}` reads `x_1` to `x_N`.

Whose subscripts begin at 1 for every size, and end at a size, counts from 1; a `0`, or an end at `N - 1`, tells the contrary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tadc.errors import Span
from tadc.syntax import ast
from tadc.syntax.ast import Definition, Element, Range
from tadc.syntax.nodes import all_ranges, nodes
from tadc.syntax.tex.linear import Linear, linear

__all__ = ["counts_from_one"]


@dataclass(frozen=True, slots=True)
class _Ends:
    """The lowest and the highest value of a subscript, and the place."""

    low: Linear
    high: Linear
    span: Span

    @property
    def begins_at_zero(self) -> bool:
        is_last = len(self.high.terms) == 1 and self.high.terms[0][1] == 1
        return self.low == Linear((), 0) or (is_last and self.high.constant == -1)

    @property
    def begins_at_one(self) -> bool:
        r"""Whether it is 1 at the lowest; or behind others, `d + 1`, and at the highest a size."""
        is_size = len(self.high.terms) == 1 and self.high.terms[0][1] == 1
        is_later = self.low.constant >= 1 and bool(self.low.terms)
        is_later = is_later and all(c > 0 for _, c in self.low.terms)
        return self.low == Linear((), 1) or (is_later and is_size and self.high.constant == 0)


def counts_from_one(definitions: Sequence[Definition]) -> Span | None:
    """A place that tells that the document counts from 1; None where none does, or another one tells that it counts from 0."""
    targets = {d.target.name for d in definitions}
    ends = [e for d in definitions for e in _ends(d, targets)]
    if any(e.begins_at_zero for e in ends):
        return None
    return next((e.span for e in ends if e.begins_at_one), None)


def _ends(definition: Definition, targets: set[str]) -> Iterator[_Ends]:
    """Those of the subscripts of inputs whose indices have printed ranges, some of which begins at a letter or behind 1."""
    ranges = all_ranges(definition)
    names = [r.name.name for r in ranges]
    printed = {r.name.name: r for r in ranges if names.count(r.name.name) == 1}
    lows, highs = _bounds(printed)
    for node in nodes((definition.body,)):
        if not isinstance(node, Element) or node.name.name in targets:
            continue
        for subscript in node.subscripts:
            form = None if isinstance(subscript, ast.Condition) else linear(subscript)
            own = {n for n, _ in form.terms if n in names} if form is not None else set()
            own &= {n for n in lows if lows[n].terms or lows[n].constant > 1}
            if form is None or not own:
                continue
            low, high = _at_end(form, lows, highs, names), _at_end(form, highs, lows, names)
            if low is not None and high is not None:
                yield _Ends(low, high, node.span)


def _bounds(ranges: Mapping[str, Range]) -> tuple[dict[str, Linear], dict[str, Linear]]:
    """The printed first and last values of these indices, as far as they are linear."""
    lows: dict[str, Linear] = {}
    highs: dict[str, Linear] = {}
    for name, r in ranges.items():
        low = linear(r.low) if r.low is not None else None
        high = linear(r.high) if r.high is not None else None
        if low is not None and high is not None:
            lows[name], highs[name] = low, high
    return lows, highs


def _at_end(
    form: Linear, ends: Mapping[str, Linear], others: Mapping[str, Linear], indices: Sequence[str]
) -> Linear | None:
    """The form at one end of each index that it grows with, and at the other end of those that it falls with."""
    for _ in range(len(indices) + 1):
        term = next(((n, c) for n, c in form.terms if n in indices), None)
        if term is None:
            return form
        name, factor = term
        values = ends if factor > 0 else others
        if name not in values:
            return None
        form = form.with_value(name, values[name])
    return None
