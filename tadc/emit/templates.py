"""The templates of generated text, which hold what a target wraps around a body."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, StrictUndefined, Template

from tadc.resources import resource

__all__ = ["template"]


@cache
def template(path: str) -> Template:
    """The template `path` of the folder `templates`, such as `c/program.c`."""
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(resource(f"templates/{path}").read_text("utf-8"))
