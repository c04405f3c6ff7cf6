r"""Capitals side by side that may be a word: `CF_t` is the cash flow, or `C` times `F_t`; `USL` a limit, or a product of three.

Letters without blanks between them multiply. But authors write abbreviations so, too, and TeX prints both alike. Two capitals that
many papers multiply are a product, the `RT` of `e^{-E/(RT)}`; other ones, those with a subscript, and three and more are unclear where
none of the letters stands alone anywhere. The prose tells that `$USL$` is a word by saying so, and that `$C$` is a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from tadc.syntax.tex.commands import words
from tadc.syntax.tex.letter_runs import is_letter, letter_runs
from tadc.syntax.tex.token_list import Token

__all__ = ["lone_letters", "said_words", "unclear_words", "with_unclear_words"]

_MATHEMATICS = re.compile(r"\$([^$]*)\$|\\\((.*?)\\\)", re.DOTALL)
_LONE = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
_SAID = re.compile(r"\s*([A-Z]{2,5})\s*(?:_\s*(?:\w|\{\w+\})\s*)?")
_ABBREVIATED = ("pH", "pK", "lr", "wt")  # no capitals, but no products either
_PRODUCTS = words("RT RC LC RL LR LI EI EA GA GJ GM GC NV NA NP NR NT PV VI IR KT CV AE AT CA CT")


def lone_letters(streams: Sequence[Sequence[Token]], text: str) -> set[str]:
    """The letters that stand alone somewhere: in a formula, or in the mathematics of the prose."""
    found = {
        token.value
        for tokens in streams
        for place, token in enumerate(tokens)
        if is_letter(token) and not _has_neighbour(tokens, place)
    }
    for said in _MATHEMATICS.finditer(text):
        found |= {*_LONE.findall(said[1] or said[2] or "")}
    return found


def said_words(text: str) -> set[str]:
    """The capitals that are all of a piece of mathematics in the prose, as in "where $USL$ is the upper limit", a subscript aside."""
    said = (match[1] or match[2] or "" for match in _MATHEMATICS.finditer(text))
    return {word[1] for inner in said if (word := _SAID.fullmatch(inner))}


def unclear_words(
    streams: Sequence[Sequence[Token]], declared: Set[str], text: str
) -> dict[str, bool]:
    """What may be a word or a product in this document, and whether the last letter has a subscript."""
    known = lone_letters(streams, text) | declared
    return {
        word: has_subscript
        for tokens in streams
        for start, end, word, has_subscript in _capitals(tokens)
        if not known & {*word} or (_is_in_square(tokens, start, end) and not {*word} <= declared)
        if _is_in_square(tokens, start, end)
        or len(word) > 2
        or has_subscript
        or word not in _PRODUCTS
        or word in _ABBREVIATED
    }


def with_unclear_words(tokens: Sequence[Token], words: dict[str, bool]) -> list[Token]:
    """The tokens with an error in place of each of these words."""
    result = list(tokens)
    for start, end, word, _ in _capitals(tokens):
        if word not in words:
            continue
        shape = "[N]" if words[word] else "[]"
        letters = [f"{letter}[]" for letter in dict.fromkeys(word[:-1]) if letter != word[-1]]
        product = ", ".join([*letters, f"{word[-1]}{shape}"])
        fact = f"`{word}` may be one name, or the product of its letters"
        fix = (
            f"for the name write `%!tadc input {word}{shape}`, or `\\mathrm{{{word}}}` in the formula; for the product"
            f" `%!tadc input {product}`, or blanks, `{' '.join(word)}`"
        )
        result[start] = Token("ERROR", fact, tokens[start].start, tokens[end - 1].end, fix)
    return result


def _capitals(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str, bool]]:
    """The places of capitals side by side outside of scripts below names and of labels above, their text, and whether a subscript follows."""
    for place, end, word in letter_runs(tokens):
        is_label = tokens[max(place - 2, 0) : place - 1] and tokens[place - 2].type == "SUP"
        if (word.isupper() or word in _ABBREVIATED) and not is_label:
            yield place, end, word, [t.type for t in tokens[end : end + 1]] == ["SUB"]


def _is_in_square(tokens: Sequence[Token], start: int, end: int) -> bool:
    r"""Whether it is all of a square bracket, as in `[A][B]/[AB]`: the concentration of what has two parts."""
    around = [*tokens[max(start - 1, 0) : start], *tokens[end : end + 1]]
    return [t.type for t in around] == ["LSQB", "RSQB"]


def _has_neighbour(tokens: Sequence[Token], place: int) -> bool:
    """Whether a letter touches this one."""
    token = tokens[place]
    before = place > 0 and is_letter(tokens[place - 1]) and tokens[place - 1].end == token.start
    after = place + 1 < len(tokens) and is_letter(tokens[place + 1])
    return before or (after and tokens[place + 1].start == token.end)
