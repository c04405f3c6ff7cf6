r"""Left sides that are functions of what they define, the links of statistics.

\log(\mu_i) = ..                       `\log \mu_i = ..`
\operatorname{logit}(p_i) = ..         `p_i`, the sigmoid of the right side
\log \frac{p_i}{1 - p_i} = ..          the same
\log |\det J| = ..                     a number `log_det`
"""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["named_determinant", "without_link"]


def named_determinant(left: Sequence[Token]) -> tuple[Token, ...]:
    r"""A name for `\log|\det J|`; nothing for other left sides."""
    is_log = bool(left) and left[0].value == "log" and any(t.value == "det" for t in left)
    return (Token("NAME", "log_det", left[0].start, left[-1].end),) if is_log else ()


def without_link(left: Sequence[Token], right: Sequence[Token]) -> tuple[Token, ...] | None:
    """The tokens of the definition of what stands in the function; None for other left sides. The sign is the first one of `right`."""
    if not left or len(right) < 2:
        return None
    inner = _argument(left)
    if left[0].value == "log" and left[0].type == "FUNC":
        if _is_element(inner) and len(left) > len(inner) + 1:
            return (left[0], *inner, *right)
        inner = _odds(inner)
    elif left[0].value != "logit" and left[0].note != "logit":
        return None
    if not _is_element(inner):
        return None
    start, end = right[1].start, right[-1].end
    sigmoid = Token("FUNC", "sigmoid", start, start)
    opening, closing = Token("LPAR", "(", start, start), Token("RPAR", ")", end, end)
    return (*inner, right[0], sigmoid, opening, *right[1:], closing)


def _argument(left: Sequence[Token]) -> Sequence[Token]:
    """What the function is applied to, without brackets."""
    rest = [t for t in left[1:] if t.type != "THIN"]
    is_bracket = bool(rest) and closing_brackets(rest).get(0) == len(rest) - 1
    return rest[1:-1] if is_bracket and rest[0].type in ("LPAR", "LSQB") else rest


def _is_element(tokens: Sequence[Token]) -> bool:
    """Whether it is one name with its scripts."""
    is_name = bool(tokens) and tokens[0].type == "NAME"
    return is_name and behind_scripts(tokens, 1, closing_brackets(tokens)) == len(tokens)


def _odds(inner: Sequence[Token]) -> Sequence[Token]:
    r"""The `p` of `\frac{p}{1 - p}`; nothing for other fractions."""
    closing = closing_braces(inner)
    middle = closing.get(1, 0)
    end = closing.get(middle + 1, 0)
    is_whole = bool(inner) and inner[0].type == "FRAC" and end == len(inner) - 1 and middle > 0
    over, under = inner[2:middle], inner[middle + 2 : end]
    is_rest = [t.value for t in under[:2]] == ["1", "-"] and _same(over, under[2:])
    return over if is_whole and is_rest else ()


def _same(a: Sequence[Token], b: Sequence[Token]) -> bool:
    return [(t.type, t.value) for t in a] == [(t.type, t.value) for t in b]
