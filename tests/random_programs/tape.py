"""A scalar reverse-mode tape: every element of every tensor is a variable of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import numpy as np

Env = Mapping[str, int]


class Variable:
    """A number with the variables it was made of, each with the partial derivative by it."""

    __slots__ = ("adjoint", "parents", "value")

    def __init__(self, value: float, parents: tuple[tuple[Variable, float], ...] = ()) -> None:
        self.value = float(value)
        self.parents = parents
        self.adjoint = 0.0


class Run:
    """One evaluation of a program: the tape, in order of creation, and every tensor's elements by their subscripts."""

    def __init__(self, sizes: Env) -> None:
        self.sizes = sizes
        self.tape: list[Variable] = []
        self.tensors: dict[str, dict[tuple[int, ...], Variable]] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}

    def new(self, value: float, *parents: tuple[Variable, float]) -> Variable:
        self.tape.append(Variable(value, parents))
        return self.tape[-1]

    def define(self, name: str, shape: tuple[int, ...], elements: Iterator[Variable]) -> None:
        places = itertools.product(*map(range, shape))
        self.tensors[name] = dict(zip(places, elements, strict=True))
        self.shapes[name] = shape

    def values(self, name: str) -> np.ndarray:
        flat = [v.value for v in self.tensors[name].values()]
        return np.array(flat, dtype=np.float64).reshape(self.shapes[name])

    def adjoints(self, name: str) -> np.ndarray:
        flat = [v.adjoint for v in self.tensors[name].values()]
        return np.array(flat, dtype=np.float64).reshape(self.shapes[name])

    def backward(self) -> None:
        """Scatters the adjoints; one that is exactly 0 contributes nothing, whatever it multiplies."""
        for variable in reversed(self.tape):
            if variable.adjoint == 0:
                continue
            for parent, partial in variable.parents:
                if partial != 0:
                    parent.adjoint += variable.adjoint * partial
