r"""Names in front of brackets: `x(n-k)`, `u_c(i, j)`, `f(x_i)`, `f_i^2(x)`; what they mean is decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token, closing_brackets

__all__ = [
    "Call",
    "calls_in",
    "declared_indices",
    "is_operand",
    "listed",
    "points",
    "with_rewritten",
]

LONGEST_BRACKET = 100  # tokens; longer ones hold no indices, and are no arguments of a function


@dataclass(frozen=True, slots=True)
class Call:
    """A name, its subscript if there is one, and a bracket: the places of the first and of the last token."""

    name: Token
    below: tuple[Token, ...]
    inner: tuple[Token, ...]
    start: int
    end: int
    is_raised: bool = False  # whether a power stands before the bracket
    is_square: bool = False  # whether the bracket is square, as those of signals are


_IN_SUBSCRIPT = frozenset(("NAME", "NUM", "PLUS", "MINUS"))


def calls_in(tokens: Sequence[Token]) -> list[Call]:
    """The names with a bracket behind them, in order."""
    closing = closing_brackets(tokens)
    found: list[Call] = []
    for place, token in enumerate(tokens):
        if token.type != "NAME":
            continue
        at = place + 1
        below: tuple[Token, ...] = ()
        if at < len(tokens) and tokens[at].type == "SUB" and at + 1 in closing:
            below = tuple(tokens[at + 1 : min(closing[at + 1], at + LONGEST_BRACKET) + 1])
            at = closing[at + 1] + 1
        is_raised = at < len(tokens) and tokens[at].type == "SUP" and at + 1 in closing
        if is_raised and closing[at + 1] - at < LONGEST_BRACKET:
            at = closing[at + 1] + 1  # `f_i^2(x)`
        length = closing.get(at, at) - at
        if (
            at < len(tokens)
            and tokens[at].type in ("LPAR", "LSQB")
            and 1 < length < LONGEST_BRACKET
        ):
            if "{" in tokens[at].value:
                continue
            inner = tuple(tokens[at + 1 : closing[at]])
            is_square = tokens[at].type == "LSQB"
            found.append(Call(token, below, inner, place, closing[at], is_raised, is_square))
    return found


def declared_indices(tokens: Sequence[Token], ranks: Mapping[str, int]) -> set[str]:
    r"""The letters in lists behind tensors that are declared with dimensions for them, the `\lambda` of `\alpha_m(\lambda)` and an `alpha[M, L]`."""
    found: set[str] = set()
    for call in calls_in(tokens):
        parts = listed(call.inner)
        below = sum(t.type in ("NAME", "NUM") for t in call.below)
        if ranks.get(call.name.value, 0) == below + len(parts):
            letters = [part[0] for part in parts if [t.type for t in part] == ["NAME"]]
            found |= {t.value for t in letters if t.note != "bold"}
    return found


def with_rewritten(
    tokens: Sequence[Token], rewritten: Callable[[Call], tuple[list[Token], int] | None]
) -> list[Token]:
    """The tokens with others in place of some calls: `rewritten` gives these, and the place behind what they stand for."""
    calls = {call.start: call for call in calls_in(tokens)}
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        call = calls.get(place)
        new = None if call is None else rewritten(call)
        if new is None:
            result.append(tokens[place])
            place += 1
        else:
            result += new[0]
            place = new[1]
    return result


def listed(tokens: Sequence[Token]) -> list[list[Token]]:
    """What stands between commas outside of brackets."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.type in OPENERS) - (token.type in CLOSERS)
        if token.type == "COMMA" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def is_operand(inner: Sequence[Token]) -> bool:
    """Whether it is one name with its scripts, which nobody puts in brackets to multiply it."""
    if inner[0].type != "NAME":
        return False
    depth = 0
    for token in inner[1:]:
        depth -= token.type in CLOSERS
        if depth == 0 and token.type not in ("SUB", "SUP", "PRIME", "LBRACE", "RBRACE"):
            return False
        depth += token.type in OPENERS
    return True


def points(inner: Sequence[Token]) -> tuple[Token, ...]:
    r"""The subscripts of a list of elements, `x_p, x_q` or `x_{2j-1}`; nothing for any other list."""
    found: list[Token] = []
    for part in listed(inner):
        kinds = [t.type for t in part]
        if kinds[:3] != ["NAME", "SUB", "LBRACE"] or kinds[-1] != "RBRACE" or len(kinds) < 5:
            return ()
        below = part[3:-1]
        if not {*kinds[3:-1]} <= _IN_SUBSCRIPT:
            return ()
        found += [Token("COMMA", "", below[0].start, below[0].start), *below]
    return tuple(found[1:])
