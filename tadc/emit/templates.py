"""The templates of generated text, which hold all that a target wraps around a body."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template

from tadc.resources import resource

__all__ = ["template"]


def template(path: str) -> Template:
    """The template `path` of the folder `templates`, such as `c/program.c`."""
    return _environment().get_template(path)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(lambda path: resource(f"templates/{path}").read_text("utf-8")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
