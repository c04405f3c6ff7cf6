r"""Letters that say what something depends on: the `t` of `\frac{dS_i}{dt} = -\beta S_i(t) I_i(t)`, the `\theta` of `L(\theta) = \sum_t r_t(\theta) A_t`.

A letter that a derivative is by, or a Greek one in brackets on a left side, is left out where it stands nowhere else but alone in
brackets behind names. So is the `q` of `d_i(q)`, where `d` is declared with one dimension, and the point of
`\sum_k \pi_k(\mathbf{x}) \mu_k(\mathbf{x})`. So are parameters behind a semicolon, `\mu(x_i; \theta)`, that stand nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.calls import calls_in, declared_indices, listed
from tadc.syntax.tex.commands import GREEK
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, equal_place
from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["times", "without_parameters", "without_times"]


def times(
    displays: Sequence[Sequence[Token]], declared: Set[str], ranks: Mapping[str, int]
) -> set[str]:
    """The letters that derivatives are by, or that left sides have in brackets, and that stand nowhere else but alone in brackets."""
    displays = [_without_abstract_sides(tokens) for tokens in displays]
    by = {t.value for tokens in displays for t in _variables(tokens)}
    if any(t.value.endswith(("_dot", "_ddot")) for tokens in displays for t in tokens):
        by.add("t")
    by |= {name for tokens in displays for name in _on_the_left(tokens)}
    by |= {name for tokens in displays for name in _behind_elements(tokens, ranks)}
    if any(_has_time_on_the_left(tokens) for tokens in displays):
        by.add("t")
    by |= _points(displays)
    found: set[str] = set()
    indices = {name for tokens in displays for name in declared_indices(tokens, ranks)}
    indices -= {name for tokens in displays for name in _behind_elements(tokens, ranks)}
    for name in sorted(by - declared - indices):
        places = [(tokens, n) for tokens in displays for n, t in enumerate(tokens) if _is(t, name)]
        below = {id(t) for tokens in displays for t in _variables(tokens)}
        alone = [_is_alone(tokens, n) for tokens, n in places]
        others = [
            id(tokens[n]) in below
            for (tokens, n), is_alone in zip(places, alone, strict=True)
            if not is_alone
        ]
        if any(alone) and all(others):
            found.add(name)
    return found


def without_times(tokens: Sequence[Token], names: Set[str], guesses: list[Guess]) -> list[Token]:
    """The tokens without these letters in brackets."""
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        inner = tokens[place + 1] if place + 1 < len(tokens) else None
        if inner is not None and inner.value in names and _is_alone(tokens, place + 1):
            text = f"`({inner.value})` is left out: the formula holds at each `{inner.value}`"
            if all(guess.text != text for guess in guesses):
                guesses.append(Guess(text, tokens[place].start, tokens[place + 2].end))
            place += 3
        else:
            result.append(tokens[place])
            place += 1
    return result


def _on_the_left(tokens: Sequence[Token]) -> Iterator[str]:
    r"""The Greek letters alone in brackets before an equality sign, of which a right side has some too."""
    for place, token in enumerate(tokens[:-2]):
        is_left = tokens[place + 1].type == "RPAR" and tokens[place + 2].type in ("EQ", "DEF")
        is_letter = is_left and token.value in GREEK and _is_alone(tokens, place)
        if is_letter and sum(_is(t, token.value) for t in tokens) > 1:
            yield token.value


def _has_time_on_the_left(tokens: Sequence[Token]) -> bool:
    r"""Whether it is `p_i(t) = ..`, and the right side has a `(t)` too."""
    equal = equal_place(tokens)
    places = [n for n, t in enumerate(tokens) if _is(t, "t")]
    left = [n for n in places if n < equal and _is_alone(tokens, n)]
    is_whole = bool(left) and left[0] == equal - 2 and tokens[left[0] - 2].type == "RBRACE"
    return is_whole and any(n > equal for n in places)


def _behind_elements(tokens: Sequence[Token], ranks: Mapping[str, int]) -> Iterator[str]:
    """The letters alone in brackets behind declared names that have all of their subscripts before."""
    for call in calls_in(tokens):
        below = [t for t in call.below if t.type in ("NAME", "NUM")]
        is_whole = bool(below) and ranks.get(call.name.value) == len(below)
        if is_whole and [t.type for t in call.inner] == ["NAME"]:
            yield call.inner[0].value


def _without_abstract_sides(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without what stands between two equality signs and has an expectation or another sign that no formula has."""
    sides: list[list[Token]] = [[]]
    for token, depth in depths(tokens):
        if depth == 0 and token.type in ("EQ", "DEF", "BREAK"):
            sides.append([])
        sides[-1].append(token)
    kept = [s for s in sides if not any(t.type == "ERROR" for t in s)]
    return [t for s in kept for t in s]


def _points(displays: Sequence[Sequence[Token]]) -> set[str]:
    r"""The letters of points, bold or of the end of the alphabet, that right sides have in brackets behind names with letters below."""
    found: set[str] = set()
    others: set[str] = set()
    on_the_left: set[str] = set()
    for tokens in displays:
        equal = equal_place(tokens)
        for call in calls_in(tokens):
            if [t.type for t in call.inner] != ["NAME"]:
                continue
            point = call.inner[0]
            if call.start < equal:
                on_the_left.add(point.value)
                continue
            is_letter = point.value in _LETTERS_OF_POINTS and point.value in on_the_left
            is_point = point.note == "bold" or is_letter
            has_index = any(t.type == "NAME" for t in call.below)
            (found if is_point and has_index else others).add(point.value)
    return found - others


_LETTERS_OF_POINTS = frozenset("xyzr")


def without_parameters(streams: Sequence[Sequence[Token]]) -> list[list[Token]]:
    r"""The tokens of each formula without parameters behind semicolons, `\mu(x_i; \theta)`, that stand nowhere else."""
    counts = Counter(t.value for tokens in streams for t in _outside_lists(tokens))
    behind = [_behind_semicolons(tokens) for tokens in streams]
    inside = {
        t.value
        for tokens, places in zip(streams, behind, strict=True)
        for start, end in places
        for t in tokens[start:end]
        if t.type == "NAME"
    }
    free = {name for name in inside if not counts[name]}
    result = []
    for tokens, places in zip(streams, behind, strict=True):
        dropped = {
            n
            for start, end in places
            if {t.value for t in tokens[start:end] if t.type == "NAME"} <= free
            for n in range(start, end)
        }
        result.append([t for n, t in enumerate(tokens) if n not in dropped])
    return result


def _outside_lists(tokens: Sequence[Token]) -> Iterator[Token]:
    """The names that are no whole part of a list in brackets behind a name."""
    listed_names = {
        id(part[0])
        for call in calls_in(tokens)
        for part in listed(
            [replace(t, type="COMMA") if t.type == "GIVEN" else t for t in call.inner]
        )
        if [t.type for t in part] == ["NAME"]
    }
    return (t for t in tokens if t.type == "NAME" and id(t) not in listed_names)


def _behind_semicolons(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """The places from a semicolon in the brackets behind a name to the end of these brackets."""
    closing = closing_brackets(tokens)
    found = []
    for call in calls_in(tokens):
        opening = call.end - len(call.inner) - 1
        if closing.get(opening) != call.end:
            continue
        for n, (token, depth) in enumerate(depths(call.inner)):
            if depth == 0 and token.value == ";" and n:
                found.append((opening + 1 + n, call.end))
                break
    return found


def _is(token: Token, name: str) -> bool:
    return token.type == "NAME" and token.value == name


def _is_alone(tokens: Sequence[Token], place: int) -> bool:
    """Whether the name is all that stands in round brackets behind a name, or behind its scripts."""
    before, after = tokens[place - 1 : place], tokens[place + 1 : place + 2]
    is_bracket = [t.type for t in (*before, *after)] == ["LPAR", "RPAR"]
    return is_bracket and place > 1 and tokens[place - 2].type in ("NAME", "RBRACE", "PRIME")


def _variables(tokens: Sequence[Token]) -> Iterator[Token]:
    r"""The `t` of `\frac{dx}{dt}`, `\frac{\partial x}{\partial t}` and `\partial_t x`."""
    closing = closing_braces(tokens)
    for place, token in enumerate(tokens):
        if token.type == "FRAC":
            yield from _below(tokens, place, closing)
        elif token.type == "PARTIAL":
            five = tokens[place + 1 : place + 5]
            if [t.type for t in five] == ["SUB", "LBRACE", "NAME", "RBRACE"]:
                yield five[2]


def _below(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> Iterator[Token]:
    middle = closing.get(place + 1, -1)
    end = closing.get(middle + 1, -1)
    over, under = tokens[place + 2 : middle], tokens[middle + 2 : end]
    signs = [t.type == "PARTIAL" or t.value == "d" for t in (*over[:1], *under[:1])]
    if middle > 0 and end > 0 and signs == [True, True] and len(under) > 1:
        yield under[1]
