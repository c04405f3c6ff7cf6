"""`tadc show`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Set
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tadc.cli.footprints import (
    footprint_data,
    footprint_picture,
    footprint_table,
    named_box,
)
from tadc.cli.output import place, print_json
from tadc.cli.parameters import (
    INVERSE_MODES,
    file_argument,
    index_base_option,
    json_option,
    mode_option,
    names_option,
    size_option,
    strict_option,
    verbose_option,
    wrt_option,
)
from tadc.cli.program import loaded, open_numbers, program_in_mode, refuse_open_sizes
from tadc.errors import ArgumentError
from tadc.function.boxes import block_shapes, parts_of
from tadc.runtime.files import write_all

if TYPE_CHECKING:
    from tadc.function import Function
    from tadc.schedule.nest.cost import Cost

__all__ = ["show"]

FORMATS = {"text": "idx", "latex": "latex", "idx": "idx"}  # targets
RULES = {1: "1, stated", 2: "2, bare use", 3: "3, what stays inside"}  # language, section 3


@click.command()
@file_argument
@mode_option
@wrt_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(tuple(FORMATS)),
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
    "--plan",
    is_flag=True,
    help="Show what is stored, and how each kernel runs on a CPU; of an inverse mode its steps.",
)
@click.option(
    "--footprints",
    metavar="BOX",
    help="Show what a block reads: `dx[4:8]`. All sizes have numbers then.",
)
@click.option("--block", metavar="TENSOR", help="Show the program of a block of this tensor.")
@names_option("--split", "Indices of the tensor's reduction of which the block has a part.")
@names_option("--through", "Intermediates that the block computes itself.")
@click.option("--svg", type=click.Path(), metavar="FILE", help="Draw the footprints.")
@verbose_option
@json_option
@size_option
@index_base_option
@strict_option
def show(
    file: str,
    mode: str,
    wrt: tuple[str, ...] | None,
    format_: str,
    ranges: bool,
    cost: bool,
    plan: bool,
    footprints: str | None,
    block: str | None,
    split: tuple[str, ...] | None,
    through: tuple[str, ...] | None,
    svg: str | None,
    verbose: bool,
    as_json: bool,
    sizes: dict[str, int],
    index_base: int,
    strict: bool,
) -> int:
    """Print a program or a derivative of it, with the bounds that were found; of a LaTeX document also how it was read.

    Costs and plans are formulas while sizes have no numbers.
    """
    f = loaded(file, sizes, verbose, strict, index_base=index_base)
    if footprints is not None:
        _show_footprints(program_in_mode(f, mode, wrt), footprints, through, svg, as_json, sizes)
        return 0
    if svg or ((split or through) and block is None):
        raise ArgumentError(
            None,
            "`--split` and `--through` are of a block, and `--svg` is of its footprints",
            fix="name it: `--block y`, or `--footprints 'y[4:8]'`",
        )
    refuse_open_sizes(f, sizes)
    if plan and mode in INVERSE_MODES and not (ranges or cost or as_json):
        from tadc.function.inverse_modes import inverse_in_mode

        click.echo(str(inverse_in_mode(f, mode, wrt).plan()))
        return 0
    g = program_in_mode(f, mode, wrt)
    if block is not None:
        g = g.block(block, split=split, through=through)
    parts = parts_of(g) if block is not None else {}
    if as_json:
        asked = {"ranges": ranges, "cost": cost, "plan": plan}
        print_json(_shown(g, mode, format_, {what for what, yes in asked.items() if yes}, parts))
        return 0
    if ranges:
        _print_ranges(g)
    if cost:
        _print_costs(f, g, mode)
    if plan:
        click.echo(str(g.plan()))
    if not (ranges or cost or plan):
        if format_ == "text" and mode == "primal" and block is None:
            click.echo("".join(f"# {line}\n" for line in f.reading.splitlines()), nl=False)
        if format_ != "latex":
            click.echo("".join(f"# {x} is a part of {t}\n" for x, t in parts.items()), nl=False)
        click.echo(g.source(FORMATS[format_]), nl=False)
    return 0


def _show_footprints(
    f: Function,
    text: str,
    through: tuple[str, ...] | None,
    svg: str | None,
    as_json: bool,
    sizes: dict[str, int],
) -> None:
    """Print what a block reads, and draw it."""
    block, numbers = named_box(text), open_numbers(f, sizes)
    found = f.footprints(block.tensor, block.box, through=through, **numbers)
    box, shapes = block_shapes(f, block.tensor, block.box, numbers)
    if svg is not None:
        picture = footprint_picture(block.tensor, box, shapes, found)
        write_all({Path(svg): lambda file: file.write(picture.encode())})
    if as_json:
        data = {"target": block.tensor, "box": box, "reads": footprint_data(found)}
        print_json(data)
    else:
        click.echo(footprint_table(found), nl=False)


def _shown(
    f: Function, mode: str, format_: str, asked: Set[str], parts: Mapping[str, str]
) -> dict[str, Any]:
    """The output of `show`, as data: a text, and whatever else was asked for."""
    data: dict[str, Any] = {
        "program": f.name,
        "mode": mode,
        "text": f.source(FORMATS[format_]),
        "sizes": f.sizes,
        "inputs": f.inputs,
        "outputs": f.outputs,
    }
    if parts:
        data["parts"] = dict(parts)
    if "ranges" in asked:
        data["ranges"] = [
            {
                "index": r.index,
                "statement": r.statement,
                "range": r.range,
                "rule": r.rule,
                "place": place(r.place) if r.place else None,
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


def _print_ranges(f: Function) -> None:
    """The ranges of all indices as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table("index", "statement", "range", "rule", "place", box=None, pad_edge=False)
    for r in f.ranges:
        where = place(r.place) if r.place else ""
        table.add_row(r.index, r.statement, r.range, RULES[r.rule], where)
    # Output that does not go to a terminal is not wrapped.
    width = None if sys.stdout.isatty() else 10_000
    console = Console(markup=False, highlight=False, width=width)
    console.print(table)


def _print_costs(f: Function, g: Function, mode: str) -> None:
    """The table of the mode's kernels, and what value and gradients cost together, as a multiple of the value."""
    cost = g.cost()
    click.echo(str(cost))
    if not cost.has_numbers:
        return
    value, both = f.cost(), f.cost(mode="vjp")
    if value.operations:
        ratios = [f"value and gradients: {both.operations / value.operations:.2f} times the value"]
        if mode != "primal":
            ratios.insert(0, f"{mode}: {cost.operations / value.operations:.2f} times the value")
        click.echo("\n".join(ratios))
