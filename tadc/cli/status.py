"""Exit statuses of commands, and the messages of errors.

Exit status 0; 1 for an error in the input, on standard error as `errors.Error` prints it; 2 for a wrong command line
(click's own); 70 for a bug of ours, 130 and 141 for Ctrl-C and a closed pipe.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any

import click

from tadc.errors import Error, FileError
from tadc.version import __version__

__all__ = ["INPUT", "Commands", "report"]

INPUT, BUG, INTERRUPTED, CLOSED_PIPE = 1, 70, 130, 141


class Commands(click.Group):
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
            return report(error)


def report(error: Exception, file: str = "") -> int:
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
