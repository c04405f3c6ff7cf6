r"""Left sides with a list between the name and its subscripts: after `G(x)_i = ..`, what stands as `G(x)_j` or `G(x)` is `G_j` or `G`.

With another list, `G(v)_j`, it is what no formula defines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from tadc.syntax.tex.calls import Call, calls_in, with_rewritten
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import Token

__all__ = ["Head", "listed_heads", "without_lists_of_heads"]

Head = tuple[str, tuple[str, ...]]


def listed_heads(displays: Sequence[Sequence[Token]], declared: Set[str]) -> set[Head]:
    """The names with what stands in their lists, where a left side has a subscript behind it."""
    return {
        _head(call)
        for tokens in displays
        for call in _lists(tokens)
        if call.name.value not in declared and _is_left(call, tokens)
    }


def without_lists_of_heads(tokens: Sequence[Token], heads: Set[Head]) -> list[Token]:
    """The tokens without these lists, left sides aside, and with errors for elements that have other lists."""
    names = {name for name, _ in heads}

    def rewritten(call: Call) -> tuple[list[Token], int] | None:
        if call.name.value not in names or call.below or call.is_raised or _is_left(call, tokens):
            return None
        if _head(call) in heads:
            return [call.name], call.end + 1
        has_subscript = [t.type for t in tokens[call.end + 1 : call.end + 2]] == ["SUB"]
        return ([_of_other_list(call, tokens)], call.end + 1) if has_subscript else None

    return with_rewritten(tokens, rewritten) if heads else list(tokens)


def _of_other_list(call: Call, tokens: Sequence[Token]) -> Token:
    name = call.name.value
    fact = f"`{name}` is defined for another argument, and not as a function"
    fix = f"give what it is for this argument a name and a formula of its own, `{name}'_i = ..`"
    return Token("ERROR", fact, call.name.start, tokens[call.end].end, fix)


def _lists(tokens: Sequence[Token]) -> Iterator[Call]:
    return (c for c in calls_in(tokens) if not c.below and not c.is_raised)


def _head(call: Call) -> Head:
    return call.name.value, tuple(t.value for t in call.inner)


def _is_left(call: Call, tokens: Sequence[Token]) -> bool:
    closing = closing_braces(tokens)
    begins = call.start == 0 or tokens[call.start - 1].type in ("BREAK", "QUAD", "COMMA", "TEXT")
    end = closing.get(call.end + 2, len(tokens)) + 1
    behind = [t.type for t in tokens[call.end + 1 : call.end + 2]]
    return begins and behind == ["SUB"] and [t.type for t in tokens[end : end + 1]] in _SIGNS


_SIGNS = (["EQ"], ["DEF"])
