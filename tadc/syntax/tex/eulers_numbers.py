r"""Euler's number beside another `e`: `e^{-\lambda}` where residuals `e_i`, an index `e` of elements or a charge `e` stand in the document.

A vector has no powers and an index is none outside of its sums, so that the exponential is left (a guess). Beside a number that is called
`e` a power of it is unclear, but for `e^2`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax.tex.script_tokens import Guess, bound_names, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_eulers_numbers"]

_OF_NUMBERS = frozenset(("NUM", "MINUS", "PLUS", "SLASH", "FRAC", "LBRACE", "RBRACE"))


def with_eulers_numbers(
    statements: Sequence[Statement], ranks: Mapping[str, int], guesses: list[Guess]
) -> list[Statement]:
    r"""The statements with Euler's number for `e^{..}` beside an `e` with subscripts or an index, with errors beside a number; `ranks` are the
    numbers of dimensions that are declared.
    """
    definitions = [s for s in statements if s.kind == "definition"]
    is_number = ranks.get("e") == 0 or any(
        d.target == "e" and d.is_scalar and d.tokens[0].type == "NAME" for d in definitions
    )
    is_vector = bool(ranks.get("e")) or any(
        name.value == "e" for s in statements for name, _, _ in scripted(s.tokens, "SUB")
    )
    is_index = any("e" in bound_names(s.tokens) for s in statements)
    if not (is_number or is_vector or is_index):
        return list(statements)

    def rewritten(statement: Statement) -> Statement:
        if "e" in bound_names(statement.tokens):
            return statement
        new: dict[int, Token] = {}
        for name, _, inner in scripted(statement.tokens, "SUP"):
            if not _is_power_of_e(statement.tokens, name, inner):
                continue
            if is_number:
                new[id(name)] = _unclear(name)
            else:
                text = "`e` with a power is Euler's number, beside another `e`"
                if all(guess.text != text for guess in guesses):
                    guesses.append(Guess(text, name.start, name.end))
                new[id(name)] = replace(name, note="euler")
        return replace(statement, tokens=tuple(new.get(id(t), t) for t in statement.tokens))

    return [rewritten(s) if s.kind == "definition" else s for s in statements]


def _is_power_of_e(tokens: Sequence[Token], name: Token, inner: Sequence[Token]) -> bool:
    """Whether it is an `e` with this above, which is no number and no transpose, and nothing below."""
    if name.value != "e" or name.note:
        return False
    has_subscript = any(other is name for other, _, _ in scripted(tokens, "SUB"))
    is_number = all(t.type in _OF_NUMBERS for t in inner)
    is_transpose = [t.type for t in inner] == ["TOP"] or [t.value for t in inner] == ["T"]
    return not (has_subscript or is_number or is_transpose)


def _unclear(name: Token) -> Token:
    fact = "`e` with a power may be Euler's number, or the number `e` of this document"
    fix = r"write Euler's number with its power as `\exp(..)`, and the other one in brackets, `(e)^{..}`"
    return Token("ERROR", fact, name.start, name.end, fix)
