r"""Letters below one name and above another one, `F_{\mu\nu} F^{\mu\nu}`: in physics a sum over both, where superscripts are indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.script_tokens import bound_names, equal_place, has_style, scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["with_unclear_pairs"]


def with_unclear_pairs(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with an error for each two and more letters above a name that stand below another name of the right side, bound by nothing."""
    right = tokens[equal_place(tokens) :]
    bound = bound_names(tokens)
    below = [_letters(inner) for _, _, inner in scripted(right, "SUB")]
    result = list(tokens)
    for name, _, inner in scripted(tokens, "SUP"):
        letters = _letters(inner)
        if len(letters) < 2 or {*letters} & bound or letters not in below:
            continue
        place = next(n for n, t in enumerate(tokens) if t is name)
        fact = "letters below one name and above another: a sum over both, or a power"
        fix = (
            "write `%!tadc einstein` and `%!tadc upper` where superscripts are indices, and repeated ones are summed over;"
            r" a power in brackets, `(F)^{ab}`"
        )
        result[place] = replace(name, type="ERROR", value=fact, end=inner[-1].end, note=fix)
    return result


def _letters(inner: Sequence[Token]) -> list[str]:
    """The letters of a script that has nothing else but commas."""
    names = [t for t in inner if t.type == "NAME" and not has_style(t)]
    others = [t for t in inner if t.type not in ("NAME", "COMMA")]
    return [t.value for t in names] if not others and len(names) > 1 else []
