r"""Powers of steps in front of a name, `\Delta^2 f_i`: a difference of differences, or the square of a number `\Delta` times `f_i`."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import Token, behind_scripts

__all__ = ["has_number_delta", "with_unclear_differences"]


def has_number_delta(streams: Sequence[Sequence[Token]], declared: Set[str]) -> bool:
    r"""Whether a formula has a `\Delta` in front of no name, or a line declares it: it is a number."""
    return "Delta" in declared or any(
        token.value == "Delta" and token.type == "NAME" and not _is_in_front(tokens, place)
        for tokens in streams
        for place, token in enumerate(tokens)
    )


def with_unclear_differences(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with an error for each power of a step."""
    result = list(tokens)
    for place, token in enumerate(tokens):
        is_raised = [t.type for t in tokens[place + 1 : place + 2]] == ["SUP"]
        if token.type == "NAME" and token.value == "Delta" and is_raised:
            fact = r"`\Delta` with a power may be a difference of differences, or the power of a number"
            fix = r"write the difference by elements, `f_{i+1} - 2 f_i + f_{i-1}`; a number is declared, `%!tadc input Delta[]`"
            result[place] = replace(token, type="ERROR", value=fact, note=fix)
    return result


def _is_in_front(tokens: Sequence[Token], place: int) -> bool:
    """Whether a name follows, behind a power or at once."""
    end = behind_scripts(tokens, place + 1, closing_braces(tokens))
    return [t.type for t in tokens[end : end + 1]] == ["NAME"]
