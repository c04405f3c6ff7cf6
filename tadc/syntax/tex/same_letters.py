r"""One letter for a number and for a tensor: the tensor is named as it is printed.

V = \sum_n V_n                  `V`, and the tensor `V_n`
N_k = \sum_{n=1}^{N} r_{nk}     the size `N`, and the tensor `N_k`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.script_tokens import names_in_bounds, scripted
from tadc.syntax.tex.statements import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["letters_apart"]


def letters_apart(definitions: Sequence[Statement], tensors: Set[str]) -> list[Statement]:
    """The definitions with other names for one of the two; `tensors` are declared with dimensions, and keep their names."""
    elements: dict[str, str] = {}  # names with subscripts, and those as they are printed
    for d in definitions:
        for name, _, inner in scripted(d.tokens, "SUB"):
            letters = "".join(t.value for t in inner if t.type == "NAME")
            if letters:
                elements.setdefault(name.value, f"{name.value}_{letters}")
    totals = {d.target for d in definitions if _is_total(d)}
    sizes = names_in_bounds(d.tokens for d in definitions) - tensors
    taken = {t.value for d in definitions for t in d.tokens if t.type == "NAME"} | tensors
    of_elements = {n: new for n, new in elements.items() if n in (totals | sizes) - tensors}
    of_totals = {n: f"{n}_total" for n in totals & tensors}
    of_elements = {n: new for n, new in of_elements.items() if new not in taken}
    of_totals = {n: new for n, new in of_totals.items() if new not in taken}
    if not of_elements and not of_totals:
        return list(definitions)
    return [
        replace(d, tokens=tuple(_renamed(d.tokens, of_elements, of_totals))) for d in definitions
    ]


def _is_total(definition: Statement) -> bool:
    """Whether a name without subscripts is defined by its elements."""
    right = definition.tokens[definition.equal :]
    reads_itself = any(name.value == definition.target for name, _, _ in scripted(right, "SUB"))
    return definition.is_scalar and reads_itself


def _renamed(
    tokens: Sequence[Token], of_elements: Mapping[str, str], of_totals: Mapping[str, str]
) -> list[Token]:
    with_subscript = {name for name, _, _ in scripted(tokens, "SUB")}
    result: list[Token] = []
    for token in tokens:
        names = of_elements if token in with_subscript else of_totals
        is_other = token.type == "NAME" and token.value in names
        result.append(replace(token, value=names[token.value]) if is_other else token)
    return result
