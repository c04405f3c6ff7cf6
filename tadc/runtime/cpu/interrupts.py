"""Calls of native code that Ctrl-C ends.

Python handles signals in its main thread, between two of its own instructions: never while that thread is inside C. So
another thread is, the main thread waits, and what it is interrupted by sets a flag that the code asks.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import addressof
from threading import Event, Thread, current_thread, main_thread

__all__ = ["NEVER", "interruptible"]

GRACE = 0.5  # seconds that the code has to notice; then it is left alone, and the caller goes on

_never = ctypes.c_int()
NEVER = addressof(_never)  # a flag that is not set


def interruptible(call: Callable[[int], int], *held: object) -> int:
    """The result of `call` for the address of a flag, which is set when the main thread is interrupted.

    The exception is raised then, and results are undefined. Objects in `held` live as long as the call does.
    """
    if current_thread() is not main_thread():
        return call(NEVER)
    flag = ctypes.c_int()
    results: list[int] = []
    done = Event()

    def run(*_: object) -> None:
        try:
            results.append(call(addressof(flag)))
        finally:
            done.set()

    # A thread that does not notice must not keep the process from ending.
    thread = Thread(target=run, args=held, daemon=True)
    try:
        thread.start()
        done.wait()
    except BaseException:
        flag.value = 1
        done.wait(GRACE)
        raise
    return results[0]
