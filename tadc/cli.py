"""The command line: `tadc compile`, `show`, `run`, `check`, `bench`, `doctor`.

Exit status 0; 1 for an error in the input, on standard error as `errors.Error` prints it; 2 for a wrong command line
(click's own); 70 for a bug of ours, 130 and 141 for Ctrl-C and a closed pipe. The compiler is imported by the commands
that need it.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from tadc.errors import (
    DerivativeError,
    Error,
    FileError,
    ShapeError,
    Span,
)
from tadc.ir.element_types import HALF_TYPES
from tadc.options import BACKENDS, DERIVED, DTYPES
from tadc.version import __version__

if TYPE_CHECKING:
    from tadc.emit.clike.spelling import DType
    from tadc.function import Function
    from tadc.schedule.nest.cost import Cost

__all__ = ["commands", "main"]

TARGETS = {"cuda": ".cu", "c": ".c", "numpy": ".py", "idx": ".idx", "latex": ".tex"}
LATER_MODES = ("inverse-tangent", "inverse-adjoint", "logdet")
MODES = (*DERIVED, *LATER_MODES)
RULES = {1: "1, stated", 2: "2, bare use", 3: "3, what stays inside"}  # language, section 3

INPUT, BUG, INTERRUPTED, CLOSED_PIPE = 1, 70, 130, 141


def main() -> None:
    """The program `tadc`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None if closed
            stream.reconfigure(errors="backslashreplace")
    commands(prog_name="tadc")


class _Commands(click.Group):
    """Commands return their exit status; what they raise becomes a message on standard error and a status."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            ctx.exit(self._status(ctx))
        except BrokenPipeError:
            # The interpreter flushes both streams once more when it ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for stream in filter(None, (sys.stdout, sys.stderr)):
                os.dup2(nowhere, stream.fileno())
            ctx.exit(CLOSED_PIPE)

    def _status(self, ctx: click.Context) -> int:
        try:
            status: int = super().invoke(ctx)
            return status
        except KeyboardInterrupt:
            return INTERRUPTED
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            return _reported(error)


def _reported(error: Exception, file: str = "") -> int:
    """Say on standard error what went wrong, with the file where the error has no place. The exit status."""
    where = f"{file}: " if file else ""
    match error:
        case Error(span=None) if not isinstance(error, FileError):
            message, status = f"{where}{error}", INPUT
        case Error():
            message, status = str(error), INPUT
        case MemoryError():
            message, status = f"{where}there is not enough memory\nuse smaller sizes", INPUT
        case OSError():
            message, status = f"{error.filename or 'the output'}: {error.strerror or error}", INPUT
        case _ if os.environ.get("TADC_TRACEBACK"):
            raise error
        case _:
            message, status = (
                f"{where}this is a bug in tadc {__version__}: {type(error).__name__}: {error}\n"
                "please report it with the command and its input; with TADC_TRACEBACK=1 it says where",
                BUG,
            )
    click.echo(_coloured(message), err=True)
    return status


def _coloured(message: str) -> str:
    """The message with its carets in red and its sentences of cause in bold, where it is read on a terminal."""
    styled = []
    for line in message.split("\n"):
        if line and not line.strip(" ^\t"):
            line = click.style(line, fg="red", bold=True)
        elif re.match(r"\S+?:\d+:\d+: ", line):
            line = click.style(line, bold=True)
        styled.append(line)
    return "\n".join(styled)


# ---------------------------------------------------------------------- what options are made of


def _assignments(
    context: click.Context, parameter: click.Parameter, texts: Sequence[str]
) -> dict[str, str]:
    """`name=value`, each name once."""
    form = (parameter.metavar or "name=value").strip("[].")
    result: dict[str, str] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not (name and value):
            raise click.BadParameter(f"`{text}` is not of the form {form}")
        if name in result:
            raise click.BadParameter(f"`{name}` is given twice")
        result[name] = value
    return result


def _numbers(
    context: click.Context, parameter: click.Parameter, texts: Sequence[str]
) -> dict[str, int]:
    """`N=64`, each name once."""
    values = _assignments(context, parameter, texts)
    for name, value in values.items():
        if not (value.isascii() and value.isdecimal() and len(value) < 20):
            raise click.BadParameter(f"`{name}` is `{value}`: a size is an integer from 0")
    return {name: int(value) for name, value in values.items()}


def _names(
    context: click.Context, parameter: click.Parameter, texts: Sequence[str]
) -> tuple[str, ...] | None:
    names = tuple(name.strip() for text in texts for name in text.split(","))
    if not all(names):
        raise click.BadParameter("a name is missing: write `a,b`")
    return names or None


def _distinct(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


_size = click.option(
    "--size",
    "sizes",
    multiple=True,
    callback=_numbers,
    metavar="N=64",
    help="A number for a size; once for each.",
)
_wrt = click.option(
    "--wrt", multiple=True, callback=_names, metavar="a,b", help="Differentiate by these inputs."
)
_verbose = click.option(
    "--verbose", is_flag=True, help="List the displays of a document that define no tensor."
)
_index_base = click.option(
    "--index-base", type=click.Choice((0, 1)), default=0, show_default=True, help="The first index."
)
_mode = click.option("--mode", type=click.Choice(MODES), default="primal", show_default=True)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs to read.")


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="tadc %(version)s")
def commands() -> None:
    """A compiler for tensor formulas in index notation, and for their derivatives."""


# ---------------------------------------------------------------------- compile


@commands.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "folder", type=Path, default=Path(), metavar="DIR", help="Where to write.")
@click.option(
    "--target",
    "targets",
    type=click.Choice(tuple(TARGETS)),
    multiple=True,
    default=("cuda",),
    callback=_distinct,
    show_default=True,
    help="May be given several times.",
)
@click.option(
    "--mode",
    "modes",
    type=click.Choice(MODES),
    multiple=True,
    default=("primal", "adjoint"),
    callback=_distinct,
    show_default=True,
    help="May be given several times.",
)
@_wrt
@click.option("--dtype", type=click.Choice(DTYPES), default="float32", show_default=True)
@_size
@click.option(
    "--baseline",
    type=click.Choice(("atomic",)),
    help="Add what tadc is compared with: the adjoint with atomic additions, as the mode `adjoint_atomic`.",
)
@_verbose
@_index_base
def compile(
    files: tuple[str, ...],
    folder: Path,
    targets: tuple[str, ...],
    modes: tuple[str, ...],
    wrt: tuple[str, ...] | None,
    dtype: str,
    sizes: dict[str, int],
    baseline: str | None,
    verbose: bool,
    index_base: int,
) -> int:
    """Write a program and its derivatives as source files, with a manifest.

    All modes stand in one .cu file; other targets get one file a mode. Each FILE's output is written whole or not at
    all, and an error in one FILE does not keep the others from being compiled.
    """
    from tadc.runtime.files import refuse_collisions, text_writer, write_all

    _check_modes(modes)
    _check_targets(targets, dtype)
    planned = {file: _output_paths(file, folder, targets, modes) for file in files}
    refuse_collisions(
        map(Path, files), [(Path(file), path) for file in files for path in planned[file]]
    )
    status = 0
    for file in files:
        try:
            f = _loaded(file, sizes, dtype=dtype, index_base=index_base)
            _refuse_open_sizes(f, sizes)
            if verbose:
                _print_skipped(f)
            contents = _contents(f, targets, modes, wrt, dtype, baseline)
            write_all(dict(zip(planned[file], map(text_writer, contents), strict=True)))
        except Exception as error:
            if status:
                click.echo(err=True)
            status = max(status, _reported(error, file))
        else:
            click.echo(f"{file} -> {', '.join(map(str, planned[file]))}")
    return status


def _check_targets(targets: Sequence[str], dtype: str) -> None:
    without = [t for t in targets if t in ("c", "numpy")]
    if dtype in HALF_TYPES and without:
        raise click.BadParameter(
            f"the target {without[0]} has no elements of {dtype}: use --target cuda, or --dtype float32",
            param_hint="'--dtype'",
        )


def _output_paths(
    file: str, folder: Path, targets: Sequence[str], modes: Sequence[str]
) -> tuple[Path, ...]:
    """Where the texts of `_contents` go, in its order."""
    stem = Path(file).stem
    names = [
        f"{stem}{part}{TARGETS[target]}"
        for target in targets
        for part in ([""] if target in ("cuda", "c") else [f".{mode}" for mode in modes])
    ]
    return tuple(folder / name for name in (*names, f"{stem}.json"))


def _contents(
    f: Function,
    targets: Sequence[str],
    modes: Sequence[str],
    wrt: tuple[str, ...] | None,
    dtype: str,
    baseline: str | None,
) -> list[str]:
    """The text of every output of `compile`, the manifest last."""
    from tadc import compiler
    from tadc.emit.c.file import emit_c
    from tadc.emit.cuda.file import cuda_text
    from tadc.schedule.lowered import CpuModule, GpuModule, modes_of

    functions = {mode: _derivative(f, mode, wrt) for mode in modes}
    programs = {mode: g.program for mode, g in functions.items()}
    parts = modes_of(programs)
    if baseline:
        parts.append(compiler.atomic_mode(f.program, wrt or f.inputs, points=False))
    real = cast("DType", dtype)
    of = partial(GpuModule.of, dtype=real) if "cuda" in targets else GpuModule.plain
    cuda = cuda_text([of(m) for m in parts], f._origin.source.text, real)
    manifest = cuda.manifest if "cuda" in targets else _without_kernels(cuda.manifest, targets)
    texts: list[str] = []
    for target in targets:
        if target == "cuda":
            texts.append(cuda.text)
        elif target == "c":
            cpu = [CpuModule.of(m, real) for m in parts]
            texts.append(emit_c(cpu, real, manifest["index_type"]))
        else:
            texts += [g.source(target) for g in functions.values()]
    return [*texts, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"]


def _without_kernels(manifest: Mapping[str, Any], targets: Sequence[str]) -> dict[str, Any]:
    """The manifest without CUDA kernels: launchers are functions of `.c` or `.py` files, if there are any."""
    empty: dict[str, Any] = {"kernels": []}
    if "c" not in targets:
        empty["workspace_bytes"] = "0"
        if "numpy" not in targets:
            empty["launcher"] = None
    return {**manifest, "modes": {name: mode | empty for name, mode in manifest["modes"].items()}}


# ---------------------------------------------------------------------- show


@commands.command()
@click.argument("file", metavar="FILE")
@_mode
@_wrt
@click.option(
    "--format",
    "format_",
    type=click.Choice(("text", "latex", "idx")),
    default="text",
    show_default=True,
)
@click.option(
    "--ranges",
    is_flag=True,
    help="Show every index, its range, and the rule and place that gave it.",
)
@click.option(
    "--cost",
    is_flag=True,
    help="Show the operations and bytes of every kernel, and of value and gradients together.",
)
@click.option(
    "--plan", is_flag=True, help="Show what is stored, and how each kernel runs on a CPU."
)
@_verbose
@_json
@_size
@_index_base
def show(
    file: str,
    mode: str,
    wrt: tuple[str, ...] | None,
    format_: str,
    ranges: bool,
    cost: bool,
    plan: bool,
    verbose: bool,
    as_json: bool,
    sizes: dict[str, int],
    index_base: int,
) -> int:
    """Print a program or a derivative of it, with the bounds that were found.

    Costs and plans are formulas while sizes have no numbers.
    """
    _check_modes((mode,))
    f = _loaded(file, sizes, index_base=index_base)
    _refuse_open_sizes(f, sizes)
    if verbose:
        _print_skipped(f)
    g = _derivative(f, mode, wrt)
    if as_json:
        asked = {"ranges": ranges, "cost": cost, "plan": plan}
        _print_json(_shown(g, mode, format_, {what for what, yes in asked.items() if yes}))
        return 0
    if ranges:
        _print_ranges(g)
    if cost:
        _print_costs(f, g, mode)
    if plan:
        click.echo(str(g.plan()))
    if not (ranges or cost or plan):
        click.echo(g.source("latex") if format_ == "latex" else str(g), nl=False)
    return 0


def _shown(f: Function, mode: str, format_: str, asked: Set[str]) -> dict[str, Any]:
    """What `show` prints, as data: a text, and what was asked for besides."""
    data: dict[str, Any] = {
        "program": f.name,
        "mode": mode,
        "text": f.source("latex") if format_ == "latex" else str(f),
        "sizes": f.sizes,
        "inputs": f.inputs,
        "outputs": f.outputs,
    }
    if "ranges" in asked:
        data["ranges"] = [
            {
                "index": r.index,
                "statement": r.statement,
                "range": r.range,
                "rule": r.rule,
                "place": _place(r.place) if r.place else None,
            }
            for r in f.ranges
        ]
    if "cost" in asked:
        data["cost"] = _cost_data(f.cost())
    if "plan" in asked:
        data["plan"] = asdict(f.plan())
    return data


def _cost_data(cost: Cost) -> dict[str, Any]:
    """The costs of all kernels, and together; numbers are null where sizes have none."""
    names = ("operations", "bytes_read", "bytes_written", "temporary_bytes")
    kernels = [
        {
            "name": k.name,
            **dict(zip(names, k.numbers or (None,) * 4, strict=True)),
            "formulas": dict(zip(names, k.formulas, strict=True)),
        }
        for k in cost.kernels
    ]
    known = cost.has_numbers
    return {
        "kernels": kernels,
        **{name: getattr(cost, name) if known else None for name in names},
        "formula": cost.formula,
    }


def _print_json(data: Any) -> None:
    click.echo(json.dumps(_finite(data), indent=2, ensure_ascii=False, allow_nan=False))


def _finite(data: Any) -> Any:
    """The data with null for numbers that JSON has not."""
    match data:
        case Mapping():
            return {name: _finite(value) for name, value in data.items()}
        case list() | tuple():
            return [_finite(value) for value in data]
        case float():
            return data if isfinite(data) else None
        case _:
            return data


def _print_ranges(f: Function) -> None:
    """The ranges of all indices as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table("index", "statement", "range", "rule", "place", box=None, pad_edge=False)
    for r in f.ranges:
        place = _place(r.place) if r.place else ""
        table.add_row(r.index, r.statement, r.range, RULES[r.rule], place)
    # What is not read on a terminal is not wrapped.
    width = None if sys.stdout.isatty() else 10_000
    console = Console(markup=False, highlight=False, width=width)
    console.print(table)


def _print_skipped(f: Function) -> None:
    for span in f.skipped:
        click.echo(f"skipped, since it defines no tensor: {_place(span)}", err=True)


def _print_costs(f: Function, g: Function, mode: str) -> None:
    """The table of the mode's kernels, and what value and gradients cost together, as a multiple of the value."""
    own = g.cost()
    click.echo(str(own))
    if not own.has_numbers:
        return
    value, both = f.cost(), f.cost(mode="vjp")
    if value.operations:
        ratios = [f"value and gradients: {both.operations / value.operations:.2f} times the value"]
        if mode != "primal":
            ratios.insert(0, f"{mode}: {own.operations / value.operations:.2f} times the value")
        click.echo("\n".join(ratios))


def _place(span: Span) -> str:
    text = " ".join(span.text.split())
    shown = text if len(text) <= 60 else f"{text[:58]}.."
    return f"{span.source.name}:{span.line}:{span.column} `{shown}`"


# ---------------------------------------------------------------------- run


@commands.command()
@click.argument("file", metavar="FILE")
@click.argument(
    "arguments", nargs=-1, callback=_assignments, metavar="[name=array.npy|.csv|.npz]..."
)
@click.option(
    "-o",
    "output",
    metavar="out.npy|.csv|.npz|DIR|-",
    help="Write the outputs there instead; `-` is standard output, as .csv.",
)
@_mode
@_wrt
@click.option("--backend", type=click.Choice(BACKENDS), default="auto", show_default=True)
@click.option("--dtype", type=click.Choice(DTYPES), help="Compute in this type.")
@_size
@_index_base
def run(
    file: str,
    arguments: dict[str, str],
    output: str | None,
    mode: str,
    wrt: tuple[str, ...] | None,
    backend: str,
    dtype: str | None,
    sizes: dict[str, int],
    index_base: int,
) -> int:
    """Evaluate a program, or a derivative of it, on arrays from files or on numbers.

    A .npz file gives the array of the input's name, or its only one; a .csv file has lines of numbers. Derivatives take
    cotangents or tangents by name: `dc=dc.npy`.
    """
    from tadc.runtime.arguments import bound_arguments
    from tadc.runtime.array_files import array_writers, csv_text, output_paths
    from tadc.runtime.files import refuse_collisions, write_all

    _check_modes((mode,))
    f = _loaded(file, sizes, backend=backend, dtype=dtype, index_base=index_base)
    f = _derivative(f, mode, wrt)
    path = None if output in (None, "-") else Path(output or "")
    targets = {} if path is None else output_paths(path, f.outputs)
    refuse_collisions(map(Path, (file, *arguments.values())), [(Path(file), p) for p in targets])
    values = {name: _value(f, name, text) for name, text in arguments.items()}
    values |= {name: n for name, n in sizes.items() if name in f.sizes}
    f, values = f.of_call(values)
    bound = bound_arguments(f.program, (), values)
    given: dict[str, Any] = dict(bound.sizes)
    results = f(*(bound.arrays[name] for name in f.inputs), **given)
    named = dict(zip(f.outputs, results if isinstance(results, tuple) else (results,), strict=True))
    if path is not None:
        write_all(array_writers(path, named))
        click.echo(f"{file} -> {', '.join(map(str, targets))}")
    elif output == "-":
        if len(named) > 1:
            raise FileError(
                None,
                f"standard output takes one output, and there are {len(named)}: {', '.join(named)}",
                fix="name a folder with `-o`, or a `.npz` file",
            )
        click.echo("".join(csv_text(name, value) for name, value in named.items()), nl=False)
    else:
        click.echo("\n".join(_printed(name, value, len(named)) for name, value in named.items()))
    return 0


def _value(f: Function, name: str, text: str) -> Any:
    """The array in a file for an argument; a number where there is no such file."""
    from tadc.runtime.array_files import read_array

    number = None if os.path.exists(text) else _number(text)
    return read_array(text, name, f.rank(name)) if number is None else number


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _printed(name: str, value: Any, count: int) -> str:
    if count == 1:
        return repr(value)
    margin = " " * len(f"{name} = ")
    return f"{name} = {repr(value).replace(chr(10), chr(10) + margin)}"


# ---------------------------------------------------------------------- doctor


@commands.command()
@_json
def doctor(as_json: bool) -> int:
    """Show what is found on this machine, and what to do about what is not."""
    from tadc.doctor import findings

    if as_json:
        _print_json([asdict(finding) for finding in findings()])
        return 0
    for finding in findings():
        click.echo(f"{finding.what:14} {finding.found or 'none'}")
        if not finding.found and finding.advice:
            click.echo(f"{'':14} {finding.advice}")
    return 0


# ---------------------------------------------------------------------- check


@commands.command()
@click.argument("file", metavar="FILE")
@_size
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--prove", is_flag=True, help="Prove reads, gradients and loops for all sizes first.")
@_json
@_index_base
def check(
    file: str, sizes: dict[str, int], seed: int, prove: bool, as_json: bool, index_base: int
) -> int:
    """Compare derivatives with numeric differentiation, and backends with each other.

    On random input; sizes that are not given are chosen small. Status 1 where something differs, or is not proved.
    """
    from tadc import check as checking

    f = _loaded(file, sizes, index_base=index_base)
    given = {s: n for s, n in sizes.items() if s in f.sizes}
    report = checking.check(f, seed, given)
    # Of sizes that need numbers those that were checked.
    needed = {s: report.sizes[s] for s in f.open_sizes}
    proofs = f.prove(**{**given, **needed}) if prove else None
    report = replace(report, sizes={**sizes, **report.sizes})
    if as_json:
        rows = [{**asdict(row), "agrees": row.agrees} for row in report.rows]
        told = {"agrees": bool(report), "sizes": report.sizes, "rows": rows}
        if proofs is not None:
            told["proved"] = bool(proofs)
            told["proofs"] = [{**asdict(p), "holds": p.holds} for p in proofs.proofs]
        _print_json(told)
    else:
        click.echo("\n\n".join(str(r) for r in (proofs, report) if r is not None))
    return 0 if report and (proofs is None or proofs) else INPUT


# ---------------------------------------------------------------------- bench


@commands.command()
@click.argument("file", metavar="FILE")
@_size
@click.option("--backend", type=click.Choice(BACKENDS), default="auto", show_default=True)
@click.option("--repetitions", type=click.IntRange(min=1), default=9, show_default=True)
@click.option("--tune", is_flag=True, help="Time schedules on the GPU first, and keep the best.")
@_json
@_index_base
def bench(
    file: str,
    sizes: dict[str, int],
    backend: str,
    repetitions: int,
    tune: bool,
    as_json: bool,
    index_base: int,
) -> int:
    """Time the value, and the value with all gradients, on random input.

    Sizes that are not given are chosen so that there is something to measure.
    """
    if tune and backend != "cuda":
        raise click.BadParameter(
            "schedules are tuned for a GPU: add --backend cuda", param_hint="'--tune'"
        )
    from tadc import bench as benching

    f = _loaded(file, sizes, backend=backend, index_base=index_base)
    given = {s: n for s, n in sizes.items() if s in f.sizes}
    chosen = benching.large_sizes(f, given)

    def progress(numbers: Iterable[int]) -> Iterator[int]:
        with click.progressbar(numbers, label="repetitions", file=sys.stderr) as bar:
            yield from bar

    on_gpu = backend == "cuda"
    found = benching.bench(f, chosen, repetitions, progress=progress, on_gpu=on_gpu, tune=tune)
    found = replace(found, sizes={**sizes, **chosen})
    if as_json:
        _print_json(asdict(found))
    else:
        click.echo(str(found))
    return 0


# ---------------------------------------------------------------------- what commands share


def _loaded(file: str, sizes: Mapping[str, int], **options: Any) -> Function:
    from tadc.function import load

    f = load(file, sizes=sizes, **options)
    if f.skipped and not click.get_current_context().params.get("verbose"):
        count = len(f.skipped)
        what = "a formula is" if count == 1 else f"{count} formulas are"
        click.echo(
            f"{file}: {what} skipped, since no tensor is defined there: {_place(f.skipped[0])}"
            + (", .." if count > 1 else ""),
            err=True,
        )
    return f


def _refuse_open_sizes(f: Function, sizes: Mapping[str, int]) -> None:
    """Raise ShapeError where a number was given for a size that is still symbolic: calls alone can bind it."""
    for name in sizes:
        if name in f.sizes:
            raise ShapeError(
                None,
                f"the size `{name}` is not declared: it stands for the extent of an input",
                fix=f"write `size {name}` and the shapes of the inputs: `input x[{name}]`",
            )


def _derivative(f: Function, mode: str, wrt: tuple[str, ...] | None) -> Function:
    from tadc.function import in_mode

    return in_mode(f, mode, wrt)


def _check_modes(modes: Sequence[str]) -> None:
    for mode in modes:
        if mode in LATER_MODES:
            raise DerivativeError(
                None,
                f"the mode `{mode}` is not supported yet",
                fix=f"use one of {', '.join(f'`{m}`' for m in DERIVED)}",
            )
