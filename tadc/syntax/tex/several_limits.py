r"""Limits of several indices at once.

\sum_{i,j=1}^{m,n}       \sum_{i=1}^{m} \sum_{j=1}^{n}
\sum_{j,k \ne i}         j, k | j != i, k != i
\sum_{k \ne i,j}         k | k != i, k != j, where j is bound
\sum\sum_{i<j}           \sum_{i<j}
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from tadc.syntax.tex.calls import listed
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, comma, scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["with_single_limits"]


def with_single_limits(tokens: Sequence[Token], guesses: list[Guess]) -> list[Token]:
    """The tokens with a reduction for each pair of limits, the first one outermost, and with a condition for each index."""
    tokens = _with_one_sign(tokens)
    closing = closing_braces(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        middle = _end_of_script(tokens, place + 1, "SUB", closing)
        if tokens[place].type != "RED" or middle is None:
            result.append(tokens[place])
            place += 1
            continue
        end = _end_of_script(tokens, middle + 1, "SUP", closing)
        below = tokens[place + 3 : middle]
        if below and below[0].type == "ANGLE_L":
            result.append(_neighbours(below))
            place = middle + 1
            continue
        above = () if end is None else tokens[middle + 3 : end]
        split = _split(below, above) if above else None
        if split is None:
            if any(t.type == "REL" for t in below):
                below = _with_conditions(below, _bound_here(tokens, place), guesses)
            result += [*tokens[place : place + 3], *below, tokens[middle]]
            place = middle + 1
            continue
        assert end is not None, "two limits stand above"
        for low, high in split:
            result += [*tokens[place : place + 3], *low, tokens[middle]]
            result += [*tokens[middle + 1 : middle + 3], *high, tokens[end]]
        place = end + 1
    return result


def _with_one_sign(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with one sign for `\sum\sum_{i,j}`, whose limits below the last sign are those of all."""
    result: list[Token] = []
    for place, token in enumerate(tokens):
        before = result[-1] if result else None
        is_again = token.type == "RED" and before is not None and before.type == "RED"
        if is_again and before is not None and before.value == token.value:
            if _count_below(tokens, place + 1) != 1:
                result.pop()
        elif token.type == "RGROUP" and [t.type for t in result[-2:]] == ["LGROUP", "RED"]:
            result[-2:] = result[-1:]  # `\mathop{\sum\sum}_{i,j}`
            continue
        result.append(token)
    return result


def _count_below(tokens: Sequence[Token], place: int) -> int:
    """How many letters stand in the limits below the signs that end at `place`."""
    place += next((n for n, t in enumerate(tokens[place:]) if t.type not in ("RED", "RGROUP")), 0)
    end = _end_of_script(tokens, place, "SUB", closing_braces(tokens))
    return 0 if end is None else len({t.value for t in tokens[place:end] if t.type == "NAME"})


def _end_of_script(
    tokens: Sequence[Token], place: int, kind: str, closing: dict[int, int]
) -> int | None:
    """The place of the last brace of the script at `place`, if there is one of this kind."""
    is_script = place < len(tokens) and tokens[place].type == kind
    return closing.get(place + 1) if is_script else None


def _neighbours(below: Sequence[Token]) -> Token:
    r"""The error of `\sum_{\langle ij \rangle}`."""
    fact = "which pairs are neighbours is not told"
    fix = r"give a matrix that is 1 for neighbours, and sum over pairs: `\sum_{i<j} A_{ij} s_i s_j`"
    return Token("ERROR", fact, below[0].start, below[-1].end, fix)


_ENDS_STATEMENT = frozenset(("BREAK", "QUAD", "TEXT"))


def _bound_here(tokens: Sequence[Token], place: int) -> set[str]:
    """The letters of the limits at `place` that they do not bind: those that stand before them in the formula, or below no name."""
    start = next((n for n in range(place, -1, -1) if tokens[n].type in _ENDS_STATEMENT), 0)
    before = {t.value for t in tokens[start:place] if t.type == "NAME"}
    below = {t.value for _, _, inner in scripted(tokens, "SUB") for t in inner}
    return before | {t.value for t in tokens if t.type == "NAME"} - below


def _with_conditions(below: Sequence[Token], bound: Set[str], guesses: list[Guess]) -> list[Token]:
    r"""The entries with the condition of `j, k \ne i` for `j` as well; `i, j \ne i` is about `j` alone, and so is `k, i < j`
    with a `j` that is not `bound`.
    """
    before: list[Token] = []
    more: list[Token] = []
    entries = listed(below)
    if not all(entries):
        return [*below]
    if [t.type for t in entries[0][-2:]] == ["REL", "NAME"] and entries[0][0].type != "NAME":
        return [*below]  # `1 \\le i, j \\le n`
    entries = _with_lists_behind(entries, bound)
    below = [t for entry in entries for t in (comma(entry[0]), *entry)][1:]
    for entry in entries:
        kinds = [t.type for t in entry]
        if kinds == ["NAME"]:
            before.append(entry[0])
            continue
        is_condition = kinds[:2] == ["NAME", "REL"] and kinds.count("REL") == 1
        running = {t.value for t in before}
        letters = {t.value for t in entry if t.type == "NAME"}
        others = {t.value for t in entry[2:] if t.type == "NAME"}
        if before and is_condition and not running & letters and others <= bound:
            more += [t for name in before for t in (comma(name), name, *entry[1:])]
            said = ", ".join(f"`{t.value}`" for t in (*before, entry[0]))
            text = f"the condition holds for each of {said}"
            guesses.append(Guess(text, before[0].start, entry[-1].end))
        before = []
    return [*below, *more]


def _with_lists_behind(entries: Sequence[list[Token]], bound: Set[str]) -> list[list[Token]]:
    r"""The entries with `k \ne i, k \ne j` for `k \ne i, j` beside a `j` that is bound."""
    result: list[list[Token]] = []
    for entry in entries:
        before = result[-1] if result else []
        is_unequal = [t.type for t in before] == ["NAME", "REL", "NAME"] and before[1].value == "!="
        running = {e[0].value for e in result[:-1] if e[0].type == "NAME"}
        is_listed = [t.type for t in entry] == ["NAME"] and entry[0].value in bound | running
        result.append([*before[:2], *entry] if is_unequal and is_listed else entry)
    return result


def _split(
    below: Sequence[Token], above: Sequence[Token]
) -> list[tuple[list[Token], list[Token]]] | None:
    """The pairs of a lower and an upper limit, of `i,j=1` or `i=1,j=0` and `m,n`; None for other limits."""
    lows, highs = listed(below), listed(above)
    if len(highs) < 2 or len(lows) != len(highs) or not all([*lows, *highs]):
        return None
    last = lows[-1]
    if [t.type for t in last[:2]] != ["NAME", "EQ"]:
        return None
    starts = []
    for low in lows:
        if [t.type for t in low] == ["NAME"]:
            starts.append([*low, *last[1:]])
        elif [t.type for t in low[:2]] == ["NAME", "EQ"]:
            starts.append(low)
        else:
            return None
    return list(zip(starts, highs, strict=True))
