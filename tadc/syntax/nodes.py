"""Syntax trees as trees: their parts, rewriting from the leaves up, and substitution of names. Nothing here recurses."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from tadc.syntax import ast
from tadc.syntax.ast import Condition, Expression
from tadc.trampoline import descend

__all__ = [
    "Node",
    "Rule",
    "all_ranges",
    "conjuncts",
    "free_names",
    "fresh_name",
    "key",
    "names_of",
    "nodes",
    "parts",
    "rewritten",
    "substituted",
    "values_in",
    "with_parts",
]

Node: TypeAlias = Expression | Condition
Rule: TypeAlias = Callable[[Node], Node]


def parts(node: Node) -> tuple[Node, ...]:
    """The expressions and conditions that a node is made of, in the order of the text; bounds of reductions included."""
    match node:
        case ast.Number() | ast.Name():
            return ()
        case ast.Element():
            return node.subscripts
        case ast.Application():
            return node.args
        case ast.Unary() | ast.Not() | ast.IsInteger():
            return (node.operand,)
        case ast.Binary() | ast.Logical():
            return (node.left, node.right)
        case ast.Choice():
            return (node.condition, node.then, node.otherwise)
        case ast.Bracket():
            return (node.condition,)
        case ast.Comparison():
            return node.operands
        case ast.Reduction():
            bounds = [b for r in node.ranges for b in (r.extent, r.low, r.high) if b is not None]
            condition = () if node.condition is None else (node.condition,)
            return (*bounds, *condition, node.body)


def conjuncts(condition: Condition) -> Iterator[Condition]:
    """The conditions that hold together, in the order of the text."""
    waiting = [condition]
    while waiting:
        match waiting.pop():
            case ast.Logical("and", left, right):
                waiting += (right, left)
            case other:
                yield other


def with_parts(node: Node, new: tuple[Any, ...]) -> Any:
    """The node made of other parts, as many as `parts` gives; the node itself where they are the same."""
    if all(a is b for a, b in zip(parts(node), new, strict=True)):
        return node
    match node:
        case ast.Element():
            return replace(node, subscripts=new)
        case ast.Application():
            return replace(node, args=new)
        case ast.Unary() | ast.Not() | ast.IsInteger():
            return replace(node, operand=new[0])
        case ast.Binary() | ast.Logical():
            return replace(node, left=new[0], right=new[1])
        case ast.Choice():
            return replace(node, condition=new[0], then=new[1], otherwise=new[2])
        case ast.Bracket():
            return replace(node, condition=new[0])
        case ast.Comparison():
            return replace(node, operands=new)
        case ast.Reduction():
            return _reduction_of(node, list(new))
        case ast.Number() | ast.Name():
            return node


def _reduction_of(node: ast.Reduction, new: list[Any]) -> ast.Reduction:
    ranges = []
    for r in node.ranges:
        bounds = {
            field: new.pop(0)
            for field in ("extent", "low", "high")
            if getattr(r, field) is not None
        }
        ranges.append(replace(r, **bounds))
    condition = None if node.condition is None else new.pop(0)
    return replace(node, ranges=tuple(ranges), condition=condition, body=new[0])


def nodes(roots: Iterable[Node]) -> Iterator[Node]:
    """Every node of these trees, outer ones first, in the order of the text."""
    stack = list(roots)[::-1]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(parts(node))


def rewritten(root: Node, rule: Rule) -> Any:
    """The tree with `rule` applied to every node, whose parts are rewritten already: of an expression, an expression."""

    def walk(node: Node) -> Generator[Any, Any, Node]:
        new = []
        for part in parts(node):
            new.append((yield walk(part)))
        return rule(with_parts(node, tuple(new)))

    return descend(walk(root))


def key(root: Node) -> tuple[object, ...]:
    """A tree without places: equal for trees that are written alike."""
    result: list[object] = []
    for node in nodes((root,)):
        own = [type(node).__name__, len(parts(node))]
        for field in ("text", "operator", "relations"):
            own.append(getattr(node, field, None))
        for field in ("name", "function", "op"):
            named = getattr(node, field, None)
            own.append(named.name if isinstance(named, ast.Name) else named)
        if isinstance(node, ast.Reduction):
            own += [(r.name.name, r.extent is None, r.low is None) for r in node.ranges]
        result.append(tuple(own))
    return tuple(result)


def all_ranges(definition: ast.Definition) -> tuple[ast.Range, ...]:
    """The ranges of its left side, and of all reductions in it."""
    reductions = (n for n in nodes((definition.body,)) if isinstance(n, ast.Reduction))
    return (*definition.lefts, *(r for n in reductions for r in n.ranges))


def names_of(items: Iterable[ast.Item]) -> set[str]:
    """Every name that these items mention in any role."""
    names: set[str] = set()
    for item in items:
        match item:
            case ast.Definition():
                names |= {item.target.name, *(r.name.name for r in item.lefts)}
                names |= {n.name for n in item.arguments or ()}
                roots: tuple[Node, ...] = (item.body,)
            case ast.TensorDeclaration():
                names.add(item.name.name)
                roots = item.extents or ()
            case ast.SizeDeclaration():
                names.add(item.name.name)
                roots = () if item.value is None else (item.value,)
            case ast.Requirement():
                roots = (item.condition,)
            case _:
                roots = ()
        for node in nodes(roots):
            match node:
                case ast.Name():
                    names.add(node.name)
                case ast.Element():
                    names.add(node.name.name)
                case ast.Reduction():
                    names |= {r.name.name for r in node.ranges}
                case _:
                    pass
    return names


def free_names(root: Node) -> dict[str, ast.Name]:
    """The names that stand alone and that no reduction around them binds, with the first place of each."""
    return _free(root, in_subscripts=True)


def values_in(root: Node) -> dict[str, ast.Name]:
    """As `free_names`, without those in subscripts."""
    return _free(root, in_subscripts=False)


def _free(root: Node, *, in_subscripts: bool) -> dict[str, ast.Name]:
    found: dict[str, ast.Name] = {}
    todo: list[tuple[Node, frozenset[str]]] = [(root, frozenset())]
    while todo:
        node, bound = todo.pop()
        if isinstance(node, ast.Name) and node.name not in bound:
            found.setdefault(node.name, node)
        if isinstance(node, ast.Reduction):
            bound |= {r.name.name for r in node.ranges}
        if in_subscripts or not isinstance(node, ast.Element):
            todo += [(part, bound) for part in reversed(parts(node))]
    return found


def fresh_name(taken: set[str], wishes: Sequence[str]) -> str:
    """A letter of `wishes`, or one with a number, that is not taken; it is then."""
    numbered = (f"{wishes[0]}_{n}" for n in range(1, len(taken) + 2))
    name = next(n for n in (*wishes, *numbered) if n not in taken)
    taken.add(name)
    return name


def substituted(root: Node, values: Mapping[str, Expression], taken: set[str]) -> Any:
    """The tree with expressions in place of names that stand alone, or of elements of them; bound names are left alone.

    `x` may become the element `z[i]`; then `x[j]` becomes `z[i, j]`. Indices of reductions that would capture a name of the
    values are renamed, to names that are not `taken`.
    """
    mentioned = {name for value in values.values() for name in free_names(value)}

    def walk(node: Node, values: Mapping[str, Expression]) -> Generator[Any, Any, Node]:
        if isinstance(node, ast.Name) and node.name in values:
            return (
                replace(values[node.name], span=node.span)
                if isinstance(values[node.name], ast.Name)
                else values[node.name]
            )
        if isinstance(node, ast.Reduction):
            bound = {r.name.name for r in node.ranges}
            values = {n: v for n, v in values.items() if n not in bound}
            clashing = {
                n: ast.Name(fresh_name(taken, "klmnpqrst"), node.span) for n in bound & mentioned
            }
            if clashing and values:
                renamed = tuple(
                    replace(r, name=clashing.get(r.name.name, r.name)) for r in node.ranges
                )
                node, values = replace(node, ranges=renamed), {**values, **clashing}
        new = []
        for part in parts(node):
            new.append((yield walk(part, values)))
        node = with_parts(node, tuple(new))
        if isinstance(node, ast.Element) and node.name.name in values:
            match values[node.name.name]:
                case ast.Name() as name:
                    return replace(node, name=replace(name, span=node.name.span))
                case ast.Element() as element:
                    return replace(
                        node, name=element.name, subscripts=(*element.subscripts, *node.subscripts)
                    )
                case value:
                    return ast.Application(
                        ast.Name("\\element", node.span), (value, *node.subscripts), node.span
                    )
        return node

    return descend(walk(root, values))
