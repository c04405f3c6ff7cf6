"""Functions of C that make the lists of a launcher, and what a manifest says of lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tadc.emit.clike.integers import derived_lines
from tadc.emit.clike.names import c_names
from tadc.emit.clike.text import CText
from tadc.emit.templates import template
from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Looked
from tadc.ir.program import Program
from tadc.schedule.rewrite.list_tensors import Key, Listed, Rows, SortedList
from tadc.schedule.rewrite.matches import ELEMENT
from tadc.schedule.rewrite.pieces import PIECE

__all__ = ["builder_calls", "list_builders", "list_entries"]

PER_THREAD = 50_000  # positions that are worth a thread
_TAKEN = """
    of low counts elements along width found places chunks first last threads keys numbers p q i malloc free sorted_list rows_of
    pieces_of key_of count_keys place_keys at_least_zero at_least_one within floored greater lesser low_row high_row
    distinct distinct_of number_among compare_elements qsort values
"""


def list_entries(listed: Listed, launcher: str) -> list[dict[str, Any]]:
    """What a manifest says of the lists of a launcher, in the order of its parameters (`docs/api.md`)."""
    return [
        {
            "name": _name(each),
            "of": list(each.of),
            "keys": _keys(each),
            "sizes": _key_sizes(each, listed.program),
            "builders": list(builder_calls(each, launcher)),
        }
        for each in listed.lists
    ]


def _key_sizes(each: SortedList | Rows, program: Program) -> dict[Symbol, str]:
    """The numbers of keys, as expressions of sizes."""
    if isinstance(each, Rows):
        return {each.counts[0]: str(each.elements)}
    if each.is_distinct:
        extents = "*".join(f"({n})" for n in program.tensors[each.of[0]].shape)
        return {each.counts[0]: f"{extents or 1} + 1"}
    spans = (key.high - key.low + 1 for key in each.keys)
    return {n: f"max(1, {span})" for n, span in zip(each.counts, spans, strict=True)}


def builder_calls(each: SortedList | Rows, launcher: str) -> Iterator[dict[str, Any]]:
    """The functions that make it, each with the arrays that it reads and writes, and the size that it returns."""
    begin, positions = each.begin.name, [t.name for t in each.positions]
    yield {
        "function": _builder_name(launcher, each),
        "reads": _read(each),
        "writes": [begin, *positions, *_matching(each)],
        "returns": each.count,
    }
    if isinstance(each, SortedList) and each.pieces:
        yield {
            "function": f"{launcher}_pieces_{_name(each)}",
            "reads": [begin],
            "writes": [t.name for t in each.pieces.tensors],
            "returns": each.pieces.count,
        }


def _read(each: SortedList | Rows) -> list[str]:
    """The index tensors that a list and what stands beside it is made from."""
    matches = each.matches if isinstance(each, SortedList) else ()
    return list(dict.fromkeys([*each.of, *(m.of for m in matches)]))


def _matching(each: SortedList | Rows) -> list[str]:
    """The tensors of the keys that elements of others have."""
    return [m.tensor.name for m in each.matches] if isinstance(each, SortedList) else []


def _keys(each: SortedList | Rows) -> list[str]:
    if isinstance(each, Rows):
        return [f"0..{each.elements - 1}"]
    if each.is_distinct:
        return [f"the distinct elements of {each.of[0]}"]
    return [f"{key.low}..{key.high}" if key.dimension is None else str(key) for key in each.keys]


def _name(each: SortedList | Rows) -> str:
    return each.begin.name.removesuffix("_ptr")


def _builder_name(launcher: str, each: SortedList | Rows) -> str:
    return f"{launcher}_list_{_name(each)}"


def _pieces(each: SortedList | Rows) -> bool:
    return isinstance(each, SortedList) and each.pieces is not None


def list_builders(modes: Sequence[tuple[Listed, str]], target: str) -> str:
    """The functions for the lists of launchers, of which the names are given; "" where there are none. `target` is "c" or "cuda"."""
    every = [each for listed, _ in modes for each in listed.lists]
    if not every:
        return ""
    functions = template("c/lists.c").render(
        integer="int",
        linkage="static ",
        sorts=any(isinstance(each, SortedList) for each in every),
        distinct=any(isinstance(each, SortedList) and each.is_distinct for each in every),
        rows=any(isinstance(each, Rows) for each in every),
        pieces=any(map(_pieces, every)),
        orders=False,
        piece=PIECE,
    )
    builders = [b for listed, name in modes for b in _Builders.of(listed, name).each()]
    return template("c/list_builders.c").render(
        lists=functions,
        exported='extern "C" ' if target == "cuda" else "",
        guard="__CUDACC_RTC__" if target == "cuda" else "",
        builders=builders,
    )


@dataclass(frozen=True, slots=True)
class _Builders:
    listed: Listed
    launcher: str
    text: CText
    sizes: tuple[Symbol, ...]  # of the program, without those of lists

    @classmethod
    def of(cls, listed: Listed, launcher: str) -> _Builders:
        program = listed.program
        own = {s for each in listed.lists for s in each.sizes}
        sizes = tuple(s for s in program.sizes if s not in own)
        rows = (each.index for each in listed.lists if isinstance(each, Rows))
        tensors = (t.name for t in program.inputs)
        names = c_names(tensors, program.parameters, dict.fromkeys(rows), taken=_TAKEN.split())
        return cls(
            listed,
            launcher,
            CText(names, program.tensors, frozenset(), "float64", {}, "int64"),
            sizes,
        )

    @property
    def program(self) -> Program:
        return self.listed.program

    def each(self) -> list[Mapping[str, Any]]:
        found = []
        for each in self.listed.lists:
            if isinstance(each, Rows):
                found.append(self._rows(each))
            else:
                found.append(self._sorted(each))
                found += [self._of_pieces(each)] if each.pieces else []
        return found

    def _parameters(
        self, read: Sequence[str], written: Sequence[str], sizes: Sequence[Symbol]
    ) -> str:
        names = self.text.names
        return ", ".join(
            [
                *(f"const int* {names[t]}" for t in dict.fromkeys(read)),
                *(f"int* {names[t]}" for t in written),
                *(f"long long {names[s]}" for s in sizes),
                "int threads",
            ]
        )

    def _count(self, low: Affine, high: Affine) -> str:
        return f"at_least_one({self.text.affine(high - low + 1).text})"

    def _elements(self, tensor: str) -> str:
        shape = self.program.tensors[tensor].shape
        return " * ".join(f"({self.text.affine(n).text})" for n in shape) or "1"

    def _sorted(self, each: SortedList) -> Mapping[str, Any]:
        names = self.text.names
        keys = len(each.keys)
        lows = ", ".join(self.text.affine(key.low).text for key in each.keys)
        counts = ", ".join(map(self._keys_of, each.keys))
        flat, *_ = positions = [names[t.name] for t in each.positions]
        is_plain = all(k.dimension is None and not k.distinct for k in each.keys)
        freed = "" if is_plain else "free(along); "
        body = [
            *derived_lines(self.program, self.text),
            f"const long long elements = {self._elements(each.of[0])};",
            f"const long long low[] = {{{lows}}}, counts[] = {{{counts}}};",
            *(self._numbers(each) if each.is_distinct else self._places(each)),
            f"const long long width = {' * '.join(f'counts[{k}]' for k in range(keys))};",
            f"long long chunks = elements / {PER_THREAD} < threads ? elements / {PER_THREAD} : threads;",
            "chunks = 2 * elements / width < chunks ? 2 * elements / width : chunks;",
            "chunks = at_least_one(chunks);",
            "int* places = (int*)malloc(sizeof(int) * (size_t)(width * chunks));",
            f"if (!places) {{ {freed}return -1; }}",
            f"const long long found = sorted_list({keys}, of, low, counts, elements, {names[each.begin.name]}, {flat}, places, (int)chunks);",
            "free(places);",
            *(self._matches(each) if each.is_distinct else []),
            *([freed.strip()] if freed else []),
        ]
        if len(positions) > 1:
            body += self._unravelled(each, positions)
        return {
            "name": _builder_name(self.launcher, each),
            "about": f"The positions of {', '.join(each.of)} by their elements {' and '.join(_keys(each))}: returns how many there are,"
            f" or -1 without memory. Without `{flat}` it only counts.",
            "parameters": self._parameters(
                _read(each),
                [each.begin.name, *(t.name for t in each.positions), *_matching(each)],
                self.sizes,
            ),
            "body": [*body, "return found;"],
        }

    def _keys_of(self, key: Key) -> str:
        """How many keys there are."""
        return "elements + 1" if key.distinct else self._count(key.low, key.high)

    def _numbers(self, each: SortedList) -> list[str]:
        """The distinct elements, and the numbers of all elements among them."""
        of = self.text.names[each.of[0]]
        return [
            "int* along = (int*)malloc(sizeof(int) * (size_t)at_least_one(2 * elements));",
            "if (!along) return -1;",
            f"int* values = along + elements; const long long distinct = distinct_of({of}, elements, values);",
            "for (long long p = 0; p < elements; p++)",
            f"  along[p] = (int)number_among(values, distinct, {of}[p], 1, elements);",
            "const int* const of[] = {along};",
        ]

    def _matches(self, each: SortedList) -> list[str]:
        """The keys of the elements of other index tensors."""
        lines = []
        for m in each.matches:
            element = f"(long long){self.text.names[m.of]}[q]"
            text = replace(self.text, names={**self.text.names, ELEMENT: element})
            key = (
                f"number_among(values, distinct, {text.affine(m.form).text}, {m.divisor}, elements)"
            )
            lines += [
                f"for (long long q = 0; {self.text.names[m.tensor.name]} && q < {self._elements(m.of)}; q++)",
                f"  {self.text.names[m.tensor.name]}[q] = (int){key};",
            ]
        return lines

    def _places(self, each: SortedList) -> list[str]:
        """An array for each key: elements of an index tensor, or, made here, those that are apart from it, or their places in a dimension."""
        names, of = self.text.names, iter(each.of)
        shape = [f"({self.text.affine(n).text})" for n in self.program.tensors[each.of[0]].shape]
        strides = [" * ".join(shape[n + 1 :]) or "1" for n in range(len(shape))]
        arrays: list[str] = []
        made: list[str] = []
        for key in each.keys:
            tensor = names[next(of)] if key.dimension is None else ""
            if key.dimension is not None:
                made.append(f"(int)(p / ({strides[key.dimension]}) % {shape[key.dimension]})")
            elif key.apart:
                pairs = zip(key.apart, strides, strict=True)
                further = " + ".join(f"{n} * ({stride})" for n, stride in pairs if n)
                made.append(f"{tensor}[((p + {further}) % elements + elements) % elements]")
            else:
                arrays.append(tensor)
                continue
            arrays.append(f"along + {len(made) - 1} * elements")
        declared = f"const int* const of[] = {{{', '.join(arrays)}}};"
        if not made:
            return [declared]
        return [
            f"int* along = (int*)malloc(sizeof(int) * (size_t)at_least_one({len(made)} * elements));",
            "if (!along) return -1;",
            "for (long long p = 0; p < elements; p++) {",
            *(f"  along[{n} * elements + p] = {value};" for n, value in enumerate(made)),
            "}",
            declared,
        ]

    def _unravelled(self, each: SortedList, positions: Sequence[str]) -> list[str]:
        """A place for each dimension, from the number of a position in row-major order."""
        shape = self.program.tensors[each.of[0]].shape
        lines = [
            f"for (long long q = 0; {positions[0]} && q < found; q++) {{",
            f"  long long p = {positions[0]}[q];",
        ]
        for name, extent in reversed(list(zip(positions, shape, strict=True))[1:]):
            n = f"({self.text.affine(extent).text})"
            lines.append(f"  {name}[q] = (int)(p % {n}); p /= {n};")
        return [*lines, f"  {positions[0]}[q] = (int)p;", "}"]

    def _of_pieces(self, each: SortedList) -> Mapping[str, Any]:
        assert each.pieces is not None
        names, pieces = self.text.names, each.pieces
        counts = ", ".join(self._count(key.low, key.high) for key in each.keys)
        assert not each.is_distinct, "a list by distinct elements is not cut"
        before, begin, *keys = (names[t.name] for t in pieces.tensors)
        return {
            "name": f"{self.launcher}_pieces_{_name(each)}",
            "about": f"The pieces of the list `{_name(each)}`: returns how many there are. Without `{begin}` it only counts.",
            "parameters": self._parameters(
                [each.begin.name], [t.name for t in pieces.tensors], self.sizes
            ),
            "body": [
                "(void)threads;",
                *derived_lines(self.program, self.text),
                f"const long long counts[] = {{{counts}}};",
                f"int* const numbers[] = {{{', '.join(keys)}}};",
                f"return pieces_of({len(keys)}, counts, {names[each.begin.name]}, {before}, {begin}, numbers);",
            ],
        }

    def _rows(self, each: Rows) -> Mapping[str, Any]:
        names = self.text.names
        (rows,) = (names[t.name] for t in each.positions)
        index = names[each.index]
        extent, elements = (self.text.affine(n).text for n in (each.extent, each.elements))
        body = [
            "(void)threads;",
            *derived_lines(self.program, self.text),
            f"const long long width = at_least_zero({extent}), elements = at_least_zero({elements});",
            "int* first = (int*)malloc(sizeof(int) * (size_t)(2 * at_least_one(width) + at_least_one(elements)));",
            "if (!first) return -1;",
            "int* last = first + at_least_one(width);",
            f"for (long long {index} = 0; {index} < width; {index}++) {{",
            *(
                f"  const long long {end}_row = {self._end(d)} + ({more});"
                for end, (d, more) in (("low", each.low), ("high", each.high))
            ),
            *(
                f"  {end}[{index}] = (int)({row} < -1 ? -1 : {row} > elements ? elements : {row});"
                for end, row in (("first", "low_row"), ("last", "high_row"))
            ),
            "}",
            f"const long long found = rows_of(first, last, width, elements, {names[each.begin.name]}, {rows}, last + at_least_one(width));",
            "free(first);",
            "return found;",
        ]
        return {
            "name": _builder_name(self.launcher, each),
            "about": f"The rows of {', '.join(each.of)} that hold each of {_keys(each)[0]}: returns how many there are, or -1 without memory."
            f" Without `{rows}` it only counts.",
            "parameters": self._parameters(
                each.of, [each.begin.name, *(t.name for t in each.positions)], self.sizes
            ),
            "body": body,
        }

    def _end(self, d: Looked) -> str:
        """The element of an index tensor that is an end of a row; the nearest one where there is none."""
        place = ""
        for form, extent in zip(d.subscripts, self.program.tensors[d.tensor].shape, strict=True):
            n = self.text.affine(extent).text
            near = f"within({self.text.affine(form).text}, {n})"
            place = f"({place}) * ({n}) + {near}" if place else near
        return f"(long long){self.text.names[d.tensor]}[{place or 0}]"
