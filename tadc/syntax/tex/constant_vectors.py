r"""Left sides with an index that nothing else has: `R_s = a + b` is a number with a label, or a vector of equal elements.

Where another formula reads elements of that letter, `V = \sum_{i=1}^{K} R_i I_i`, the range of these would be its, so it is asked about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

from tadc.errors import SyntaxError
from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.macros import Expansion
from tadc.syntax.tex.script_tokens import bound_names, left_indices
from tadc.syntax.tex.statement import Statement

__all__ = ["refuse_constant_vectors"]


def refuse_constant_vectors(
    definitions: Sequence[Statement], known: Set[str], text: Expansion
) -> None:
    """Raise where an index of a left side is bound in no other definition, has no printed range, and is not on the right side; `known` are
    names with declared shapes, and indices with ranges that the prose says.
    """
    counts = Counter(name for d in definitions for name in bound_names(d.tokens))
    read = {t.value for d in definitions for t in d.right if t.type == "NAME"}
    for d in definitions:
        if d.kind != "definition" or d.target in known or d.target not in read:
            continue
        said = {t.value for t in (*d.ranges, *d.right)}
        for index in left_indices(d.tokens):
            if counts[index.value] == 1 and index.value not in said and index.value not in known:
                letter = as_printed(index.value)
                name = as_printed(d.target)
                span = text.span(d.start, d.tokens[d.equal - 1].end)
                raise SyntaxError(
                    span,
                    f"`{span.text}` may be a number with the label `{letter}`, or an element of a vector whose elements are equal: nothing else has `{letter}`",
                    fix=rf"write the label upright, `{name}_{{\mathrm{{{index.value}}}}}`; for the vector say where `{letter}` runs, `{letter} = 1, \dots, N`, behind the formula",
                )
