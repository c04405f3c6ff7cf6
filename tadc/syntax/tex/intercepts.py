r"""The `\beta_0` of a document with a vector `\beta`: its own name, the intercept, or the first element.

y_i = \beta_0 + x_i^\top \beta      `beta_0` is a number where the document counts from 1
y = w_0 + \sum_i w_i x_i             an error where nothing prints where indices start
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, zip_longest

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import bound_names, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["first_of_sums", "unclear_zero", "with_zero_below", "zero_beside_index"]


def with_zero_below(definitions: Sequence[Statement], ranks: Mapping[str, int]) -> set[str]:
    """The vectors, by their declarations, that stand both whole and with a 0 below them."""
    whole: set[str] = set()
    with_zero: set[str] = set()
    for d in definitions:
        pairs = zip_longest(d.right, d.right[1:])
        whole |= {t.value for t, after in pairs if after is None or after.type != "SUB"}
        with_zero |= {
            name.value
            for name, _, inner in scripted(d.tokens, "SUB")
            if [(t.type, t.value) for t in inner] == [("NUM", "0")]
        }
    return {name for name in whole & with_zero if ranks.get(name) == 1}


def zero_beside_index(definitions: Sequence[Statement]) -> set[str]:
    r"""The names with a 0 below them and with an index alone elsewhere, `w_0 + \sum_i w_i x_i`, where no range is printed; where some are, but
    none of a formula that reads these elements with such an index and no other, these say nothing of them.
    """
    below: dict[str, set[str]] = {}
    printed: set[str] = set()
    for d in definitions:
        bound = bound_names(d.tokens)
        own: set[str] = set()
        for name, _, inner in scripted(d.right, "SUB"):
            if [(t.type, t.value) for t in inner] == [("NUM", "0")]:
                below.setdefault(name.value, set()).add("0")
            elif len(inner) == 1 and inner[0].value in bound:
                below.setdefault(name.value, set()).add("i")
                own.add(name.value)
            else:
                below.setdefault(name.value, set()).add("")
        if d.ranges or _prints_start(d.tokens):
            printed |= own | {d.target}
    found = {name for name, inside in below.items() if inside == {"0", "i"}}
    if not found:
        return found
    # What a formula with a printed range reads or defines is told, and so are all that are read beside that.
    formulas = [{t.value for t in d.tokens if t.type == "NAME"} & below.keys() for d in definitions]
    while more := set().union(*(names for names in formulas if names & printed)) - printed:
        printed |= more
    return found - printed


def _prints_start(tokens: Sequence[Token]) -> bool:
    """Whether the limits of a reduction have a number."""
    closing = closing_braces(tokens)
    before = [0, *accumulate(t.type == "NUM" for t in tokens)]  # limits may be nested deeply
    return any(
        t.type == "RED" and before[closing.get(place + 2, place)] > before[place]
        for place, t in enumerate(tokens)
    )


def first_of_sums(definitions: Sequence[Statement]) -> int | None:
    """The first value of the indices of all sums, where they have the same, 0 or 1, and print it."""
    wanted = ["RED", "SUB", "LBRACE", "NAME", "EQ", "NUM", "RBRACE"]
    found: set[str] = set()
    for d in definitions:
        kinds = [t.type for t in d.tokens]
        places = (n for n in range(len(kinds)) if kinds[n : n + len(wanted)] == wanted)
        found |= {d.tokens[n + 5].value for n in places}
    return int(found.pop()) if found in ({"0"}, {"1"}) else None


def unclear_zero(name: Token, below: Sequence[Token]) -> Token:
    """The error where nothing tells."""
    return Token(
        "ERROR",
        f"`{name.value}` with `0` below may be the first element of the vector, or a number of its own",
        name.start,
        below[-1].end,
        f"write `%!tadc input {name.value}_0[]` for the number, `%!tadc base 0` for the element",
    )
