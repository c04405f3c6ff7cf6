r"""One step of a recurrence: a cell of a network, or a filter, whose formulas have the step in two labels alone.

    z_t = \sigma(W x_t + U h_{t-1}), \quad h_t = (1 - z_t) h_{t-1} + z_t x_t

Where every `t` of the displays is all that stands below a name, as `t` or `t-1`, and something that stands at `t-1` is defined at `t`,
then `h_{t-1}` is an input of this one step, `h_prev`, and what stands at `t` is `x_t` and `h_t`. It is not so where the document gives the
step a range, or a line declares one of these tensors, with the step among its dimensions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.script_tokens import (
    Guess,
    equal_place,
    scripted,
    with_rewritten_scripts,
)
from tadc.syntax.tex.token_list import Token

__all__ = ["previous_steps", "with_previous_steps"]

_LETTERS = ("t", "k", "n")  # that count steps


def previous_steps(
    streams: Sequence[tuple[Sequence[Token], bool]], declared: Set[str]
) -> dict[str, set[str]]:
    """The letter that counts steps, if there is one, and the names that are read at the step before; streams with whether they are prose."""
    for letter in _LETTERS:
        found = _read_before(streams, letter, declared)
        if found:
            return {letter: found}
    return {}


def with_previous_steps(
    tokens: Sequence[Token], steps: dict[str, set[str]], guesses: list[Guess]
) -> list[Token]:
    """The tokens with one name for each that stands at a step, and with the same shape for what stands at the one before."""
    for letter, names in steps.items():
        tokens = _with_shapes(_named(tokens, letter, names, guesses), names, letter)
    return list(tokens)


def _read_before(
    streams: Sequence[tuple[Sequence[Token], bool]], letter: str, declared: Set[str]
) -> set[str]:
    """The names that are read at `t-1` and defined at `t`; none where the letter stands elsewhere, or may be an index."""
    defined: set[str] = set()
    before: set[str] = set()
    at_step: set[str] = set()
    for tokens, is_prose in streams:
        if is_prose:
            if _gives_range(tokens, letter):
                return set()
            continue
        labels = [(name, step) for name, _, step in _labels(tokens, letter)]
        if len(labels) != sum(t.type == "NAME" and t.value == letter for t in tokens):
            return set()
        at_step |= {name.value for name, _ in labels}
        before |= {name.value for name, step in labels if step}
        defined |= {name.value for name, step in _on_the_left(tokens, letter) if not step}
    every = {t.value for tokens, _ in streams for t in tokens if t.type == "NAME"}
    taken = {f"{name}_prev" for name in before} & every
    is_one_step = bool(before & defined) and not at_step & declared and not taken
    return before if is_one_step else set()


def _on_the_left(tokens: Sequence[Token], letter: str) -> Iterator[tuple[Token, bool]]:
    """The names at a step that left sides begin with."""
    begins = {0} | {n + 1 for n, t in enumerate(tokens) if t.type in _SEPARATORS}
    for name, place, is_before in _labels(tokens, letter):
        end = place + (6 if is_before else 4)
        if [t.value for t in tokens[end + 2 : end + 3]] == ["2"] and tokens[end].type == "SUP":
            end += 4  # `\sigma_t^2 =`
        if place - 1 in begins and [t.type for t in tokens[end : end + 1]] in (["EQ"], ["DEF"]):
            yield name, is_before


_SEPARATORS = frozenset(("BREAK", "QUAD", "COMMA", "DOT", "TEXT", "AND"))


def _labels(tokens: Sequence[Token], letter: str) -> Iterator[tuple[Token, int, bool]]:
    """Each name at a step, the place of its subscript, and whether it is the step before."""
    for name, place, inner in scripted(tokens, "SUB"):
        is_before = _step(inner, letter)
        if is_before is not None:
            yield name, place, is_before


def _step(inner: Sequence[Token], letter: str) -> bool | None:
    """Whether it is the step before; None for what is no step."""
    values = [t.value for t in inner]
    return {(letter,): False, (letter, "-", "1"): True}.get((*values,))


def _gives_range(tokens: Sequence[Token], letter: str) -> bool:
    """Whether the prose says of the letter alone which values it has."""
    inside = {id(t) for _, _, inner in scripted(tokens, "SUB") for t in inner}
    is_alone = any(t.value == letter and id(t) not in inside for t in tokens)
    return is_alone and any(t.type in ("EQ", "REL", "IN", "DOTS") for t in tokens)


def _named(
    tokens: Sequence[Token], letter: str, names: set[str], guesses: list[Guess]
) -> list[Token]:
    def new(name: Token, script: Sequence[Token]) -> tuple[Token, Sequence[Token]] | None:
        sign, _, *inner, closing = script
        is_before = _step(inner, letter)
        if sign.type != "SUB" or is_before is None:
            return None
        if is_before and name.value not in names:  # a length of the prose
            return None
        if is_before:
            text = f"this is one step: `{name.value}_prev` is the input `{name.value}_{{{letter}-1}}`, of the step before"
            if all(guess.text != text for guess in guesses):
                guesses.append(Guess(text, name.start, closing.end))
        label = "prev" if is_before else letter
        return replace(name, value=f"{name.value}_{label}", end=closing.end), []

    return with_rewritten_scripts(tokens, new)


def _with_shapes(tokens: list[Token], names: set[str], letter: str) -> list[Token]:
    r"""The tokens of `h_t \in \mathbb{R}^{H}` with the shape of `h_{t-1}`, too."""
    if "RR" not in {t.type for t in tokens} or equal_place(tokens):
        return tokens
    present = {t.value for t in tokens}
    result: list[Token] = []
    for token in tokens:
        result.append(token)
        base = token.value.removesuffix(f"_{letter}")
        if base != token.value and base in names and f"{base}_prev" not in present:
            result.append(Token("COMMA", ",", token.end, token.end))
            result.append(replace(token, value=f"{base}_prev"))
    return result
