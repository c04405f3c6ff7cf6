r"""Signs below or above a letter: `A_+` beside `A_-` are two names, as is a declared `A_plus`, and an `A_+` that has a shape; alone `x_+`
may be the positive part too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["signed_letters", "with_sign_labels"]

_SIGNS = {"PLUS": "plus", "MINUS": "minus"}


def signed_letters(formulas: Sequence[Sequence[Token]], declared: Set[str]) -> set[str]:
    """The letters whose signs are labels: those with both signs, and those of declared names."""
    found: dict[str, set[str]] = {}
    shaped: set[str] = set()
    for tokens in formulas:
        member = next((n for n, t in enumerate(tokens) if t.type == "IN"), 0)
        is_shape = any(t.type == "RR" for t in tokens[member:])
        for place, _, sign in _signed(tokens):
            letter = tokens[place].value
            found.setdefault(letter, set()).add(sign)
            shaped |= {letter} if is_shape and place < member else set()
    return {
        letter
        for letter, signs in found.items()
        if "minus" in signs
        or letter in shaped
        or any(f"{letter}_{sign}" in declared for sign in signs)
    }


def with_sign_labels(tokens: Sequence[Token], letters: Set[str]) -> list[Token]:
    """The tokens with `A_plus` for the `A_+` and `A_i^+` of these letters; what is left of another letter has both readings, an error."""
    result: list[Token] = []
    end = 0
    for place, script, sign in _signed(tokens):
        letter, last = tokens[place], tokens[script + 3]
        is_below = tokens[script].type == "SUB"
        if letter.value in letters:
            name = replace(letter, value=f"{letter.value}_{sign}")
            result += [*tokens[end:place], name, *tokens[place + 1 : script]]
        elif is_below:
            fact = f"`{letter.value}_+` may be the positive part of `{letter.value}`, or a name with a label"
            fix = rf"write `\max({letter.value}, 0)` or `({letter.value})_+` for the part; a name is declared: `%!tadc input {letter.value}_plus[]`"
            result += [
                *tokens[end:place],
                Token("ERROR", fact, letter.start, last.end, fix),
            ]
        else:
            result += tokens[end : script + 4]
        end = script + 4
    return [*result, *tokens[end:]]


def _signed(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """The places of letters and of the scripts behind them that are nothing but a sign, and the signs' names; above, subscripts may stand between."""
    closing = closing_brackets(tokens)
    for place, token in enumerate(tokens):
        script = place + 1
        if token.type != "NAME":
            continue
        if _sign(tokens, script) is None and [t.type for t in tokens[script : script + 1]] == [
            "SUB"
        ]:
            script = closing.get(script + 1, len(tokens)) + 1
        sign = _sign(tokens, script)
        if sign is not None and (script == place + 1 or tokens[script].type == "SUP"):
            yield place, script, sign


def _sign(tokens: Sequence[Token], script: int) -> str | None:
    """The sign that is all of the script at this place."""
    kinds = [t.type for t in tokens[script : script + 4]]
    is_script = (
        len(kinds) == 4 and kinds[0] in ("SUB", "SUP") and kinds[1::2] == ["LBRACE", "RBRACE"]
    )
    return _SIGNS.get(kinds[2]) if is_script else None
