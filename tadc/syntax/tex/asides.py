r"""Parts of a document that are about something else than its formulas: examples, proofs, remarks, and what stands below pictures.

A definition there holds for the displays in the same part: `\begin{example} Let $w_i = 1/n$ ..` says nothing of the `w` of others.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence, Set

from tadc.syntax.tex.document import Region

__all__ = ["in_asides"]

_ASIDE = re.compile(
    r"\\(?P<side>begin|end)\{(?:examples?|exercise|proof|remarks?|figure|wrapfigure|table)\*?\}"
)


def in_asides(text: str, regions: Sequence[Region]) -> Set[Region]:
    """The formulas of the prose that stand in such a part which has no display."""
    marks = [*_ASIDE.finditer(text)]
    places = [m.start() for m in marks]
    depths = [0]  # in front of the first mark, and behind each
    for mark in marks:
        depths.append(max(depths[-1] + (1 if mark["side"] == "begin" else -1), 0))
    part = {r: bisect_right(places, r.start) for r in regions}
    displayed = {part[r] for r in regions if r.kind == "display"}
    return {
        r for r in regions if r.kind == "inline" and depths[part[r]] and part[r] not in displayed
    }
