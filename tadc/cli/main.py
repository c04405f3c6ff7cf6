"""The program `tadc`: its commands, a file each. Modules that need numpy are imported when a command runs."""

from __future__ import annotations

import io
import sys

import click

from tadc.cli.bench import bench
from tadc.cli.check import check
from tadc.cli.compile import compile
from tadc.cli.doctor import doctor
from tadc.cli.run import run
from tadc.cli.show import show
from tadc.cli.status import Commands
from tadc.version import __version__

__all__ = ["commands", "main"]


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="tadc %(version)s")
def commands() -> None:
    """A compiler for tensor formulas in index notation, and for their derivatives."""


for command in (compile, show, run, check, bench, doctor):
    commands.add_command(command)


def main() -> None:
    """The program `tadc`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None if closed
            stream.reconfigure(errors="backslashreplace")
    commands(prog_name="tadc")
