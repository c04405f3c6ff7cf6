r"""Layers: `h_v^{(l+1)} = \sigma(W^{(l)} h_v^{(l)})` defines `h_l_plus_1` from `W_l` and `h_l`, for one `l`.

That is read where the left side tells that superscripts are no powers, and where the letter, an l, stands above names alone, and below
sizes, `W^{(l)} \in \mathbb{R}^{d_{l+1} \times d_l}`. A declared `W` is that of the layer: its label is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, equal_place, scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["layer_letters", "with_layers"]

_LETTERS = ("l", "ell")
_SIGNS = {"PLUS": "plus", "MINUS": "minus"}


def layer_letters(displays: Sequence[Sequence[Token]]) -> set[str]:
    """The letters of layers: some left side has the layer behind or before one, and nothing has the letter elsewhere."""
    moved = {letter for tokens in displays for letter in _moved(tokens[: equal_place(tokens)])}
    moved |= {
        letter for tokens in displays for letter in _moved(tokens) if _is_left(tokens, letter)
    }
    return {
        letter
        for letter in moved
        if all(_count(tokens, letter) == len([*_places(tokens, letter)]) for tokens in displays)
    }


def with_layers(
    tokens: Sequence[Token], letters: Set[str], declared: Set[str], guesses: list[Guess]
) -> list[Token]:
    """The tokens with a name of its own for each name at a layer."""
    dropped: set[int] = set()
    labels: dict[int, str] = {}
    for name, place, inner, label in _labelled(tokens):
        if label.split("_")[0] not in letters:
            continue
        is_own = name.value in declared and f"{name.value}_{label}" not in declared
        if not (is_own and label in letters):
            labels[id(name)] = label
        dropped |= {*range(place, place + len(inner) + 3)}
        shown = f"{name.value}_{label}" if id(name) in labels else name.value
        text = f"`{shown}` is one name: superscripts with `{label.split('_')[0]}` count layers"
        if all(g.text != text for g in guesses):
            guesses.append(Guess(text, name.start, tokens[place + len(inner) + 2].end))
    return [
        replace(t, value=f"{t.value}_{labels[id(t)]}") if id(t) in labels else t
        for n, t in enumerate(tokens)
        if n not in dropped
    ]


def _label(inner: Sequence[Token]) -> str | None:
    r"""The label of `(l)`, `l`, `(l+1)` and `l-1`."""
    if [t.type for t in (*inner[:1], *inner[-1:])] == ["LPAR", "RPAR"]:
        inner = inner[1:-1]
    kinds = [t.type for t in inner]
    if kinds == ["NAME"] and inner[0].value in _LETTERS:
        return inner[0].value
    is_moved = len(kinds) == 3 and kinds[0] == "NAME" and kinds[1] in _SIGNS and kinds[2] == "NUM"
    if is_moved and inner[0].value in _LETTERS and inner[2].value.isdigit():
        return f"{inner[0].value}_{_SIGNS[kinds[1]]}_{inner[2].value}"
    return None


def _labelled(tokens: Sequence[Token]) -> Iterator[tuple[Token, int, Sequence[Token], str]]:
    """Each name at a layer, the place of the script that says so, what is in it, and the label."""
    closing = closing_braces(tokens)
    sizes = {
        id(t)
        for place, shape in enumerate(tokens)
        if shape.type == "RR"
        for t in tokens[place : closing.get(place + 2, place)]
    }
    for kind in ("SUP", "SUB"):
        for name, place, inner in scripted(tokens, kind):
            label = _label(inner)
            if label is not None and (kind == "SUP" or id(name) in sizes):
                yield name, place, inner, label


def _places(tokens: Sequence[Token], letter: str) -> Iterator[str]:
    """The labels with the letter, one for each script that is one."""
    return (label for *_, label in _labelled(tokens) if label.split("_")[0] == letter)


def _moved(tokens: Sequence[Token]) -> set[str]:
    """The letters of labels such as `l+1`."""
    return {n for n in _LETTERS if any(label != n for label in _places(tokens, n))}


def _is_left(tokens: Sequence[Token], letter: str) -> bool:
    r"""Whether the left side is `h^{(l)}`, at a layer itself."""
    return any(True for _ in _places(tokens[: equal_place(tokens)], letter))


def _count(tokens: Sequence[Token], letter: str) -> int:
    return sum(t.type == "NAME" and t.value == letter for t in tokens)
