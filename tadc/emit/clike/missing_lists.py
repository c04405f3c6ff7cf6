"""What a launcher of C does where the arrays of a list are null: it makes them, with the workspace, and calls itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tadc.emit.clike.integers import derived_lines
from tadc.emit.clike.launcher import Launcher
from tadc.emit.clike.lists import builder_calls
from tadc.emit.templates import template
from tadc.schedule.rewrite.list_tensors import Listed, Rows, SortedList

__all__ = ["missing_lists"]


def missing_lists(modes: Sequence[tuple[Listed, Launcher]]) -> str:
    """A function for each launcher that has lists; "" where none has."""
    functions = [
        {
            "name": launcher.module.launcher,
            "parameters": launcher.parameters("int threads"),
            "arguments": launcher.arguments("threads"),
            "derived": derived_lines(launcher.module.program, launcher.text),
            "lists": [_list(each, listed, launcher) for each in listed.lists],
            "arrays": sum(len(each.tensors) for each in listed.lists) + 1,
            "workspace_bytes": launcher.workspace_bytes(),
        }
        for listed, launcher in modes
        if listed.lists
    ]
    return template("c/missing_lists.c").render(functions=functions) if functions else ""


def _list(each: SortedList | Rows, listed: Listed, launcher: Launcher) -> Mapping[str, Any]:
    names = launcher.text.names
    counts = zip(each.counts, _key_counts(each, listed, launcher), strict=True)
    return {
        "missing": " || ".join(f"!{names[t.name]}" for t in each.tensors),
        "counts": [(names[n], f"at_least_one({count})") for n, count in counts],
        "builders": list(_builders(each, listed, launcher)),
    }


def _key_counts(each: SortedList | Rows, listed: Listed, launcher: Launcher) -> list[str]:
    """How many keys there are, in each dimension."""
    if isinstance(each, Rows):
        return [launcher.text.affine(each.elements).text]
    if each.is_distinct:
        return [f"{_elements(each.of[0], listed, launcher)} + 1"]
    return [launcher.text.affine(key.high - key.low + 1).text for key in each.keys]


def _elements(tensor: str, listed: Listed, launcher: Launcher) -> str:
    shape = listed.program.tensors[tensor].shape
    return " * ".join(f"({launcher.text.affine(n).text})" for n in shape) or "1"


def _builders(each: SortedList | Rows, listed: Listed, launcher: Launcher) -> Iterator[Any]:
    program, names = listed.program, launcher.text.names
    own = {s for made in listed.lists for s in made.sizes}
    sizes = [names[s] for s in program.sizes if s not in own] + ["threads"]
    for call in builder_calls(each, launcher.module.launcher):
        first, *others = (names[t] for t in call["writes"])
        reads = [names[t] for t in call["reads"]]
        elements = {names[t]: _elements(t, listed, launcher) for t in call["writes"]}
        yield {
            "function": call["function"],
            "first": (first, elements[first]),
            "others": [(t, elements[t]) for t in others],
            "count": names[call["returns"]],
            "counting": ", ".join([*reads, f"new_{first}", *["NULL"] * len(others), *sizes]),
            "making": ", ".join([*reads, *(f"new_{t}" for t in (first, *others)), *sizes]),
        }
