"""Output that all commands print alike: data as JSON, and places in texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

import click

from tadc.errors import Span

__all__ = ["place", "print_json"]


def print_json(data: Any) -> None:
    click.echo(json.dumps(_finite(data), indent=2, ensure_ascii=False, allow_nan=False))


def _finite(data: Any) -> Any:
    """The data with null for numbers that JSON has not."""
    match data:
        case Mapping():
            return {name: _finite(value) for name, value in data.items()}
        case list() | tuple():
            return [_finite(value) for value in data]
        case float():
            return data if isfinite(data) else None
        case _:
            return data


def place(span: Span) -> str:
    text = " ".join(span.text.split())
    shown = text if len(text) <= 60 else f"{text[:58]}.."
    return f"{span.source.name}:{span.line}:{span.column} `{shown}`"
