r"""Lines of an algorithm, `v \gets \alpha v - g` and then `\theta \gets \theta + v`: the second one may mean the new `v`, or the old one.

A definition has one value wherever it stands, and definitions may stand in any order; in an algorithm the lines run one behind the
other. Both are the same where no line reads what another one replaces.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import chain, count

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.script_tokens import left_indices
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["GETS", "with_unclear_sequences"]

GETS = (r"\gets", r"\leftarrow", r"\longleftarrow")


def with_unclear_sequences(
    displays: Sequence[Sequence[Statement]], states: Set[str]
) -> list[list[Statement]]:
    """The displays with an error in each line that reads what an arrow in another one replaces; lines of `states` are read in order.

    What reads itself has an old value and a new one, and a line behind it may mean either, unless it defines what the new value is made of;
    what does not may have an old value where an arrow in front of it reads it.
    """
    lines = [s for display in displays for s in display if s.kind == "definition"]
    unclear: dict[int, str] = {}
    for place, line in enumerate(lines):
        if not _has_arrow(line) or line.target in states:
            continue
        if _reads(line, line.target):
            used = _used(line, lines)
            later = [s for s in lines[place + 1 :] if _has_arrow(s) or s.target not in used]
            readers = [s for s in later if _reads(s, line.target)]
        else:
            readers = [s for s in lines[:place] if _has_arrow(s) and _reads(s, line.target)]
        for reader in readers:
            unclear.setdefault(id(reader), line.target)
    if not unclear:
        return [list(display) for display in displays]
    replaced = {*unclear.values()}
    updated = [s for s in lines if _has_arrow(s) and (_reads(s, s.target) or s.target in replaced)]
    shapes = _shapes(updated, {t.value for s in lines for t in s.tokens})
    return [
        [_with_error(s, unclear[id(s)], shapes) if id(s) in unclear else s for s in display]
        for display in displays
    ]


def _has_arrow(line: Statement) -> bool:
    sign = line.tokens[line.equal : line.equal + 1]
    return bool(sign) and sign[0].value in GETS


def _reads(line: Statement, name: str) -> bool:
    return any(t.type == "NAME" and t.value == name for t in line.right)


def _used(line: Statement, lines: Sequence[Statement]) -> set[str]:
    """The names that a line reads, and those that their definitions read."""
    used: set[str] = set()
    todo = [line]
    while todo:
        read = {t.value for t in todo.pop().right if t.type == "NAME"} - used
        used |= read
        todo += [s for s in lines if s.target in read and not _has_arrow(s)]
    return used


def _shapes(updated: Sequence[Statement], taken: Set[str]) -> str:
    """Declarations of what is updated, each index with an extent of its own: `x[N], v[N]`."""
    free = (n for n in chain("NMKLPQR", (f"N_{k}" for k in count())) if n not in taken)
    extents: dict[str, str] = {}
    shapes: dict[str, str] = {}
    for s in updated:
        for index in left_indices(s.tokens):
            if index.value not in extents:
                extents[index.value] = next(free)
        listed = ", ".join(extents[i.value] for i in left_indices(s.tokens))
        shapes.setdefault(s.target, f"{s.target}[{listed}]" if listed else s.target)
    return ", ".join(shapes.values())


def _with_error(line: Statement, name: str, shapes: str) -> Statement:
    """The line with an error at the name that may be an old value or a new one; `shapes` are those of all that is updated."""
    pairs = enumerate(line.tokens)
    place = next(n for n, t in pairs if n > line.equal and (t.type, t.value) == ("NAME", name))
    at = line.tokens[place]
    fact = f"`{as_printed(name)}` may be the old value here, or the new one that the arrow of another line gives it"
    fix = (
        f"for lines that run one behind the other write `%!tadc state {shapes}` in front of them; for old values on all right sides"
        " `%!tadc step {` behind that, and `%!tadc }` behind the last line"
    )
    error = Token("ERROR", fact, at.start, at.end, fix)
    return replace(line, tokens=(*line.tokens[:place], error, *line.tokens[place + 1 :]))
