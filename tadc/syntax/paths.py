"""The name of a file where a program should stand."""

from __future__ import annotations

import re

from tadc.errors import Source, Span, SyntaxError

__all__ = ["refuse_path"]

_PATH = re.compile(r"\s*([^\s=;\[\]{}#][^\n=;{}#]*\.(?:idx|tex))\s*", re.IGNORECASE)


def refuse_path(source: Source) -> None:
    """Raises SyntaxError for a text that is the name of a program's file, and nothing else."""
    if len(source.text) < 500 and (path := _PATH.fullmatch(source.text)) is not None:
        span = Span(source, path.start(1), path.end(1))
        raise SyntaxError(
            span,
            "this is the name of a file, and not a program",
            fix=f'read it with `tadc.load("{path[1]}")`',
        )
