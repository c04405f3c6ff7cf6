"""Functions of C that check the index arrays of a launcher: whether all reads stay inside, and where the first one does not.

For each way out of a tensor one function runs over the points at which a read would leave it, and returns the smallest position
of an index tensor whose element leads there. They are printed from loop nests, as kernels are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tadc import compiler
from tadc.emit.clike.integers import derived_lines
from tadc.emit.clike.kernel import kernel_parameters, kernel_sizes, kernel_text
from tadc.emit.clike.names import c_names
from tadc.emit.clike.spelling import Text, atom
from tadc.emit.clike.text import CText
from tadc.emit.templates import template
from tadc.ir.affine import Affine
from tadc.ir.domain import Domain
from tadc.ir.element_types import INDEX
from tadc.ir.expr import Const, Expr, Read, Select
from tadc.ir.program import Program, Tensor
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Kernel,
    Let,
    LetIndex,
    Store,
    steps_of,
)
from tadc.schedule.rewrite.searches import Check, Way

__all__ = ["FileChecks", "check_text"]

_TAKEN = ("where", "found", "floored", "greater", "lesser", "smaller_position", "TADC_OUT_OF_RANGE")


@dataclass(frozen=True, slots=True)
class FileChecks:
    """The checks of a mode with its launcher, in the order in which calls make them."""

    program: Program
    mode: str
    launcher: str
    checks: tuple[Check, ...]

    def entry(self) -> dict[str, Any]:
        """What a manifest says of the function; `where[0]` is a place in the list of checks."""
        checks = [
            {"tensor": c.tensor, "low": c.low, "high": c.high, "span": c.span} for c in self.checks
        ]
        reads, sizes = [t.name for t in self._indices], list(self.program.sizes)
        return {"function": self.function, "reads": reads, "sizes": sizes, "checks": checks}

    @property
    def _indices(self) -> list[Tensor]:
        return [t for t in self.program.inputs if t.dtype == INDEX]

    @property
    def function(self) -> str:
        return f"{self.launcher.removesuffix(self.mode)}check_{self.mode}"

    def variables(self, exported: str) -> Mapping[str, Any]:
        """The variables of the template: this launcher's functions."""
        index = self._indices
        searches: list[Mapping[str, str]] = []
        calls = []
        own = c_names((t.name for t in index), self.program.parameters, taken=_TAKEN)
        text = CText(own, self.program.tensors, frozenset(), "float64", {}, "int64")
        for n, check in enumerate(self.checks):
            names = []
            for way in check.ways:
                name = f"{self.launcher}_outside_{len(searches)}"
                search = _Search.of(way, self.program, name)
                searches.append(
                    {"name": name, "parameters": search.parameters, "body": search.body}
                )
                names.append(f"{name}({', '.join(own[a] for a in search.arguments)})")
            calls.append({"number": n, "about": f"{check.tensor}: {check.span}", "found": names})
        parameters = [
            *(f"const int* {own[t.name]}" for t in index),
            "long long* where",
            *(f"long long {own[s]}" for s in self.program.sizes),
        ]
        unused = [own[t.name] for t in index] + [own[s] for s in self.program.sizes]
        return {
            "name": self.function,
            "exported": exported,
            "parameters": ", ".join(parameters),
            "unused": unused,
            "derived": derived_lines(self.program, text),
            "searches": searches,
            "checks": calls,
        }


@dataclass(frozen=True, slots=True)
class _Search:
    """The function for one way: its parameters as text, the tensors and sizes that they are, and its lines."""

    parameters: str
    arguments: tuple[str, ...]
    body: str

    @classmethod
    def of(cls, way: Way, program: Program, name: str) -> _Search:
        searching, kernel = compiler.search(way, program, name)
        text = kernel_text(kernel, searching, "float64", "int64", _SearchText, _TAKEN)
        text = replace(text, kept=_kept(kernel))
        arguments = (*kernel.reads, *kernel_sizes(kernel, searching))
        given = kernel_parameters(replace(kernel, writes=()), searching, text)
        return cls(", ".join(given), arguments, "\n".join(text.lines(kernel.body, 1)))


def _kept(kernel: Kernel) -> tuple[tuple[str, Expr], ...]:
    """The values of locals, which may be elements that were read before a loop."""
    return tuple((s.local, s.value) for s in steps_of(kernel.body) if isinstance(s, Let))


@dataclass(frozen=True, slots=True)
class _SearchText(CText):
    """Prints the loops of a minimum of elements as a search: where it reads one, it notes the position."""

    # It stands in C, and in the C++ of a host.
    restrict: ClassVar[str] = "__restrict"
    fetches: ClassVar[bool] = False

    kept: tuple[tuple[str, Expr], ...] = ()

    def _statement(
        self, step: Let | LetIndex | Accumulator | Accumulate | Assign | Store
    ) -> list[str]:
        match step:
            case LetIndex():
                return CText._statement(self, step)
            case Accumulate(_, _, value) | Store(_, _, value) | Assign(_, value):
                return self._noted(value)
            case _:
                return []

    def floor(self, form: Affine, divisor: int) -> Text:
        above = self.affine(form)
        return above if divisor == 1 else atom(f"floored({above.text}, {divisor})")

    def _extreme(self, op: str, values: list[Text]) -> Text:
        function, result = "greater" if op == "max" else "lesser", values[0]
        for value in values[1:]:
            result = atom(f"{function}({result.text}, {value.text})")
        return result

    def _noted(self, value: Expr) -> list[str]:
        match value:
            case Read(local, ()) if local in dict(self.kept):
                return self._noted(dict(self.kept)[local])
            case Read(local, ()) if local in self.locals:
                return []
            case Read(tensor, subscripts):
                place = self.offset(tensor, subscripts) or "0"
                return [f"found = smaller_position(found, {place});"]
            case Select(Domain() as domain, then, otherwise):
                test = self.condition(domain).text
                inside = [f"  {line}" for line in self._noted(then)]
                other = [f"  {line}" for line in self._noted(otherwise)]
                lines = [f"if ({test}) {{", *inside, "}"]
                return [*lines[:-1], "} else {", *other, "}"] if other else lines
            case Const():
                return []
            case _:
                raise AssertionError(f"{value} in a search")


def check_text(checks: Sequence[FileChecks], target: str) -> str:
    """The functions of a file; "" where nothing is to be checked."""
    exported = 'extern "C" ' if target == "cuda" else ""
    return template("c/checks.c").render(
        guard="__CUDACC_RTC__" if target == "cuda" else "",
        functions=[c.variables(exported) for c in checks],
    )
