r"""Colons that stand for all indices of a dimension, as in `\mathbf{X}_{i,:}` and `\mathbf{X}_{:,j}`: rows and columns of declared matrices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import equal_place, scripted
from tadc.syntax.tex.token_list import Token, behind_scripts

__all__ = ["defined_rows", "with_whole_rows"]

_EXTENTS = "NMKLP"


def defined_rows(streams: Iterable[Sequence[Token]]) -> dict[str, int]:
    r"""The numbers of dimensions of what left sides define by rows, `\tilde{\mathbf{U}}_{t,:} = ..`."""
    found: dict[str, int] = {}
    for tokens in streams:
        for name, place, inner in scripted(tokens[: equal_place(tokens)], "SUB"):
            if place == 1 and inner and inner[-1].type == "COLON":
                found[name.value] = sum(t.type in ("NAME", "COLON") for t in inner)
    return found


def with_whole_rows(tokens: Sequence[Token], ranks: Mapping[str, int]) -> list[Token]:
    r"""The tokens with `X_i` for a row and `(X^\top)_j` for a column, and an error for every other colon; `ranks` are those that are
    declared or defined so.
    """
    if not any(t.type == "COLON" for t in tokens):
        return list(tokens)
    closing = closing_braces(tokens)
    dropped: set[int] = set()
    before: dict[int, list[Token]] = {}
    behind: dict[int, list[Token]] = {}
    errors: dict[int, Token] = {}
    for name, place, inner in scripted(tokens, "SUB"):
        colons = [n for n, t in enumerate(inner) if t.type == "COLON"]
        if len(colons) != 1:
            continue
        start = place + 2
        kept = [n for n, t in enumerate(inner) if t.type not in ("COLON", "COMMA")]
        at = start + colons[0]
        if not _is_of_one_side(inner, colons[0]):
            continue
        if ranks.get(name.value, 0) != len(kept) + 1:
            errors[at] = _undeclared(name, tokens[at], len(kept) + 1)
            continue
        is_row = colons[0] == len(inner) - 1
        if not is_row and len(kept) != 1:
            continue
        if is_row and _is_beside_transpose(tokens, start + len(inner) + 1, closing):
            errors[at] = _unclear(name, tokens[at])
            continue
        comma = start + (colons[0] - 1 if is_row else colons[0] + 1)
        dropped |= {at, *([comma] if tokens[comma].type == "COMMA" else [])}
        if not is_row:
            before[place - 1] = [Token("LPAR", "(", name.start, name.start)]
            behind[place - 1] = [*_transposed(name.end)]
    result: list[Token] = []
    for place, token in enumerate(tokens):
        if place in dropped:
            continue
        result += before.get(place, [])
        result.append(errors.get(place) or (_unread(token) if token.type == "COLON" else token))
        result += behind.get(place, [])
    return result


def _is_of_one_side(inner: Sequence[Token], colon: int) -> bool:
    """Whether the colon is the first or the last of the subscripts, beside letters and numbers."""
    others = {t.type for n, t in enumerate(inner) if n != colon}
    return len(inner) > 1 and colon in (0, len(inner) - 1) and others <= {"NAME", "NUM", "COMMA"}


def _is_beside_transpose(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> bool:
    r"""Whether what ends before `place` is transposed, or stands in front of a name that is, `X_{i,:} X_{j,:}^\top`."""
    following = tokens[place : place + 1]
    end = behind_scripts(tokens, place, closing)
    if following and following[0].type == "NAME":
        end = behind_scripts(tokens, place + 1, closing)
    return any(t.type == "TOP" or (t.type == "NAME" and t.value == "T") for t in tokens[place:end])


def _unclear(name: Token, colon: Token) -> Token:
    fact = f"a row of `{name.value}` beside a transpose may be a row, so that this is a number, or a vector, so that it is a matrix"
    fix = r"write the number as `\langle x, y \rangle` or as a sum, the matrix by its elements"
    return Token("ERROR", fact, colon.start, colon.end, fix)


def _transposed(at: int) -> Iterator[Token]:
    r"""The `^\top)` behind a name."""
    yield Token("SUP", "^", at, at)
    yield Token("LBRACE", "", at, at)
    yield Token("TOP", r"\top", at, at)
    yield Token("RBRACE", "", at, at, "NAME")
    yield Token("RPAR", ")", at, at)


def _undeclared(name: Token, colon: Token, rank: int) -> Token:
    fact = f"`:` stands for all indices of a dimension, and `{name.value}` is declared with no such dimension"
    extents = ", ".join(_EXTENTS[:rank])
    fix = (
        f"declare it: `%!tadc input {name.value}[{extents}]`"
        if rank <= len(_EXTENTS)
        else "declare it"
    )
    return Token("ERROR", fact, colon.start, colon.end, fix)


def _unread(colon: Token) -> Token:
    fact = "`:` stands for several elements, and is read in rows `X_{i,:}` and columns `X_{:,j}` of matrices alone"
    return Token(
        "ERROR", fact, colon.start, colon.end, "write the element with an index, and a sum over it"
    )
