"""`tadc check`."""

from __future__ import annotations

from dataclasses import asdict, replace

import click

from tadc.cli.output import print_json
from tadc.cli.parameters import file_argument, index_base_option, json_option, size_option
from tadc.cli.program import loaded, open_numbers
from tadc.cli.status import INPUT

__all__ = ["check"]


@click.command()
@file_argument
@size_option
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--prove", is_flag=True, help="Prove reads, gradients and loops for all sizes first.")
@json_option
@index_base_option
def check(
    file: str, sizes: dict[str, int], seed: int, prove: bool, as_json: bool, index_base: int
) -> int:
    """Compare derivatives with numeric differentiation, and backends with each other.

    On random input; sizes that are not given are chosen small. Status 1 where something differs, or is not proved.
    """
    f = loaded(file, sizes, index_base=index_base)
    given = open_numbers(f, sizes)
    report = f.check(seed=seed, **given)
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
        print_json(told)
    else:
        click.echo("\n\n".join(str(r) for r in (proofs, report) if r is not None))
    return 0 if report and (proofs is None or proofs) else INPUT
