r"""Definitions as papers print them: which left sides define something, and what is moved to the right one.

-D = ..              `D`, with the other sign            \tau \frac{dV}{dt} = ..      the derivative, divided by `\tau`
\min_\theta L = ..     `L`                                \frac{1}{f} = ..              `f`, 1 divided by the right side
\log_{10} p = ..      `log10_p`                           {}^{q}D = ..                  `D_q`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.approximations import is_computed
from tadc.syntax.tex.commands import REFUSED, words
from tadc.syntax.tex.left_quotients import quotient_name
from tadc.syntax.tex.links import named_determinant, without_link
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.proportions import without_proportion
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["is_integral", "read_definition"]

_IN_FACTORS = words("NAME NUM SUB SUP LBRACE RBRACE CDOT THIN")


def read_definition(tokens: tuple[Token, ...]) -> Statement | None:
    """The definition, where the left side is that of a tensor or of a function, whatever the right side is."""
    tokens = _without_sign(_without_prescript(without_proportion(_with_base(tokens))))
    statement = Statement("definition", tokens)
    place = statement.equal
    if place == len(tokens):
        return None
    left = tokens[:place]
    if _lacks_braces(left):
        fact = "TeX takes one letter as a subscript, so that this is a product"
        fix = "put all subscripts in braces: `y_{ij}`"
        unread = Token("ERROR", fact, left[0].start, left[-1].end, fix)
        return Statement("definition", (*left[:5], unread, *tokens[place:]))
    if (integral := _integral(left)) is not None:
        return Statement("definition", (integral, *tokens[place:]))
    is_about = tokens[place].type == "APPROX" and statement.is_scalar and not is_integral(left)
    if is_about and any(t.type == "EQ" for t, depth in depths(tokens[place:]) if depth == 0):
        return read_definition(tokens[place + 1 :])  # `n(r) \approx n_l = ..`
    if is_about and not statement.has_reduction and not is_computed(tokens[place:]):
        return None
    if (objective := _objective(left, tokens[place:])) is not None:
        return objective
    if (plain := without_link(left, tokens[place:])) is not None:
        return read_definition(plain)
    if (solved := _solved(left, tokens[place:])) is not None:
        return solved
    if (negative := _negative(left, tokens[place:])) is not None:
        return negative
    if (reciprocal := _reciprocal(left, tokens[place:])) is not None:
        return reciprocal
    if (quotient := quotient_name(left, tokens[place:])) is not None:
        return Statement("definition", (*quotient, *tokens[place:]))
    if _is_target(left):
        return statement
    named = named_determinant(left)
    return Statement("definition", (*named, *tokens[place:])) if named else None


def _with_base(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    r"""The tokens of `\log_{10} \gamma_i = ..` with one function in front, `log10`."""
    kinds = [t.type for t in tokens[:6]]
    is_log = (
        kinds == ["FUNC", "SUB", "LBRACE", "NUM", "RBRACE", "NAME"] and tokens[0].value == "log"
    )
    if not is_log or tokens[3].value not in ("2", "10"):
        return tokens
    function = replace(tokens[0], value=f"log{tokens[3].value}", end=tokens[4].end)
    return (function, *tokens[5:])


def _without_prescript(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    r"""The tokens of `{}^{q}D = ..` with what stands in front of the name in it, `D_q`: a label, or a parameter."""
    kinds = [t.type for t in tokens[:6]]
    if kinds[:2] not in (["SUP", "LBRACE"], ["SUB", "LBRACE"]) or kinds[3:5] != ["RBRACE", "NAME"]:
        return tokens
    label, name = tokens[2], tokens[4]
    if label.type not in ("NAME", "NUM"):
        return tokens
    whole = replace(name, value=f"{name.value}_{label.value}", start=tokens[0].start)
    return (whole, *tokens[5:])


def _without_sign(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    r"""The tokens without the `> 0` or `\ge 0` behind a formula, which says what it is like."""
    is_equation = False
    for place, (token, depth) in enumerate(depths(tokens)):
        is_equation = is_equation or (depth == 0 and token.type in ("EQ", "DEF"))
        if depth == 0 and token.type == "REL" and is_equation:
            rest = [t.value for t in tokens[place + 1 :]]
            is_sign = rest == ["0"] and token.value in (">", ">=")
            return tokens[:place] if is_sign else tokens
    return tokens


def _integral(left: Sequence[Token]) -> Token | None:
    r"""A name for a left side that is one integral, `\int_a^b f(x)\,dx \approx ..`; None for others."""
    is_integral = bool(left) and left[0].type == "ERROR" and left[0].value == REFUSED["int"][0]
    is_whole = [t.value for t in left[-2:-1]] == ["d"] and left[-1].type == "NAME"
    if not is_integral or not is_whole or any(t.type == "ERROR" for t in left[1:]):
        return None
    return Token("NAME", "integral", left[0].start, left[-1].end)


def _negative(left: Sequence[Token], right: Sequence[Token]) -> Statement | None:
    r"""`-D_{KL}(q \| p) = ..` as the definition of `D_KL` with the other sign, `-2 \ln L = ..` as that of `\ln L`; None for other left sides."""
    equal, *rest = right
    if not rest or not left or left[0].type != "MINUS":
        return None
    opening = Token("LPAR", "(", rest[0].start, rest[0].start)
    closing = Token("RPAR", ")", rest[-1].end, rest[-1].end)
    sign = replace(left[0], start=rest[0].start, end=rest[0].start)
    negated = (equal, sign, opening, *rest, closing)
    if _is_multiple(left[1:]):
        return _solved(left[1:], negated)
    is_element = len(left) > 1 and (left[1].type == "NAME" or _is_logarithm(left[1]))
    return (
        Statement("definition", (*left[1:], *negated))
        if is_element and _is_target(left[1:])
        else None
    )


def _is_logarithm(token: Token) -> bool:
    return token.type == "FUNC" and token.value in ("log", "log2", "log10")


def _is_multiple(left: Sequence[Token]) -> bool:
    r"""Whether it begins as `2m` or `2 \ln L`."""
    is_number = [t.type for t in left[:1]] == ["NUM"] and len(left) > 1
    return is_number and (left[1].type == "NAME" or _is_logarithm(left[1]))


def _objective(left: Sequence[Token], right: Sequence[Token]) -> Statement | None:
    r"""`\min f(X) = ..` and `\min_\theta L(\theta) = ..` as the definition of what is minimised; None for other left sides, such as
    `\max_i x_i`, which is a number itself.
    """
    if not left or left[0].type != "RED" or left[0].value not in ("min", "max"):
        return None
    closing = closing_braces(left)
    end = closing.get(2, 0) + 1 if [t.type for t in left[1:2]] == ["SUB"] else 1
    limits = {t.value for t in left[1:end] if t.type == "NAME"}
    target = left[end:]
    below = {t.value for _, _, inner in scripted(target, "SUB") for t in inner}
    if not _is_target(target) or limits & below or target[0].type != "NAME":
        return None
    return Statement("definition", (*target, *right))


def _solved(left: Sequence[Token], right: Sequence[Token]) -> Statement | None:
    r"""`\tau \frac{dV_i}{dt} = ..`, `\tau \dot{v}_i = ..` and `\frac{1}{N_i} \frac{dN_i}{dt} = ..` as the definition of the derivative,
    `2m = ..` as that of `m`, `2 \ln L = ..` as that of `\ln L`; None for other left sides.
    """
    place = next((n for n, t in enumerate(left) if _is_rate(t)), int(_is_multiple(left)))
    factor = left[:place]
    is_product = {t.type for t in factor} <= _IN_FACTORS
    if (divisor := _divisor(factor)) and _is_target(left[place:]):
        start, end = right[0].end, right[-1].end
        opening, closing = Token("LPAR", "(", start, start), Token("RPAR", ")", end, end)
        scaled = [*divisor, Token("CDOT", r"\cdot", start, start), opening, *right[1:], closing]
        return Statement("definition", (*left[place:], right[0], *scaled))
    if not place or not is_product or not _is_target(left[place:]):
        return None
    start, end = right[0].end, right[-1].end
    opening, closing = Token("LBRACE", "", start, start), Token("RBRACE", "", end, end)
    over = [opening, *right[1:], closing]
    under = [replace(opening, start=end, end=end), *factor, closing]
    fraction = Token("FRAC", r"\frac", start, start)
    return Statement("definition", (*left[place:], right[0], fraction, *over, *under))


def _divisor(factor: Sequence[Token]) -> Sequence[Token]:
    r"""The `N_i` of `\frac{1}{N_i}`; nothing for other factors."""
    closing = closing_braces(factor)
    middle = closing.get(1, 0)
    end = closing.get(middle + 1, 0)
    is_one = [t.value for t in factor[2:middle]] == ["1"] and factor[0].type == "FRAC"
    inner = factor[middle + 2 : end]
    is_product = {t.type for t in inner} <= _IN_FACTORS
    return inner if is_one and is_product and end == len(factor) - 1 else ()


def _reciprocal(left: Sequence[Token], right: Sequence[Token]) -> Statement | None:
    r"""`\frac{1}{f} = ..` as the definition of `f`, 1 divided by the right side; None for other left sides."""
    closing = closing_braces(left)
    middle = closing.get(1, 0)
    end = closing.get(middle + 1, 0)
    is_one = [t.value for t in left[2:middle]] == ["1"] and left[0].type == "FRAC"
    name = left[middle + 2 : end]
    if not is_one or end != len(left) - 1 or not _is_target(name) or name[0].type != "NAME":
        return None
    start, stop = right[0].end, right[-1].end
    fraction = Token("FRAC", r"\frac", start, start)
    one = [Token("LBRACE", "", start, start), Token("NUM", "1", start, start)]
    under = [Token("RBRACE", "", start, start), Token("LBRACE", "", start, start), *right[1:]]
    tokens = (*name, right[0], fraction, *one, *under, Token("RBRACE", "", stop, stop))
    return Statement("definition", tokens)


def _lacks_braces(left: Sequence[Token]) -> bool:
    """Whether it is `y_ij`, which TeX reads as `y_{i} j`."""
    kinds = [token.type for token in left]
    return (
        kinds[:5] == ["NAME", "SUB", "LBRACE", "NAME", "RBRACE"]
        and not left[2].value
        and len(kinds) > 5
        and set(kinds[5:]) <= {"NAME", "NUM"}
        and not any(_is_rate(t) for t in left[5:])  # `C_m \frac{dV}{dt} =`
    )


def _is_target(left: Sequence[Token]) -> bool:
    r"""Whether it is `f`, `f_{ij}`, `f_i^2(a, b)`, `f(x)_i`, `\log p(x)`, or brackets with subscripts."""
    if [t.type for t in left[:2]] == ["FUNC", "NAME"]:
        left = left[1:]
    if not left:
        return False
    closing = closing_brackets(left)
    in_brackets = left[0].type in ("LPAR", "LSQB") and 0 in closing
    if not in_brackets and left[0].type not in (
        "NAME",
        "ERROR",
        "SOFTMAX",
        "FUNC",
        "CALLED",
        "LGROUP",
    ):
        return False
    place = closing.get(0, 0) + 1
    if is_integral(left):
        return True
    if in_brackets and (place >= len(left) or left[place].type not in ("SUB", "LPAR", "LSQB")):
        return False
    has_list = has_operand = False  # `F[v](i)` has an operand and a list
    while place < len(left):
        kind = left[place].type
        if kind == "PRIME":
            place += 1
        elif kind in ("SUB", "SUP"):
            place = closing.get(place + 1, len(left)) + 1
        elif kind == "LSQB" and not has_operand and not has_list:
            place, has_operand = closing.get(place, len(left)) + 1, True
        elif kind in ("LPAR", "LSQB") and not has_list:
            place, has_list = closing.get(place, len(left)) + 1, True
        else:
            return False
    return place == len(left) and (left[0].type != "FUNC" or has_list or has_operand)


def _is_rate(token: Token) -> bool:
    r"""Whether it is a name for a derivative: `\frac{dx}{dt}` or `\dot{x}`."""
    return token.note == "derivative" or token.value.endswith(("_dot", "_ddot"))


def is_integral(left: Sequence[Token]) -> bool:
    """Whether it is `(ij|kl)`."""
    kinds = [t.type for t in left]
    return kinds == ["LPAR", "NAME", "NAME", "GIVEN", "NAME", "NAME", "RPAR"]
