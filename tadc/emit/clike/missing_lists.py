"""What a launcher does where the arrays of a list are null: it makes them, with the workspace, and calls itself.

Lists are made on the host. A launcher of CUDA copies the index tensors there, and the lists to the device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tadc.emit.clike.integers import derived_lines
from tadc.emit.clike.launcher import Launcher
from tadc.emit.clike.lists import builder_calls
from tadc.emit.templates import template
from tadc.schedule.rewrite.list_tensors import Listed, Rows, SortedList

__all__ = ["TAKEN", "missing_lists"]

# Names of the text around those of a launcher.
TAKEN = (
    "made",
    "status",
    "made_array",
    "made_on_gpu",
    "from_gpu",
    "to_gpu",
    "free_arrays",
    "at_least_one",
)


def missing_lists(modes: Sequence[tuple[Listed, Launcher]], target: str) -> str:
    """A function for each launcher that has lists; "" where none has. `target` is "c" or "cuda"."""
    gpu = target == "cuda"
    last, argument = ("cudaStream_t stream", "stream") if gpu else ("int threads", "threads")
    functions = [
        {
            "name": launcher.module.launcher,
            "parameters": launcher.parameters(last),
            "arguments": launcher.arguments(argument),
            "derived": derived_lines(launcher.module.program, launcher.text),
            "lists": [_list(each, listed, launcher, gpu) for each in listed.lists],
            "workspace_bytes": launcher.workspace_bytes(),
        }
        for listed, launcher in modes
        if listed.lists
    ]
    return template("c/missing_lists.c").render(functions=functions, gpu=gpu) if functions else ""


def _list(
    each: SortedList | Rows, listed: Listed, launcher: Launcher, gpu: bool
) -> Mapping[str, Any]:
    names = launcher.text.names
    counts = zip(each.counts, _key_counts(each, listed, launcher), strict=True)
    own = {t.name for t in each.tensors}
    calls = list(builder_calls(each, launcher.module.launcher))
    read = dict.fromkeys(t for call in calls for t in call["reads"] if t not in own)
    return {
        "missing": " || ".join(f"!{names[t.name]}" for t in each.tensors),
        "counts": [(names[n], f"at_least_one({count})") for n, count in counts],
        "read": [(names[t], _elements(t, listed, launcher)) for t in read],
        "builders": list(_builders(calls, own, listed, launcher, gpu)),
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


def _builders(
    calls: Sequence[Mapping[str, Any]],
    own: set[str],
    listed: Listed,
    launcher: Launcher,
    gpu: bool,
) -> Iterator[Mapping[str, Any]]:
    """The calls of the functions that make a list. What it reads is on the host: of its own arrays those that were made first."""
    program, names = listed.program, launcher.text.names
    of_lists = {s for made in listed.lists for s in made.sizes}
    sizes = [names[s] for s in program.sizes if s not in of_lists] + ["1" if gpu else "threads"]
    for call in calls:
        first, *others = (names[t] for t in call["writes"])
        reads = [f"new_{names[t]}" if t in own or gpu else names[t] for t in call["reads"]]
        elements = {names[t]: _elements(t, listed, launcher) for t in call["writes"]}
        yield {
            "function": call["function"],
            "first": (first, elements[first]),
            "others": [(t, elements[t]) for t in others],
            "count": names[call["returns"]],
            "counting": ", ".join([*reads, f"new_{first}", *["NULL"] * len(others), *sizes]),
            "making": ", ".join([*reads, *(f"new_{t}" for t in (first, *others)), *sizes]),
        }
