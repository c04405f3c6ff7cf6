r"""The order of the dimensions of a conditional, `u_{j|i}`, as the declared extents of other tensors tell it; the printed one where both
give the same, as in `\sum_i \sum_j p_{j|i} \log(p_{j|i} / q_{j|i})` and `p_{j|i} + p_{i|j}`.
"""

from __future__ import annotations

from dataclasses import replace

from tadc.errors import SyntaxError
from tadc.syntax.ast import Application, Definition, Element, Name
from tadc.syntax.nodes import Node, nodes, rewritten
from tadc.syntax.tex.exchanged import form
from tadc.syntax.tex.known_tensors import Known

__all__ = ["with_order"]


def with_order(known: Known, definition: Definition) -> Definition:
    """The definition with its conditionals, `u_{j|i}`, as subscripts in the order that the declared extents tell."""
    told: dict[str, set[object]] = {}
    for node in nodes((definition.body,)):
        if isinstance(node, Element):
            extents = known.extents.get(node.name.name, [])
            for s, extent in zip(node.subscripts, extents, strict=False):
                if isinstance(s, Name):
                    told.setdefault(s.name, set()).add(extent)
    left = [told.get(r.name.name, {None}) for r in definition.lefts]
    known.extents.setdefault(
        definition.target.name, [e.copy().pop() if len(e) == 1 else None for e in left]
    )

    def rule(node: Node) -> Node:
        match node:
            case Element(Name(name), (Application(Name("\\given"), args), *rest)):
                extents = known.extents.get(name, [])[:2]
                orders = [o for o in (args, args[::-1]) if [_extent(a) for a in o] == extents]
                if len(orders) == 1 and None not in extents:
                    return replace(node, subscripts=(*orders[0], *rest))  # type: ignore[arg-type]
                if is_any:
                    return replace(node, subscripts=(*args, *rest))  # type: ignore[arg-type]
                raise SyntaxError(
                    node.span,
                    "the order of the dimensions of a conditional is not told by the document",
                    fix=f"write `{name}_{{ij}}` or `{name}_{{ji}}` for `{name}_{{j|i}}`; or declare its shape, and that of another tensor with"
                    f" one of these indices, where the extents differ: `%!tadc input {name}[.., ..]`",
                )
            case _:
                return node

    is_any = _is_any_order(definition)

    def _extent(subscript: Node) -> object:
        found = told.get(subscript.name, set()) if isinstance(subscript, Name) else set()
        return next(iter(found)) if len(found) == 1 else ""

    return replace(definition, body=rewritten(definition.body, rule))


def _is_any_order(definition: Definition) -> bool:
    """Whether the formula is the same with the indices of all of its conditionals in the other order."""
    pairs = {
        frozenset(a.name for a in node.args if isinstance(a, Name))
        for node in nodes((definition.body,))
        if isinstance(node, Application) and node.function.name == "\\given"
    }
    if len(pairs) != 1 or len(pair := sorted(*pairs)) != 2:
        return False

    def reversed_(node: Node) -> Node:
        match node:
            case Application(Name("\\given"), args):
                return replace(node, args=args[::-1])
            case _:
                return node

    printed = form(definition.body, {})
    other = rewritten(definition.body, reversed_)
    exchanged = {pair[0]: pair[1], pair[1]: pair[0]}
    are_bound = not {*pair} & {r.name.name for r in definition.lefts}
    return printed == form(other, {}) or (are_bound and printed == form(other, exchanged))
