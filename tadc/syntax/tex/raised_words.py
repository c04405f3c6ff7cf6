r"""Words above names, `d^{BC}_{jk} = ..`: capitals side by side that stand nowhere else are a label, and a star in front of an index is one,
`\hat\theta^{*b}`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import bound_names, scripted
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["raised_words", "starred_indices", "with_raised_words", "with_starred_indices"]


def raised_words(streams: Sequence[Sequence[Token]]) -> set[str]:
    """The words that a left side has above a name, whose letters stand nowhere but in such words."""
    counts = Counter(t.value for tokens in streams for t in tokens if t.type == "NAME")
    above: Counter[str] = Counter()
    on_left: set[str] = set()
    for tokens in streams:
        for place, inner in _words(tokens):
            above.update(t.value for t in inner)
            if _is_on_left(tokens, place):
                on_left.add(_joined(inner))
    return {word for word in on_left if all(counts[n] == above[n] for n in word)}


def with_raised_words(tokens: Sequence[Token], words: Set[str]) -> list[Token]:
    """The tokens with one upright word for the letters of each."""
    starts = {place + 2: inner for place, inner in _words(tokens) if _joined(inner) in words}
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token, inner = tokens[place], starts.get(place, ())
        if inner:
            token = replace(token, value=_joined(inner), end=inner[-1].end, note="upright")
        result.append(token)
        place += len(inner) or 1
    return result


def starred_indices(streams: Sequence[Sequence[Token]]) -> set[str]:
    """The indices of sums, which may stand behind a star."""
    return {name for tokens in streams for name in bound_names(tokens)}


def with_starred_indices(tokens: Sequence[Token], indices: Set[str]) -> list[Token]:
    r"""The tokens with `theta_star_b` for `\theta^{*b}`, an element of `\theta^*`."""
    closing = closing_braces(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        is_pair = closing.get(place + 2) == place + 5
        inner = tokens[place + 3 : place + 5] if is_pair else ()
        is_star = [t.type for t in inner] == ["CDOT", "NAME"] and inner[0].value == "*"
        is_above = is_star and token.type == "NAME" and tokens[place + 1].type == "SUP"
        if is_above and inner[1].value in indices:
            end = closing[place + 2]
            name = replace(token, value=f"{token.value}_star", end=inner[0].end)
            below = replace(tokens[place + 1], type="SUB", value="_")
            opening = replace(tokens[place + 2], note="indices")
            result += [name, below, opening, inner[1], replace(tokens[end], note="NAME")]
            place = end + 1
        else:
            result.append(token)
            place += 1
    return result


def _words(tokens: Sequence[Token]) -> Iterator[tuple[int, Sequence[Token]]]:
    """The superscripts of two capitals or more without a blank between them, with their places."""
    for _, place, inner in scripted(tokens, "SUP"):
        are_capitals = all(
            t.type == "NAME" and t.value.isupper() and len(t.value) == 1 and not t.note
            for t in inner
        )
        is_word = all(a.end == b.start for a, b in pairwise(inner))
        if len(inner) > 1 and are_capitals and is_word:
            yield place, inner


def _joined(inner: Sequence[Token]) -> str:
    return "".join(t.value for t in inner)


def _is_on_left(tokens: Sequence[Token], place: int) -> bool:
    """Whether an equality sign follows the scripts of the name above which `place` is."""
    start = place
    while start > 0 and tokens[start].type != "NAME":
        start -= 1
    inside = tokens[start + 1 : place]
    if any(t.type == "RBRACE" for t in inside):  # behind a subscript
        start = next(n for n in range(place, -1, -1) if tokens[n].type == "SUB") - 1
    end = behind_scripts(tokens, start + 1, closing_brackets(tokens))
    return end < len(tokens) and tokens[end].type in ("EQ", "DEF")
