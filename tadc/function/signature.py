"""The signature of a function, as `inspect.signature` and editors show it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import Any, ParamSpec, TypeVar

from tadc.errors import ArgumentError

__all__ = ["RESERVED", "signature", "with_argument_errors", "with_names"]

P = ParamSpec("P")
R = TypeVar("R")

_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_BY_NAME = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)

RESERVED = (
    "out",
    "accumulate",
)  # keywords of every call: inputs of these names are passed by position
DEFAULTS = {"out": None, "accumulate": False}
_TYPES = {"out": "Any", "accumulate": "bool"}


def signature(inputs: Sequence[str], shown: Sequence[str], hidden: Sequence[str]) -> Signature:
    """The inputs; then by keyword the sizes that no shape shows (`hidden`), those that one does, and `out`, `accumulate`.

    Inputs whose names are no names of arguments are passed by position, and so are those before them.
    """
    by_position = [k for k, x in enumerate(inputs, 1) if x in RESERVED or iskeyword(x)]
    last = max(by_position, default=0)
    parameters = [
        Parameter(
            f"{x}_" if x in RESERVED else x,
            Parameter.POSITIONAL_ONLY if k < last else Parameter.POSITIONAL_OR_KEYWORD,
            annotation="ArrayLike",
        )
        for k, x in enumerate(inputs)
    ]
    taken = {p.name for p in parameters} | {*RESERVED}
    for s in (*hidden, *shown):
        if s not in taken and not iskeyword(s):
            default: Any = Parameter.empty if s in hidden else None
            kind = "int" if s in hidden else "int | None"
            parameters.append(
                Parameter(s, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            )
    for name, default in DEFAULTS.items():
        parameters.append(
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=_TYPES[name])
        )
    return Signature(parameters, return_annotation="Any")


def with_argument_errors(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which raises ArgumentError for arguments that it does not take."""
    accepted = inspect.signature(function)
    is_stricter = "__signature__" in vars(function)  # than what Python lets it be called with

    @wraps(function)
    def checked(*args: P.args, **keywords: P.kwargs) -> R:
        if not is_stricter:
            try:
                return function(*args, **keywords)
            except TypeError as error:
                if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                    raise  # the function has begun: what it takes was given
        try:
            accepted.bind(*args, **keywords)
        except TypeError as error:
            raise _argument_error(_called(function), accepted, keywords, error) from None
        return function(*args, **keywords)

    return checked


def _called(function: Callable[..., Any]) -> str:
    """The name that a caller knows: of an object that is called its class's, `pullback`."""
    name = function.__name__
    return function.__qualname__.split(".")[0].lower() if name == "__call__" else name


def _argument_error(
    name: str, accepted: Signature, keywords: Iterable[str], error: TypeError
) -> ArgumentError:
    parameters = [p for p in accepted.parameters.values() if p.name != "self"]
    known = [p.name for p in parameters if p.kind in _BY_NAME]
    unknown = next((k for k in keywords if k not in known), None)
    takes_sizes = any(p.kind is Parameter.VAR_KEYWORD for p in parameters)
    if unknown is None or takes_sizes:
        needed = [p.name for p in parameters if p.default is p.empty and p.kind in _BY_POSITION]
        form = f"{name}({', '.join([*needed, *(['N=4'] if takes_sizes else [])])})"
        options = "" if takes_sizes or len(known) == len(needed) else ", and options by name"
        return ArgumentError(None, f"`{name}`: {error}", fix=f"write `{form}`{options}")
    close = get_close_matches(unknown, known, n=1)
    return ArgumentError(
        None,
        f"`{name}` has no option `{unknown}`",
        fix=f"did you mean `{close[0]}`?" if close else f"the options are {', '.join(known)}",
    )


def with_names(
    inputs: Sequence[str], arrays: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by name. Raises ArgumentError for too many, and for one that is given twice."""
    if len(arrays) > len(inputs):
        raise ArgumentError(
            None,
            f"{len(arrays)} arrays are given, and there are {len(inputs)} inputs",
            fix=f"the inputs are {', '.join(inputs)}",
        )
    given = dict(zip(inputs, arrays, strict=False))
    for name in named:
        if name in given:
            raise ArgumentError(None, f"`{name}` is given twice", fix="give it once")
    return given | dict(named)
