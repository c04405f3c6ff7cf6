r"""Letters above names that become labels: the `x` of `E^x_k = a^x`, said in a line; and those that may be indices, the `j` of
`T_i^j = u_i v^j`, an error that shows both readings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.script_survey import COUNTING
from tadc.syntax.tex.script_tokens import (
    Guess,
    bound_names,
    equal_place,
    left_indices,
    scripted,
    with_rewritten_scripts,
)
from tadc.syntax.tex.token_list import Token

__all__ = ["OF_INDICES", "bound_above", "guessed_labels", "raised_indices", "with_unclear_indices"]

OF_INDICES = (COUNTING - {"l"}) | {"p", "q", "mu", "nu", "alpha", "beta"}  # `l` counts layers


def raised_indices(tokens: Sequence[Token]) -> set[str]:
    """The letters of indices that stand alone above the left side and above something on the right."""
    equal = equal_place(tokens)
    left, right = ({t.value for _, t in _raised(side)} for side in (tokens[:equal], tokens[equal:]))
    return left & right & OF_INDICES


def bound_above(tokens: Sequence[Token]) -> set[str]:
    r"""The letters that stand alone above something and that the formula binds, the `l` of `E_l = \sum_{ij} (G_{ij}^l)^2`."""
    left = [t.value for t in left_indices(tokens)]
    bound = bound_names(tokens[equal_place(tokens) :]) | ({*left} if len(left) == 1 else set())
    return {above.value for _, above in _raised(tokens)} & bound


def with_unclear_indices(tokens: Sequence[Token], letters: Set[str]) -> list[Token]:
    """The tokens with an error for each name on the right that has one of the letters above it."""
    if not letters:
        return list(tokens)
    equal = equal_place(tokens)

    def new(name: Token, script: Sequence[Token]) -> tuple[Token, Sequence[Token]] | None:
        if script[0].type != "SUP" or [t.value for t in script[2:-1]] not in ([x] for x in letters):
            return None
        letter = script[2].value
        mark = as_printed(letter)
        fact = f"`^{mark}` may be an index or a label, and nothing in the document tells"
        fix = f"write `%!tadc upper` if superscripts are indices behind the lower ones, or `^{{\\mathrm{{{mark}}}}}` for a label, everywhere"
        error = replace(name, type="ERROR", value=fact, note=fix, end=script[-1].end)
        return error, ()

    return [*tokens[:equal], *with_rewritten_scripts(tokens[equal:], new)]


def guessed_labels(tokens: Sequence[Token], labels: Set[str]) -> list[Guess]:
    """What is said of the letters above names that are labels here, once for each."""
    found: dict[str, Guess] = {}
    for name, above in _raised(tokens):
        if above.value in labels and name.value != "e":
            text = f"`^{above.value}` is a label, part of the name: nothing binds `{above.value}`"
            found.setdefault(text, Guess(text, name.start, above.end))
    return [*found.values()]


def _raised(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Each name with an italic letter alone above it, and the letter."""
    for name, _, inner in scripted(tokens, "SUP"):
        if [t.type for t in inner] == ["NAME"] and not inner[0].note:
            yield name, inner[0]
