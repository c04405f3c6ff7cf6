r"""Words that are written as letters: `\frac{TP}{TP + FP}` and `2^{rel_i}` have the names `TP`, `FP` and `rel`, `exp(x_i)` is the function.

Letters without blanks between them multiply, as TeX prints them. A word that papers are known to write so is a name; two
letters are one where another of its group stands in the document. Other letters around a lone `e` may be a word, or a
product with Euler's number: an error that shows both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.commands import CALLED, FUNCTIONS, REDUCTIONS, words
from tadc.syntax.tex.letter_runs import is_letter, letter_runs
from tadc.syntax.tex.script_tokens import Guess, scripted
from tadc.syntax.tex.token_list import Token
from tadc.syntax.tex.unclear_words import lone_letters, said_words

__all__ = ["known_words", "with_words"]

_WORDS = words(
    "rel gain sim dist rank freq idf pos neg avg len pred true obs tot net cost loss age size rate SS SSE SSR SST RSS TSS ESS MSE RMSE"
    " MAE MAPE SNR PSNR IoU BLEU NDCG DCG IDCG GDP CPI NPV MAX MIN"
)
_FUNCTIONS = words(
    "exp log ln sin cos tan tanh sinh cosh arctan max min softmax sigmoid relu ReLU elu ELU gelu GELU sqrt sign sgn round floor ceil"
    " erf erfc clip mod"
)
_GROUPS = (words("TP FP TN FN"), words("tf idf df"))  # these tell each other


_SAID = re.compile(
    r"\b([A-Z]{2,5}(?:\s*,\s*[A-Z]{2,5})*(?:\s*,?\s*and\s+[A-Z]{2,5})?)\s+(?:denotes?|is|are|represents?|stands?|being|refers?|means?)\b"
)


def known_words(streams: Sequence[Sequence[Token]], declared: Set[str], text: str) -> set[str]:
    """The words of a document that are written as letters; none with a letter that is `declared`, but for those that a line declares with a label, `EC_50`. What the prose says of `NR` tells that
    it is a word, too, and so does a `$USL$` in it, none of whose letters stands alone.
    """
    found = {word for tokens in streams for _, _, word in letter_runs(tokens)}
    said = {word for match in _SAID.finditer(text) for word in re.findall(r"[A-Z]{2,}", match[1])}
    known = found & (_WORDS | said)
    if whole := found & said_words(text):
        alone = lone_letters(streams, text)
        known |= {word for word in whole if not alone & {*word}}
    for group in _GROUPS:
        known |= found & group if len(found & group) > 1 else set()
    labelled = found & {name.split("_")[0] for name in declared if "_" in name}
    return {word for word in known if not declared & {*word}} | labelled


def with_words(
    tokens: Sequence[Token], known: Set[str], declared: Set[str], guesses: list[Guess]
) -> list[Token]:
    """The tokens with these words as names, and errors for what may be one."""
    result: list[Token] = []
    place = 0
    for start, end, word in letter_runs(tokens):
        first, last = tokens[start], tokens[end - 1]
        result += tokens[place:start]
        place = end
        if _is_function(tokens, end, word) and not declared >= {*word}:
            result.append(_function(word, first, last))
        elif word in known:
            text = f"`{word}` is one name: a word"
            if all(guess.text != text for guess in guesses):
                guesses.append(Guess(text, first.start, last.end))
            result.append(Token("NAME", word, first.start, last.end, "upright"))
        elif _is_left_side(tokens, start, end, word):
            result.append(Token("NAME", word, first.start, last.end, "upright"))
        elif word.isupper() and [*_two_digits(tokens[end : end + 4])] and word not in declared:
            result.append(_unclear_number(word, first, tokens[end + 2]))
            place = end + 4
        elif not declared & {word, "e"} and _has_lone_e(tokens[start : end + 1]):
            result.append(_unclear(word, first, last))
        else:
            result += tokens[start:end]
    return _with_words_below([*result, *tokens[place:]], known)


def _with_words_below(tokens: Sequence[Token], known: Set[str]) -> list[Token]:
    r"""The tokens with one name for the `pos` of `P_{pos, i} = f(pos)`, below a name."""
    result: list[Token] = []
    inside = {
        n
        for _, place, inner in scripted(tokens, "SUB")
        for n in range(place + 2, place + 2 + len(inner))
    }
    place = 0
    while place < len(tokens):
        word = next((w for w in known if place in inside and _spells(tokens, place, w)), "")
        if word:
            last = tokens[place + len(word) - 1]
            result.append(Token("NAME", word, tokens[place].start, last.end))
        else:
            result.append(tokens[place])
        place += len(word) or 1
    return result


def _spells(tokens: Sequence[Token], place: int, word: str) -> bool:
    """Whether plain letters from `place` on spell the word, and no more."""
    run = tokens[place : place + len(word)]
    around = [
        *tokens[max(place - 1, 0) : place],
        *tokens[place + len(word) : place + len(word) + 1],
    ]
    is_whole = not any(is_letter(t) for t in around)
    return is_whole and "".join(t.value for t in run if is_letter(t)) == word


def _is_left_side(tokens: Sequence[Token], start: int, end: int, word: str) -> bool:
    """Whether it is the `score` of `score = ..`, alone on a left side: nobody defines a product of four letters."""
    before = tokens[start - 1].type if start else "BREAK"
    is_alone = before in _SEPARATORS and [t.type for t in tokens[end : end + 1]] in (
        ["EQ"],
        ["DEF"],
    )
    return is_alone and len(word) > 3 and bool({*word.lower()} & {*"aeiouy"})


_SEPARATORS = words("BREAK QUAD TEXT")


def _is_function(tokens: Sequence[Token], end: int, word: str) -> bool:
    """Whether the word is applied: a bracket follows, behind the base or the index of some."""
    kinds = [t.type for t in tokens[end : end + 5]]
    has_bracket = kinds[:1] in (["LPAR"], ["LSQB"]) or kinds == [
        "SUB",
        "LBRACE",
        *kinds[2:3],
        "RBRACE",
        "LPAR",
    ]
    return word in _FUNCTIONS and has_bracket


def _function(word: str, first: Token, last: Token) -> Token:
    """The token that a command for this word makes."""
    if word == "softmax":
        return Token("SOFTMAX", word, first.start, last.end)
    if word in REDUCTIONS:
        return Token("RED", word, first.start, last.end)
    if word in CALLED:
        return Token("CALLED", word, first.start, last.end)
    return Token("FUNC", FUNCTIONS[word], first.start, last.end, word)


def _has_lone_e(tokens: Sequence[Token]) -> bool:
    """Whether an `e` without a power or a subscript is among them; the last token stands behind the letters."""
    pairs = zip(tokens, (*tokens[1:], None), strict=True)
    return any(
        t.value == "e" and (after is None or after.type not in ("SUP", "SUB")) for t, after in pairs
    )


def _two_digits(behind: Sequence[Token]) -> Iterator[str]:
    r"""The `50` of `EC_{50}`, where nothing else stands below: an element with that number, or part of a name."""
    if [t.type for t in behind] == ["SUB", "LBRACE", "NUM", "RBRACE"]:
        number = behind[2].value
        if number.isdigit() and len(number) > 1:
            yield number


def _unclear_number(word: str, first: Token, number: Token) -> Token:
    r"""The error of `EC_{50}`."""
    below, product = f"_{{{number.value}}}", r" \cdot ".join(word)
    fact = f"`{word}{below}` may be one name, or a product with an element of `{word[-1]}`"
    fix = (
        rf"write the name as `\mathrm{{{word}}}{below}`, or declare it, `%!tadc input {word}_{number.value}[]`;"
        rf" the product with signs, `{product}{below}`"
    )
    return replace(first, type="ERROR", value=fact, end=number.end, note=fix)


def _unclear(word: str, first: Token, last: Token) -> Token:
    fact = f"`{word}` may be a word, or a product of its letters with Euler's number `e`"
    fix = (
        rf"write the word as `\mathrm{{{word}}}`, and the product with blanks, `{' '.join(word)}`; an `e` that is no Euler's"
        " number is declared, `%!tadc input e[]`"
    )
    return replace(first, type="ERROR", value=fact, end=last.end, note=fix)
