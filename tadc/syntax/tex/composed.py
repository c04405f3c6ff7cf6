r"""Functions of one argument that the language makes of others: `\coth x`, `\operatorname{ELU}(x)`, `\operatorname{logit}(p)`.

They are read like functions that the document defines, with these bodies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from tadc.errors import Source
from tadc.syntax import ast
from tadc.syntax.ast import Definition, Note
from tadc.syntax.idx.parse import parse_idx
from tadc.syntax.nodes import nodes
from tadc.syntax.tex.commands import COMPOSED
from tadc.syntax.tex.own_functions import Inlined

__all__ = ["about_composed", "composed_functions"]


@cache
def composed_functions() -> dict[str, Inlined]:
    """These functions by their names."""
    functions = {}
    for name, body in COMPOSED.items():
        (definition,) = parse_idx(Source(f"y = {body}", name)).items
        assert isinstance(definition, Definition), "the table holds formulas"
        functions[name] = Inlined(("x",), definition.body, is_known=True)
    return functions


def about_composed(definitions: Sequence[Definition]) -> Iterator[Note]:
    """A line on the first use of each: what it stands for, a guess where authors give it parameters."""
    told: set[str] = set()
    for definition in definitions:
        for node in nodes((definition.body,)):
            if not isinstance(node, ast.Application) or node.function.name not in COMPOSED:
                continue
            name = node.function.name
            if name not in told:
                told.add(name)
                text = f"`{name}(x)` is `{COMPOSED[name]}`"
                yield Note(node.function.span, text, is_guess=name in _WITH_PARAMETERS)


_WITH_PARAMETERS = ("elu", "hardtanh")
