r"""Sets of all indices: in `\frac{1}{|\Omega|} \sum_{i \in \Omega} x_i` the sum is over all `i`, and `|\Omega|` is their number.

The name of such a set becomes a size. It stands nowhere but in limits and in bars, and what is read at its elements is read at no
other index, for the set may be a part of all then; and the document writes its bars, calls it "the
set of all", or gives it the letter of its elements, `x \in \mathcal{X}`. The `|Q|` of `\sum_{q=1}^{|Q|}` is a size too.

In `\sum_{x \in \mathcal{B}} p_i(x)`, where `x` is nowhere but in brackets, the `p_i(x)` are given for the elements of the set alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from tadc.syntax.tex.names import closing_braces, limit_names
from tadc.syntax.tex.script_tokens import Guess, left_indices, scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["sized_sets", "whole_sets", "with_sizes_of_sets"]

_SAYS_ALL = re.compile(
    r"\b(?:set|collection|domain|grid|batch)\s+of\s+(?:all|the|\$?[A-Z])|\ball\s+(?:pixels|voxels|points|samples)\b|\b(?:entire|whole|full)\s+(?:\w+\s+)?(?:vocabulary|set|dataset|corpus|population|batch|image|grid)\b"
)


_SAYS_ENTIRE = re.compile(
    r"(?:\$|\\\()\s*(?:\\math\w+\s*\{)?\s*(\\?[A-Za-z]+)\s*\}?\s*(?:\$|\\\))\s*(?:is|denotes|represents|being|stands\s+for)\s+(?:the|an?)?\s*"
    r"(?:entire|whole|full|complete|set\s+of\s+all|collection\s+of\s+all)\b"
)


def sized_sets(streams: Sequence[Sequence[Token]]) -> set[str]:
    r"""The names that stand in bars, `|\Omega|`, as numbers of elements."""
    return {
        token.value
        for tokens in streams
        for place, token in enumerate(tokens)
        if token.type == "NAME" and _is_size(tokens, place)
    }


def whole_sets(streams: Sequence[Sequence[Token]], declared: Set[str], prose: str) -> set[str]:
    """The names of the sets that stand for all that an index can be."""
    counts: dict[str, int] = {}
    members: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for tokens in streams:
        for place, token in enumerate(tokens):
            if token.type == "NAME" and len(tokens) > 1:
                counts[token.value] = counts.get(token.value, 0) + 1
                members[token.value] = members.get(token.value, 0) + _is_member(tokens, place)
                sizes[token.value] = sizes.get(token.value, 0) + _is_size(tokens, place)
    own = {name for tokens in streams for name in _of_their_letter(tokens)}
    entire = {match[1].lstrip("\\") for match in _SAYS_ENTIRE.finditer(prose)}
    bounds = {name for tokens in streams for name in _in_bounds(tokens)}
    says_all = _SAYS_ALL.search(prose) is not None
    return {
        name
        for name, count in counts.items()
        if members[name] and count == members[name] + sizes[name] and name not in declared
        if (sizes[name] or says_all or name in own | entire)
        if not (len(name) == 1 and name.islower())
        if name in entire or not _has_others(streams, name, is_own=name in own)
    } | {n for n, count in counts.items() if count == sizes[n] and n in bounds - declared}


def with_sizes_of_sets(
    tokens: Sequence[Token], names: Set[str], sized: Set[str], guesses: list[Guess]
) -> list[Token]:
    r"""The tokens with `i = 1` below and the size above for `i \in \Omega`, and without bars around the size; with `i` alone where
    the size stands nowhere.
    """
    closing = closing_braces(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        end = closing.get(place + 1, 0)
        is_set = end - place == 5 and _is_member(tokens, end - 1)
        entry = tokens[place + 2 : end] if is_set else ()
        following = tokens[place : place + 3]
        if place + 1 < len(tokens) and _is_size(tokens, place + 1) and following[1].value in names:
            result.append(following[1])
            place += 3
        elif is_set and _is_argument(tokens, entry[0].value):
            name, _, whole = entry
            text = f"the sum over `{name.value}` is over all that `{name.value}` can be"
            if all(guess.text != text for guess in guesses):
                guesses.append(Guess(text, name.start, whole.end))
            result += [*tokens[place : place + 2], name, tokens[end]]
            place = end + 1
        elif is_set and entry[2].value in names:
            name, sign, whole = entry
            text = f"`{whole.value}` is the set of all that `{name.value}` can be, and its size"
            if all(guess.text != text for guess in guesses):
                guesses.append(Guess(text, name.start, whole.end))
            if whole.value not in sized:
                result += [*tokens[place : place + 2], name, tokens[end]]
                place = end + 1
                continue
            low = [
                name,
                Token("EQ", "=", sign.start, sign.end),
                Token("NUM", "1", sign.start, sign.end),
            ]
            result += [*tokens[place : place + 2], *low, tokens[end]]
            start, stop = whole.start, whole.end
            opening, close = (
                Token("LBRACE", "", start, start),
                Token("RBRACE", "", stop, stop, "RED"),
            )
            result += [Token("SUP", "^", start, start), opening, whole, close]
            place = end + 1
        else:
            result.append(tokens[place])
            place += 1
    return result


def _is_argument(tokens: Sequence[Token], name: str) -> bool:
    r"""Whether the name stands, limits aside, alone in brackets behind names with an index below them and nowhere else."""
    places = [n for n, t in enumerate(tokens) if t.value == name and t.type == "NAME"]
    others = [n for n in places if tokens[n + 1 : n + 2] == [] or tokens[n + 1].type != "IN"]
    return bool(others) and all(_is_alone_behind_index(tokens, n) for n in others)


def _is_alone_behind_index(tokens: Sequence[Token], place: int) -> bool:
    kinds = [t.type for t in (*tokens[max(place - 2, 0) : place], *tokens[place + 1 : place + 2])]
    return kinds == ["RBRACE", "LPAR", "RPAR"]


def _has_others(streams: Sequence[Sequence[Token]], whole: str, *, is_own: bool) -> bool:
    r"""Whether what is read at `i \in \Omega` is read at another index too, so that the set may be a part of all; a `\sum_j` beside
    `\sum_{j \in \mathcal{J}}`, whose letter `is_own`, is over the same set.
    """
    indices = {
        tokens[n - 2].value
        for tokens in streams
        for n, t in enumerate(tokens)
        if t.value == whole and _is_member(tokens, n)
    }
    below = [
        (name.value, {t.value for t in inner})
        for tokens in streams
        for name, _, inner in scripted(tokens, "SUB")
    ]
    tensors = {name for name, letters in below if letters & indices}
    is_elsewhere = any(name in tensors and not letters & indices for name, letters in below)
    return is_elsewhere or any(
        _binds_otherwise(tokens, indices, whole, is_own=is_own) for tokens in streams
    )


def _binds_otherwise(
    tokens: Sequence[Token], indices: Set[str], whole: str, *, is_own: bool
) -> bool:
    """Whether a left side or limits without the set bind one of the indices."""
    closing = closing_braces(tokens)
    limits = (
        (place + 2, closing[place + 2])
        for place, token in enumerate(tokens[:-2])
        if token.type == "RED" and place + 2 in closing and tokens[place + 1].type == "SUB"
    )
    is_bound = any(
        indices & {*limit_names(tokens, opening, closing)}
        and whole not in {t.value for t in tokens[opening + 1 : end]}
        for opening, end in limits
        if not (is_own and end - opening == 2)
    )
    return is_bound or bool(indices & {t.value for t in left_indices(tokens)})


def _of_their_letter(tokens: Sequence[Token]) -> Iterator[str]:
    r"""The `X` of `\sum_{x \in \mathcal{X}}`."""
    for place, token in enumerate(tokens):
        is_set = _is_member(tokens, place) and token.note == "calligraphic"
        if is_set and tokens[place - 2].value.upper() == token.value:
            yield token.value


def _in_bounds(tokens: Sequence[Token]) -> Iterator[str]:
    r"""The `Q` of `\sum_{q=1}^{|Q|}`."""
    for place, token in enumerate(tokens[:-2]):
        around = [
            t.type for t in (*tokens[max(place - 3, 0) : place], *tokens[place + 1 : place + 3])
        ]
        if (
            around == ["SUP", "LBRACE", "BAR_L", "BAR_R", "RBRACE"]
            and tokens[place + 2].note == "RED"
        ):
            yield token.value


def _is_member(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether it is the `\Omega` of `\sum_{i \in \Omega}`, alone in its limits, with nothing above."""
    before = [t.type for t in tokens[max(place - 5, 0) : place]]
    after = [t.type for t in tokens[place + 1 : place + 3]]
    is_limit = before == ["RED", "SUB", "LBRACE", "NAME", "IN"]
    return is_limit and after[:1] == ["RBRACE"] and after[1:] != ["SUP"]


def _is_size(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether it is the `\Omega` of `|\Omega|`."""
    around = [t.type for t in (*tokens[max(place - 1, 0) : place], *tokens[place + 1 : place + 2])]
    return around == ["BAR_L", "BAR_R"]
