"""Lines of numpy that make the lists of a program."""

from __future__ import annotations

from collections.abc import Mapping

from tadc.ir.affine import Symbol
from tadc.ir.domain import Looked
from tadc.ir.program import Program
from tadc.schedule.rewrite.lists import Key, Rows, SortedList

__all__ = ["list_lines"]


def list_lines(each: SortedList | Rows, program: Program, names: Mapping[str, str]) -> list[str]:
    """The lines that make the tensors of a list, and the sizes that they have."""
    begin, *positions = (names[t.name] for t in (each.begin, *each.positions))
    if isinstance(each, SortedList):
        of = [_of_key(key, names) for key in each.keys]
        ends = [f"({key.low.text(names)}, {key.high.text(names)})" for key in each.keys]
        text = f"sorted_list([{', '.join(of)}], [{', '.join(ends)}])"
    else:
        ends = [_end(d, more, each, program, names) for d, more in (each.low, each.high)]
        text = f"rows_of({', '.join(ends)}, {each.elements.text(names)})"
    *rows, last = [names[s] for s in each.counts]
    lines = [f"{begin}, {', '.join(positions)}{',' * (not positions)} = {text}"]
    lines += [f"{name} = {begin}.shape[{d}]" for d, name in enumerate(rows)]
    return [*lines, f"{last} = {begin}.shape[-1] - 1", f"{names[each.count]} = len({positions[0]})"]


def _of_key(key: Key, names: Mapping[str, str]) -> str:
    """The elements of an index tensor, or the places of these in a dimension."""
    tensor = names[key.tensor]
    return tensor if key.dimension is None else f"np.indices(np.shape({tensor}))[{key.dimension}]"


def _end(d: Looked, more: int, each: Rows, program: Program, names: Mapping[Symbol, str]) -> str:
    """One end of all rows."""
    rows = {**names, each.index: f"np.arange({each.extent.text(names)})"}
    subscripts = ", ".join(form.text(rows) for form in d.subscripts)
    added = f" + {more}" if more > 0 else f" - {-more}" if more else ""
    return f"at({names[d.tensor]}, {subscripts}){added}"
