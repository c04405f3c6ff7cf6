"""What a loop will read through data a few passes later, fetched into the cache of a CPU: data lead anywhere.

    for (t = 0; ..) {
      fetch_ahead(x, (unsigned long long)list[min(ptr + t + 8, positions - 1)] * C + first);
      const long long k = list[ptr + t];  ..  x[k * C + first + lane]  ..
    }

The passes after the last of a loop are the first ones of the next list, which the same thread reads next. So lists may be short.
Of a row that a loop inside reads its begin is fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tadc.emit.clike.spelling import Precedence, bracketed
from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Looked
from tadc.ir.program import Tensor
from tadc.schedule.nest.loop_nest import (
    LetIndex,
    Loop,
    Step,
    Strips,
    bound_indices,
    reads_of,
    steps_of,
)

if TYPE_CHECKING:
    from tadc.emit.clike.text import CText

__all__ = ["prefetches"]

AHEAD = 8  # passes
MOST = 4  # reads of a loop


def prefetches(index: Symbol, body: Sequence[Step], text: CText) -> list[str]:
    """The statements at the begin of a pass of a loop, for reads at data that are looked up at consecutive places."""
    ahead: dict[Symbol, str] = {}
    inside = bound_indices(body)
    for step in body:
        if not isinstance(step, LetIndex) or not isinstance(step.derived, Looked):
            continue
        d = step.derived
        is_next = [form.coefficient(index) for form in d.subscripts] == [1]
        if is_next and inside.isdisjoint(d.symbols):
            ahead[d.name] = _element(d.subscripts[0], text.tensors[d.tensor], text)
    if not ahead:
        return []
    lane = {i: at.replace("first + lane", "first") for i, at in text.lane}
    starts = _first_values(body, text)
    there = replace(text, names={**text.names, **lane, **ahead, **starts})
    later = inside - ahead.keys() - starts.keys()
    found: dict[str, None] = {}
    for read in reads_of(body):
        used = {s for form in read.subscripts for s in form.symbols}
        if used & ahead.keys() and not used & later:
            offset = there.offset(read.tensor, read.subscripts)
            found[f"fetch_ahead({there.names[read.tensor]}, {offset});"] = None
    return list(found)[:MOST]


def _first_values(body: Sequence[Step], text: CText) -> dict[Symbol, str]:
    """The first values of the indices of loops inside, where these are known before: of a row that is read its begin."""
    bound = bound_indices(body)
    ranges = (s.range for s in steps_of(body) if isinstance(s, (Loop, Strips)))
    return {
        r.index: bracketed(text.low(r.lows), Precedence.MINUS)
        for r in ranges
        if bound.isdisjoint(s for low in r.lows for s in low.form.symbols)
    }


def _element(form: Affine, tensor: Tensor, text: CText) -> str:
    """The element of an index tensor that is looked up a few passes later, or the last one."""
    (extent,) = tensor.shape
    place = text.clamped(form + AHEAD, extent - 1)
    # It may lead anywhere, for nobody has asked whether it will be used: no place of memory is read, and nothing overflows.
    return f"(unsigned long long){text.names[tensor.name]}[{place}]"
