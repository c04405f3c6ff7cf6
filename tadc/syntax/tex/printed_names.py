r"""Names of a `%!tadc` line as the paper prints them: `%!tadc input W^Q[D, K], \hat{y}[N]` declares `W_Q` and `y_hat`.

`%!tadc input \mathbf{x}[N, D], x[N]` declares `x_bf` and `x`: where lines have a letter without a style, one with a style is another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.errors import Source
from tadc.syntax.tex.commands import STYLES
from tadc.syntax.tex.document import Region
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.names import PREFIXES
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets
from tadc.syntax.tex.tokens import tokenize

__all__ = ["with_python_names"]

_DECLARES = re.compile(r"\s*(?:input|output|size|state)\s(?P<names>[^#]*)")
_IS_PRINTED = re.compile(r"[\\^{']")  # what no name in Python has


def with_python_names(source: Source, region: Region) -> tuple[Source, Region]:
    """The source, and the place in it, of the line with the names that its printed ones are in Python.

    A shorter name is followed by blanks: what stands behind it keeps its column.
    """
    said = _DECLARES.fullmatch(source.text[: region.end], region.start)
    if said is None or not _IS_PRINTED.search(said["names"]):
        return source, region
    plain = {name for line in _LINES.findall(source.text) for name in _PLAIN.findall(line)}
    parts: list[str] = []
    end = region.start
    for start, behind, name in _printed(source, *said.span("names"), plain):
        parts += [source.text[end:start], name.ljust(behind - start)]
        end = behind
    line = "".join([*parts, source.text[end : region.end]])
    text = f"{source.text[: region.start]}{line}{source.text[region.end :]}"
    return replace(source, text=text), replace(region, end=region.start + len(line))


_LINES = re.compile(r"^\s*%!tadc\s+(?:input|output|size|state)\s([^\n#]*)", re.MULTILINE)
_PLAIN = re.compile(
    r"(?:^|,)\s*\\?([A-Za-z]+)\s*(?=\[|,|$)"
)  # names without a style; `N` in `x[M, N]`, too


def _printed(
    source: Source, start: int, end: int, plain: Set[str]
) -> Iterator[tuple[int, int, str]]:
    """The places of printed names, and what they are in Python; `plain` are names without a style."""
    tokens = tokenize(Expansion(source, source.text), start, end)
    closing = closing_brackets(tokens)
    last = 0
    for place, token in enumerate(tokens):
        if token.type != "NAME" or place < last:
            continue
        last = behind_scripts(tokens, place + 1, closing)
        behind = tokens[last - 1].end if last <= len(tokens) else end
        text = source.text[token.start : behind]
        labels = _labels(tokens[place + 1 : last])
        if _IS_PRINTED.search(text) and labels is not None:
            style = STYLES.get(token.note, "") if token.value in plain else ""
            yield token.start, behind, "_".join([token.value, *([style] if style else []), *labels])


_MARKS = {"PLUS": "plus", "MINUS": "minus", "CDOT": "star", "STAR": "star"}


def _labels(scripts: Sequence[Token]) -> list[str] | None:
    """The words of labels behind a letter; None where they hold something else, or a number that may be a power."""
    closing = closing_brackets(scripts)
    found: list[str] = []
    place = 0
    while place < len(scripts):
        if scripts[place].type == "PRIME":
            found.append("prime")
            place += 1
            continue
        end = closing.get(place + 1, len(scripts))
        inner = scripts[place + 2 : end]
        around = [t.type for t in (*inner[:1], *inner[-1:])]
        in_brackets = around in (["LPAR", "RPAR"], ["LSQB", "RSQB"])
        core = inner[1:-1] if in_brackets else inner
        is_power = scripts[place].type == "SUP" and not in_brackets
        if len(core) == 1 and core[0].type in _MARKS:
            found.append(_MARKS[core[0].type])
        elif len(core) == 1 and core[0].type in PREFIXES:  # `N_{\max}`
            found.append(core[0].note or core[0].value)
        elif core and {t.type for t in core} <= {"NAME", "NUM"}:
            if is_power and core[0].type == "NUM":
                return None
            found.append("".join(t.value for t in core))
        else:
            return None
        place = end + 1
    return found
