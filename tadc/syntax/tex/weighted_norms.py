r"""Norms with a matrix below them, `\|x\|_Q^2`, which is `x^\top Q x` in control and in statistics."""

from __future__ import annotations

from collections.abc import Sequence, Set

from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["with_weighted_norms"]

_SQUARE = ["SUP", "LBRACE", "NUM", "RBRACE"]


def matrices_of_shapes(streams: Sequence[Sequence[Token]]) -> set[str]:
    r"""The names that a shape with two extents is said of, `Q, R \in \mathbb{R}^{n \times n}`."""
    found: set[str] = set()
    for tokens in streams:
        kinds = [t.type for t in tokens]
        place = kinds.index("RR") if "RR" in kinds else 0
        if (
            place
            and tokens[-1].type == "RBRACE"
            and [t.value for t in tokens[place:]].count(r"\times") == 1
        ):
            names = tokens[: place - 1]
            if {t.type for t in names} <= {"NAME", "COMMA"}:
                found |= {t.value for t in names if t.type == "NAME"}
    return found


def with_weighted_norms(tokens: Sequence[Token], matrices: Set[str]) -> list[Token]:
    """The tokens with products for these norms, where the matrix is known; a root where no square stands behind."""
    closing = closing_brackets(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        end = closing.get(place, -1)
        below = tokens[end + 1 : end + 5] if tokens[place].type == "NORM_L" and end > 0 else ()
        kinds = [t.type for t in below]
        if kinds == ["SUB", "LBRACE", "NAME", "RBRACE"] and below[2].value in matrices:
            behind = tokens[end + 5 : end + 9]
            is_square = [t.type for t in behind] == _SQUARE and behind[2].value == "2"
            last = end + 9 if is_square else end + 5
            inner = with_weighted_norms(tokens[place + 1 : end], matrices)
            result += _product(
                tokens[place], inner, below[2], tokens[last - 1], is_root=not is_square
            )
            place = last
        else:
            result.append(tokens[place])
            place += 1
    return result


def _product(
    start: Token, inner: Sequence[Token], matrix: Token, end: Token, *, is_root: bool
) -> list[Token]:
    def token(kind: str, value: str, at: Token) -> Token:
        return Token(kind, value, at.start, at.end)

    opening, closing = token("LPAR", "(", start), token("RPAR", ")", end)
    whole = [opening, *inner, closing]
    top = [token("SUP", "^", end), token("LBRACE", "", end), token("TOP", r"\top", end)]
    product = [*whole, *top, token("RBRACE", "", end), matrix, token("THIN", "", end), *whole]
    root = [token("FUNC", "sqrt", start)] if is_root else []
    return [*root, opening, *product, closing]
