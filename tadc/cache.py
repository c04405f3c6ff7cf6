"""The user's cache folder: what takes time to make and is the same every time."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

__all__ = ["cached_file", "folder"]

Made = TypeVar("Made")


@cache
def folder() -> Path | None:
    """`TADC_CACHE_DIR`, else `tadc` in the user's cache folder; None where it cannot be made."""
    given = os.environ.get("TADC_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = Path(given) if given else Path(home, "tadc")
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return path


def cached_file(name: str, make: Callable[[Path | None], Made]) -> Made:
    """What `make` gives for the path of a file that it reads if it is there, and else writes.

    A file appears whole or not at all: it is written under another name first. Where that fails `make` gets None.
    """
    place = folder()
    if place is None:
        return make(None)
    path = place / name
    if path.exists():
        return make(path)
    own = path.with_name(f"{name}.{os.getpid()}")
    try:
        made = make(own)
    except OSError:
        return make(None)
    try:
        os.replace(own, path)
    except OSError:
        own.unlink(missing_ok=True)
    return made
