r"""Rows of a long formula: it is cut before a sign of its outermost sum where that fits, else before a sign or a factor further inside.

A row that goes on with a factor begins with `\times`; brackets that are open at its end are those of `\biggl(`, or plain ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from tadc.printing.tex_width import width

__all__ = ["rows"]

LONGEST_SIGN = 12  # characters, with the blank
LOOKED_AT = 400  # characters before a blank, in which the limits of a sum stand
MOST_AHEAD = 100  # cuts that are looked at for a row
INDENT = 20.0  # points of a row that goes on

_STEP = re.compile(
    r"(?P<open>\\left(?![a-z])(?:\\[A-Za-z]+|\\?.)|\\begin(?=\{)|(?<!\\)\{)"
    r"|(?P<close>\\right(?![a-z])(?:\\[A-Za-z]+|\\?.)|\\end(?=\{)|(?<!\\)\})"
    r"|(?P<bracket>[(\[])|(?P<closing>[)\]])|(?P<blank> )"
)
_NEEDS_MORE = re.compile(  # what has to have something behind it in its row
    r"(?:^|[-+ (\[{])(?:[-+]|\\(?:cdot|times|gated|gatedby|le|ge|ne|land|lor|bmod)|[=<>/])$"
    r"|^[-+ (\[{]*\\(?:sum|prod|max|min)(?:_.*)?$"
)
_BEFORE = re.compile(r"[-+/] |\\(?:cdot|times|gated|gatedby) ")
_RELATION = re.compile(r"(?:\\(?:le|ge|ne|land|lor|bmod)\b|[=<>]) ")


class _Cut(NamedTuple):
    """A blank where a row may end, and how bad that is."""

    place: int
    badness: float
    is_factor: bool


def rows(tex: str, most: float) -> list[str]:
    """The formula in rows of at most `most` points, as far as there are places for cuts."""
    if width(tex) <= most:
        return [tex]
    cuts = list(_cuts(tex))
    places = [c.place for c in cuts]
    found: list[str] = []
    start, prefix = 0, ""
    while True:
        room = most - (INDENT if found else 0.0)
        ahead = cuts[(first := bisect_right(places, start)) : first + MOST_AHEAD]
        if len(ahead) < MOST_AHEAD:
            rest = prefix + tex[start:].strip()
            if width(rest) <= room or not ahead:
                return [*found, rest]
        cut = _best(tex, start, prefix, ahead, room)
        found.append(prefix + tex[start : cut.place].strip())
        start = cut.place
        prefix = ""
        behind = tex[start:].lstrip()
        if behind.startswith("\\gated "):
            prefix, start = "\\gatedby ", tex.index("\\gated ", start) + len("\\gated ")
        elif behind.startswith("\\cdot "):
            prefix, start = "\\times ", tex.index("\\cdot ", start) + len("\\cdot ")
        elif cut.is_factor:
            prefix = "\\times "


def _best(tex: str, start: int, prefix: str, ahead: list[_Cut], room: float) -> _Cut:
    """The cut that fits: of those in the outermost brackets the last one, unless the row would be short."""
    fitting: list[tuple[float, _Cut]] = []
    for cut in ahead:
        size = width(prefix + tex[start : cut.place].strip())
        if size > room and fitting:
            break
        fitting.append((cut.badness + 16.0 * (1.0 - size / room) ** 2, cut))
        if size > room:
            break
    return min(fitting, key=lambda f: f[0])[1]


def _cuts(tex: str) -> Iterator[_Cut]:
    """The blanks outside of braces, of sized brackets and environments, in front of a sign, a factor or an argument."""
    depth = brackets = 0
    for step in _STEP.finditer(tex):
        if step["open"] or step["close"]:
            depth += 1 if step["open"] else -1
        elif depth:
            continue
        elif step["bracket"] or step["closing"]:
            brackets += 1 if step["bracket"] else -1
        elif step["blank"]:
            place = step.start()
            before = tex[max(0, place - LOOKED_AT) : place]
            behind = tex[step.end() : step.end() + LONGEST_SIGN]
            if _NEEDS_MORE.search(_last_atom(before)) or _RELATION.match(behind):
                continue
            is_sign = _BEFORE.match(behind) is not None
            is_argument = before.endswith(",")
            badness = (0.0 if behind[0] in "+-" else 4.0) if is_sign else 6.0
            yield _Cut(place, badness + 12.0 * brackets, not is_sign and not is_argument)


def _last_atom(before: str) -> str:
    r"""The last sign or factor, with its scripts: the `\sum_{k=0}^{4}` of `a \sum_{k=0}^{4}`."""
    depth = 0
    for place in range(len(before) - 1, -1, -1):
        character = before[place]
        if character == "}" and before[place - 1 : place] != "\\":
            depth += 1
        elif character == "{" and before[place - 1 : place] != "\\":
            depth -= 1
        elif depth == 0 and character in " (":
            return before[place:]
    return before
