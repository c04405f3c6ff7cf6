r"""Values of functions at points: `\sum_i w_i f(x_i)` reads `f[i]`, where the document neither defines `f` nor reads `x` otherwise.

Letters that are mostly applied to what is given, such as `\phi`, have to be defined.

`\mu_1(X_i)` is the element `mu_1[i]`, where nothing but numbers stands below `\mu`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.calls import Call, calls_in, listed, points, with_rewritten
from tadc.syntax.tex.commands import FUNCTION_LETTERS
from tadc.syntax.tex.script_tokens import Guess, bound_names, with_label
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["functions_at_points", "numbered_functions", "with_numbered_functions"]


def functions_at_points(
    definitions: Sequence[Statement],
    known: Set[str],
    ranks: Mapping[str, int],
    sizes: Set[str],
    guesses: list[Guess],
) -> set[str]:
    """The names that stand only in front of lists of elements, whose names stand nowhere else; none that are `known`.

    `ranks` are declared numbers of dimensions; `sizes` may be places too, as in `f(x_n)`.
    """
    calls = [call for d in definitions for call in _at_places(d, sizes)]
    at_indices = {call.name.value for d in definitions for call in _at_indices(d)}
    bases = {t.value for call in calls for t in _bases(call)}
    rights = [t.value for d in definitions for t in d.right if t.type == "NAME"]
    in_calls = [t.value for call in calls for t in _bases(call)]
    declared = {*ranks, *sizes}
    sums = {n for d in definitions for n in bound_names(d.tokens)}
    only_there = {b for b in bases - declared if rights.count(b) == in_calls.count(b)}
    found: set[str] = set()
    for name in dict.fromkeys(call.name.value for call in calls):
        own = [call for call in calls if call.name.value == name]
        lists = {tuple(t.value for t in _bases(call)) for call in own}
        is_always = rights.count(name) == len(own) and name in at_indices
        if not is_always or len(lists) > 1 or not {*lists.pop()} <= only_there:
            continue
        if all(ranks.get(name) == len(listed(call.inner)) and not call.below for call in own):
            found.add(name)
        elif name not in known and (
            all(_is_value(call) or _is_basis(call, sums) for call in own) or _are_composed(own)
        ):
            found.add(name)
            first = own[0]
            text = (
                f"`{name}(..)` is an input, its values at the points: nothing defines the function"
            )
            guesses.append(Guess(text, first.name.start, first.inner[-1].end))
    return found


def _at_places(definition: Statement, sizes: Set[str]) -> Iterator[Call]:
    """The calls on the right side with lists of elements, at indices, sizes or numbers."""
    places = bound_names(definition.tokens) | sizes
    for call in calls_in(definition.tokens):
        below = points(call.inner)
        is_right = call.start > definition.equal and not call.is_raised
        if is_right and below and {t.value for t in below if t.type == "NAME"} <= places:
            yield call


def _at_indices(definition: Statement) -> Iterator[Call]:
    """Those of them that an index of a sum stands in, or of the left side where the name is longer than a letter."""
    bound = bound_names(definition.tokens)
    summed = bound_names(definition.right)
    for call in _at_places(definition, set()):
        below = {t.value for t in points(call.inner) if t.type == "NAME"}
        if below and below <= (summed if len(call.name.value) == 1 else bound):
            yield call


def _is_value(call: Call) -> bool:
    """Whether it is the value of an unknown function or of an estimate, and no function that a reader knows."""
    name, base = call.name.value, call.name.value.split("_")[0]
    is_letter = name in _UNKNOWN or (name != base and base not in FUNCTION_LETTERS)
    return is_letter and not call.below and len(listed(call.inner)) == 1


def _are_composed(calls: Sequence[Call]) -> bool:
    r"""Whether they are the `\gamma(z_{nk})` of a document: a function of an element with several indices, wherever the element stands."""
    plain = all(not call.below and len(listed(call.inner)) == 1 for call in calls)
    counts = [sum(t.type == "NAME" for t in points(call.inner)) for call in calls]
    return plain and len(calls) > 1 and min(counts) > 1


def _is_basis(call: Call, bound: Set[str]) -> bool:
    r"""Whether it is `\chi_\mu(r_g)`: one of several functions, `\mu`, at one of several points, given as data."""
    letters = [t for t in call.below[1:-1] if t.type != "COMMA"]
    are_indices = all(t.type == "NAME" and t.value in bound for t in letters)
    return bool(letters) and are_indices and len(listed(call.inner)) == 1


_UNKNOWN = frozenset(
    (*"fFuvzZpPqQ", "mu")
)  # fields, functions under an integral, probabilities, means


def _bases(call: Call) -> list[Token]:
    """The names of the elements in the bracket."""
    return [part[0] for part in listed(call.inner)]


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

    def rewritten(call: Call) -> tuple[list[Token], int] | None:
        if call.name.value not in names or not call.below:
            return None
        label = replace(call.below[1], type="NAME")
        name = with_label(call.name, [label], call.below[-1].end)
        return [name], call.start + len(call.below) + 2

    return with_rewritten(tokens, rewritten)
