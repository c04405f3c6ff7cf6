r"""Sizes that displays print: `\sum_{i=1}^{n} x_i, \quad n = 10`, and those that are made of others, `N = 2 n + 1`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from typing import TypeAlias

from tadc.syntax import ast
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.ranges import indices_of, said_ranges
from tadc.syntax.tex.script_tokens import bound_names, names_in_bounds, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["is_linear", "numbered_sizes"]

Terms: TypeAlias = list[tuple[Token | None, list[Token]]]


def numbered_sizes(
    displays: Sequence[Sequence[Statement]], known: Set[str], text: Expansion
) -> tuple[list[list[Statement]], list[ast.SizeDeclaration]]:
    """The displays without the definitions of bounds of sums and of ranges by a number, or by other sizes, and these sizes with those
    that they are made of; none of tensors that lines declare, the `known`.
    """
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    bounds = names_in_bounds(s.right for s in definitions) | _ends_of_ranges(definitions)
    no_sizes = known | _no_sizes(definitions, bounds)
    targets = Counter(s.target for s in definitions)
    sized = {
        s.target: s
        for s in definitions
        if s.target in bounds - known and targets[s.target] == 1 and _is_size(s, no_sizes)
    }
    sizes = [
        ast.SizeDeclaration(
            ast.Name(s.target, text.span(s.tokens[0].start, s.tokens[0].end)),
            _sum_of(_terms(s.right), text),
            text.span(s.start, s.end),
        )
        for s in sized.values()
    ]
    parts = {t.value: t for s in sized.values() for t in s.right if t.type == "NAME"}
    for name, token in parts.items():
        if name not in sized:
            span = text.span(token.start, token.end)
            sizes.append(ast.SizeDeclaration(ast.Name(name, span), None, span))
    taken = {id(s) for s in sized.values()}
    return [[s for s in d if id(s) not in taken] for d in displays], sizes


def is_linear(tokens: Sequence[Token]) -> bool:
    """Whether it is an integer other than 0, or a sum of names and integers such as `2 n + 1`."""
    terms = _terms(tokens)
    factors = [part for _, part in terms]
    are_terms = all([t.type for t in part] in _TERMS for part in factors)
    integers = [t for part in factors for t in part if t.type == "NUM"]
    are_integers = all(t.value.isdecimal() and t.value != "0" for t in integers)
    return bool(terms) and are_terms and are_integers


_TERMS = (["NUM"], ["NAME"], ["NUM", "NAME"])


def _is_size(statement: Statement, no_sizes: Set[str]) -> bool:
    kinds = [t.type for t in statement.tokens]
    is_plain = kinds[:2] in (["NAME", "EQ"], ["NAME", "DEF"]) and is_linear(statement.right)
    names = {t.value for t in statement.right if t.type == "NAME"}
    is_alone = len(statement.right) == 1 and bool(names)  # `N = L`: a number may be meant
    return is_plain and not is_alone and not names & no_sizes


def _ends_of_ranges(definitions: Sequence[Statement]) -> set[str]:
    """The last values of printed ranges that are names, or have names in them."""
    said = [r for s in definitions if s.ranges for r in said_ranges(s.ranges) or ()]
    return {t.value for r in said for t in r.high if t.type == "NAME"}


def _no_sizes(definitions: Sequence[Statement], bounds: Set[str]) -> set[str]:
    """The names that are defined and no bounds, are bound, or have subscripts."""
    found = {s.target for s in definitions if s.target not in bounds or not is_linear(s.right)}
    for s in definitions:
        found |= {*bound_names(s.tokens), *indices_of(s.tokens)}
        found |= {name.value for name, _, _ in scripted(s.tokens, "SUB")}
    return found


def _terms(tokens: Sequence[Token]) -> Terms:
    """The terms of a sum with the signs in front of them, without signs of products."""
    terms: Terms = [(None, [])]
    for token in tokens:
        if token.type in ("PLUS", "MINUS") and terms[-1][1]:
            terms.append((token, []))
        elif token.type not in ("CDOT", "THIN"):
            terms[-1][1].append(token)
    return terms if terms[-1][1] else []


def _sum_of(terms: Terms, text: Expansion) -> ast.Expression:
    whole: ast.Expression | None = None
    for sign, factors in terms:
        term = _leaf(factors[0], text)
        if len(factors) == 2:
            span = text.span(factors[0].start, factors[1].end)
            term = ast.Binary("*", term, _leaf(factors[1], text), span)
        if sign is None or whole is None:
            whole = term
        else:
            span = text.span(terms[0][1][0].start, factors[-1].end)
            whole = ast.Binary("+" if sign.type == "PLUS" else "-", whole, term, span)
    assert whole is not None, "a sum has a term"
    return whole


def _leaf(token: Token, text: Expansion) -> ast.Expression:
    span = text.span(token.start, token.end)
    return ast.Number(token.value, span) if token.type == "NUM" else ast.Name(token.value, span)
