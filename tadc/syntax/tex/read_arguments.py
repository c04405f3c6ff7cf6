r"""Definitions that read the argument of a function which reads them: the `u = x^2` of `f(x) = a + u`.

They have another value wherever the function is applied, so they are no tensors of the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_unclear_arguments"]


def with_unclear_arguments(
    definitions: Sequence[Statement], functions: Mapping[str, tuple[Set[str], Statement]]
) -> list[Statement]:
    """The definitions, with errors behind those that do so; `functions` are the names of arguments and the statement of each."""
    result: list[Statement] = []
    readers: dict[str, list[str]] = {}
    for name, (_, body) in functions.items():
        for target in {t.value for t in body.right if t.type == "NAME"}:
            readers.setdefault(target, []).append(name)
    for d in definitions:
        error = None
        alone = _read_alone(d) if d.target in readers else set()
        for function in readers.get(d.target, ()):
            own = alone & functions[function][0]
            if d.target not in functions[function][0] and own:
                error = error or _unclear(d, function, min(own))
        result.append(replace(d, tokens=(*d.tokens, error)) if error else d)
    return result


def _read_alone(definition: Statement) -> set[str]:
    """The names without subscripts on the right side that the left side does not have."""
    left = {t.value for t in definition.tokens[: definition.equal]}
    below = {id(name) for name, _, _ in scripted(definition.right, "SUB")}
    inside = {id(t) for _, _, inner in scripted(definition.right, "SUB") for t in inner}
    return {
        t.value
        for t in definition.right
        if t.type == "NAME" and id(t) not in below | inside and t.value not in left
    }


def _unclear(definition: Statement, function: str, argument: str) -> Token:
    f, x, name = (as_printed(n) for n in (function, argument, definition.target))
    fact = f"`{f}` reads this, and it has the argument `{x}` of `{f}`"
    fix = f"write it out in `{f}`, or make it a function of its own, `{name}({x}) = ..`"
    return Token("ERROR", fact, definition.start, definition.end, fix)
