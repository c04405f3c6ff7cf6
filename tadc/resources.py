"""The places of grammars and templates: next to the package in a checkout, inside it once installed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["resource"]


@cache
def resource(path: str) -> Path:
    """The file or folder `path`, such as `grammar/idx.lark` or `templates/cuda`."""
    package = Path(__file__).parent
    for root in (package / "_data", package.parent):
        if (root / path).exists():
            return root / path
    raise AssertionError(f"{path} is missing from this installation of tadc")
