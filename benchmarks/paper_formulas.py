"""How formulas of papers are read: compiled as they stand, with lines for shapes, or refused; and compared with plain loops.

    python benchmarks/paper_formulas.py FOLDER
    python benchmarks/paper_formulas.py --published --markdown benchmarks/results/papers.md

The second one is about the formulas in `tests/published`, and writes the table. A folder has, for each formula, `NAME.tex` and `NAME.py`: `inputs(rng)`, arrays by name; `reference(**inputs)`, plain loops;
`SHAPES`, declarations that a fair user adds in front (one that begins with `$` is prose); `SIZES`, numbers of sizes; and
`REFUSE`, true where the paper leaves something open, so that an error is right. `OUTPUT` may name the output among several.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import tadc

RIGHT, MISREAD, REFUSED = "right", "MISREAD", "refused"
NO_LINE = "no line would help"


@dataclass(frozen=True)
class Outcome:
    """What became of a text: `detail` is the error, or how the value differs."""

    verdict: str
    detail: str = ""


@dataclass(frozen=True)
class Row:
    """A formula's outcomes: as it stands, and with lines for shapes."""

    name: str
    unedited: Outcome
    with_shapes: Outcome
    is_open: bool
    source: str = ""

    @property
    def message(self) -> str:
        """What the error says where the formula is refused."""
        if self.verdict != REFUSED:
            return ""
        return (self.with_shapes if self.with_shapes.detail != NO_LINE else self.unedited).detail

    @property
    def verdict(self) -> str:
        outcomes = [self.unedited, self.with_shapes]
        if any(o.verdict == MISREAD for o in outcomes):
            return MISREAD
        if self.unedited.verdict == RIGHT:
            return "right, unedited"
        return "right, with shapes" if self.with_shapes.verdict == RIGHT else REFUSED


def rows(folder: Path) -> Iterator[Row]:
    """The outcome of each formula of a folder, by name."""
    for path in sorted(folder.glob("*.tex")):
        case = _module(path.with_suffix(".py"))
        text = path.read_text("utf-8")
        unedited = outcome(text, case)
        edited = Outcome(REFUSED, NO_LINE)
        if lines := getattr(case, "SHAPES", ()):
            edited = outcome(with_lines(text, lines), case)
        yield Row(path.stem, unedited, edited, getattr(case, "REFUSE", False))


def published() -> Iterator[Row]:
    """The outcome of each formula in `tests/published`, by name."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    formulas: Mapping[str, Any] = importlib.import_module("published").FORMULAS
    for name, case in sorted(formulas.items()):
        unedited = outcome(case.text, case)
        edited = Outcome(REFUSED, NO_LINE)
        if case.SHAPES:
            edited = outcome(with_lines(case.text, case.SHAPES), case)
        yield Row(name, unedited, edited, is_open=bool(case.leaves_open), source=case.source)


def with_lines(text: str, lines: list[str]) -> str:
    """The document with declarations in front, and prose where the document begins."""
    directives = "".join(f"%!tadc {line}\n" for line in lines if not line.startswith("$"))
    prose = "".join(f"{line}\n\n" for line in lines if line.startswith("$"))
    head, begin, body = text.rpartition("\\begin{document}")
    return f"{directives}{head}{begin}\n{prose}{body}"


def outcome(text: str, case: ModuleType) -> Outcome:
    """Compile the text, and compare its value with plain loops; on a quarter of the elements' differences none is excused."""
    arrays = case.inputs(np.random.default_rng(0))
    expected = np.asarray(case.reference(**arrays))
    try:
        f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")
        value = f(*_arguments(f, arrays), **_sizes(f, case.SIZES))
    except tadc.Error as error:
        first = error.errors[0]
        return Outcome(REFUSED, f"{first.fact} -- {first.fix}")
    values = dict(zip(f.outputs, value if isinstance(value, tuple) else (value,), strict=True))
    wanted = getattr(case, "OUTPUT", "")
    candidates = [values[wanted]] if wanted in values else list(values.values())
    if any(np.shape(v) == expected.shape and np.allclose(v, expected) for v in candidates):
        return Outcome(RIGHT)
    shapes = ", ".join(f"{n}{list(np.shape(v))}" for n, v in values.items())
    return Outcome(MISREAD, f"{shapes} for {list(expected.shape)}\n{f}")


def _arguments(f: tadc.Function, arrays: Mapping[str, Any]) -> list[Any]:
    """The arrays in the order of the inputs: by name, the rest in their order."""
    rest = {name: array for name, array in arrays.items() if name not in f.inputs}
    order = [arrays[n] if n in arrays else rest.pop(next(iter(rest), ""), None) for n in f.inputs]
    return [_array(a) for a in order if a is not None]


def _array(given: Any) -> Any:
    """Real numbers, but indices as they are."""
    array = np.asarray(given)
    return array if array.dtype.kind == "i" and array.ndim else array.astype(float)


def _sizes(f: tadc.Function, sizes: Mapping[str, int]) -> dict[str, int]:
    """The numbers of the sizes that no input's shape fixes."""
    return {name: n for name, n in sizes.items() if name in f.sizes}


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(results: list[Row]) -> str:
    """One line a formula, and the counts."""
    lines = []
    for row in results:
        mark = " (open)" if row.is_open else ""
        lines.append(f"{row.name + mark:32} {row.verdict:20} {row.message[:150]}")
    return "\n".join([*lines, counts(results)])


def counts(results: list[Row]) -> str:
    """How many are right, and the names of those that are misread."""
    one_reading = [r for r in results if not r.is_open]
    right = [r for r in one_reading if r.verdict.startswith("right")]
    unedited = [r for r in one_reading if r.unedited.verdict == RIGHT]
    misread = [r.name for r in results if r.verdict == MISREAD]
    return (
        f"with one reading: {len(right)} of {len(one_reading)} right, {len(unedited)} of them unedited;"
        f" misread: {len(misread)} {', '.join(misread)}"
    ).strip()


def markdown(results: list[Row]) -> str:
    """The table as a document: each formula, where it is from, how it was read, and the message of those that are refused."""
    lines = [
        "# Formulas of papers, as they are printed",
        "",
        "Made by `python benchmarks/paper_formulas.py --published --markdown benchmarks/results/papers.md`. Each formula of",
        "`tests/published` is compiled as it stands and with the lines for shapes of a fair user, and its value compared with plain",
        "loops. Those that are refused leave something open, or need what the language has not.",
        "",
        _summary(results),
        "",
        "| formula | source | read | message |",
        "| --- | --- | --- | --- |",
    ]
    for row in results:
        message = row.message.split(" -- ")[0].replace("|", "\\|").replace("\n", " ")
        source = row.source.replace("|", "\\|")
        verdict = f"{row.verdict}, left open" if row.is_open else row.verdict
        lines.append(f"| {row.name} | {source} | {verdict} | {message} |")
    return "\n".join(lines) + "\n"


def _summary(results: list[Row]) -> str:
    read = [r for r in results if r.verdict.startswith("right")]
    unedited = [r for r in read if r.unedited.verdict == RIGHT]
    misread = [r for r in results if r.verdict == MISREAD]
    is_open = [r for r in results if r.is_open]
    return (
        f"Of {len(results)} formulas {len(read)} are right, {len(unedited)} of them unedited, and {len(misread)} misread; the"
        f" others are refused, among them {len(is_open)} of which the collection says what they leave to their reader."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=inspect.getdoc(outcome))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--published", action="store_true", help="those in tests/published")
    parser.add_argument("--markdown", type=Path, help="where to write the table")
    parser.add_argument("--details", action="store_true", help="errors in full")
    given = parser.parse_args()
    results = list(rows(given.folder)) if given.folder else []
    results += published() if given.published else []
    if given.details:
        for row in results:
            for what, o in (("unedited", row.unedited), ("with shapes", row.with_shapes)):
                print(f"== {row.name}, {what}: {o.verdict}\n{o.detail}\n")
    if given.markdown:
        given.markdown.write_text(markdown(results), "utf-8")
    print(table(results))


if __name__ == "__main__":
    main()
