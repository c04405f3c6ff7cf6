"""The command line: `tadc compile`, `show`, `run`, `check`, `bench`, `doctor`."""

from tadc.cli.main import commands, main

__all__ = ["commands", "main"]
