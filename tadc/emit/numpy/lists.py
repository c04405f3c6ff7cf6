"""Lines of numpy that make the lists of a program."""

from __future__ import annotations

from collections.abc import Mapping

from tadc.ir.affine import Symbol
from tadc.ir.domain import Looked
from tadc.ir.program import Program
from tadc.schedule.rewrite.list_tensors import Key, Rows, SortedList
from tadc.schedule.rewrite.matches import ELEMENT, Match

__all__ = ["list_lines"]


def list_lines(each: SortedList | Rows, program: Program, names: Mapping[str, str]) -> list[str]:
    """The lines that make the tensors of a list, and the sizes that they have."""
    begin, *positions = (names[t.name] for t in (each.begin, *each.positions))
    if isinstance(each, SortedList):
        of = [_of_key(key, names) for key in each.keys]
        ends = [_ends_of_key(key, names) for key in each.keys]
        text = f"sorted_list([{', '.join(of)}], [{', '.join(ends)}])"
    else:
        ends = [_end(d, more, each, program, names) for d, more in (each.low, each.high)]
        text = f"rows_of({', '.join(ends)}, {each.elements.text(names)})"
    *rows, last = [names[s] for s in each.counts]
    lines = [f"{begin}, {', '.join(positions)}{',' * (not positions)} = {text}"]
    lines += [f"{name} = {begin}.shape[{d}]" for d, name in enumerate(rows)]
    lines += [f"{last} = {begin}.shape[-1] - 1", f"{names[each.count]} = len({positions[0]})"]
    matches = each.matches if isinstance(each, SortedList) else ()
    return lines + [_matching(m, each.of[0], names) for m in matches]


def _matching(m: Match, tensor: str, names: Mapping[str, str]) -> str:
    """The line that makes the keys of the elements of another index tensor."""
    wanted = m.form.text({**names, ELEMENT: names[m.of]})
    return f"{names[m.tensor.name]} = numbers_among({names[tensor]}, {wanted}, {m.divisor})"


def _of_key(key: Key, names: Mapping[str, str]) -> str:
    """The elements of an index tensor, or the places of these in a dimension."""
    tensor = names[key.tensor]
    if key.distinct:
        return f"numbers_among({tensor}, {tensor}, 1)"
    if key.apart:
        moved = tuple(-n for n in key.apart)
        return f"np.roll({tensor}, {moved}, {tuple(range(len(moved)))})"
    return tensor if key.dimension is None else f"np.indices(np.shape({tensor}))[{key.dimension}]"


def _ends_of_key(key: Key, names: Mapping[str, str]) -> str:
    if key.distinct:
        return f"(0, np.size({names[key.tensor]}))"
    return f"({key.low.text(names)}, {key.high.text(names)})"


def _end(d: Looked, more: int, each: Rows, program: Program, names: Mapping[Symbol, str]) -> str:
    """One end of all rows."""
    rows = {**names, each.index: f"np.arange({each.extent.text(names)})"}
    subscripts = ", ".join(form.text(rows) for form in d.subscripts)
    added = f" + {more}" if more > 0 else f" - {-more}" if more else ""
    return f"at({names[d.tensor]}, {subscripts}){added}"
