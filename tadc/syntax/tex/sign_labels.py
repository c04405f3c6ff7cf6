r"""Signs below a letter: `A_+` beside `A_-` are two names, as is a declared `A_plus`; alone `x_+` may be the positive part too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.token_list import Token

__all__ = ["signed_letters", "with_sign_labels"]

_SIGNS = {"PLUS": "plus", "MINUS": "minus"}


def signed_letters(formulas: Sequence[Sequence[Token]], declared: Set[str]) -> set[str]:
    """The letters whose signs below are labels: those with both signs, and those of declared names."""
    found: dict[str, set[str]] = {}
    for tokens in formulas:
        for place, sign in _signed(tokens):
            found.setdefault(tokens[place].value, set()).add(sign)
    return {
        letter
        for letter, signs in found.items()
        if "minus" in signs or any(f"{letter}_{sign}" in declared for sign in signs)
    }


def with_sign_labels(tokens: Sequence[Token], letters: Set[str]) -> list[Token]:
    """The tokens with `A_plus` for the `A_+` of these letters; what is left of another letter has both readings, an error."""
    result: list[Token] = []
    end = 0
    for place, sign in _signed(tokens):
        if place < end:
            continue
        letter, last = tokens[place], tokens[place + 4]
        result += tokens[end:place]
        end = place + 5
        if letter.value in letters:
            result.append(replace(letter, value=f"{letter.value}_{sign}", end=last.end))
            continue
        fact = f"`{letter.value}_+` may be the positive part of `{letter.value}`, or a name with a label"
        fix = rf"write `\max({letter.value}, 0)` or `({letter.value})_+` for the part; a name is declared: `%!tadc input {letter.value}_plus[]`"
        result.append(Token("ERROR", fact, letter.start, last.end, fix))
    return [*result, *tokens[end:]]


def _signed(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """The places of letters with nothing but a sign below, and the signs' names."""
    for place, token in enumerate(tokens[:-4]):
        opening, brace, sign, closing = tokens[place + 1 : place + 5]
        kinds = (opening.type, brace.type, closing.type)
        if token.type == "NAME" and kinds == ("SUB", "LBRACE", "RBRACE") and sign.type in _SIGNS:
            yield place, _SIGNS[sign.type]
