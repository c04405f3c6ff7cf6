"""The first and last steps of reading a source, common to both languages.

While a source is read, `span` makes spans on it. The parsers are built once per process and so cannot hold the source;
a context variable can, separately for each thread.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tadc.errors import Source, Span, SyntaxError

__all__ = ["LARGEST_SOURCE", "part", "reading", "span"]

LARGEST_SOURCE = 256 * 1024  # bytes in UTF-8
_LONG = 16 * 1024  # characters: below, the cyclic garbage collector hardly runs

_place: ContextVar[tuple[Source, int]] = ContextVar("_place")


@contextmanager
def reading(source: Source) -> Iterator[None]:
    """Refuse a source that is too large; spare a long one the cyclic garbage collector, which would double the time."""
    size = len(source.text.encode(errors="surrogatepass"))
    if size > LARGEST_SOURCE:
        raise SyntaxError(
            Span(source, 0, 0),
            f"the source has {size} bytes, but at most {LARGEST_SOURCE} are read",
            fix="split the program into several files",
        )
    pause = len(source.text) > _LONG and gc.isenabled()
    if pause:
        gc.disable()
    try:
        yield
    finally:
        if pause:
            gc.enable()


@contextmanager
def part(source: Source, start: int) -> Iterator[None]:
    """Positions given to `span` count from `start` in `source`."""
    token = _place.set((source, start))
    try:
        yield
    finally:
        _place.reset(token)


def span(start: int, end: int) -> Span:
    """The characters `start` to `end` of the part being parsed."""
    source, offset = _place.get()
    return Span(source, offset + start, offset + end)
