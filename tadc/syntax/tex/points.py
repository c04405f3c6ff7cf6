r"""Values of functions at points: `\sum_i w_i f(x_i)` reads `f[i]`, where the document neither defines `f` nor reads `x` otherwise.

Letters that are mostly applied to what is given, such as `\phi`, have to be defined.

`\mu_1(X_i)` is the element `mu_1[i]`, where nothing but numbers stands below `\mu`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.calls import Call, calls_in, listed, points
from tadc.syntax.tex.commands import FUNCTION_LETTERS
from tadc.syntax.tex.script_tokens import Guess, bound_names, with_label
from tadc.syntax.tex.statements import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["functions_at_points", "numbered_functions", "with_numbered_functions"]


def functions_at_points(
    definitions: Sequence[Statement], known: Set[str], declared: Set[str], guesses: list[Guess]
) -> set[str]:
    """The names that stand only in front of lists of elements, whose names stand nowhere else; none that are `known`."""
    calls = [call for d in definitions for call in _at_indices(d)]
    bases = {t.value for call in calls for t in _bases(call)}
    rights = [t.value for d in definitions for t in d.right if t.type == "NAME"]
    in_calls = [t.value for call in calls for t in _bases(call)]
    only_there = {b for b in bases - declared if rights.count(b) == in_calls.count(b)}
    found: set[str] = set()
    for name in dict.fromkeys(call.name.value for call in calls):
        own = [call for call in calls if call.name.value == name]
        lists = {tuple(t.value for t in _bases(call)) for call in own}
        is_always = rights.count(name) == len(own)
        is_told = all(_is_value(call) for call in own) and len(lists) == 1
        if name not in known and is_always and is_told and {*lists.pop()} <= only_there:
            found.add(name)
            first = own[0]
            text = (
                f"`{name}(..)` is an input, its values at the points: nothing defines the function"
            )
            guesses.append(Guess(text, first.name.start, first.inner[-1].end))
    return found


def _at_indices(definition: Statement) -> Iterator[Call]:
    """The calls on the right side with lists of elements at indices."""
    bound = bound_names(definition.tokens)
    summed = bound_names(definition.right)
    for call in calls_in(definition.tokens):
        below = {t.value for t in points(call.inner) if t.type == "NAME"}
        indices = summed if len(call.name.value) == 1 else bound
        if call.start > definition.equal and below and below <= indices and not call.is_raised:
            yield call


def _is_value(call: Call) -> bool:
    """Whether it is the value of an unknown function or of an estimate, and no function that a reader knows."""
    name, base = call.name.value, call.name.value.split("_")[0]
    is_letter = name in _UNKNOWN or (name != base and base not in FUNCTION_LETTERS)
    return is_letter and not call.below and len(listed(call.inner)) == 1


_UNKNOWN = frozenset("fFuvzZ")  # fields, and functions under an integral


def _bases(call: Call) -> list[Token]:
    """The names of the elements in the bracket."""
    return [t for t in call.inner if t.type == "NAME"][::2]


def numbered_functions(streams: Sequence[Sequence[Token]], declared: Set[str]) -> set[str]:
    """The names in front of brackets that hold lists of names or of elements, and have nothing but numbers below them."""
    below: dict[str, set[str]] = {}
    for tokens in streams:
        for call in calls_in(tokens):
            inner = call.below[1:-1]
            is_number = [t.type for t in inner] == ["NUM"] and not call.is_raised
            is_list = bool(points(call.inner)) or _are_names(call.inner)
            number = inner[0].value if is_number and is_list else ""
            below.setdefault(call.name.value, set()).add(number)
    return {name for name, found in below.items() if "" not in found} - declared


def _are_names(inner: Sequence[Token]) -> bool:
    return all([t.type for t in part] == ["NAME"] for part in listed(inner))


def with_numbered_functions(tokens: Sequence[Token], names: Set[str]) -> list[Token]:
    """The tokens with the number in each of these names."""
    calls = {c.start: c for c in calls_in(tokens) if c.name.value in names and c.below}
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        call = calls.get(place)
        if call is None:
            result.append(tokens[place])
            place += 1
        else:
            label = replace(call.below[1], type="NAME")
            result.append(with_label(call.name, [label], call.below[-1].end))
            place += len(call.below) + 2
    return result
