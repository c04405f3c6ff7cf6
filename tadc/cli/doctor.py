"""`tadc doctor`."""

from __future__ import annotations

from dataclasses import asdict

import click

from tadc.cli.output import print_json
from tadc.cli.parameters import json_option

__all__ = ["doctor"]


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """Show what is found on this machine, and what to do about what is not."""
    from tadc.doctor import findings

    if as_json:
        print_json([asdict(finding) for finding in findings()])
        return 0
    for finding in findings():
        click.echo(f"{finding.what:14} {finding.found or 'none'}")
        if not finding.found and finding.advice:
            click.echo(f"{'':14} {finding.advice}")
    return 0
