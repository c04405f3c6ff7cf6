"""A line on a terminal that shows the progress of stages that take longer than a second; erased at the end.

It is written to standard error, and only where that is a terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import TextIO

__all__ = ["stage"]

PATIENCE = 1.0  # seconds before there is a line
PERIOD = 0.2  # seconds between two of its states
ERASE = "\r\x1b[K"


@dataclass(slots=True, eq=False)
class _Stage:
    name: str
    done: int = 0


_stages: list[_Stage] = []  # those at work, the outermost first; the line says the innermost


@contextmanager
def stage(name: str, steps: int = 0) -> Iterator[Callable[[], None]]:
    """While it lasts the line shows `name` and the share of `steps` done: call the value of the context at each."""
    entered = _Stage(name)

    def step() -> None:
        entered.done += 1
        entered.name = f"{name}, {100 * entered.done // (steps or 1)} %"

    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda: None
        return
    over = Event()
    watch = None if _stages else Thread(target=_watch, args=(sys.stderr, over), daemon=True)
    _stages.append(entered)
    if watch is not None:
        watch.start()
    try:
        yield step
    finally:
        _stages.remove(entered)
        if watch is not None:
            over.set()
            watch.join()


def _watch(terminal: TextIO, over: Event) -> None:
    """Write the line until it is over."""
    wait = PATIENCE
    try:
        while not over.wait(wait):
            for innermost in _stages[-1:]:
                terminal.write(f"{ERASE}tadc: {innermost.name} ..")
                terminal.flush()
            wait = PERIOD
        if wait == PERIOD:
            terminal.write(ERASE)
            terminal.flush()
    except (OSError, ValueError):  # the terminal is gone
        pass
