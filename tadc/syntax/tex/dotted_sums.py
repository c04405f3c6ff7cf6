r"""Sums and products with dots: `f_1 + f_2 + \cdots + f_{n-1}` is `\sum_{k=1}^{n-1} f_k`, `a_1 \cdots a_n` is `\prod_{k=1}^{n} a_k`.

Two terms that differ by 1 in a number, and a last one that has something else there, say what the dots stand for; so does a single
first term with one number, where no other term before it reads the same tensor. Other dots are an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from tadc.syntax.tex.statement import Statement, depths
from tadc.syntax.tex.token_list import (
    CLOSERS,
    OPENERS,
    Token,
    behind_scripts,
    closing_brackets,
)

__all__ = ["with_sums_for_dots"]

_LETTERS = "kjilmnpqrst"


@dataclass(frozen=True, slots=True)
class _Run:
    """The term at an index, from its tokens: a number at some places, and what stands there in the last term; and where all stands."""

    term: tuple[Token, ...]
    places: tuple[int, ...]
    last: tuple[Token, ...]
    start: int
    end: int
    operation: str = "sum"


def with_sums_for_dots(definition: Statement, known: Set[str]) -> Statement:
    """The definition with a sum or product for each run with dots; `known` are names that no index may have."""
    tokens = list(definition.tokens)
    place = definition.equal
    while place < len(tokens):
        is_run = tokens[place].type == "DOTS"
        run = (_run(tokens, place) or _run_of_factors(tokens, place)) if is_run else None
        letter = _letter(tokens, known) if run is not None else ""
        if run is None or not letter:
            place += 1
        else:
            tokens[run.start : run.end] = _sum(run, letter)
            place = run.start
    return replace(definition, tokens=tuple(tokens))


def _letter(tokens: Sequence[Token], known: Set[str]) -> str:
    taken = {t.value for t in tokens} | known
    return next((letter for letter in _LETTERS if letter not in taken), "")


def _run(tokens: Sequence[Token], dots: int) -> _Run | None:
    """The run of terms around these dots, if they say what it is."""
    terms = _terms(tokens, dots)
    at = next((n for n, (start, _) in enumerate(terms) if start == dots), 0)
    if at == 0 or at + 1 >= len(terms) or terms[at][1] != dots + 1:
        return None
    second, last = (tokens[a:b] for a, b in (terms[at - 1], terms[at + 1]))
    signs = [tokens[start - 1].type for start, _ in (terms[at], terms[at + 1])]
    if signs != ["PLUS", "PLUS"]:
        return None
    before = terms[at - 2] if at > 1 else None
    first = tokens[slice(*before)] if before is not None else ()
    if before is not None and tokens[terms[at - 1][0] - 1].type == "PLUS":
        run = _matched(first, last, before[0], terms[at + 1][1])
        if run is not None and _is_next(run, second):
            return run
    names = {t.value for t in second if t.type == "NAME"}
    if any(t.value in names for t in first):
        return None
    return _matched(second, last, terms[at - 1][0], terms[at + 1][1])


def _run_of_factors(tokens: Sequence[Token], dots: int) -> _Run | None:
    """The run of factors around these dots, each a name with its scripts and a bracket."""
    closing = closing_brackets(tokens)
    begin = _without_signs(tokens, dots + 1, 1)
    end = _factor_end(tokens, begin, closing)
    second = _factor_before(tokens, dots, closing)
    if second is None or end is None or tokens[begin].note == "bold":  # matrices do not commute
        return None
    last = tokens[begin:end]
    first = _factor_before(tokens, second[0], closing)
    if first is not None:
        run = _matched(tokens[slice(*first)], last, first[0], end)
        if run is not None and _is_next(run, tokens[slice(*second)]):
            return replace(run, operation="prod")
        if tokens[first[0]].value == tokens[second[0]].value:
            return None
    run = _matched(tokens[slice(*second)], last, second[0], end)
    return None if run is None else replace(run, operation="prod")


def _without_signs(tokens: Sequence[Token], place: int, step: int) -> int:
    """The next place that holds no sign of a product."""
    while 0 <= place < len(tokens) and tokens[place].type in ("CDOT", "THIN"):
        place += step
    return place


def _factor_end(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> int | None:
    """The place behind the name at `place`, its scripts and its bracket."""
    if place >= len(tokens) or tokens[place].type != "NAME":
        return None
    end = behind_scripts(tokens, place + 1, closing)
    if end in closing and tokens[end].type in ("LPAR", "LSQB"):
        end = behind_scripts(tokens, closing[end] + 1, closing)
    return end


def _factor_before(
    tokens: Sequence[Token], place: int, closing: Mapping[int, int]
) -> tuple[int, int] | None:
    """Where the factor in front of `place` begins and ends."""
    end = _without_signs(tokens, place - 1, -1) + 1
    for start in range(end - 1, max(end - _LONGEST, -1), -1):
        if _factor_end(tokens, start, closing) == end and not _is_inside(tokens[start:end]):
            return start, end
    return None


_LONGEST = 40  # tokens of a factor


def _is_inside(tokens: Sequence[Token]) -> bool:
    """Whether brackets close that are opened before."""
    depth = 0
    for token in tokens:
        depth += (token.type in OPENERS) - (token.type in CLOSERS)
        if depth < 0:
            return True
    return False


def _terms(tokens: Sequence[Token], place: int) -> list[tuple[int, int]]:
    """The terms of the sum that `place` stands in: where each begins and ends."""
    start, depth = place, 0
    while start > 0:
        kind = tokens[start - 1].type
        depth += (kind in CLOSERS) - (kind in OPENERS)
        if depth < 0 or (depth == 0 and kind in ("EQ", "DEF", "APPROX", "COMMA")):
            break
        start -= 1
    terms: list[tuple[int, int]] = []
    begun = start
    for n, (token, depth) in enumerate(depths(tokens[start:]), start):
        is_end = depth == 0 and token.type in CLOSERS and _is_unopened(tokens[start : n + 1])
        if is_end or (depth == 0 and token.type in ("PLUS", "MINUS", "COMMA")):
            terms += [(begun, n)] if n > begun else []
            begun = n + 1
        if is_end or (depth == 0 and token.type == "COMMA"):
            return terms
    return [*terms, (begun, len(tokens))]


def _is_unopened(tokens: Sequence[Token]) -> bool:
    """Whether more brackets close than open."""
    return sum(t.type in CLOSERS for t in tokens) > sum(t.type in OPENERS for t in tokens)


def _matched(term: Sequence[Token], last: Sequence[Token], start: int, end: int) -> _Run | None:
    """The run from the term to the last one, which differs where the first has a number between brackets or commas."""
    places: list[int] = []
    found: tuple[Token, ...] = ()
    n = 0
    for place, token in enumerate(term):
        rest = last[n:]
        if rest and _sign(token) == _sign(rest[0]):
            n += 1
            continue
        bound = tuple(rest[: _length(rest)])
        is_number = token.type == "NUM" and token.value.isdigit() and bound
        is_whole = place and term[place - 1].type in ("LBRACE", "LPAR", "COMMA", "NAME")
        if not is_number or not is_whole or (found and _values(bound) != _values(found)):
            return None
        if places and term[places[0]].value != token.value:
            return None
        places.append(place)
        found = bound
        n += len(bound)
    is_matched = bool(places) and n == len(last)
    return _Run(tuple(term), tuple(places), found, start, end) if is_matched else None


def _length(tokens: Sequence[Token]) -> int:
    """How many tokens stand before a comma, or before the bracket around them closes."""
    for n, (token, depth) in enumerate(depths(tokens)):
        if depth == 0 and (token.type == "COMMA" or token.type in CLOSERS):
            return n
    return len(tokens)


def _sign(token: Token) -> str:
    """What stands there; braces may be printed or not."""
    return token.type if token.type in ("LBRACE", "RBRACE") else token.value


def _values(tokens: Sequence[Token]) -> list[str]:
    return [_sign(t) for t in tokens]


def _is_next(run: _Run, second: Sequence[Token]) -> bool:
    """Whether it is the term with the next number."""
    if len(second) != len(run.term):
        return False
    following = str(int(run.term[run.places[0]].value) + 1)
    wanted = [following if n in run.places else _sign(t) for n, t in enumerate(run.term)]
    return _values(second) == wanted


def _sum(run: _Run, letter: str) -> list[Token]:
    start, end = run.term[0].start, run.last[-1].end

    def token(kind: str, value: str, note: str = "") -> Token:
        return Token(kind, value, start, end, note)

    number = run.term[run.places[0]]
    body = [token("NAME", letter) if n in run.places else t for n, t in enumerate(run.term)]
    below = [token("NAME", letter), token("EQ", "="), number]
    return [
        token("LPAR", "("),
        token("RED", run.operation),
        token("SUB", "_"),
        *(token("LBRACE", "", "limits"), *below, token("RBRACE", "", "RED")),
        token("SUP", "^"),
        *(token("LBRACE", ""), *run.last, token("RBRACE", "", "RED")),
        *body,
        token("RPAR", ")"),
    ]
