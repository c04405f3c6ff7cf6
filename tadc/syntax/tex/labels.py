r"""Marks that are part of a name, where that takes more than one formula to know: `g^x_{ij}`, and the `w_0` of a shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import bound_names, scripted
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = [
    "left_labels",
    "prose_labels",
    "raised_on_left",
    "raised_values",
    "twin_labels",
    "with_compounds",
    "with_declared_arrows",
    "with_equation_labels",
    "with_flat_words",
]

MOST_COMPOUND = 7  # tokens of a label with commas


def left_labels(tokens: Sequence[Token], *, is_prose: bool = False) -> set[str]:
    r"""Letters that cannot be powers in this document: `x` of `g^x_{ij} =`, and `r` of `r_j =`, which has subscripts."""
    closing = closing_braces(tokens)
    labels = _declared(tokens, closing)
    if is_prose:
        return labels
    count = [t.value for t in tokens if t.type == "NAME"]
    above_only = _above(tokens, closing)
    for place, token in enumerate(tokens):
        begin = (
            place - 1 if place and tokens[place - 1].type == "FUNC" else place
        )  # `\ln \gamma_i^C =`
        before = tokens[begin - 1].type if begin else "BREAK"
        if token.type != "NAME" or before not in ("BREAK", "COMMA", "DOT", "QUAD", "TEXT"):
            continue
        above, has_subscript = "", False
        end = place + 1
        while end < len(tokens) and tokens[end].type in ("SUB", "SUP"):
            inner = tokens[end + 2 : closing.get(end + 1, end + 1)]
            has_subscript = has_subscript or tokens[end].type == "SUB"
            if tokens[end].type == "SUP" and [t.type for t in inner] == ["NAME"]:
                above = inner[0].value
            end = closing.get(end + 1, len(tokens)) + 1
        if above and end < len(tokens) and tokens[end].type == "LPAR":  # `w_t^c(i) =`
            end = closing_brackets(tokens).get(end, len(tokens)) + 1
        if end < len(tokens) and tokens[end].type in ("EQ", "DEF"):
            if above and count.count(above) == above_only.count(above):
                labels.add(above)
            elif not above and has_subscript:
                labels.add(token.value)
    return labels


def raised_on_left(streams: Sequence[Sequence[Token]]) -> set[str]:
    r"""The `x` and `y` of `E^x_k = ..` and `E^y_k = ..`, which no left side has as powers: letters that stand below nothing in the document
    but in bounds, `\sum_{k=1}^{d_A}`, and above nothing else.
    """
    below = {t.value for s in streams for t in _below_names(s)}
    below |= {name for s in streams for name in bound_names(s)}
    owners: dict[str, set[str]] = {}
    for tokens in streams:
        for name, _, inner in scripted(tokens, "SUP"):
            if [t.type for t in inner] == ["NAME"]:
                owners.setdefault(inner[0].value, set()).add(name.value)
    found = {
        (tokens[0].value, above)
        for s in streams
        for tokens in _left_sides(s)
        for name, above in _above_elements(tokens)
        if name == tokens[0].value
    }
    return {
        letter
        for name, letter in found
        if letter not in below and owners.get(letter) == {name} and letter not in ("T", "t", "H")
    }


def raised_values(tokens: Sequence[Token]) -> set[str]:
    r"""The `\sigma` of `\alpha_i^{\sigma} p_i^{1-\sigma}`: letters above a name that stand as numbers in the same formula, too."""
    closing = closing_braces(tokens)
    places = {
        place + 2
        for place, token in enumerate(tokens)
        if token.type == "SUP" and closing.get(place + 1) == place + 3
    }
    above = {tokens[n].value for n in places if tokens[n].type == "NAME"}
    below = {id(t) for _, _, inner in scripted(tokens, "SUB") for t in inner}
    pairs = zip_longest(tokens, tokens[1:])
    return {
        t.value
        for n, (t, behind) in enumerate(pairs)
        if t.type == "NAME" and t.value in above and n not in places and id(t) not in below
        if behind is None or behind.type not in ("SUB", "SUP", "LPAR", "PRIME")
    }


def _below_names(tokens: Sequence[Token]) -> Iterator[Token]:
    """What stands below names outside of the limits of sums."""
    closing = closing_braces(tokens)
    bounds: set[int] = set()
    end = 0
    for place, token in enumerate(tokens):
        if token.type == "RED":
            end = max(end, behind_scripts(tokens, place + 1, closing))
        if place < end:
            bounds.add(place)
    for _, place, inner in scripted(tokens, "SUB"):
        if place not in bounds:
            yield from inner


def _left_sides(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The names with their scripts that stand between a separator and an equality sign."""
    closing = closing_brackets(tokens)
    for place, token in enumerate(tokens):
        begins = place == 0 or tokens[place - 1].type in ("BREAK", "COMMA", "DOT", "QUAD", "TEXT")
        if token.type == "NAME" and begins:
            end = behind_scripts(tokens, place + 1, closing)
            if end < len(tokens) and tokens[end].type in ("EQ", "DEF"):
                yield tokens[place:end]


def twin_labels(streams: Iterable[Sequence[Token]]) -> set[str]:
    r"""The letters that tell two tensors apart, `z^A_{ij} z^B_{ik}`: several of them above one name with subscripts, and nowhere else."""
    counts: Counter[str] = Counter()
    above: Counter[str] = Counter()
    letters: dict[str, set[str]] = {}
    streams = list(streams)
    with_zero = _with_zero_above(streams)
    for tokens in streams:
        words = {
            id(t) for _, _, inner in scripted(tokens, "SUB") for t in inner if _is_acronym(inner)
        }
        counts.update(t.value for t in tokens if t.type == "NAME" and id(t) not in words)
        above.update(t.value for _, _, inner in scripted(tokens, "SUP") for t in inner[:1])
        for name, letter in _above_elements(tokens):
            letters.setdefault(name, set()).add(letter)
    twins = {
        n for name, found in letters.items() if len(found) > 1 or name in with_zero for n in found
    }
    return {n for n in twins if above[n] == counts[n] and n not in ("T", "H")}


def _with_zero_above(streams: Iterable[Sequence[Token]]) -> set[str]:
    r"""The `p` of `p_i^{(0)}`, whose `p_i^t` has a label, too."""
    return {
        name.value
        for tokens in streams
        for name, _, inner in scripted(tokens, "SUP")
        if [t.value for t in inner] == ["(", "0", ")"]
    }


def prose_labels(streams: Sequence[tuple[Sequence[Token], bool]]) -> set[str]:
    r"""The letters above what the prose defines, the `W` of "$y^W = \sum_j y_j$", that stand nowhere else but above names."""
    counts: Counter[str] = Counter()
    above: Counter[str] = Counter()
    found: set[str] = set()
    for tokens, is_prose in streams:
        counts.update(t.value for t in tokens if t.type == "NAME")
        above.update(_above(tokens, closing_braces(tokens)))
        kinds = [t.type for t in tokens[:6]]
        if is_prose and kinds in ([*_RAISED, "EQ"], [*_RAISED, "DEF"]):
            found.add(tokens[3].value)
    return {n for n in found if counts[n] == above[n] and n not in ("T", "t", "H")}


_RAISED = ["NAME", "SUP", "LBRACE", "NAME", "RBRACE"]


def with_flat_words(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with `U_{\mathrm{rep}, i}` for `U_{\mathrm{rep}_i}`: a word below a name has no elements."""
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        part = tokens[place : place + 6]
        kinds = [t.type for t in part]
        is_nested = kinds == ["LBRACE", "NAME", "SUB", "LBRACE", "NAME", "RBRACE"]
        if is_nested and _is_upright_word(part[1]) and tokens[place - 1].type == "SUB":
            at = part[2]
            result += [part[0], part[1], Token("COMMA", "", at.start, at.start), part[4]]
            place += 6
        else:
            result.append(tokens[place])
            place += 1
    return result


def with_equation_labels(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with one name for `k_{\nu=3/2}`: an equation below a name says which one it is."""
    closing = closing_braces(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        end = closing.get(place + 2, 0)
        inner = tokens[place + 3 : end] if end - place <= _LONGEST else ()
        is_below = token.type == "NAME" and tokens[place + 1 : place + 2] != []
        is_below = is_below and tokens[place + 1].type == "SUB" and token.value not in ("I", "chi")
        if is_below and any(t.type == "EQ" for t in inner) and {t.type for t in inner} <= _IN_LABEL:
            parts = "_".join(t.value for t in inner if t.type in ("NAME", "NUM"))
            name = f"{token.value}_{parts.replace('.', '_')}"
            token, place = replace(token, value=name, end=tokens[end].end), end
        result.append(token)
        place += 1
    return result


_LONGEST = 64  # tokens: braces in braces are looked through once
_IN_LABEL = frozenset(("NAME", "NUM", "EQ", "SLASH", "MINUS"))


def with_declared_arrows(tokens: Sequence[Token], ranks: Mapping[str, int]) -> list[Token]:
    r"""The tokens with `Y` for the `\vec{Y}` of a declared tensor `Y`: the arrow is how vectors are printed."""
    return [
        replace(t, value=t.value.removesuffix("_vec"))
        if t.type == "NAME" and t.value not in ranks and ranks.get(t.value.removesuffix("_vec"))
        else t
        for t in tokens
    ]


def _is_upright_word(token: Token) -> bool:
    return token.note == "upright" and len(token.value) > 1


def _is_acronym(inner: Sequence[Token]) -> bool:
    r"""Whether it is the `BT` of `L_{BT}`."""
    return len(inner) > 1 and all(t.type == "NAME" and t.value.isupper() for t in inner)


def _above_elements(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Each name with a subscript, and the letter that stands alone above it."""
    closing = closing_braces(tokens)
    for place, token in enumerate(tokens):
        end, above, has_subscript = place + 1, "", False
        while token.type == "NAME" and end < len(tokens) and tokens[end].type in ("SUB", "SUP"):
            inner = tokens[end + 2 : closing.get(end + 1, end)]
            if tokens[end].type == "SUB":
                has_subscript = any(t.type == "NAME" for t in inner)
            elif [t.type for t in inner] == ["NAME"] and not inner[0].note:
                above = inner[0].value
            end = closing.get(end + 1, len(tokens)) + 1
        if above and has_subscript:
            yield token.value, above


def _declared(tokens: Sequence[Token], closing: dict[int, int]) -> set[str]:
    r"""`x` and `y` of `g^x, g^y \in \mathbb{R}^{N}`; not what stands on the right side of an equation, `X = S^T Z \in \mathbb{R}^{N}`."""
    kinds = [t.type for t in tokens]
    if "RR" not in kinds:
        return set()
    before = tokens[: min(kinds.index(k) for k in ("RR", "EQ", "DEF") if k in kinds)]
    return {*_above(before, {n: c for n, c in closing.items() if c < len(before)})}


def _above(tokens: Sequence[Token], closing: dict[int, int]) -> list[str]:
    """The letters that stand alone in superscripts."""
    return [
        tokens[place + 2].value
        for place, token in enumerate(tokens)
        if token.type == "SUP" and closing.get(place + 1) == place + 3
    ]


def with_compounds(tokens: Sequence[Token]) -> list[Token]:
    r"""The `w_0` of `w_0 \in \mathbb{R}`, `x_{ij}` and `x^{(i)}` as one name each, with the note `compound`."""
    closing = closing_braces(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token, end = tokens[place], closing.get(place + 2, 0)
        is_short = end - place - 3 <= MOST_COMPOUND
        inner = tokens[place + 3 : end] if is_short else ()
        kind = tokens[place + 1].type if end else ""
        if token.type == "NAME" and (label := _compound(kind, inner)):
            name = f"{token.value}_{label}"
            result.append(Token("NAME", name, token.start, tokens[end].end, "compound"))
            place = end + 1
        else:
            result.append(token)
            place += 1
    return result


def _compound(kind: str, inner: Sequence[Token]) -> str:
    """What stands below a name, or in brackets above it, with commas; empty where that is no number and no letters."""
    kinds = [t.type for t in inner]
    if kind == "SUP" and kinds == ["LPAR", "NAME", "RPAR"]:
        return inner[1].value
    is_list = {*kinds} <= {"NAME", "COMMA"} and kinds[:1] == ["NAME"]
    if kind == "SUB" and (kinds == ["NUM"] or is_list):
        return ",".join(t.value for t in inner if t.type != "COMMA")
    return ""
