r"""Sets of integers that a document names, `E = \{1, \dots, m\}`: in `\sum_{e \in E}` they are what they stand for, and `|E|` is `m`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["named_sets", "with_named_sets"]

_BEGINS = ["NUM", "COMMA", "DOTS", "COMMA"]


def named_sets(streams: Sequence[Sequence[Token]]) -> dict[str, Sequence[Token]]:
    """The names of such sets, with the tokens of each; those that are defined in two ways are none."""
    found: dict[str, Sequence[Token]] = {}
    texts: dict[str, set[str]] = {}
    for tokens in streams:
        closing = closing_brackets(tokens)
        for place, token in enumerate(tokens[:-2]):
            end = closing.get(place + 2, -1)
            is_set = token.type == "NAME" and tokens[place + 1].type in ("EQ", "DEF") and end > 0
            is_set = is_set and tokens[place + 2].value == r"\{"
            if is_set and [t.type for t in tokens[place + 3 : place + 7]] == _BEGINS:
                found[token.value] = tokens[place + 2 : end + 1]
                text = " ".join(t.value for t in found[token.value])
                texts.setdefault(token.value, set()).add(text)
    return {name: said for name, said in found.items() if len(texts[name]) == 1}


def with_named_sets(tokens: Sequence[Token], sets: Mapping[str, Sequence[Token]]) -> list[Token]:
    """The tokens with the sets in place of their names behind a sign of membership, and with sizes for the names in bars."""
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token, before = tokens[place], tokens[place - 1].type if place else ""
        behind = tokens[place + 1].type if place + 1 < len(tokens) else ""
        said = sets.get(token.value, ()) if token.type == "NAME" else ()
        is_from_one = len(said) > 5 and said[1].value == "1"
        if said and before == "IN" and behind != "SUB":
            result += [replace(t, start=token.start, end=token.end) for t in said]
        elif said and is_from_one and before == "BAR_L" and behind == "BAR_R":
            result[-1] = Token("LPAR", "(", token.start, token.start)
            result += [replace(t, start=token.start, end=token.end) for t in said[5:-1]]
            result.append(Token("RPAR", ")", token.end, token.end))
            place += 1
        else:
            result.append(token)
        place += 1
    return result
