r"""A `\delta_{ij}` that is hardly Kronecker's: below a sum over `i < j` it would be 0 in every term; inside of `\cos(\delta_{ij})` it is an
angle; and for indices that end at different sizes, `\sum_{i=1}^{n} \sum_{k=1}^{K} \delta_{ik}`, it tells what belongs to what.
"""

from __future__ import annotations

from collections.abc import Iterator

from tadc.errors import Span, SyntaxError
from tadc.syntax import ast
from tadc.syntax.ast import Application, Comparison, Definition, Name
from tadc.syntax.nodes import Node, all_ranges, key, nodes
from tadc.syntax.tex.commands import words

__all__ = ["refuse_lost_deltas"]


def refuse_lost_deltas(definition: Definition) -> None:
    """Raise SyntaxError for a delta of two indices that a condition around it holds apart, and for others that are hardly Kronecker's."""
    _refuse_arguments(definition)
    _refuse_different_ends(definition)
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


_OF_DATA = words("sin cos tan sinh cosh tanh exp log log2 log10 arctan arcsin arccos")
_FIX = r"declare the data: `%!tadc input delta[N, M]`; Kronecker's delta is `\mathbf{1}[i = j]`"


def _deltas(root: Node) -> Iterator[tuple[Span, str, str]]:
    """The deltas of two names: their places and these."""
    for node in nodes((root,)):
        match node:
            case Application(Name("delta"), (Name(i), Name(j)), span) if i != j:
                yield span, i, j
            case _:
                pass


def _refuse_arguments(definition: Definition) -> None:
    for node in nodes((definition.body,)):
        if not isinstance(node, Application) or node.function.name not in _OF_DATA:
            continue
        for span, _, _ in (found for arg in node.args for found in _deltas(arg)):
            fact = f"`{span.text}` in the argument of `{node.function.name}` may be Kronecker's delta, 0 or 1, or data of that name"
            raise SyntaxError(span, fact, fix=_FIX)


def _refuse_different_ends(definition: Definition) -> None:
    ranges = all_ranges(definition)
    ends = {r.name.name: key(r.high) for r in ranges if isinstance(r.high, (Name, ast.Element))}
    for span, i, j in _deltas(definition.body):
        if i in ends and j in ends and ends[i] != ends[j]:
            fact = f"`{span.text}` may be Kronecker's delta, or data of that name: `{i}` and `{j}` end at different sizes"
            raise SyntaxError(span, fact, fix=_FIX)


def _apart(condition: Node) -> list[frozenset[str]]:
    """The pair of names that such a relation holds apart."""
    match condition:
        case Comparison((Name(i), Name(j)), (("<" | ">" | "!="),)):
            return [frozenset((i, j))]
        case _:
            return []
