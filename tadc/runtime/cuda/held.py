"""Arrays of others in a GPU's memory, held until what reads them there is done.

Launches return before kernels run. Memory of CuPy's pool is used again in the order of the stream; another library, to which an array
is given back, may use its memory at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from threading import Lock, local
from typing import Any

__all__ = ["hold", "hold_until_done"]

_BORROWED = {"DLPackMemory", "UnownedMemory"}  # CuPy's words for memory that is not its own


class _Imported(local):
    """What this thread has imported, and has not launched anything on yet."""

    def __init__(self) -> None:
        self.arrays: list[Any] = []


_imported = _Imported()
_running: deque[tuple[Any, list[Any]]] = deque()  # events, with the arrays that are read until then
_lock = Lock()


def hold(array: Any) -> None:
    """Hold an array that was just imported until the next launch of this thread is done."""
    _imported.arrays.append(array)


def hold_until_done(inputs: Sequence[Any], xp: Any) -> None:
    """Hold those of the inputs that are not CuPy's own until the current stream has done what it was given so far. `xp` is CuPy."""
    held, _imported.arrays = _imported.arrays, []
    held += [a for a in inputs if type(getattr(a.data, "mem", None)).__name__ in _BORROWED]
    if not (held or _running):
        return
    if held and not xp.cuda.get_current_stream().is_capturing():  # a graph keeps its arrays itself
        event = xp.cuda.Event(disable_timing=True)
        event.record()
        with _lock:
            _running.append((event, held))
    with _lock:
        while _running and _running[0][0].done:
            _running.popleft()
