"""Long loops, as rounds of a body that is compiled once: the program cut at its loops.

A segment is a run of statements without a loop among them. It is a program of its own, whose states are those of the whole;
the index `t` of a loop around it is a size there, `t_round = t + 1`, which a call gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tadc.inplace.trees import Renaming
from tadc.resolve.declarations import names_in
from tadc.syntax import ast

__all__ = ["Path", "Rounds", "Segment", "outline", "round_name", "segment_tree"]

Path: TypeAlias = tuple[
    int, ...
]  # of loops, each by its place among the items, then the place of the first statement


@dataclass(frozen=True, slots=True)
class Segment:
    """Statements without a loop: the states that they update, what they define, and the loops' indices that they use."""

    path: Path
    updated: tuple[str, ...]
    defined: tuple[str, ...]
    indices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rounds:
    """A loop around segments and loops."""

    loop: ast.Loop
    items: tuple[Segment | Rounds, ...]


def round_name(index: str) -> str:
    """The size that stands for the index of a loop: one more than it."""
    return f"{index}_round"


def outline(tree: ast.Program) -> tuple[Segment | Rounds, ...]:
    """The program as segments and loops around them."""
    return tuple(_outline(tree.items, (), ()))


def _outline(
    items: Sequence[ast.Item], path: Path, indices: tuple[str, ...]
) -> Iterator[Segment | Rounds]:
    begin: int | None = None
    for k, item in enumerate((*items, None)):
        if isinstance(item, (ast.Definition, ast.Update, ast.Block)):
            begin = k if begin is None else begin
            continue
        if begin is not None:
            yield _segment(items[begin:k], (*path, begin), indices)
            begin = None
        if isinstance(item, ast.Loop):
            own = (item.index.name,) if item.index else ()
            yield Rounds(item, tuple(_outline(item.items, (*path, k), (*indices, *own))))


def _segment(items: Sequence[ast.Item], path: Path, indices: tuple[str, ...]) -> Segment:
    updated: dict[str, None] = {}
    defined: list[str] = []
    for update in _updates(items):
        updated[update.target.name] = None
    used = _names(items)
    for item in items:
        if isinstance(item, ast.Definition):
            defined.append(item.target.name)
    return Segment(path, tuple(updated), tuple(defined), tuple(i for i in indices if i in used))


def _updates(items: Sequence[ast.Item]) -> Iterator[ast.Update]:
    for item in items:
        if isinstance(item, ast.Update):
            yield item
        elif isinstance(item, ast.Block):
            yield from _updates(item.items)


def _names(items: Sequence[ast.Item]) -> set[str]:
    """The names that stand in statements, and are no tensors with subscripts."""
    used: set[str] = set()
    for item in items:
        match item:
            case ast.Definition():
                used |= {n.name for n in names_in((item.body,))}
            case ast.Update():
                lefts = [e.name if isinstance(e, ast.Range) else e for e in item.lefts]
                parts = (*lefts, item.body, *((item.condition,) if item.condition else ()))
                used |= {n.name for n in names_in(parts)}
            case ast.Block(inner):
                used |= _names(inner)
            case _:
                pass
    return used


def segment_tree(tree: ast.Program, path: Path) -> ast.Program:
    """One segment as a program: its outputs are the states that it updates, then what it defines."""
    items: Sequence[ast.Item] = tree.items
    declarations = [
        i
        for i in items
        if isinstance(
            i,
            (
                ast.SizeDeclaration,
                ast.TensorDeclaration,
                ast.BaseDeclaration,
                ast.EinsteinDeclaration,
            ),
        )
    ]
    values: dict[str, ast.Expression] = {}
    for k in path[:-1]:
        loop = items[k]
        assert isinstance(loop, ast.Loop)
        if loop.index is not None:
            name = ast.Name(round_name(loop.index.name), loop.index.span)
            one = ast.Number("1", loop.index.span)
            values[loop.index.name] = ast.Binary("-", name, one, loop.index.span)
        items = loop.items
    end = path[-1]
    while end < len(items) and isinstance(items[end], (ast.Definition, ast.Update, ast.Block)):
        end += 1
    chosen = items[path[-1] : end]
    segment = _segment(chosen, path, tuple(values))
    used = {i: values[i] for i in segment.indices}
    sizes = [
        ast.SizeDeclaration(v.left, None, v.span)
        for v in used.values()
        if isinstance(v, ast.Binary) and isinstance(v.left, ast.Name)
    ]
    renaming = Renaming(lambda n: n.name, used)
    span = tree.items[0].span
    outputs = [ast.Name(n, span) for n in (*segment.updated, *segment.defined)]
    statements = [_with_rounds(i, renaming) for i in chosen]
    output = ast.OutputDeclaration(tuple(outputs), span)
    return ast.Program((*declarations, *sizes, *statements, output))


def _with_rounds(item: ast.Item, renaming: Renaming) -> ast.Item:
    """The statement with the indices of loops as sizes."""
    match item:
        case ast.Definition():
            bound = frozenset(left.name.name for left in item.lefts)
            return replace(item, body=renaming.of(item.body, bound))
        case ast.Update():
            lefts = tuple(_left(e, renaming) for e in item.lefts)
            bound = frozenset(e.name.name for e in lefts if isinstance(e, ast.Range))
            condition = None if item.condition is None else renaming.of(item.condition, bound)
            return replace(
                item, lefts=lefts, condition=condition, body=renaming.of(item.body, bound)
            )
        case ast.Block(items, span):
            return ast.Block(tuple(_with_rounds(i, renaming) for i in items), span)
        case _:
            raise AssertionError(f"no statement of a segment: {item}")


def _left(left: ast.Range | ast.Expression, renaming: Renaming) -> ast.Range | ast.Expression:
    if isinstance(left, ast.Range):
        if left.name.name in renaming.values:
            return renaming.values[left.name.name]
        return left
    expression: ast.Expression = renaming.of(left, frozenset())
    return expression
