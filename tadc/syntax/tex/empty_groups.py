r"""Scripts on nothing, `{}`: the second one of a name with indices in printed order, `\Lambda^\mu{}_\nu`, or one of what follows, `{}^t X`.

With `%!tadc upper` such indices stand in the order that is printed. What is in front of a name is no power of the factor before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.token_list import ENDS_OPERAND, Token, closing_brackets

__all__ = ["staggered_names", "with_scripts_on_nothing"]

_INDICES = frozenset(("NAME", "NUM", "COMMA", "PRIME"))
_ROOM = frozenset(("THIN", "QUAD"))  # in front of a lower index, for that above: `T^\mu_{\;\;\nu}`


def staggered_names(streams: Sequence[Sequence[Token]]) -> set[str]:
    """The names with indices below and above in printed order somewhere, and with others behind each other without one elsewhere."""
    staggered: set[str] = set()
    plain: set[str] = set()
    for tokens in streams:
        closing = closing_brackets(tokens)
        for place, token in enumerate(tokens):
            if token.type == "NAME":
                scripts = [*_scripts(tokens, place, closing)]
                is_staggered = any(apart for *_, apart in scripts)
                if len(scripts) > 1:
                    (staggered if is_staggered else plain).add(token.value)
    return staggered & plain


def with_scripts_on_nothing(
    tokens: Sequence[Token], unclear: Set[str], *, is_upper: bool
) -> list[Token]:
    """The tokens with all indices of such names below them, in order, and errors for other scripts on nothing."""
    if not any(t.type == "RGROUP" or t.type in _ROOM for t in tokens):
        return list(tokens)
    closing = closing_brackets(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        scripts = [*_scripts(tokens, place, closing)] if tokens[place].type == "NAME" else []
        if any(apart for *_, apart in scripts):
            result += _in_order(tokens, place, scripts, unclear, is_upper=is_upper)
            place = scripts[-1][1] + 1
        elif _is_in_front(tokens, place) and not _is_kerning(tokens, place):
            end = closing.get(place + 3, place + 2)
            result.append(Token("ERROR", _FACT, tokens[place].start, tokens[end].end, _FIX))
            place = end + 1
        else:
            result.append(tokens[place])
            place += 1
    return result


_FACT = "a script in front of a name belongs to what follows: a transpose, or part of the name"
_FIX = r"write the transpose behind it, `X^\top`, and a name with a label, `X_{\mathrm{a}}`"


def _is_nothing(tokens: Sequence[Token], place: int) -> bool:
    """Whether an empty group with a script stands here."""
    kinds = [t.type for t in tokens[place : place + 3]]
    return kinds[:2] == ["LGROUP", "RGROUP"] and kinds[2:] in (["SUB"], ["SUP"])


def _is_in_front(tokens: Sequence[Token], place: int) -> bool:
    """Whether an empty group with a script stands here, behind an operand that the script would be one of."""
    before = next((t for t in reversed(tokens[:place]) if t.type != "THIN"), None)
    return _is_nothing(tokens, place) and before is not None and before.type in ENDS_OPERAND


def _is_kerning(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether it is the `{}` of `\hat{x}{}^2`, which sets the power of the name in front apart; a `t` would be a transpose of what follows."""
    before = tokens[place - 1] if place else None
    is_behind = before is not None and before.type in ENDS_OPERAND
    is_behind = is_behind and before is not None and before.end == tokens[place].start
    raised = [t.value for t in tokens[place + 4 : place + 5]]
    return is_behind and raised not in (["t"], ["T"], [r"\top"])


def _scripts(
    tokens: Sequence[Token], place: int, closing: Mapping[int, int]
) -> Iterator[tuple[int, int, bool]]:
    """The scripts of the name at `place`: the places of the opening and the closing brace, and whether an empty group stands in front."""
    at = place + 1
    while at < len(tokens):
        is_apart = at > place + 1 and _is_nothing(tokens, at)
        if is_apart:
            inner = tokens[at + 4 : closing.get(at + 3, at)]
            is_apart = any(t.type == "NAME" and t.value not in ("t", "T") for t in inner)
        at += 2 * is_apart
        if at >= len(tokens) or tokens[at].type not in ("SUB", "SUP") or at + 1 not in closing:
            return
        is_below = at > place + 1 and tokens[at].type == "SUB"
        has_room = is_below and _has_room(tokens[at + 1 : closing[at + 1]])
        yield at + 1, closing[at + 1], is_apart or has_room
        at = closing[at + 1] + 1


def _has_room(script: Sequence[Token]) -> bool:
    r"""Whether space and letters are all that stands in it: `\;` has a token, and a blank with a backslash two places."""
    opening, *inner = script
    has_space = bool(inner) and (inner[0].type in _ROOM or inner[0].start > opening.end + 1)
    return has_space and any(t.type == "NAME" for t in inner)


def _without_room(inner: Sequence[Token]) -> Sequence[Token]:
    """What stands in a script behind the space at its beginning."""
    first = next((n for n, t in enumerate(inner) if t.type not in _ROOM), len(inner))
    return inner[first:]


def _in_order(
    tokens: Sequence[Token],
    place: int,
    scripts: Sequence[tuple[int, int, bool]],
    unclear: Set[str],
    *,
    is_upper: bool,
) -> list[Token]:
    name, end = tokens[place], tokens[scripts[-1][1]]
    inner = [_without_room(tokens[opening + 1 : last]) for opening, last, _ in scripts]
    are_indices = all({t.type for t in part} <= _INDICES for part in inner)
    if not is_upper or not are_indices or name.value in unclear:
        fact = "`{}` between scripts prints the order of indices"
        fix = "write `%!tadc upper` where superscripts are indices, and the `{}` wherever the name has both; else leave the `{}` out"
        return [Token("ERROR", fact, name.start, end.end, fix)]
    opening = tokens[scripts[0][0]]
    sign = replace(tokens[scripts[0][0] - 1], type="SUB", value="_")
    listed = [t for part in inner for t in (replace(opening, type="COMMA", value=""), *part)][1:]
    return [name, sign, opening, *listed, end]
