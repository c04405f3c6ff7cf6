r"""Letters that a line gives a name: after `%!tadc \sigma_{\mathcal{B}}^{2} is variance`, that is one name wherever it stands.

What is printed as LaTeX has such a line for each name that its letter alone does not tell, `%!tadc \bar{x} is dx`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tadc.errors import Source, Span, SyntaxError
from tadc.syntax.letters import Letter
from tadc.syntax.tex.document import Region
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets
from tadc.syntax.tex.tokens import tokenize

__all__ = ["TOLD", "ToldLetter", "told_letter", "with_told_letters"]

_IS = re.compile(r"\s*(?P<letter>\S.*?)\s+is\s+(?P<name>\S+)\s*")


class _Scripts(NamedTuple):
    """Labels below and above a letter; primes stand above."""

    below: tuple[Token, ...]
    above: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class ToldLetter:
    """A letter with its labels as tokens, and the name that it is."""

    name: str
    base: tuple[Token, ...]
    scripts: _Scripts
    letter: Letter

    @property
    def length(self) -> int:
        """The number of tokens: of two letters that fit, the longer one is meant."""
        return len(self.base) + len(self.scripts.below) + len(self.scripts.above)


def told_letter(source: Source, region: Region) -> ToldLetter | None:
    """The letter that a line tells, if it tells one. Raises SyntaxError where it is none, or the name is none."""
    said = _IS.fullmatch(source.text, region.start, region.end)
    if said is None:
        return None
    span = Span(source, region.start, region.end)
    fix = r"write a letter with its labels, `%!tadc \bar{x}_{\mathrm{f}} is dx`"
    if not said["name"].isidentifier():
        raise SyntaxError(span, f"`{said['name']}` is no name", fix=fix)
    start, end = said.span("letter")
    tokens = tokenize(Expansion(source, source.text), start, end)
    closing = closing_brackets(tokens)
    first = next((n for n, t in enumerate(tokens) if t.type in _SCRIPTS), len(tokens))
    scripts = _scripts(tokens, first, behind_scripts(tokens, first, closing))
    is_whole = behind_scripts(tokens, first, closing) == len(tokens)
    is_letter = first > 0 and all(t.type == "NAME" for t in tokens[:first])
    if not is_letter or not is_whole or scripts is None:
        raise SyntaxError(span, f"`{said['letter']}` is no letter with labels", fix=fix)
    texts = (source.text[ts[0].start : ts[-1].end] if ts else "" for ts in scripts)
    base = source.text[tokens[0].start : tokens[first].start if first < len(tokens) else end]
    return ToldLetter(said["name"], tuple(tokens[:first]), scripts, Letter(base.strip(), *texts))


def with_told_letters(tokens: Sequence[Token], told: Sequence[ToldLetter]) -> list[Token]:
    """The tokens with a name for each letter that is told."""
    if not told:
        return list(tokens)
    longest = sorted(told, key=lambda letter: -letter.length)
    current = list(tokens)
    for letter in longest:
        current = _with_letter(current, letter)
    for letter in (letter for letter in told if _is_number(letter.scripts.above)):
        current = _without_other_numbers(current, letter)
    return current


_SCRIPTS = frozenset(("SUB", "SUP", "PRIME"))
TOLD = "told"  # the note of a name that a line has given: nothing behind it is a label


def _with_letter(tokens: Sequence[Token], letter: ToldLetter) -> list[Token]:
    def named(found: _Scripts, whole: Sequence[Token]) -> list[Token] | None:
        rest = _without(found, letter.scripts)
        if rest is None:
            return None
        base = whole[: len(letter.base)]
        name = Token("NAME", letter.name, base[0].start, base[-1].end, TOLD)
        return [name, *_written(rest, whole[-1])]

    return _replaced(tokens, letter.base, named)


def _without_other_numbers(tokens: Sequence[Token], letter: ToldLetter) -> list[Token]:
    """The tokens with an error where another number stands above the letter: after `%!tadc b^1 is b_1` a `b^2` may be a name as well."""
    below = letter.scripts._replace(above=())

    def refused(found: _Scripts, whole: Sequence[Token]) -> list[Token] | None:
        if not _is_number(found.above) or _without(found._replace(above=()), below) is None:
            return None  # no number, or another letter, with other labels below
        (number,), (named,), base = found.above, letter.scripts.above, letter.letter.base
        fact = f"`^{number.value}` above `{base}` may be a power or a label, as the `{base}^{named.value}` that has a name"
        name = f"{letter.name.rstrip('_0123456789')}_{number.value}"
        fix = f"give it a name, `%!tadc {base}^{number.value} is {name}`, or write the power with brackets, `({base})^{number.value}`"
        return [Token("ERROR", fact, whole[0].start, whole[-1].end, fix)]

    return _replaced(tokens, letter.base, refused)


def _replaced(
    tokens: Sequence[Token],
    base: Sequence[Token],
    replacement: Callable[[_Scripts, Sequence[Token]], list[Token] | None],
) -> list[Token]:
    """The tokens with a replacement for each such base, given its scripts and all as it stands; None leaves it as it is."""
    closing = closing_brackets(tokens)
    result: list[Token] = []
    end = 0
    for place in _places(tokens, base):
        behind = place + len(base)
        last = behind_scripts(tokens, behind, closing)
        found = _scripts(tokens, behind, last)
        if place < end or found is None:
            continue
        if (replaced := replacement(found, tokens[place:last])) is not None:
            result += [*tokens[end:place], *replaced]
            end = last
    return [*result, *tokens[end:]]


def _is_number(script: Sequence[Token]) -> bool:
    return [t.type for t in script] == ["NUM"]


def _places(tokens: Sequence[Token], base: Sequence[Token]) -> Iterator[int]:
    first, *others = map(_key, base)
    for place, token in enumerate(tokens):
        if (
            _key(token) == first
            and [_key(t) for t in tokens[place + 1 : place + 1 + len(others)]] == others
        ):
            yield place


def _key(token: Token) -> tuple[str, str, str]:
    return token.type, token.value, token.note


def _scripts(tokens: Sequence[Token], start: int, end: int) -> _Scripts | None:
    """The scripts between these places; None where there are two of one kind."""
    below: tuple[Token, ...] = ()
    above: tuple[Token, ...] = ()
    closing = closing_brackets(tokens)
    place = start
    while place < end:
        kind = tokens[place].type
        if kind == "PRIME":
            above, place = (*above, tokens[place]), place + 1
            continue
        last = closing.get(place + 1, end)
        inner = tuple(tokens[place + 2 : last])
        if (below if kind == "SUB" else above) or not inner:
            return None
        below, above = (inner, above) if kind == "SUB" else (below, inner)
        place = last + 1
    return _Scripts(below, above)


def _without(found: _Scripts, labels: _Scripts) -> _Scripts | None:
    """What is left of scripts without these labels; None where they are not there."""
    below, above = found
    count = len(labels.below)
    if [*map(_key, below[:count])] != [*map(_key, labels.below)]:
        return None
    rest = below[count:]
    if count and rest:
        if rest[0].type != "COMMA":
            return None
        rest = rest[1:]
    if labels.above:
        if [*map(_key, above)] != [*map(_key, labels.above)]:
            return None
        above = ()
    return _Scripts(rest, above)


def _written(scripts: _Scripts, last: Token) -> Iterator[Token]:
    """The scripts as tokens."""
    at = last.end
    for kind, inner in (("SUB", scripts.below), ("SUP", scripts.above)):
        if inner and all(t.type == "PRIME" for t in inner):
            yield from inner
        elif inner:
            start = inner[0].start
            yield Token(kind, "_" if kind == "SUB" else "^", start, start)
            yield Token("LBRACE", "{", start, start)
            yield from inner
            yield Token("RBRACE", "}", min(inner[-1].end, at), min(inner[-1].end, at))
