r"""Bars around a capital that also has indices, `\frac{|S_i|}{|S|}`: numbers of elements of sets, or a norm and absolute values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.token_list import Token, bars

__all__ = ["unclear_counts", "with_unclear_counts"]


def unclear_counts(streams: Sequence[Sequence[Token]], declared: Set[str]) -> set[str]:
    """The capitals that stand alone between bars, and with a subscript between others; nothing declares them."""
    alone = {t.value for tokens in streams for t, is_alone in _between_bars(tokens) if is_alone}
    others = {
        t.value for tokens in streams for t, is_alone in _between_bars(tokens) if not is_alone
    }
    return {name for name in alone & others if name[0].isupper()} - declared


def with_unclear_counts(tokens: Sequence[Token], names: Set[str]) -> list[Token]:
    """The tokens with an error for each of these names that stands alone between bars."""
    if not names:
        return list(tokens)
    unclear = {id(t) for t, is_alone in _between_bars(tokens) if is_alone and t.value in names}
    return [_error(t) if id(t) in unclear else t for t in tokens]


def _between_bars(tokens: Sequence[Token]) -> Iterator[tuple[Token, bool]]:
    """Each name that bars begin with and that is all there is between them, and whether it has no subscript."""
    for opening, closing in bars(tokens):
        inner = tokens[opening + 1 : closing]
        kinds = [t.type for t in inner]
        if kinds == ["NAME"] or (kinds[:3] == ["NAME", "SUB", "LBRACE"] and kinds[-1] == "RBRACE"):
            yield inner[0], len(kinds) == 1


def _error(name: Token) -> Token:
    shown = as_printed(name.value)
    fact = f"`|{shown}|` may be the number of elements of a set, or the norm of a vector"
    fix = rf"give the numbers names, `n_i` and `n = \sum_i n_i`; the norm is `\|{shown}\|`, of a declared vector"
    return replace(name, type="ERROR", value=fact, note=fix)
