r"""The range of an index that only its primed partner has: `L_{mn} = \prod_{n'=1, n' \neq n}^{d} Z_{mn'}` has an `n` from 1 to d, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.ast import Definition, Element, Name, Note, Range, Reduction
from tadc.syntax.nodes import nodes

__all__ = ["with_ranges_of_primes"]


def with_ranges_of_primes(definitions: Sequence[Definition], notes: list[Note]) -> list[Definition]:
    """The definitions, those indices of a left side that nothing is read at with the range that a sum prints for the same letter with
    a prime.
    """
    result = []
    for d in definitions:
        read = {
            s.name
            for n in nodes((d.body,))
            if isinstance(n, Element)
            for s in n.subscripts
            if isinstance(s, Name)
        }
        sums = [n for n in nodes((d.body,)) if isinstance(n, Reduction)]
        printed = {r.name.name: r for n in sums for r in n.ranges if r.low is not None}
        lefts = tuple(_with_range(r, read, printed, notes) for r in d.lefts)
        result.append(replace(d, lefts=lefts))
    return result


def _with_range(left: Range, read: set[str], printed: dict[str, Range], notes: list[Note]) -> Range:
    name = left.name.name
    primed = printed.get(f"{name}_prime")
    is_open = left.low is None and left.extent is None and name not in read
    if not is_open or primed is None or primed.high is None:
        return left
    text = f"`{left.name.span.text}` has the range of `{primed.name.span.text}`"
    notes.append(Note(left.span, text, is_guess=True))
    return replace(left, low=primed.low, high=primed.high)
