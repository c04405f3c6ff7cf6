r"""Words above names: letters side by side that stand nowhere else.

d^{BC}_{jk} = ..      a label: capitals
f_i^{eq}, w^{gt}      a label: an abbreviation that papers raise, or what stands above the name that is defined
a^{pq}                an error: a label, or a product as a power
h_k^{LM}              an error where `L` stands elsewhere, unless a line declares `h_LM`
\hat\theta^{*b}       the element `b` of `\hat\theta^*`, where a sum runs over `b`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from tadc.syntax.tex.commands import USUAL_LABELS, words
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, bound_names, scripted
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = [
    "RaisedWords",
    "raised_words",
    "starred_indices",
    "with_raised_words",
    "with_starred_indices",
]

_ABBREVIATIONS = words("gt eq ex in hi lo up op id im re tr te sp")


@dataclass(frozen=True, slots=True)
class RaisedWords:
    """The words above names that are `labels`, and those that may be products: `unclear`."""

    labels: Set[str]
    unclear: Set[str]


def raised_words(streams: Sequence[Sequence[Token]], declared: Set[str]) -> RaisedWords:
    """The words above names whose letters stand nowhere but in such words, or where one stands elsewhere, too."""
    counts = Counter(
        t.value for tokens in streams for t in tokens if t.type == "NAME" and not t.note
    )
    bound = {name for tokens in streams for name in bound_names(tokens)}
    above: Counter[str] = Counter()
    on_left: set[str] = set()
    found: set[str] = set()
    for tokens in streams:
        for place, inner in _words(tokens):
            above.update(t.value for t in inner)
            found.add(_joined(inner))
            if _is_on_left(tokens, place):
                on_left.add(_joined(inner))
    alone = {
        word for word in found if all(counts[n] == above[n] and n not in declared for n in word)
    }
    labels = {w for w in alone if w in on_left or w in _ABBREVIATIONS or w.isupper()}
    labels |= {w for w in on_left & _ABBREVIATIONS if not bound & {*w}}
    labels |= {w for w in found & USUAL_LABELS if not {*w} <= bound and not {*w} & declared}
    unclear = (alone - labels) | (found & _ABBREVIATIONS - labels - declared)
    of_sizes = {w for w in found - labels if not bound & {*w}}
    return RaisedWords(labels, unclear | _above_elements(streams, of_sizes))


def _above_elements(streams: Sequence[Sequence[Token]], words: Set[str]) -> set[str]:
    """The words of capitals that stand above elements only: a label, or a product of sizes as a power."""
    bases: dict[str, set[bool]] = {}
    for tokens in streams:
        for place, inner in _words(tokens):
            bases.setdefault(_joined(inner), set()).add(tokens[place - 1].type == "RBRACE")
    return {w for w in words if w.isupper() and bases[w] == {True}}


def with_raised_words(
    tokens: Sequence[Token], words: RaisedWords, declared: Set[str], guesses: list[Guess]
) -> list[Token]:
    """The tokens with one upright word for the letters of each label, and with errors for what is unclear; a line that declares the name with
    the word decides.
    """
    starts = {place + 2: inner for place, inner in _words(tokens)}
    owners = {place + 2: name.value for name, place, _ in scripted(tokens, "SUP")}
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token, inner = tokens[place], starts.get(place, ())
        word = _joined(inner)
        is_declared = bool(word) and f"{owners[place]}_{word}" in declared
        if word in words.labels or is_declared:
            token = replace(token, value=word, end=inner[-1].end, note="upright")
            text = f"`{word}` above a name is a label"
            if all(guess.text != text for guess in guesses):
                guesses.append(Guess(text, token.start, token.end))
        elif word in words.unclear:
            token = _unclear(word, inner)
        result.append(token)
        place += len(inner) if word in words.labels | words.unclear or is_declared else 1
    return result


def _unclear(word: str, inner: Sequence[Token]) -> Token:
    fact = f"the superscript `{word}` may be a label, or a product as a power"
    product = r" \cdot ".join(word)
    fix = f"write `^{{\\mathrm{{{word}}}}}` for the label, or `^{{{product}}}` for the power"
    return Token("ERROR", fact, inner[0].start, inner[-1].end, fix)


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
    """The superscripts of two letters or more of one case without a blank between them, with their places."""
    for name, place, inner in scripted(tokens, "SUP"):
        are_letters = all(
            t.type == "NAME" and len(t.value) == 1 and t.value.isascii() and not t.note
            for t in inner
        )
        is_word = all(a.end == b.start for a, b in pairwise(inner))
        word = _joined(inner)
        is_of_one_case = word.isupper() or word.islower()
        if len(inner) > 1 and are_letters and is_word and is_of_one_case and name.value != "e":
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
