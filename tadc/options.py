"""Options of a compilation, as the user chooses them. Decided once, at the edge; nothing further in reads an environment."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from inspect import Parameter
from numbers import Integral
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypedDict, TypeVar, Unpack

from tadc.errors import ArgumentError, BackendError
from tadc.ir.element_types import REAL_TYPES

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

__all__ = [
    "BACKENDS",
    "MEMORY",
    "ON_DEVICES",
    "Given",
    "Options",
    "one_of",
    "size_number",
    "with_options",
]

F = TypeVar("F", bound=Callable[..., Any])
Check: TypeAlias = Callable[
    [str, Any], Any
]  # of a value and how it is called: the value as it is used

BACKENDS = ("auto", "numpy", "native", "cuda", "opencl", "interpreter")
ON_DEVICES = ("cuda", "opencl")  # backends that compute in the memory of a device
MEMORY = ("auto", "recompute", "materialize", "reverse")


# ---------------------------------------------------------------------- kinds of values


def size_number(what: str, n: object) -> int:
    """A given size. Raises ArgumentError for anything but an integer from 0 to 2**63 - 1."""
    if not isinstance(n, Integral) or isinstance(n, bool) or not 0 <= int(n) < 2**63:
        raise ArgumentError(None, f"{what} is {n!r:.40}", fix="give an integer from 0 to 2**63 - 1")
    return int(n)


def _size_numbers(what: str, sizes: Any) -> dict[str, int]:
    if not isinstance(sizes, (Mapping, NoneType)):
        raise ArgumentError(None, f"{what} is {sizes!r:.40}", fix="give a dict, such as {'N': 4}")
    return {s: size_number(f"the size `{s}`", n) for s, n in (sizes or {}).items()}


def _bytes(what: str, n: Any) -> int | None:
    return None if n is None else size_number(what, n)


def _positive(what: str, n: Any) -> int | None:
    if n is not None and (not isinstance(n, int) or n is True or n < 1):
        raise ArgumentError(None, f"{what} is {n!r:.40}", fix="give a positive integer")
    return n


def _string(what: str, text: Any) -> str | None:
    if not isinstance(text, (str, NoneType)):
        raise ArgumentError(None, f"{what} is {text!r:.40}", fix="give a string")
    return text


def one_of(*allowed: str | int) -> Check:
    """Raises ArgumentError for any other value, arrays too, which have no truth when they are compared."""

    def checked(what: str, value: Any) -> Any:
        if not isinstance(value, (str, Integral)) or value not in allowed:
            choices = ", ".join(map(repr, allowed))
            raise ArgumentError(None, f"{what} is {value!r:.40}", fix=f"use one of {choices}")
        return value

    return checked


def _element_type(what: str, dtype: Any) -> str | None:
    """The name of an element type: "float32", or anything that `numpy.dtype` takes for one that is supported."""
    if dtype is None:
        return None
    if isinstance(dtype, str) and dtype in REAL_TYPES:
        return str(dtype)
    import numpy as np  # text is compiled without it

    try:
        name = str(np.dtype(dtype).name)
    except Exception:  # whatever a foreign object raises
        name = ""
    if name not in REAL_TYPES:
        raise ArgumentError(
            None,
            f"{what} is {dtype!r:.40}",
            fix=f"use one of {', '.join(map(repr, REAL_TYPES))}, or numpy's type of that name",
        )
    return name


# ---------------------------------------------------------------------- the options


class Given(TypedDict, total=False):
    """The options, in the types in which a caller gives them."""

    dtype: DTypeLike | None
    sizes: Mapping[str, int] | None
    backend: str
    memory: str
    blas: bool
    index_base: int
    name: str | None
    threads: int | None
    memory_limit: int | None
    fast_math: bool
    tensor_cores: bool
    bounds: str
    list_limit: int


class _Row(NamedTuple):
    """An option: its default as a caller gives it, its check, the backends that have a use for it."""

    default: Any
    check: Check
    users: tuple[str, ...]


def _row(default: Any, check: Check, users: str = " ".join(BACKENDS)) -> Any:
    row = _Row(default, check, tuple(users.split()))
    return field(default_factory=partial(check, "the default", default), metadata={"row": row})


@dataclass(frozen=True, slots=True)
class Options:
    """The options as they are used: a row of the table, and of `Given`, for each, in the order of signatures.

    `dtype` None: that of the arrays of a call, float32 in generated text. `sizes` are numbers for sizes. Under "auto"
    options that only some backends use are hints.
    """

    # fmt: off
    #                                     default  what it may be         backends with a use for it
    dtype:        str | None        = _row(None,   _element_type)
    sizes:        Mapping[str, int] = _row(None,   _size_numbers)
    backend:      str               = _row("auto", one_of(*BACKENDS))
    memory:       str               = _row("auto", one_of(*MEMORY),      "numpy native cuda opencl")
    blas:         bool              = _row(True,   one_of(False, True),  "native cuda")
    index_base:   int               = _row(0,      one_of(0, 1))
    name:         str | None        = _row(None,   _string)
    threads:      int | None        = _row(None,   _positive,             "native")
    memory_limit: int | None        = _row(None,   _bytes,                "numpy native cuda opencl")
    fast_math:    bool              = _row(False,  one_of(False, True),  "cuda opencl")
    tensor_cores: bool              = _row(False,  one_of(False, True),  "cuda")
    bounds:       str               = _row("check", one_of("check", "nan", "trust"))
    list_limit:   int               = _row(2**31,  size_number)
    # fmt: on

    @property
    def storage(self) -> str:
        """`memory` for temporaries of a program: "reverse" is about long loops alone."""
        return "auto" if self.memory == "reverse" else self.memory

    @classmethod
    def of(cls, **given: Unpack[Given]) -> Options:
        """The options, each of the right kind, the others by default.

        Raises ArgumentError for one of another kind, and BackendError for one that the backend has no use for.
        """
        values: Mapping[str, Any] = given
        options = cls(**{n: ROWS[n].check(f"`{n}`", value) for n, value in values.items()})
        _refuse_unused(options)
        return options


ROWS: Mapping[str, _Row] = {f.name: f.metadata["row"] for f in fields(Options)}


def _refuse_unused(options: Options) -> None:
    plain = Options()
    for name, row in ROWS.items():
        value = getattr(options, name)
        if options.backend not in ("auto", *row.users) and value != getattr(plain, name):
            raise BackendError(
                None,
                f"`{name}={value!r}` has no meaning for `backend='{options.backend}'`",
                fix=f"leave `{name}` out, or use {' or '.join(map(repr, ('auto', *row.users)))}",
            )


def with_options(function: F) -> F:
    """The function, in whose signature each option stands by its name, in place of `**options`."""
    signature = inspect.signature(function)
    explicit = [p for p in signature.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    types = {name: t.__forward_arg__ for name, t in Given.__annotations__.items()}
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=row.default, annotation=types[name])
        for name, row in ROWS.items()
    ]
    function.__signature__ = signature.replace(parameters=[*explicit, *options])  # type: ignore[attr-defined]
    return function
