"""The order of statements: papers say "where" after a formula, so each definition is moved behind those that it reads."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax.ast import Definition, Element, Name
from tadc.syntax.nodes import nodes

__all__ = ["in_order"]


def in_order(definitions: Sequence[Definition]) -> list[Definition]:
    """The definitions in their order, except that each follows those that it reads; a circle is left as it stands."""
    by_name: dict[str, Definition] = {}
    for d in definitions:
        by_name.setdefault(d.target.name, d)
    reads = {d: [by_name[n] for n in _names(d) if n in by_name] for d in definitions}
    ordered: dict[Definition, None] = {}
    begun: set[Definition] = set()
    for definition in definitions:
        stack = [(definition, False)]
        while stack:
            d, is_done = stack.pop()
            if is_done:
                ordered[d] = None
            elif d not in begun:
                begun.add(d)
                stack.append((d, True))
                stack += [(other, False) for other in reversed(reads[d]) if other not in begun]
    return list(ordered)


def _names(definition: Definition) -> list[str]:
    names: dict[str, None] = {}
    for node in nodes((definition.body,)):
        match node:
            case Name(name) | Element(Name(name)):
                names[name] = None
            case _:
                pass
    return list(names)
