"""`tadc bench`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

import click

from tadc.cli.output import print_json
from tadc.cli.parameters import (
    backend_option,
    file_argument,
    index_base_option,
    json_option,
    size_option,
)
from tadc.cli.program import loaded, open_numbers

__all__ = ["bench"]


@click.command()
@file_argument
@size_option
@backend_option
@click.option("--repetitions", type=click.IntRange(min=1), default=9, show_default=True)
@click.option("--tune", is_flag=True, help="Time schedules on the GPU first, and keep the best.")
@json_option
@index_base_option
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

    Sizes that are not given are chosen so that there is something to measure. Kernels of native code have a row each:
    what limits them, and the least time that this machine needs for their work.
    """
    if tune and backend != "cuda":
        raise click.BadParameter(
            "schedules are tuned for a GPU: add --backend cuda", param_hint="'--tune'"
        )
    from tadc import bench as benching

    f = loaded(file, sizes, backend=backend, index_base=index_base)
    chosen = benching.large_sizes(f, open_numbers(f, sizes))

    def progress(numbers: Iterable[int]) -> Iterator[int]:
        with click.progressbar(numbers, label="repetitions", file=sys.stderr) as bar:
            yield from bar

    on_gpu = backend == "cuda"
    times = benching.bench(f, chosen, repetitions, progress=progress, on_gpu=on_gpu, tune=tune)
    times = replace(times, sizes={**sizes, **chosen})
    if as_json:
        print_json(asdict(times))
    else:
        click.echo(str(times))
    return 0
