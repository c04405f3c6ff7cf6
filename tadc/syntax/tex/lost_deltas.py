r"""A `\delta_{ij}` below a sum over `i < j`: Kronecker's delta would be 0 in every term, so that it is data."""

from __future__ import annotations

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Application, Comparison, Definition, Name
from tadc.syntax.nodes import Node, nodes

__all__ = ["refuse_lost_deltas"]


def refuse_lost_deltas(definition: Definition) -> None:
    """Raise SyntaxError for a delta of two indices that a condition around it holds apart."""
    for node in nodes((definition.body,)):
        if not isinstance(node, ast.Reduction) or node.condition is None:
            continue
        apart = {pair for part in nodes((node.condition,)) for pair in _apart(part)}
        for inner in nodes((node.body,)):
            match inner:
                case Application(Name("delta"), (Name(i), Name(j))) if frozenset((i, j)) in apart:
                    raise SyntaxError(
                        inner.span,
                        f"Kronecker's delta of `{i}` and `{j}` is 0 in every term of this sum, and nothing declares data of that name",
                        fix="declare them: `%!tadc input delta[N, M]`",
                    )
                case _:
                    pass


def _apart(condition: Node) -> list[frozenset[str]]:
    """The pair of names that such a relation holds apart."""
    match condition:
        case Comparison((Name(i), Name(j)), (("<" | ">" | "!="),)):
            return [frozenset((i, j))]
        case _:
            return []
