r"""Letters above one name of which one is a label and another a number elsewhere: the `A` of `z^A_{ij} z^B_{ik}` beside `Q = A v`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.script_tokens import bound_names, scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["with_unclear_twins"]


def with_unclear_twins(
    tokens: Sequence[Token], labels: Set[str], declared: Set[str]
) -> list[Token]:
    """The tokens with errors for letters above names that stand there beside one of the `labels`, and are none, no index and no `declared`
    number; a capital is beside a capital.
    """
    raised = list(_raised(tokens))
    bound = bound_names(tokens)
    errors: dict[int, Token] = {}
    for name, letter in raised:
        if letter.value in labels | bound | declared | {"T", "H", "t"}:
            continue
        twin = next(
            (
                other.value
                for base, other in raised
                if base.value == name.value
                and other.value in labels
                and other.value.isupper() == letter.value.isupper()
            ),
            None,
        )
        if twin is not None:
            errors[id(letter)] = _unclear(name, letter, twin)
    return [errors.get(id(t), t) for t in tokens]


def _raised(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Each name with a subscript, and the letter alone above it."""
    with_subscript = {id(name) for name, _, _ in scripted(tokens, "SUB")}
    for name, _, inner in scripted(tokens, "SUP"):
        is_letter = len(inner) == 1 and inner[0].type == "NAME" and not inner[0].note
        if is_letter and id(name) in with_subscript:
            yield name, inner[0]


def _unclear(name: Token, letter: Token, twin: str) -> Token:
    shown, above = as_printed(name.value), as_printed(letter.value)
    fact = f"`{above}` above `{shown}` may be a power, or a label as `{twin}` is"
    fix = (
        rf"write the labels upright, `{shown}^{{\mathrm{{{letter.value}}}}}`, and the power in brackets, `({shown}_i)^{{{above}}}`;"
        f" or declare the exponent, `%!tadc input {letter.value}[]`"
    )
    return Token("ERROR", fact, letter.start, letter.end, fix)
