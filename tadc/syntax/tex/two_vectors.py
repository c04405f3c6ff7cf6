r"""One letter for two vectors: `\hat{r}_{ui} = \mu + b_u + b_i + \sum_f p_{uf} q_{if}` has biases of users and biases of items."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from tadc.errors import SyntaxError
from tadc.syntax.ast import Binary, Definition, Element, Expression, Name
from tadc.syntax.nodes import nodes
from tadc.syntax.tex.as_printed import as_printed

__all__ = ["refuse_two_vectors"]


def refuse_two_vectors(definitions: Sequence[Definition], known: Container[str]) -> None:
    """Raise SyntaxError for a vector that is added to itself at two indices of the left side which run along different tensors, none of
    them `known` by a declaration.
    """
    targets = {d.target.name for d in definitions}
    places: dict[tuple[str, int], set[str]] = {}  # of tensors of several dimensions: the indices
    for definition in definitions:
        for node in nodes((definition.body,)):
            if isinstance(node, Element) and len(node.subscripts) > 1:
                for n, subscript in enumerate(node.subscripts):
                    if isinstance(subscript, Name):
                        places.setdefault((node.name.name, n), set()).add(subscript.name)
    for definition in definitions:
        open_ = [r.name.name for r in definition.lefts if r.low is None and r.extent is None]
        read: dict[str, Element] = {}
        for element, index in _added(definition.body, open_):
            name = element.name.name
            if name in targets or name in known:
                continue
            first = read.setdefault(name, element)
            other = first.subscripts[0]
            assert isinstance(other, Name), "it has an index alone"
            if other.name != index and _are_apart(other.name, index, places, known):
                one, two = as_printed(name, other.name), as_printed(name, index)
                raise SyntaxError(
                    element.span,
                    f"`{one}` and `{two}` may be elements of one vector, or of two: `{other.name}` and `{index}` run along different tensors",
                    fix=f"declare one, `%!tadc input {name}[N]`, or both, `%!tadc input {name}_{other.name}[N], {name}_{index}[M]`",
                )


def _added(body: Expression, open_: Container[str]) -> Iterator[tuple[Element, str]]:
    """The terms of a sum that are elements of vectors at one of these indices."""
    todo = [body]
    while todo:
        match todo.pop():
            case Binary("+", left, right):
                todo += [right, left]
            case Binary("-", left, _):
                todo.append(left)
            case Element(_, (Name(index),)) as element if index in open_:
                yield element, index
            case _:
                pass


def _are_apart(
    one: str, two: str, places: dict[tuple[str, int], set[str]], known: Container[str]
) -> bool:
    """Whether both stand below tensors, never at the same place, and all of these are free of declarations."""
    of_one = {place for place, found in places.items() if one in found}
    of_two = {place for place, found in places.items() if two in found}
    names_of_one, names_of_two = ({name for name, _ in of} for of in (of_one, of_two))
    is_free = not any(name in known for name in names_of_one | names_of_two)
    return bool(of_one and of_two) and is_free and not names_of_one & names_of_two
