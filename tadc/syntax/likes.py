"""`output S: like A` says of a definition of the text that its result has the pattern of another tensor, as `S[i, j]: like A = ..` does.

In LaTeX, whose definitions have no types, it is the one way to say it.
"""

from __future__ import annotations

from dataclasses import replace

from tadc.errors import SyntaxError
from tadc.syntax import ast

__all__ = ["with_likes"]


def with_likes(program: ast.Program) -> ast.Program:
    """The program with what its outputs are like at their definitions. Raises SyntaxError for an output that nothing defines so."""
    outputs = [i for i in program.items if isinstance(i, ast.OutputDeclaration)]
    likes = {name.name: (name, other) for o in outputs for name, other in o.likes}
    if not likes:
        return program
    items: list[ast.Item] = []
    for item in program.items:
        match item:
            case ast.OutputDeclaration():
                items.append(replace(item, likes=()))
            case ast.Definition(target) if (name := _whole(item)) in likes:
                _, other = likes.pop(name)
                if item.dtype or item.values or item.like:
                    raise SyntaxError(
                        target.span,
                        f"`{target.name}` has two types",
                        fix=f"leave one, `like {other.name}` where it is defined or where it is an output",
                    )
                items.append(replace(item, like=other))
            case _:
                items.append(item)
    for output, other in likes.values():
        raise SyntaxError(
            output.span,
            f"`{output.name}` is like `{other.name}`, and nothing defines it",
            fix=f"write `output {output.name}`, or its definition, a product with `{other.name}`",
        )
    return replace(program, items=tuple(items))


def _whole(item: ast.Definition) -> str:
    """The name of what is defined, by its elements or, as programs are printed, by the values that it has."""
    name = item.target.name
    return name.removesuffix("_val") if len(item.lefts) == 1 else name
