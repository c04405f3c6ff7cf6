"""What a derivative of a program that runs round by round has of it: sizes, options, types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from tadc.function.derivatives import Wrt
from tadc.function.rolled import Rolled
from tadc.function.signature import signature

if TYPE_CHECKING:
    from inspect import Signature

    from tadc.options import Options

__all__ = ["RolledMode"]


class RolledMode:
    """A function made of a program with long loops; `of_function` is that program."""

    of_function: Rolled
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    values: Mapping[str, str]  # of vectors, the tensors that they are derivatives of
    open_sizes = ()

    def __init__(self, f: Rolled) -> None:
        self.of_function = f
        self.values = {}
        self._wrapped: dict[str, Any] = {}  # for arrays of frameworks, by the framework's name

    @property
    def sizes(self) -> tuple[str, ...]:
        return self.of_function.sizes

    @property
    def _options(self) -> Options:
        return self.of_function._options

    @property
    def index_inputs(self) -> tuple[str, ...]:
        """The inputs whose elements are indices."""
        return self.of_function.index_inputs

    @property
    def __signature__(self) -> Signature:
        """The signature of a call, for `inspect.signature` and editors."""
        return signature(self.inputs, (), self.sizes)

    def rank(self, name: str) -> int | None:
        """The number of dimensions of an input or an output; None for any other name."""
        return self.of_function.rank(self.values.get(name, name))

    def declared(self, name: str) -> str | None:
        """The element type that the text gives an input or an output, or what it is a derivative of."""
        return self.of_function.declared(self.values.get(name, name))

    def with_values(self, arrays: Sequence[Any], named: Mapping[str, Any], wrt: Wrt = None) -> Self:
        """Itself: of its index tensors none is left to a call to decide."""
        return self
