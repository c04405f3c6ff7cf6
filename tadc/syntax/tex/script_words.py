r"""Words in scripts that are written as letters: `\ell^{margin}`, `x^{obs}`, and the `uni` of `L_{uni} = \sum_{i=1}^{K} x_i`.

Words that papers are known to write below names are one, `x_{max}`, unless all their letters are indices. Three capitals and more below a name are an acronym, `L_{BCE}` or `\beta_{2SLS}`, if none is an index, a capital and a small letter that is
no index are one, `E_{Na}`, and four small letters with an `e`, `o` or `u` are a
word, `SS_{effect}`. Above a name, four letters and more without
blanks between them are a word, three where none of them means something else in the document. Below the name of a left side they
are one where a sum of the right side runs over one of them, and another one stands nowhere there: they are no indices.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise, takewhile

from tadc.syntax.tex.commands import USUAL_LABELS
from tadc.syntax.tex.names import closing_braces, reduced_names
from tadc.syntax.tex.script_tokens import (
    Guess,
    left_indices,
    names_in_bounds,
    scripted,
    with_rewritten_scripts,
)
from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token

__all__ = ["script_words", "with_arrows", "with_script_words", "with_text_labels"]

_VOWELS = frozenset("aeiouyAEIOUY")
_TELLING = frozenset("eou")  # of four letters and more, these make a word: nobody counts with them


def script_words(
    streams: Sequence[Sequence[Token]], declared: Set[str], *, is_upper: bool
) -> set[str]:
    """The words that stand in scripts of these formulas; where indices may stand above names, `is_upper`, only those below."""
    found = {*_below_names(streams), *_numbered(streams, declared)}
    if is_upper:
        return found
    letters = {t.value for tokens in streams for t in _outside_words(tokens)} | declared
    for tokens in streams:
        for _, _, inner in scripted(tokens, "SUP"):
            word = _word(inner)
            if not word.isalpha():  # `x^{2AB}` is a power
                continue
            is_long = len(word) > 3 and bool(_VOWELS & {*word})
            if word in USUAL_LABELS or is_long or (len(word) == 3 and not letters & {*word}):
                found.add(word)
    return found


def with_script_words(
    tokens: Sequence[Token], found: Set[str], guesses: list[Guess]
) -> list[Token]:
    """The tokens with one name for each of the words that were found, where it is all that stands in a script, or a usual one first in a list."""

    def named(_sign: Token, inner: Sequence[Token]) -> list[Token]:
        first = _first(inner)
        _guess(f"`{_word(first)}` in a script is a word", first, guesses)
        return [_one_name(_word(first), first), *inner[len(first) :]]

    def is_word(name: Token, inner: Sequence[Token]) -> bool:
        first = _first(inner)
        is_whole = len(first) == len(inner) or _word(first) in USUAL_LABELS
        return is_whole and _word(first) in found and name.value != "e"

    return _with_scripts(tokens, is_word, named)


def _first(inner: Sequence[Token]) -> Sequence[Token]:
    """What stands in front of the first comma."""
    return [*takewhile(lambda t: t.type != "COMMA", inner)]


def with_text_labels(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with one name for a script with words of the prose, the `N\text{-pair}` of `L_{N\text{-pair}}`."""

    def label(inner: Sequence[Token]) -> str:
        return "_".join(_PARTS.findall(" ".join(t.value for t in inner)))

    def is_label(_name: Token, inner: Sequence[Token]) -> bool:
        kinds = {t.type for t in inner}
        return "TEXT" in kinds and kinds <= _IN_LABELS and bool(label(inner))

    return _with_scripts(tokens, is_label, lambda _, inner: [_one_name(label(inner), inner)])


def with_arrows(tokens: Sequence[Token], bound: Set[str], guesses: list[Guess]) -> list[Token]:
    r"""The tokens with two indices for the `j \to i` of `w_{j \to i}`, in this order, and with one name for other scripts that have
    an arrow, `\ell^{(v \to u)}`. `bound` are the indices of the document.
    """

    def is_arrow(_name: Token, inner: Sequence[Token]) -> bool:
        kinds = {t.type for t in inner}
        return "ARROW" in kinds and kinds <= _WITH_ARROWS

    def named(sign: Token, inner: Sequence[Token]) -> list[Token]:
        names = [t.value for t in inner if t.type in ("NAME", "NUM")]
        if sign.type != "SUB" or not {*names} <= bound:
            return [_one_name("_to_".join(names), inner)]
        _guess("an arrow between indices: the first one is the first subscript", inner, guesses)
        return [t if t.type == "NAME" else replace(t, type="COMMA", value="") for t in inner]

    return _with_scripts(tokens, is_arrow, named)


def _with_scripts(
    tokens: Sequence[Token],
    is_wanted: Callable[[Token, Sequence[Token]], bool],
    inside: Callable[[Token, Sequence[Token]], list[Token]],
) -> list[Token]:
    """The tokens with others inside of the scripts that are wanted, by the names in front and what stands there; `inside` makes these of
    the sign of the script and what stood there.
    """

    def new(name: Token, script: Sequence[Token]) -> tuple[Token, Sequence[Token]] | None:
        sign, opening, *inner, closing = script
        if not is_wanted(name, inner):
            return None
        return name, [sign, opening, *inside(sign, inner), closing]

    return with_rewritten_scripts(tokens, new)


def _one_name(value: str, inner: Sequence[Token]) -> Token:
    return Token("NAME", value, inner[0].start, inner[-1].end, "upright")


def _guess(text: str, inner: Sequence[Token], guesses: list[Guess]) -> None:
    if all(guess.text != text for guess in guesses):
        guesses.append(Guess(text, inner[0].start, inner[-1].end))


_WITH_ARROWS = frozenset(("ARROW", "NAME", "NUM", "LPAR", "RPAR"))
_IN_LABELS = frozenset(("TEXT", "NAME", "NUM", "MINUS", "SLASH"))
_PARTS = re.compile(r"\w+")


def _below_names(streams: Sequence[Sequence[Token]]) -> Iterator[str]:
    """The acronyms below names whose letters are no indices, and the words of left sides whose letters a sum behind runs over."""
    scripts = [inner for tokens in streams for _, _, inner in scripted(tokens, "SUB")]
    indices = {t.value for inner in scripts if not _word(inner).isupper() for t in inner}
    summed_anywhere = {name for tokens in streams for name in reduced_names(tokens)}
    bound = summed_anywhere | {
        t.value for tokens in streams for t in left_indices(tokens) if len(left_indices(tokens)) < 4
    }
    for tokens in streams:
        closing = closing_braces(tokens)
        equals = [
            n
            for n, (t, depth) in enumerate(depths(tokens))
            if depth == 0 and t.type in ("EQ", "DEF")
        ]
        for _, place, inner in scripted(tokens, "SUB"):
            usual = _word(_first(inner))
            if usual in USUAL_LABELS and not {*usual} <= summed_anywhere:
                yield usual
            word = _word(inner)
            if len(word) == 2 and word.istitle() and word.isalpha():
                elsewhere = {t.value for i in scripts if _word(i) != word for t in i}
                if word[1] not in bound | elsewhere:
                    yield word
            if len(word) < 3:
                continue
            if word.isupper() and not indices & {*word}:
                yield word
            if len(word) > 3 and word.islower() and _TELLING & {*word} and not bound & {*word}:
                elsewhere = {t.value for i in scripts if _word(i) != word for t in i}
                if 2 * len(elsewhere & {*word}) < len({*word}):  # else most are indices there
                    yield word
            behind = closing.get(place + 1, len(tokens)) + 1
            if behind in equals:
                end = next((n for n in equals if n > behind), len(tokens))
                summed = reduced_names(tokens[behind:end])
                used = {t.value for t in tokens[behind:end] if t.type == "NAME"}
                if summed & {*word} and {*word} - summed - used:
                    yield word


def _numbered(streams: Sequence[Sequence[Token]], declared: Set[str]) -> Iterator[str]:
    r"""The `P2` of `V_{P2} - V_{P1}`: a capital that bounds nothing and a digit, below names that have no other subscripts than such and
    are not declared.
    """
    below: dict[str, set[str]] = {}
    for tokens in streams:
        for name, _, inner in scripted(tokens, "SUB"):
            is_alone = len(inner) == 1 and inner[0].value.isupper()
            below.setdefault(name.value, set()).add(inner[0].value if is_alone else _word(inner))
    taken = {name for tokens in streams for name in reduced_names(tokens)}
    taken |= names_in_bounds(streams)
    taken |= {
        t.value for tokens in streams if any(x.type == "DOTS" for x in tokens) for t in tokens
    }
    for base, words in below.items():
        if base not in declared and not any(word == "" or word[0] in taken for word in words):
            yield from (word for word in words if word[1:].isdigit())


def _word(inner: Sequence[Token]) -> str:
    """The plain letters without blanks between them that are all that stands here, three and more, or two as in `Na`; capitals may have a
    number beside them, `2SLS`, and one a digit behind it, `P2`.
    """
    letters = [t for t in inner if t.type == "NAME" and len(t.value) == 1 and not t.note]
    word = "".join(t.value for t in inner)
    is_word = len(letters) == len(inner) > (1 if word.istitle() else 2)
    has_number = len(letters) > 1 and word.isalnum() and word.isupper()
    has_number = has_number or (len(letters) == 1 and len(word) == 2 and word[0].isupper())
    has_number = has_number and [t.type for t in inner].count("NUM") == len(inner) - len(letters)
    has_number = has_number and len(letters) < len(inner)
    is_tight = all(a.end == b.start for a, b in pairwise(inner))
    return word if (is_word or has_number) and is_tight else ""


def _outside_words(tokens: Sequence[Token]) -> Iterator[Token]:
    """The names of a formula that are no letters of a word above a name."""
    inside = {id(t) for _, _, inner in scripted(tokens, "SUP") if _word(inner) for t in inner}
    return (t for t in tokens if t.type == "NAME" and id(t) not in inside)
