r"""Values that the prose gives to elements of an input, "with $x_0 = 0$" or "$x_i = 0$ for $i < 1$": they are no part of what is passed.

Which elements have them is not read from the words, and without them the user would be asked for elements that the paper does not have.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from tadc.errors import SyntaxError
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.statement import Statement

__all__ = ["refuse_boundary_values"]


def refuse_boundary_values(
    definitions: Sequence[Statement],
    prose: Sequence[Statement],
    declared: Set[str],
    text: Expansion,
) -> None:
    """Raise SyntaxError for the first element that the prose says to be a number, of what formulas read at moved indices alone."""
    targets = {d.target for d in definitions}
    read = [pair for d in definitions for pair in scripted(d.right, "SUB")]
    moved = {
        name.value
        for name, _, inner in read
        if any(t.type in ("PLUS", "MINUS") for t in inner) and any(t.type == "NAME" for t in inner)
    }
    printed = {(name.value, *(t.value for t in inner)) for name, _, inner in read}
    for statement in prose:
        kinds = [t.type for t in statement.right]  # an error is about the condition behind it
        if statement.kind != "definition" or kinds not in (["NUM"], ["NUM", "ERROR"]):
            continue
        left = statement.tokens[: statement.equal]
        below = next((inner for name, _, inner in scripted(left, "SUB") if name is left[0]), ())
        name = statement.target
        is_input = name in moved - targets - declared
        is_named = (name, *(t.value for t in below)) in printed and below[0].type == "NUM"
        if not below or not is_input or is_named:
            continue
        raise SyntaxError(
            text.span(statement.start, statement.end),
            f"the prose gives `{name}` a value here, and elements that are passed have their own",
            fix=rf"write `{name}_{{\operatorname{{pad}}(i-1)}}` where elements outside are 0; or declare the extents with these elements, `%!tadc input {name}[N+1]`",
        )
