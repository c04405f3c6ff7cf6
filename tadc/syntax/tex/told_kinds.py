r"""Norms and logarithms that the prose gives a kind: "where $\|\cdot\|$ is the $\ell_1$ norm", "all logarithms are to base 2".

They are read so wherever they stand without one; an error where the prose names another kind, or several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tadc.syntax.tex.script_tokens import Guess
from tadc.syntax.tex.stated import is_stated
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = [
    "says_levels",
    "told_bases",
    "told_norms",
    "with_told_bases",
    "with_told_norms",
    "with_unclear_bases",
]

_BARS = r"(?:\\\||\\[lr]?[vV]ert|\|)"
_NORM = rf"(?:\$|\\\()\s*(?:\\left\s*)?{_BARS}{{1,2}}\s*(?:\\cdot|\.|(?:\\mathbf\s*\{{?\s*)?\\?(?P<letter>[A-Za-z]+)\}}?)\s*(?:\\right\s*)?{_BARS}{{1,2}}\s*(?:\$|\\\))"
_IS = r"(?:is|denotes?|represents?|stands?\s+for|means?|being|for)"
_KIND = r"(?P<kind>(?:(?!\b(?:of|for|and|which|that)\b)[^.;]){0,60}?)[\s~-]*\bnorm\b"
_SAYS_NORM = (
    re.compile(rf"{_NORM}[\s~]*,?[\s~]*{_IS}\s+(?:the|an?)\s+{_KIND}", re.IGNORECASE),
    re.compile(
        rf"\b(?:the|an?)\s+(?P<kind>[^.;,]{{1,30}}?)[\s~-]+norm[\s~]+{_NORM}", re.IGNORECASE
    ),
)
_KINDS = (
    (re.compile(r"(?:\\ell|\bl|\bL)_?\{?1\b|\b(?:taxicab|Manhattan|one|sum)\b|(?:\$|^)1\$?$|\babsolute", re.IGNORECASE), "1"),
    (re.compile(r"\\infty|\b(?:max|maximum|sup|supremum|uniform|infinity|Chebyshev)\b", re.IGNORECASE), "inf"),
    (re.compile(r"(?:\\ell|\bl|\bL)_?\{?\^?2\b|\b(?:Euclid\w*|two|usual|standard|vector|common|ordinary)\b|(?:\$|^)2\$?$|^$|\bFrobenius\b", re.IGNORECASE), ""),
)  # fmt: skip
_OTHER = "other"


def told_norms(text: str) -> dict[str, set[str]]:
    r"""The kinds that the prose gives norms without one, as written below them: none, `1`, `inf`, or another one; by the letter in the bars,
    none for `\|\cdot\|`.
    """
    found: dict[str, set[str]] = {}
    for match in (match for says in _SAYS_NORM for match in says.finditer(text)):
        said = match["kind"].strip()
        kind = next((k for pattern, k in _KINDS if pattern.search(said)), _OTHER)
        letter = match["letter"] or ""
        kinds = found.setdefault("" if letter == "cdot" else letter, set())
        kinds |= {kind} if is_stated(text, *match.span()) else {kind, _OTHER}
    return found


def with_told_norms(
    tokens: Sequence[Token], told: Mapping[str, set[str]], guesses: list[Guess]
) -> list[Token]:
    """The tokens with this kind below each norm that has none; an error where it is none that is read, or one of several."""
    opening = {end: start for start, end in closing_brackets(tokens).items()}
    result: list[Token] = []
    for place, token in enumerate(tokens):
        result.append(token)
        if token.type != "NORM_R" or [t.type for t in tokens[place + 1 : place + 2]] == ["SUB"]:
            continue
        letters = {t.value for t in tokens[opening.get(place, place) : place]} | {""}
        kinds = {kind for letter in told.keys() & letters for kind in told[letter]}
        if len(kinds) > 1 or _OTHER in kinds:
            fact = "the prose says which norm this is, and it is not the Euclidean one alone"
            fix = r"write its kind below it, `\|x\|_1`, `\|x\|_2`, `\|x\|_\infty` or `\|A\|_F`, or the formula that it stands for"
            result.append(Token("ERROR", fact, token.start, token.end, fix))
        elif kinds - {""}:
            (kind,) = kinds
            type_, name = ("NUM", "1-norm") if kind == "1" else ("NAME", "maximum norm")
            result += _below(Token(type_, kind, token.end, token.end))
            _say(guesses, f"a norm without a kind is the {name}: the prose says so", token)
    return result


_LOGARITHMS = r"(?:logarithms?|logs?\b|\\log\b\s*(?:\(?\s*\\cdot\s*\)?)?\s*(?:\$|\\\)))"
_TO_BASE = (
    rf"{_LOGARITHMS}[^.;]{{0,50}}?\bbase[s\s~-]*(?:\$|\\\()?\s*(?P<base>2|10|two|ten|e|[A-Za-z]+)\b"
)
_SAYS_BASE = (
    re.compile(_TO_BASE),
    re.compile(r"\bbase[\s~-]+(?:\$|\\\()?(?P<base>2|10|two|ten)\$?[\s~]+(?:logarithm|log)", re.IGNORECASE),
    re.compile(r"\b(?P<base>binary|dyadic|decadic|decimal|common|Briggs\w*)\s+logarithm", re.IGNORECASE),
    re.compile(r"\\log\s*(?:\$|\\\))?[^.;]{0,30}?\b(?:for|is|denotes?|means?|stands?\s+for|=)?\s*(?:\$|\\\()?\s*(?:=|\\equiv)?\s*\\log_\{?(?P<base>2|10)\b(?=\}?\s*\$)"),
)  # fmt: skip
_BASES = {
    "2": "2", "two": "2", "binary": "2", "dyadic": "2", "10": "10", "ten": "10", "decadic": "10", "decimal": "10",
    "common": "10", "e": "e",
}  # fmt: skip
_NATURAL = re.compile(r"\bnatural\s+log|\\log[^.;]{0,40}\bnatural\b", re.IGNORECASE)


def told_bases(text: str) -> set[str]:
    """The bases that the prose gives logarithms without one: `2`, `10`, `e`, or others."""
    said = [match for says in _SAYS_BASE for match in says.finditer(text)]
    found = {match["base"].lower() for match in said}
    is_clear = all(is_stated(text, *match.span()) for match in said)
    found = {_BASES.get(said, "10" if said.startswith("briggs") else _OTHER) for said in found}
    is_either = not is_clear or _NATURAL.search(text) is not None
    return found | ({"e"} if found and is_either else set())


_OF_LEVELS = re.compile(r"(?<![A-Za-z])(?:dB[mW]?|[dD]ecibels?|pH|pOH|pK_?a)(?![A-Za-z])")


def says_levels(text: str) -> bool:
    """Whether the document is about decibels or the acidity of solutions, whose logarithms are to base 10."""
    return _OF_LEVELS.search(text) is not None


def with_unclear_bases(tokens: Sequence[Token], text: str, *, is_level: bool) -> list[Token]:
    r"""The tokens with an error for each plain `\log` of `10 \log x` and `20 \log x`, and for all of them in a document about levels."""
    fact = (
        r"`\log` may be the natural logarithm, or the one to base 10 of decibels and other levels"
    )
    fix = r"write `\log_{10}`, or `\ln` for the natural one"
    result = list(tokens)
    for place in _plain_logarithms(tokens, text):
        before = [t for t in tokens[max(place - 2, 0) : place] if t.type not in ("CDOT", "THIN")]
        is_scaled = [(t.type, t.value) for t in before[-1:]] in ([("NUM", "10")], [("NUM", "20")])
        if is_level or is_scaled:
            result[place] = Token("ERROR", fact, tokens[place].start, tokens[place].end, fix)
    return result


def _plain_logarithms(tokens: Sequence[Token], text: str) -> Iterator[int]:
    r"""The places of each `\log` without a base, `\ln` aside."""
    for place, token in enumerate(tokens):
        is_plain = (token.type, token.value) == ("FUNC", "log") and not token.note
        is_natural = text[token.start : token.end].strip().startswith(r"\ln")
        has_base = [t.type for t in tokens[place + 1 : place + 2]] == ["SUB"]
        if is_plain and not is_natural and not has_base:
            yield place


def with_told_bases(
    tokens: Sequence[Token], bases: set[str], text: str, guesses: list[Guess]
) -> list[Token]:
    r"""The tokens with this base below each `\log` that has none, `\ln` aside; an error where it is none that is read, or one of several."""
    plain = {*_plain_logarithms(tokens, text)}
    result: list[Token] = []
    for place, token in enumerate(tokens):
        result.append(token)
        if place not in plain:
            continue
        if len(bases) > 1 or _OTHER in bases:
            fact = "the prose says to which base logarithms are, and it is not one that is read"
            fix = r"write the base below it, `\log_2 x` or `\log_{10} x`, `\ln x` for the natural one, or `\frac{\ln x}{\ln b}`"
            result[-1] = Token("ERROR", fact, token.start, token.end, fix)
        elif bases != {"e"}:
            (base,) = bases
            result += _below(Token("NUM", base, token.end, token.end))
            _say(
                guesses,
                f"`\\log` without a base is to base {base}: the prose says so",
                token,
            )
    return result


def _below(inner: Token) -> list[Token]:
    at = inner.start
    return [
        Token("SUB", "_", at, at),
        Token("LBRACE", "", at, at),
        inner,
        Token("RBRACE", "", at, at),
    ]


def _say(guesses: list[Guess], text: str, at: Token) -> None:
    if all(guess.text != text for guess in guesses):
        guesses.append(Guess(text, at.start, at.end))
