r"""A plus above brackets, `\left( \mu - \frac{N}{\lambda_i^2} \right)^+`: the positive part, as `(x)_+` is; of a matrix it may be the pseudoinverse.

Behind the brackets of a function, `\log(x)_+`, it may belong to the argument or to the function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["positive_parts"]

_SAYS_INVERSE = re.compile(r"pseudo-?\s?inverse|Moore|generali[sz]ed inverse", re.IGNORECASE)
_PLUS = ["SUP", "LBRACE", "PLUS", "RBRACE"]


def positive_parts(text: str) -> Callable[[Sequence[Token]], list[Token]]:
    """What writes the plus below brackets; an error where no sum is in them, or a transpose, or the text names an inverse."""
    says_inverse = _SAYS_INVERSE.search(text) is not None

    def rewrite(tokens: Sequence[Token]) -> list[Token]:
        opening = {close: start for start, close in closing_brackets(tokens).items()}
        result = list(tokens)
        for place, token in enumerate(tokens):
            above = tokens[place + 1 : place + 5]
            if token.type == "RPAR" and _is_of_function(tokens, opening.get(place, 0), above):
                result[place + 1] = Token(
                    "ERROR", _OF_FUNCTION, above[0].start, above[3].end, _APART
                )
                continue
            is_part = token.type in ("RPAR", "RSQB") and [t.type for t in above] == _PLUS
            if not is_part or place not in opening:
                continue
            inner = tokens[opening[place] : place]
            sign = replace(above[0], type="SUB", value="_")
            is_sum = any(
                t.type in ("PLUS", "MINUS") for t, depth in depths(inner[1:]) if depth == 0
            )
            if says_inverse or not is_sum or any(t.type == "TOP" for t in inner):
                sign = Token("ERROR", _FACT, above[0].start, above[3].end, _FIX)
            result[place + 1] = sign
        return result

    return rewrite


def _is_of_function(tokens: Sequence[Token], opening: int, behind: Sequence[Token]) -> bool:
    """Whether a function stands in front of the brackets, and a plus below or above them."""
    is_plus = [t.type for t in behind] in (_PLUS, ["SUB", *_PLUS[1:]])
    return is_plus and opening > 0 and tokens[opening - 1].type == "FUNC"


_OF_FUNCTION = "the plus behind the brackets may be the positive part of the argument, or of the function's value"
_APART = r"put braces or brackets around what it belongs to: `\log\left( (x)_+ \right)`, or `\left( \log(x) \right)_+`"
_FACT = "`(..)^+` may be the positive part of each element, or the pseudoinverse of a matrix"
_FIX = r"write `\max(.., 0)` or `(..)_+` for the part; an inverse is an input of its own"
