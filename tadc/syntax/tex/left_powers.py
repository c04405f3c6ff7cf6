r"""Powers on left sides.

\sigma^2 = ..       a square is a name of its own, `sigma_squared`; \sigma is its root, where that is read
G_i^4 = ..          `G_4`, where nothing reads a `G`
x_i^{t+1} = ..      an error: superscripts that count steps are loops over time
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, left_indices, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.time_steps import remedy
from tadc.syntax.tex.token_list import Token

__all__ = ["with_named_squares"]


def with_named_squares(
    definitions: Sequence[Statement], bodies: Sequence[Statement], guesses: list[Guess]
) -> tuple[list[Statement], list[Statement]]:
    r"""The definitions, and the bodies of functions, with a name for each square that one defines, `\sigma^2 = ..`.

    Where `\sigma` is read without the square too, it is the root of that. Another number, `G_i^4 = ..`, is part of the name where
    nothing reads that otherwise. Other superscripts on a left side are errors.
    """
    definitions = _with_numbers_above(definitions, bodies)
    squares = {
        d.tokens[0].value for d in definitions if _square(d.tokens, 0) is not None and d.equal
    }
    counts = {
        n: _letters_below(d.tokens, 0) for n in squares for d in definitions if _is_square_of(d, n)
    }
    result: list[Statement] = []
    roots: dict[str, Statement] = {}
    for d in definitions:
        tokens = _without_squares(d.tokens, counts)
        if _is_square_of(d, d.tokens[0].value):
            roots[d.tokens[0].value] = replace(d, tokens=tuple(tokens))
        elif (error := _power_on_the_left(d)) is not None:
            tokens = [*tokens, error]
        result.append(replace(d, tokens=tuple(tokens)))
    others = [replace(b, tokens=tuple(_without_squares(b.tokens, counts))) for b in bodies]
    for name, square in roots.items():
        is_read = any(
            t.type == "NAME" and t.value == name and _letters_below(d.right, n) == counts[name]
            for d in (*result, *others)
            for n, t in enumerate(d.right)
        )
        if is_read and name not in {d.target for d in result}:
            result.append(_root(name, square))
            text = f"`{name}` is the root of what is defined as its square"
            guesses.append(Guess(text, square.start, square.tokens[square.equal].start))
    return result, others


def _with_numbers_above(
    definitions: Sequence[Statement], bodies: Sequence[Statement]
) -> list[Statement]:
    """The definitions with `G_4` for the `G_i^4` of a left side, where no right side has a `G`: its value is the same, power or not."""
    read = {t.value for d in (*definitions, *bodies) for t in d.right if t.type == "NAME"}
    result: list[Statement] = []
    for d in definitions:
        number = next((n for _, at, n in scripted(d.tokens, "SUP") if at < d.equal), ())
        closing = closing_braces(d.tokens)
        place = next((n for n, t in enumerate(d.tokens[: d.equal]) if t.type == "SUP"), 0)
        is_other = [t.type for t in number] == ["NUM"] and number[0].value != "2"
        if is_other and place + 1 in closing and d.target not in read:
            name = replace(d.tokens[0], value=f"{d.target}_{number[0].value}")
            behind = d.tokens[closing[place + 1] + 1 :]
            d = replace(d, tokens=(name, *d.tokens[1:place], *behind))
        result.append(d)
    return result


def _square(tokens: Sequence[Token], place: int) -> tuple[int, int] | None:
    """The places between which `^2` stands on the name at `place`, subscripts aside; None where there is none."""
    closing = closing_braces(tokens)
    at = place + 1
    while at < len(tokens) and tokens[at].type in ("SUB", "SUP") and at + 1 in closing:
        end = closing[at + 1]
        inner = tokens[at + 2 : end]
        if tokens[at].type == "SUP":
            is_two = [t.type for t in inner] == ["NUM"] and inner[0].value == "2"
            return (at, end + 1) if is_two else None
        at = end + 1
    return None


def _is_square_of(definition: Statement, name: str) -> bool:
    square = _square(definition.tokens, 0)
    return definition.target == name and square is not None and square[0] < definition.equal


def _letters_below(tokens: Sequence[Token], place: int) -> int:
    """How many letters stand below the name at `place`: `r_i^2` is no square of `r_{ia}`."""
    return next(
        (
            sum(t.type == "NAME" for t in inner)
            for name, _, inner in scripted(tokens[place:], "SUB")
            if name is tokens[place]
        ),
        0,
    )


def _without_squares(tokens: Sequence[Token], squares: Mapping[str, int]) -> list[Token]:
    result: list[Token] = []
    skipped: tuple[int, int] = (0, 0)
    for place, token in enumerate(tokens):
        if skipped[0] <= place < skipped[1]:
            continue
        square = _square(tokens, place) if token.type == "NAME" and token.value in squares else None
        if square is not None and _letters_below(tokens, place) == squares[token.value]:
            token, skipped = replace(token, value=f"{token.value}_squared"), square
        result.append(token)
    return result


def _root(name: str, square: Statement) -> Statement:
    left = list(square.tokens[: square.equal])
    equal = square.tokens[square.equal]
    at = replace(equal, type="LPAR", value="(")
    right = [
        replace(equal, type="FUNC", value="sqrt"),
        at,
        *left,
        replace(equal, type="RPAR", value=")"),
    ]
    return Statement(
        "definition",
        (replace(left[0], value=name), *left[1:], replace(equal, type="EQ"), *right),
        square.ranges,
    )


def _power_on_the_left(definition: Statement) -> Token | None:
    r"""The error of `x_i^{t+1} = ..` and `\sigma^3 = ..`, whose superscripts are no part of a name."""
    left = definition.tokens[: definition.equal]
    sign = next((t for t in left if t.type == "SUP"), None)
    if sign is None or left[0].type != "NAME":
        return None
    above = left[left.index(sign) :]
    fact = "a superscript on the left side is no part of a name"
    if any(t.type == "PLUS" for t in above):
        fact = "a superscript that counts steps is a loop over time, and a program is one step"
    fix = r"give what is defined a name, `v_i` for a square, `x'_i` or `x_i^{\text{new}}` for the next step, and use it on the right sides"
    letters = [t.value for t in above if t.type == "NAME"]
    is_plain = left[0].end - left[0].start == len(as_printed(left[0].value))
    if is_plain and [t.type for t in left] in (_RAISED_LETTER, _RAISED_NUMBER):
        name, label = left[0].value, left[3].value
        written = label if label.isdigit() else as_printed(label)
        written = written if len(written) == 1 else f"{{{written}}}"
        fix += f"; a label is part of the name by a line, `%!tadc {as_printed(name)}^{written} is {name}_{label}`"
    if "PLUS" in {t.type for t in above} and letters:
        fix = remedy(left[0].value, letters[0], len(left_indices(definition.tokens)))
    return Token("ERROR", fact, sign.start, left[-1].end, fix)


_RAISED_LETTER = ["NAME", "SUP", "LBRACE", "NAME", "RBRACE"]
_RAISED_NUMBER = ["NAME", "SUP", "LBRACE", "NUM", "RBRACE"]
