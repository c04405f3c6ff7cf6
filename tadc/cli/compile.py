"""`tadc compile`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tadc.cli.parameters import (
    MODE,
    index_base_option,
    size_option,
    strict_option,
    verbose_option,
    wrt_option,
)
from tadc.cli.program import loaded, program_in_mode, refuse_open_sizes
from tadc.cli.status import report
from tadc.function.targets import FILES, TARGETS, Unit
from tadc.ir.element_types import HALF_TYPES, REAL_TYPES
from tadc.options import MEMORY
from tadc.runtime.files import refuse_collisions, text_writer, write_all

if TYPE_CHECKING:
    from tadc.function import Function

__all__ = ["compile"]


def _distinct(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "folder", type=Path, default=Path(), metavar="DIR", help="Where to write.")
@click.option(
    "--target",
    "targets",
    type=click.Choice(FILES),
    multiple=True,
    default=("cuda",),
    callback=_distinct,
    show_default=True,
    help="May be given several times.",
)
@click.option(
    "--mode",
    "modes",
    type=MODE,
    multiple=True,
    default=("primal", "adjoint"),
    callback=_distinct,
    show_default=True,
    help="May be given several times.",
)
@wrt_option
@click.option("--dtype", type=click.Choice(list(REAL_TYPES)), default="float32", show_default=True)
@size_option
@click.option(
    "--memory",
    type=click.Choice(MEMORY),
    default="auto",
    show_default=True,
    help="What is computed again rather than stored: what a call of these sizes would, all that can be, nothing.",
)
@click.option(
    "--tensor-cores",
    is_flag=True,
    help="Products of float32 may be computed in TF32 by kernels of CUDA, for given sizes.",
)
@click.option(
    "--baseline",
    type=click.Choice(("atomic",)),
    help="Add what tadc is compared with: the adjoint with atomic additions, as the mode `adjoint_atomic`.",
)
@verbose_option
@index_base_option
@strict_option
def compile(
    files: tuple[str, ...],
    folder: Path,
    targets: tuple[str, ...],
    modes: tuple[str, ...],
    wrt: tuple[str, ...] | None,
    dtype: str,
    sizes: dict[str, int],
    memory: str,
    tensor_cores: bool,
    baseline: str | None,
    verbose: bool,
    index_base: int,
    strict: bool,
) -> int:
    """Write a program and its derivatives as source files, with a manifest.

    All modes stand in one .cu file; other targets get one file a mode. Each FILE's output is written whole or not at
    all, and an error in one FILE does not keep the others from being compiled.
    """
    _check_targets(targets, dtype)
    if tensor_cores and "cuda" not in targets:
        raise click.BadParameter(
            "kernels of CUDA alone have instructions for matrices: use --target cuda",
            param_hint="'--tensor-cores'",
        )
    # No GPU is needed for text.
    kernels = {"backend": "cuda", "tensor_cores": True} if tensor_cores else {}
    planned = {file: _output_paths(file, folder, targets, modes) for file in files}
    refuse_collisions(
        map(Path, files), [(Path(file), path) for file in files for path in planned[file]]
    )
    status = 0
    for file in files:
        try:
            options = {"dtype": dtype, "memory": memory, "index_base": index_base}
            f = loaded(file, sizes, verbose, strict, **options, **kernels)
            refuse_open_sizes(f, sizes)
            contents = _contents(f, targets, modes, wrt, baseline)
            write_all(dict(zip(planned[file], map(text_writer, contents), strict=True)))
        except Exception as error:
            if status:
                click.echo(err=True)
            status = max(status, report(error, file))
        else:
            click.echo(f"{file} -> {', '.join(map(str, planned[file]))}")
    return status


def _check_targets(targets: Sequence[str], dtype: str) -> None:
    without = [t for t in targets if not TARGETS[t].halves]
    if dtype in HALF_TYPES and without:
        raise click.BadParameter(
            f"the target {without[0]} has no elements of {dtype}: use --target cuda, or --dtype float32",
            param_hint="'--dtype'",
        )
    with_kernels = [t for t in targets if "kernels" in TARGETS[t].manifest]
    if len(with_kernels) > 1:
        raise click.BadParameter(
            f"a manifest has the kernels of one target, and {' and '.join(with_kernels)} have some: compile them to"
            " folders of their own",
            param_hint="'--target'",
        )


def _output_paths(
    file: str, folder: Path, targets: Sequence[str], modes: Sequence[str]
) -> tuple[Path, ...]:
    """The paths of the texts of `_contents`, in its order."""
    stem = Path(file).stem
    names = [
        f"{stem}{part}{TARGETS[target].suffix}"
        for target in targets
        for part in ([""] if TARGETS[target].all_modes else [f".{mode}" for mode in modes])
    ]
    return tuple(folder / name for name in (*names, f"{stem}.json"))


def _contents(
    f: Function,
    targets: tuple[str, ...],
    modes: Sequence[str],
    wrt: tuple[str, ...] | None,
    baseline: str | None,
) -> list[str]:
    """The text of every output of `compile`, the manifest last."""
    from tadc.compiler import atomic_module

    further = (atomic_module(f.program, wrt or f.real_inputs, points=False),) if baseline else ()
    programs = {mode.replace("-", "_"): program_in_mode(f, mode, wrt) for mode in modes}
    unit = Unit(programs, targets, further)
    manifest = json.dumps(unit.manifest, indent=2, ensure_ascii=False)
    return [*unit.texts(), f"{manifest}\n"]
