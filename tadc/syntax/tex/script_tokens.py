r"""The scripts of names in tokens: where they are, what stands in them, and which names a definition binds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tadc.syntax.tex.names import closing_braces, limit_names
from tadc.syntax.tex.token_list import Token

__all__ = [
    "LONGEST_SCRIPT",
    "Guess",
    "bound_names",
    "comma",
    "equal_place",
    "has_style",
    "left_indices",
    "names_in_bounds",
    "numbers_in_bounds",
    "scripted",
    "scripts_at",
    "with_label",
    "with_rewritten_scripts",
]

LONGEST_SCRIPT = 100  # tokens; longer ones are left to the grammar


@dataclass(frozen=True, slots=True)
class Guess:
    """What was decided without the document saying so, and where, in positions of the expanded text."""

    text: str
    start: int
    end: int


def bound_names(tokens: Sequence[Token], *, is_upper: bool = False) -> set[str]:
    """The indices of a definition: those of its left side, above too if `is_upper`, and those that its reductions run over."""
    closing = closing_braces(tokens)
    names: set[str] = set()
    equal = _outer_equal(tokens, closing)
    place = 1
    while place < equal and tokens[place].type in ("SUB", "SUP") and place + 1 in closing:
        inner = tokens[place + 2 : closing[place + 1]]
        if tokens[place].type == "SUB" or is_upper:
            names |= {t.value for t in inner if t.type == "NAME" and not has_style(t)}
        place = closing[place + 1] + 1
    for place, token in enumerate(tokens[:-1]):
        is_limit = token.type == "SUB" and tokens[place - 1].type in ("RED", "SOFTMAX")
        if is_limit and place + 1 in closing:
            names.update(limit_names(tokens, place + 1, closing))
            inside = tokens[place + 2 : min(closing[place + 1], place + LONGEST_SCRIPT)]
            if any(t.type == "REL" for t in inside):
                names |= {t.value for t in inside if t.type == "NAME"}
    return names


def scripts_at(
    tokens: Sequence[Token], place: int, closing: dict[int, int]
) -> tuple[Sequence[Token] | None, Sequence[Token] | None, int]:
    """The braces below and above the name at `place`, and where its scripts end; two of a kind are left alone."""
    found: dict[str, Sequence[Token]] = {}
    end = place + 1
    while end < len(tokens) and tokens[end].type in ("SUB", "SUP") and end + 1 in closing:
        if tokens[end].type in found or closing[end + 1] - end >= LONGEST_SCRIPT:
            return None, None, place + 1
        found[tokens[end].type] = tokens[end + 1 : closing[end + 1] + 1]
        end = closing[end + 1] + 1
    return found.get("SUB"), found.get("SUP"), end


def scripted(tokens: Sequence[Token], kind: str) -> Iterator[tuple[Token, int, Sequence[Token]]]:
    """Each name with a script of that kind, the script's place, and what stands in it."""
    closing = closing_braces(tokens)
    for place, token in enumerate(tokens):
        if token.type != "NAME":
            continue
        end = place + 1
        while end < len(tokens) and tokens[end].type in ("SUB", "SUP") and end + 1 in closing:
            if tokens[end].type == kind and closing[end + 1] - end < LONGEST_SCRIPT:
                yield token, end, tokens[end + 2 : closing[end + 1]]
            end = closing[end + 1] + 1


def with_rewritten_scripts(
    tokens: Sequence[Token],
    new: Callable[[Token, Sequence[Token]], tuple[Token, Sequence[Token]] | None],
) -> list[Token]:
    """The tokens with what `new` makes of a name and a script of it, given with its sign and braces; None leaves both."""
    closing = closing_braces(tokens)
    owners = {place: name for kind in ("SUB", "SUP") for name, place, _ in scripted(tokens, kind)}
    result: list[Token] = []
    names: dict[int, int] = {}  # their places in the result
    place = 0
    while place < len(tokens):
        token, owner = tokens[place], owners.get(place)
        made = None
        if owner is not None and id(owner) in names:
            end = closing[place + 1] + 1
            made = new(result[names[id(owner)]], tokens[place:end])
        if owner is None or made is None:
            names[id(token)] = len(result)
            result.append(token)
            place += 1
        else:
            result[names[id(owner)]], script = made
            result += script
            place = closing[place + 1] + 1
    return result


def _outer_equal(tokens: Sequence[Token], closing: dict[int, int]) -> int:
    r"""The place of the first equality sign outside of braces: that of `\sum_{i=1}^{N}` makes no left side of what stands before it."""
    place = 0
    while place < len(tokens):
        if tokens[place].type in ("EQ", "DEF", "APPROX"):
            return place
        place = closing.get(place, place) + 1
    return 0


def equal_place(tokens: Sequence[Token]) -> int:
    return next((n for n, t in enumerate(tokens) if t.type in ("EQ", "DEF", "APPROX")), 0)


def left_indices(tokens: Sequence[Token]) -> list[Token]:
    """The letters in the subscript of the left side."""
    closing = closing_braces(tokens)
    has_subscript = len(tokens) > 2 and tokens[1].type == "SUB" and 2 in closing
    inner = tokens[3 : closing[2]] if has_subscript and closing[2] < equal_place(tokens) else ()
    return [t for t in inner if t.type == "NAME" and not has_style(t)]


def has_style(token: Token) -> bool:
    """Whether it is written as a label: roman, or in one of the ornate alphabets."""
    return token.note in ("upright", "sans", "calligraphic", "script", "fraktur")


def with_label(base: Token, labels: Sequence[Token], end: int) -> Token:
    label = "".join(t.value for t in labels if t.type == "NAME")
    return replace(base, value=f"{base.value}_{label}", end=end)


def comma(at: Token) -> Token:
    return Token("COMMA", "", at.start, at.start)


def names_in_bounds(definitions: Iterable[Sequence[Token]]) -> set[str]:
    """The names above reductions, and behind relations in what is below them; not those in their subscripts."""
    return {name for name, _ in _in_bounds(definitions)}


def numbers_in_bounds(definitions: Iterable[Sequence[Token]]) -> set[str]:
    """Those of these names that have no subscripts somewhere: not the `p` of a sum from `p_i` to `p_{i+1}-1`."""
    return {name for name, is_element in _in_bounds(definitions) if not is_element}


def _in_bounds(definitions: Iterable[Sequence[Token]]) -> set[tuple[str, bool]]:
    """The names in bounds, and whether they have subscripts there."""
    names: set[tuple[str, bool]] = set()
    for tokens in definitions:
        closing = closing_braces(tokens)
        for place, token in enumerate(tokens):
            if token.type != "RED":
                continue
            at = place + 1
            while at + 1 in closing and tokens[at].type in ("SUB", "SUP"):
                end = min(closing[at + 1], place + LONGEST_SCRIPT)
                names.update(_names_in_bound(tokens[at + 2 : end], is_low=tokens[at].type == "SUB"))
                at = closing[at + 1] + 1
    return names


def _names_in_bound(inner: Sequence[Token], *, is_low: bool) -> Iterator[tuple[str, bool]]:
    closing = closing_braces(inner)
    place = 0
    while place < len(inner):
        token = inner[place]
        if token.type == "SUB":
            place = closing.get(place + 1, place)
        elif token.type == "REL":
            is_low = False
        elif token.type == "NAME" and not is_low:
            yield token.value, any(t.type == "SUB" for t in inner[place + 1 : place + 2])
        place += 1
