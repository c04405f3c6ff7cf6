r"""The number of the circle beside tensors that are called by its letter: `2\pi` in a document of weights `\pi_k`, and plain `\pi` beside
a `\pi^*`, which is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import Token, behind_scripts

__all__ = ["has_elements_of_pi", "has_marked_pi", "with_circle_numbers", "with_unclear_pi"]


def has_marked_pi(streams: Sequence[Sequence[Token]]) -> bool:
    r"""Whether there is a `\pi^*`, a `\bar\pi` or another name of that letter with a mark."""
    return any(t.type == "NAME" and t.value.startswith("pi_") for tokens in streams for t in tokens)


def has_elements_of_pi(streams: Sequence[Sequence[Token]]) -> bool:
    r"""Whether there is a `\pi_k`, an element of a tensor."""
    return any(
        name.value == "pi" and any(t.type == "NAME" for t in inner)
        for tokens in streams
        for name, _, inner in scripted(tokens, "SUB")
    )


def with_unclear_pi(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with an error for each plain `\pi` that no number stands in front of, and that stands in no script and begins no list."""
    result = list(tokens)
    closing = closing_braces(tokens)
    place = 0
    while place < len(tokens):
        token = tokens[place]
        before, after = (t.type for t in _around(tokens, place))
        if token.type in ("SUB", "SUP"):
            place = closing.get(place + 1, place)
        elif (
            token.type == "NAME"
            and token.value == "pi"
            and before not in ("NUM", "LPAR", "COMMA")
            and after not in ("SUB", "LPAR", "EQ", "DEF", "APPROX")
        ):
            fact = r"`\pi` may be 3.14.., or one of its own, as it has scripts or marks elsewhere"
            fix = r"declare it, `%!tadc input pi[]` or `%!tadc input pi[K]`; the number of the circle is `3.14159265358979`"
            result[place] = replace(token, type="ERROR", value=fact, note=fix)
        place += 1
    return result


def with_circle_numbers(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with one number for each `2\pi` and `4\pi^2`, and for the `\pi` of `\frac{4}{3}\pi`, `\frac{\pi}{2}` and `\pi/2`."""
    result: list[Token] = []
    closing = closing_braces(tokens)
    place = 0
    while place < len(tokens):
        token = tokens[place]
        end = place + 1
        is_circle = token.type == "NAME" and token.value == "pi" and bool(result)
        is_plain = is_circle and _around(tokens, place)[1].type not in ("SUB", "LPAR")
        if is_plain and (_is_behind_fraction(result) or _is_dividend(tokens, place)):
            result.append(replace(token, type="NUM", value=repr(pi)))
            place += 1
            continue
        if is_circle and result[-1].type == "NUM" and _is_number(result[-1].value):
            end = behind_scripts(tokens, place + 1, closing)
            power = [t.value for t in tokens[place + 1 : end] if t.type in ("SUB", "NUM", "NAME")]
            if (is_plain and end == place + 1) or (len(power) == 1 and power[0].isdigit()):
                number = float(result.pop().value) * pi ** int(*power or ("1",))
                last = tokens[end - 1].end
                result.append(Token("NUM", repr(number), token.start, last))
                place = end
                continue
        result.append(token)
        place += 1
    return result


def _is_behind_fraction(before: Sequence[Token]) -> bool:
    r"""Whether a `\frac{4}{3}` stands in front."""
    kinds = [t.type for t in before[-7:]]
    return kinds == ["FRAC", *_IN_BRACES, *_IN_BRACES]


_IN_BRACES = ["LBRACE", "NUM", "RBRACE"]


def _is_dividend(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether it is that of `\frac{\pi}{2}` or `\pi/2`."""
    behind = [t.type for t in tokens[place + 1 : place + 5]]
    is_in_fraction = [t.type for t in tokens[max(place - 2, 0) : place]] == ["FRAC", "LBRACE"]
    is_in_fraction = is_in_fraction and behind == ["RBRACE", *_IN_BRACES]
    return is_in_fraction or behind[:2] == ["SLASH", "NUM"]


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _around(tokens: Sequence[Token], place: int) -> tuple[Token, Token]:
    nothing = Token("", "", 0, 0)
    before = tokens[place - 1] if place else nothing
    return before, tokens[place + 1] if place + 1 < len(tokens) else nothing
