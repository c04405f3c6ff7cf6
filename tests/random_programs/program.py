"""A random program: its text, its values, and its gradients by brute force."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from random_programs.expressions import Expr
from random_programs.indices import Index
from random_programs.tape import Run, Variable
from random_programs.tensors import Tensor, Use

SAMPLES = 2.0  # inputs lie between minus and plus this; the bounds of values suppose it


@dataclass(eq=False)
class Statement:
    target: Tensor
    lefts: tuple[Index, ...]
    body: Expr
    uses: list[Use]
    folded: bool  # the right side stands on a line of its own

    def show(self) -> str:
        lefts = ", ".join(i.name if i.implicit else f"{i.name}: {i.text}" for i in self.lefts)
        left = f"{self.target.name}[{lefts}]" if self.lefts else self.target.name
        return f"{left} ={chr(10) + '    ' if self.folded else ' '}{self.body.show(0)}"

    def elements(self, run: Run) -> Iterator[Variable]:
        for place in itertools.product(*map(range, self.target.shape)):
            names = (i.name for i in self.lefts)
            yield self.body.value({**run.sizes, **dict(zip(names, place, strict=True))}, run)


@dataclass(eq=False)
class Size:
    """A size; one without a definition is symbolic and bound when the program is called."""

    name: str
    value: int
    definition: str = ""


@dataclass(frozen=True, eq=False)
class RandomProgram:
    """`inputs` and `outputs` give the shapes for these `sizes`, in the order of the language.

    `features` names what occurs. `smooth`: differentiable at almost all inputs near almost all inputs, so that finite
    differences may judge it. `operations`: scalar operations of one evaluation.
    """

    seed: int
    level: str
    text: str
    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]
    sizes: dict[str, int]
    features: tuple[str, ...]
    smooth: bool
    operations: int
    _numbers: dict[str, int] = field(repr=False)
    _statements: tuple[Statement, ...] = field(repr=False)

    @property
    def numbers(self) -> dict[str, int]:
        """Of the sizes, and of the extents of inputs as tadc calls those without a name."""
        extents = {f"{x}_{d}": n for x, shape in self.inputs.items() for d, n in enumerate(shape)}
        return {**extents, **self.sizes}

    def sample(self, seed: int = 0, lattice: bool = False) -> dict[str, np.ndarray]:
        """Arrays for the inputs, between -2 and 2; on a `lattice` of halves, where ties, zeros and kinks are met."""
        return self._sample(self.inputs, seed, lattice)

    def cotangents(self, seed: int = 0, lattice: bool = False) -> dict[str, np.ndarray]:
        """Arrays for the outputs, made like `sample`; on a `lattice`, some are 0."""
        return self._sample(self.outputs, seed + 1_000_003, lattice)

    def evaluate(self, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        run = self._run(arrays)
        return {name: run.values(name) for name in self.outputs}

    def gradients(
        self, arrays: Mapping[str, np.ndarray], cotangents: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """For each input, the transposed Jacobian of all outputs times the cotangents."""
        run = self._run(arrays)
        for name in self.outputs:
            for place, variable in run.tensors[name].items():
                variable.adjoint += float(cotangents[name][place])
        run.backward()
        return {name: run.adjoints(name) for name in self.inputs}

    def _run(self, arrays: Mapping[str, np.ndarray]) -> Run:
        run = Run(self._numbers)
        for name, shape in self.inputs.items():
            array = np.asarray(arrays[name], dtype=np.float64)
            assert array.shape == shape, f"{name} has shape {array.shape}, not {shape}"
            run.define(name, shape, map(Variable, array.ravel()))
        for s in self._statements:
            run.define(s.target.name, s.target.shape, s.elements(run))
        return run

    def _sample(
        self, shapes: Mapping[str, tuple[int, ...]], seed: int, lattice: bool
    ) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(seed)
        made = {}
        for name, shape in shapes.items():
            made[name] = np.asarray(rng.uniform(-SAMPLES, SAMPLES, shape))
            if lattice:
                made[name] = np.asarray(np.round(made[name] * 2) / 2)
        return made
