r"""Quantities that a document defines by a function of them: `\cos\theta_{ij} = ..` is a tensor `cos_theta`, and `\cos\theta_{ij}` its element.

A `p_i` beside `\exp(p_i) = ..` is the logarithm of that; a `\theta_{ij}` outside of that cosine may be several angles, and is an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_left_functions"]

# The name, and how many letters stand below it: `\theta`, `\theta_i` and `\theta_{ij}` are three.
_Key: TypeAlias = "tuple[str, int]"
_FUNCTIONS = frozenset(("cos", "sin", "tan", "exp"))


@dataclass(frozen=True, slots=True)
class _Part:
    """A function of an element: its argument's key and tokens, the power of the function, and the place behind."""

    key: _Key
    element: tuple[Token, ...]
    power: tuple[Token, ...]
    end: int


def with_left_functions(definitions: Sequence[Statement], declared: Set[str]) -> list[Statement]:
    """The definitions with one name for each function of a name that a left side defines; none of `declared` or defined names."""
    found: dict[tuple[str, _Key], str] = {}
    targets = {(d.tokens[0].value, _count(d)) for d in definitions if d.tokens[0].type == "NAME"}
    for d in definitions:
        part = _applied(d.tokens, 0) if d.tokens[0].value in _FUNCTIONS else None
        if part is not None and part.end == d.equal and not part.power:
            name, _ = part.key
            if name not in declared and part.key not in targets:
                found[d.tokens[0].value, part.key] = f"{d.tokens[0].value}_{name}"
    if not found:
        return list(definitions)
    return [replace(d, tokens=tuple(_replaced(d, found))) for d in definitions]


def _count(definition: Statement) -> int:
    left = definition.tokens[: definition.equal]
    return next((_letters(inner) for _, _, inner in scripted(left, "SUB")), 0)


def _letters(inner: Sequence[Token]) -> int:
    """How many indices stand below a name; -1 where a number or something else does, so that it is another one."""
    kinds = [t.type for t in inner]
    return kinds.count("NAME") if {*kinds} <= {"NAME", "COMMA"} else -1


def _applied(tokens: Sequence[Token], place: int) -> _Part | None:
    r"""What stands at the place, if it is `\cos\theta_i`, `\cos(\theta_i)` or `\cos^2\theta_i`."""
    closing = closing_braces(tokens[place : place + _LONGEST])
    part = tokens[place : place + _LONGEST]
    at = 1
    power: tuple[Token, ...] = ()
    if at < len(part) and part[at].type == "SUP" and at + 1 in closing:
        end = closing[at + 1] + 1
        power, at = tuple(part[at:end]), end
        if [t.type for t in power[2:-1]] != ["NUM"]:
            return None
    has_brackets = at < len(part) and part[at].type == "LPAR"
    at += has_brackets
    element = _element(part, at, closing)
    if element is None:
        return None
    (key, end), start = element, at
    if has_brackets:
        if end >= len(part) or part[end].type != "RPAR":
            return None
        return _Part(key, tuple(part[start:end]), power, place + end + 1)
    is_raised = end < len(part) and part[end].type == "SUP"
    return None if is_raised else _Part(key, tuple(part[start:end]), power, place + end)


_LONGEST = 24  # tokens of a function with its argument


def _element(
    tokens: Sequence[Token], place: int, closing: Mapping[int, int]
) -> tuple[_Key, int] | None:
    """The key of the name with its subscript at the place, and the place behind."""
    if place >= len(tokens) or tokens[place].type != "NAME":
        return None
    count, end = 0, place + 1
    if end < len(tokens) and tokens[end].type == "SUB":
        if end + 1 not in closing:
            return None
        count = _letters(tokens[end + 2 : closing[end + 1]])
        end = closing[end + 1] + 1
    return (tokens[place].value, count), end


def _replaced(definition: Statement, names: Mapping[tuple[str, _Key], str]) -> list[Token]:
    tokens = definition.tokens
    closing = closing_braces(tokens)
    functions = {key: function for function, key in names}
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        part = _applied(tokens, place) if token.type == "FUNC" else None
        if part is not None and (token.value, part.key) in names:
            name = replace(part.element[0], value=names[token.value, part.key], start=token.start)
            result += [name, *part.element[1:], *part.power]
            place = part.end
            continue
        element = _element(tokens, place, closing) if place > definition.equal else None
        if element is not None and element[0] in functions:
            key, end = element
            function = functions[key]
            result += _inverse(function, names[function, key], tokens[place:end])
            place = end
            continue
        result.append(token)
        place += 1
    return result


def _inverse(function: str, name: str, element: Sequence[Token]) -> list[Token]:
    r"""The logarithm of what `\exp(p_i) = ..` defines, and an error for an angle."""
    start, end = element[0].start, element[-1].end
    if function == "exp":
        opening, closing = Token("LPAR", "(", start, start), Token("RPAR", ")", end, end)
        named = replace(element[0], value=name)
        return [Token("FUNC", "log", start, start), opening, named, *element[1:], closing]
    letter = as_printed(element[0].value)
    fact = f"`{letter}` is read here, and the document defines its `{function}` alone: several angles have the same"
    fix = rf"define the angle itself, `{letter} = \arc{function}(..)`, or read `\{function}` alone; what is given is declared, `%!tadc input {element[0].value}[{'N' * (len(element) > 1)}]`"
    return [Token("ERROR", fact, start, end, fix)]
