r"""Shapes of transposes, `X^\top \in \mathbb{R}^{N \times D}`: that of `X` has its extents in the other order."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["with_shapes_of_transposed"]


def with_shapes_of_transposed(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with the shape of what is transposed in place of each such shape."""
    if not any(t.type == "RR" for t in tokens):
        return list(tokens)
    closing = closing_braces(tokens)
    result = list(tokens)
    for _, place, inner in reversed([*scripted(tokens, "SUP")]):
        end = place + len(inner) + 3
        kinds = [t.type for t in tokens[end : end + 4]]
        if kinds[:2] != ["IN", "RR"] or [t.value for t in inner] not in (["T"], [r"\top"]):
            continue
        if kinds[2:] == ["SUP", "LBRACE"]:
            opening, last = end + 3, closing.get(end + 3, end + 3)
            extents = tokens[opening + 1 : last]
            cuts = [n for n, t in enumerate(extents) if t.value == r"\times"]
            if len(cuts) == 1:
                (cut,) = cuts
                swapped = [*extents[cut + 1 :], extents[cut], *extents[:cut]]
                result[opening + 1 : last] = swapped
        del result[place:end]
    return result
