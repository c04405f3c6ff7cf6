r"""A formula without a left side: `\min_{x} \sum_{ij} (p_{ij} - x_i y_j)^2` defines `objective`, and a lone sum `value`.

That is read where a document defines nothing else, and where sums bind all indices: it is a number then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, bound_names, has_style, scripted
from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.token_list import Token

__all__ = ["with_nameless"]

_RELATIONS = frozenset(("EQ", "DEF", "APPROX", "IN", "PROPTO", "REL", "TO", "GIVEN"))
_SUMS = frozenset(("RED", "TOP", "NORM_L"))


def with_nameless(
    displays: Sequence[Sequence[Statement]], guesses: list[Guess]
) -> list[list[Statement]]:
    """The displays, the one formula among them with a left side, if no other is defined."""
    statements = [s for display in displays for s in display]
    found = [
        s for s in statements if s.kind == "skipped" and _is_number(_without_optimum(s.tokens))
    ]
    if any(s.kind == "definition" for s in statements) or len(found) != 1:
        return [list(display) for display in displays]
    tokens = _without_optimum(found[0].tokens)
    is_optimum = len(tokens) < len(found[0].tokens)
    name = "objective" if is_optimum else "value"
    at = tokens[0].start
    named = (Token("NAME", name, at, at), Token("EQ", "=", at, at), *tokens)
    what = "what is optimised" if is_optimum else "the formula, which has no left side"
    guesses.append(Guess(f"`{name}` is {what}", found[0].start, found[0].end))
    new = replace(found[0], kind="definition", tokens=named)
    return [[new if s is found[0] else s for s in display] for display in displays]


def _is_number(tokens: Sequence[Token]) -> bool:
    """Whether it sums, compares nothing, and binds every letter below its names."""
    if not tokens or any(t.type in _RELATIONS and depth == 0 for t, depth in depths(tokens)):
        return False
    bound = bound_names((_EQUAL, *tokens))
    below = [t for _, _, inner in scripted(tokens, "SUB") for t in inner if t.type == "NAME"]
    is_whole = all(t.value in bound or has_style(t) or t.value.isupper() for t in below)
    return is_whole and any(t.type in _SUMS for t in tokens) and tokens[0].type != "ERROR"


_EQUAL = Token("EQ", "=", 0, 0)


def _without_optimum(tokens: Sequence[Token]) -> tuple[Token, ...]:
    r"""What `\min_{x, y}` stands in front of, where `x` and `y` are no indices of it."""
    closing = closing_braces(tokens)
    kinds = [t.type for t in tokens[:3]]
    is_optimum = kinds[:2] == ["RED", "SUB"] and tokens[0].value in ("max", "min") and 2 in closing
    if not is_optimum:
        return tuple(tokens)
    over, body = tokens[3 : closing[2]], tokens[closing[2] + 1 :]
    names = _outermost(over)
    below = {t.value for _, _, inner in scripted(body, "SUB") for t in inner}
    is_over_tensors = bool(names) and not names & below
    return tuple(body) if is_over_tensors else tuple(tokens)


def _outermost(tokens: Sequence[Token]) -> set[str]:
    """The names in a list, without what stands below them."""
    closing = closing_braces(tokens)
    inside = {
        n
        for place, t in enumerate(tokens)
        if t.type in ("SUB", "SUP")
        for n in range(place, closing.get(place + 1, place) + 1)
    }
    return {t.value for n, t in enumerate(tokens) if t.type == "NAME" and n not in inside}
