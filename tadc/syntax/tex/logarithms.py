r"""Quantities that a document defines by their logarithm: `\ln\gamma_i = ..` is a tensor `log_gamma`, and `\ln\gamma_i` its element; a `\gamma_i` is
`\exp` of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeAlias

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import bound_names, names_in_bounds, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import ENDS_OPERAND, Token

__all__ = ["with_logarithms"]

# The function, the name, and whether it has subscripts: `L` and `L_i` are two.
_Key: TypeAlias = "tuple[str, str, bool]"
_LOGARITHMS = ("log", "log2", "log10")


def with_logarithms(definitions: Sequence[Statement]) -> list[Statement]:
    r"""The definitions with `log_gamma` where they read the logarithm, and `\exp` of it where they read `\gamma` itself."""
    definitions = _with_labels_in_names(definitions)
    found = {
        (d.tokens[0].value, d.tokens[1].value, not d.is_scalar): f"{d.tokens[0].value}_{d.target}"
        for d in definitions
        if _defines_logarithm(d)
    }
    found = {key: name for key, name in found.items() if not _is_function(key, definitions)}
    if not found:
        return list(definitions)
    bounds = names_in_bounds(d.tokens for d in definitions)
    return [replace(d, tokens=tuple(_replaced(d, found, bounds))) for d in definitions]


def _with_labels_in_names(definitions: Sequence[Statement]) -> list[Statement]:
    r"""The definitions with one name for the `\eta_{mix}` of `\ln \eta_{mix} = \sum_i x_i \ln \eta_i`: what stands below it is a label, as
    the right side reads the same letter with an index, and has nothing of it.
    """
    labels = {(d.target, below) for d in definitions if (below := _label(d))}
    if not labels:
        return list(definitions)
    result = []
    for d in definitions:
        new: list[Token] = []
        names = {
            place - 1: (name.value, tuple(t.value for t in inner))
            for name, place, inner in scripted(d.tokens, "SUB")
        }
        place = 0
        while place < len(d.tokens):
            token = d.tokens[place]
            if (found := names.get(place)) in labels and found is not None:
                end = place + 3 + len(found[1])
                value = f"{token.value}_{''.join(found[1])}"
                token, place = replace(token, value=value, end=d.tokens[end].end), end
            new.append(token)
            place += 1
        result.append(replace(d, tokens=tuple(new)))
    return result


def _label(definition: Statement) -> tuple[str, ...]:
    """What stands below a name whose logarithm is defined, if it is a label."""
    if not _defines_logarithm(definition) or definition.is_scalar:
        return ()
    left = [
        (name, inner) for name, _, inner in scripted(definition.tokens[: definition.equal], "SUB")
    ]
    if len(left) != 1 or {t.type for t in left[0][1]} != {"NAME"}:
        return ()
    name, inner = left[0]
    letters = {t.value for t in inner}
    right = {t.value for t in definition.right}
    reads = any(
        other.value == name.value and not letters & {t.value for t in below}
        for other, _, below in scripted(definition.right, "SUB")
    )
    return tuple(t.value for t in inner) if reads and not letters & right else ()


def _defines_logarithm(definition: Statement) -> bool:
    left = definition.tokens[: definition.equal]
    is_logarithm = [t.type for t in left[:2]] == ["FUNC", "NAME"] and left[0].value in _LOGARITHMS
    return is_logarithm and not any(t.type in ("LPAR", "LSQB") for t in left)


def _is_function(key: _Key, definitions: Sequence[Statement]) -> bool:
    r"""Whether the name is applied to something, `\log p(x)`, or defined itself."""
    _, name, is_element = key
    pairs = [p for d in definitions for p in zip(d.tokens, d.tokens[1:], strict=False)]
    is_applied = any(t.value == name and after.type == "LPAR" for t, after in pairs)
    return is_applied or any(
        d.tokens[0].value == name and is_element is not d.is_scalar for d in definitions
    )


def _antilogarithm(function: str, element: Sequence[Token]) -> list[Token]:
    r"""`\exp(log_P)` or `(2^{log2_P})` for the `P` whose logarithm is defined."""
    start, end = element[0].start, element[-1].end
    opening, closing = Token("LPAR", "(", start, start), Token("RPAR", ")", end, end)
    if function == "log":
        return [Token("FUNC", "exp", start, start), opening, *element, closing]
    base = Token("NUM", function.removeprefix("log"), start, start)
    power = [Token("SUP", "^", start, start), Token("LBRACE", "", start, start)]
    return [opening, base, *power, *element, Token("RBRACE", "", end, end, "NUM"), closing]


def _is_element(tokens: Sequence[Token], place: int) -> bool:
    return place + 1 < len(tokens) and tokens[place + 1].type == "SUB"


def _replaced(definition: Statement, names: Mapping[_Key, str], bounds: Set[str]) -> list[Token]:
    r"""The tokens with the logarithms; a `C_s` whose letter nothing binds, and that is none of the `bounds`, is a name of its own."""
    tokens = definition.tokens
    closing = closing_braces(tokens)
    known = bound_names(tokens) | bounds
    labelled = {
        id(name)
        for name, _, inner in scripted(definition.right, "SUB")
        if len(inner) == 1 and inner[0].type == "NAME" and inner[0].value not in known
    }
    bare = {(name, is_element) for _, name, is_element in names}
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        pair = tokens[place : place + 2]
        key = (token.value, pair[-1].value, _is_element(tokens, place + 1))
        if [t.type for t in pair] == ["FUNC", "NAME"] and key in names:
            result.append(replace(pair[1], value=names[key], start=token.start))
            place += 2
            continue
        is_element = _is_element(tokens, place)
        is_read = token.type == "NAME" and place > definition.equal and id(token) not in labelled
        if is_read and (token.value, is_element) in bare:
            end = closing[place + 2] + 1 if is_element and place + 2 in closing else place + 1
            function = next(f for f, name, e in names if (name, e) == (token.value, is_element))
            named = replace(token, value=names[function, token.value, is_element])
            if result[-1].type in ENDS_OPERAND:
                result.append(Token("CDOT", r"\cdot", token.start, token.start))
            result += _antilogarithm(function, [named, *tokens[place + 1 : end]])
            place = end
            continue
        result.append(token)
        place += 1
    return result
