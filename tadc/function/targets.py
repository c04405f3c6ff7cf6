"""Targets that functions are written for: a row per target, read by `f.source` and by the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tadc import compiler
from tadc.errors import ArgumentError, BackendError, DerivativeError, Error
from tadc.function.letters import own_letters
from tadc.ir.element_types import HALF_TYPES
from tadc.ir.program import Program
from tadc.options import Options
from tadc.printing.tex import tex_text
from tadc.schedule.gpu.machine import ANY_OF_OPENCL, HOPPER, Machine
from tadc.schedule.lowered import CpuModule, Decisions, GpuModule, Module, modules_of
from tadc.schedule.nest.sizes import about_a_thousand
from tadc.schedule.rewrite.list_tensors import Facts, Listed

if TYPE_CHECKING:  # a row's function imports its emitter
    from tadc.emit.clike.checks import FileChecks
    from tadc.emit.clike.gpu_kernel import GpuSource
    from tadc.emit.clike.launcher import Launcher
    from tadc.emit.clike.spelling import DType
    from tadc.function.function import Function

__all__ = ["FILES", "TARGETS", "Target", "Unit", "source"]

# Of a mode in a manifest, where no file has it.
NOTHING: Mapping[str, object] = {"launcher": None, "workspace_bytes": "0", "kernels": []}


class _Call(NamedTuple):
    """A program, and numbers for all of its sizes."""

    program: Program
    sizes: Mapping[str, int]


@dataclass(frozen=True)
class Unit:
    """The functions of a file by mode, all derived from one.

    `targets` are those whose files a manifest describes, none for a text alone; `baseline` has further modes for files
    of all modes.
    """

    functions: Mapping[str, Function]
    targets: tuple[str, ...] = ()
    baseline: tuple[Module, ...] = ()

    def texts(self) -> Iterator[str]:
        """The texts of the targets, one after the other: of all modes, or of one mode after the other."""
        for name in self.targets:
            target = TARGETS[name]
            if target.all_modes:
                yield target.text(self)
            else:
                yield from (target.text(Unit({m: f})) for m, f in self.functions.items())

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest of the targets' files: all that their callers must know (`docs/api.md`)."""
        described = {entry for t in self.targets for entry in TARGETS[t].manifest.split()}
        nothing = {entry: n for entry, n in NOTHING.items() if entry not in described}
        whole = self._with_kernels(described)
        described_modes = {name: mode | nothing for name, mode in whole["modes"].items()}
        return with_lists({**whole, "modes": described_modes}, self.listed, self.checks)

    def _with_kernels(self, described: Set[str]) -> dict[str, Any]:
        """The manifest with the kernels of its target, if one has some; a workspace is large enough for all targets."""
        if "kernels" not in described:
            return self._of_host
        made = (self.opencl if "opencl" in self.targets else self.cuda).manifest
        if "c" not in self.targets:
            return made
        modes = {
            name: mode | {"workspace_bytes": _larger(mode, self._of_host["modes"][name])}
            for name, mode in made["modes"].items()
        }
        return {**made, "modes": modes}

    @cached_property
    def _of_host(self) -> dict[str, Any]:
        """The manifest of files that have no kernels of a GPU."""
        from tadc.emit.clike.gpu_kernel import safe_index_type
        from tadc.emit.clike.launcher import manifest

        modules = [m.module for m in self.cpu] if "c" in self.targets else self.modules
        # Sizes that are made of numbers alone, such as how many parts a sum has, are numbers too.
        modules = [replace(m, program=m.program.specialised({})) for m in modules]
        index_type = safe_index_type([GpuModule(m, ()) for m in modules])
        source = self._first._origin.source.text
        return manifest(modules, source, self.dtype, index_type, {m.name: [] for m in modules})

    @cached_property
    def cpu(self) -> list[CpuModule]:
        """The modes as files of C have them."""
        return [CpuModule.of(m, self.dtype) for m in self.modules]

    @cached_property
    def cuda(self) -> GpuSource:
        from tadc.emit.cuda.file import cuda_launcher

        machine = replace(HOPPER, tensor_cores=self._first._options.tensor_cores)
        modules = self._on_gpu(machine)
        made = self.cuda_text(modules, self.list_tensors)
        launchers = {
            m.module.name: cuda_launcher(m.module, self.dtype, made.manifest["index_type"])
            for m in modules
            if m.module.name in self.listed
        }
        return replace(made, text=made.text + self.functions_of_lists("cuda", launchers))

    @cached_property
    def opencl(self) -> GpuSource:
        from tadc.emit.opencl.file import opencl_text

        return opencl_text(self._on_gpu(ANY_OF_OPENCL), self._first._origin.source.text, self.dtype)

    def _on_gpu(self, machine: Machine) -> list[GpuModule]:
        """The modes as a GPU runs them: as a call of these sizes would, where all have numbers."""
        others = {mode: f for mode, f in self.functions.items() if mode not in self._calls}
        decided = self._decisions(partial(compiler.gpu_decisions, machine=machine), others)
        modules: list[GpuModule] = []
        for m in self._modules(decided):
            if call := self._calls.get(m.name):
                modules.append(self._as_called(call, m.name, machine))
            else:
                room = decided[m.name].room if m.name in decided else None
                known: Mapping[str, int] | None = None if m.program.sizes else {}
                modules.append(GpuModule.of(m, known, self.dtype, room=room, machine=machine))
        return modules

    def _as_called(self, call: _Call, mode: str, machine: Machine) -> GpuModule:
        """What a call runs, with numbers for its sizes."""
        program, sizes = call
        decided = compiler.gpu_decisions(program, sizes, self.dtype, self._options, machine)
        lowered = compiler.lowered_for_gpu(
            program, mode, decided, sizes, self.dtype, machine, blas=False, tiles={}
        )
        return lowered.for_sizes(sizes)

    @cached_property
    def _calls(self) -> dict[str, _Call]:
        """The calls of these sizes by mode, if all sizes were given.

        There is none where data, or the elimination of a system, decide.
        """
        found = {}
        for mode, f in self.functions.items():
            eliminates = any(kind in compiler.EXPLICIT for kind, _ in f._origin.derivations)
            if not (f.program.sizes or eliminates or mode in self.listed) and (call := _call_of(f)):
                found[mode] = call
        return found

    def cuda_text(
        self, modules: Sequence[GpuModule], lists: Mapping[str, Sequence[str]] | None = None
    ) -> GpuSource:
        """The launchers of the modules, without functions for lists and checks."""
        from tadc.emit.cuda.file import cuda_text

        return cuda_text(modules, self._first._origin.source.text, self.dtype, lists=lists)

    @property
    def list_tensors(self) -> dict[str, list[str]]:
        """The tensors of lists that launchers have, by their names."""
        return {
            m.launcher: [t.name for each in self.listed[m.name].lists for t in each.tensors]
            for m in self.modules
            if m.name in self.listed
        }

    def functions_of_lists(self, target: str, launchers: Mapping[str, Launcher]) -> str:
        """The functions of a file that make lists, for its launchers too, and those that check index tensors."""
        from tadc.emit.clike.missing_lists import missing_lists

        with_lists = [(listed, launchers[mode]) for mode, listed in self.listed.items()]
        return (
            self.list_builders(target)
            + missing_lists(with_lists, target)
            + self.check_functions(target)
        )

    @cached_property
    def listed(self) -> Mapping[str, Listed]:
        """The modes that read through data, as they are run: with lists in pieces, and indices of 32 bits.

        Raises BackendError where a statement computes indices.
        """
        found = {}
        for mode, f in self.functions.items():
            if not compiler.reads_data(f.program):
                continue
            compiler.refuse_computed_indices(f.program)
            found[mode] = compiler.with_lists(f.program, Facts(), narrow=True)
        return found

    def list_builders(self, target: str) -> str:
        """The functions of a file that make its lists."""
        from tadc.emit.clike.lists import list_builders

        launchers = {m.name: m.launcher for m in self.modules}
        return list_builders(
            [(made, launchers[mode]) for mode, made in self.listed.items()], target
        )

    @cached_property
    def checks(self) -> Mapping[str, FileChecks]:
        """The checks of the modes that read through data."""
        from tadc.emit.clike.checks import FileChecks

        launchers = {m.name: m.launcher for m in self.modules}
        functions = ((mode, self.functions[mode]) for mode in self.listed)
        return {
            mode: FileChecks(
                f.program, mode, launchers[mode], compiler.data_checks(f.program, f._resolved)
            )
            for mode, f in functions
        }

    def check_functions(self, target: str) -> str:
        """The functions of a file that check its index tensors."""
        from tadc.emit.clike.checks import check_text

        return check_text(list(self.checks.values()), target) if self.checks else ""

    @cached_property
    def modules(self) -> list[Module]:
        return self._modules(self._decisions(compiler.decisions, self.functions))

    def _decisions(
        self, decide: Callable[..., Decisions], functions: Mapping[str, Function]
    ) -> dict[str, Decisions]:
        """By mode, what a call would decide: one of these sizes, or of about a thousand where there are none."""
        decided = {}
        for mode, f in functions.items():
            sizes = about_a_thousand(f.program)
            decided[mode] = decide(f.program, sizes, self.dtype, self._options)
        return decided

    def _modules(self, decided: Mapping[str, Decisions]) -> list[Module]:
        """The modes, with the temporaries that are stored."""
        programs = {
            mode: self.listed[mode].program if mode in self.listed else f.program
            for mode, f in self.functions.items()
        }
        return [*modules_of(programs, decided), *self.baseline]

    @property
    def index_type(self) -> DType:
        """The type of indices in files of C: as the manifest says; without one, wide enough for all sizes."""
        if not self.targets:
            return "int64"
        told = {self.manifest["index_type"]}
        if not self._first.program.sizes:  # then no parameter of a launcher has this type
            told.add(self._of_host["index_type"])
        return "int64" if "int64" in told else "int32"

    @property
    def _options(self) -> Options:
        """Those of all functions, without BLAS, which no text calls."""
        return replace(self._first._options, blas=False)

    @property
    def dtype(self) -> DType:
        """The element type of tensors without a declared one."""
        return cast("DType", self._first._options.dtype or "float32")

    @property
    def mode(self) -> str:
        """The only mode."""
        (mode,) = self.functions
        return mode

    @property
    def function(self) -> Function:
        """The only function."""
        return self.functions[self.mode]

    @property
    def _first(self) -> Function:
        return next(iter(self.functions.values()))


def _larger(*modes: Mapping[str, Any]) -> str:
    """The larger workspace of two modes."""
    each = list(dict.fromkeys(mode["workspace_bytes"] for mode in modes))
    return each[0] if len(each) == 1 else f"max({', '.join(each)})"


def _call_of(f: Function) -> _Call | None:
    """The call that the function without numbers would have for its sizes; None where it would be another."""
    origin = f._origin
    given = origin.options.sizes
    if not given:
        return None
    try:
        free = f._of(replace(origin, options=replace(origin.options, sizes={})))
        called, numbers = free._with_numbers({s: n for s, n in given.items() if s in free.sizes})
    except Error:  # it is a program for these numbers alone
        return None
    program = called.program
    is_same = program.outputs == f.program.outputs and called.inputs == f.inputs
    if not is_same or numbers.keys() != {*program.sizes} or called._is_empty(numbers):
        return None
    return _Call(program, program.size_values(numbers))


def _cuda(unit: Unit) -> str:
    return unit.cuda.text


def _opencl(unit: Unit) -> str:
    return unit.opencl.text


def _cuda_atomic(unit: Unit) -> str:
    """The adjoint with atomic additions, of which the function is the gathering form."""
    f = unit.function
    match f._origin.derivations:
        case (*before, ("adjoint", wrt)):
            primal = f._of(replace(f._origin, derivations=tuple(before)))
            scattered = compiler.atomic_module(primal.program, wrt, points=False)
            text = unit.cuda_text([GpuModule.plain(scattered)]).text
            return text + unit.check_functions("cuda")
        case _:
            raise DerivativeError(
                None,
                "only an adjoint has a form with atomic additions",
                fix='take it from the adjoint: `f.adjoint().source("cuda-atomic")`',
            )


def _c(unit: Unit) -> str:
    from tadc.emit.c.file import c_launcher, emit_c

    text = emit_c(unit.cpu, unit.dtype, unit.index_type, lists=unit.list_tensors)
    launchers = {
        m.name: c_launcher(m, unit.dtype, unit.index_type)
        for m in unit.modules
        if m.name in unit.listed
    }
    return text + unit.functions_of_lists("c", launchers)


def _numpy(unit: Unit) -> str:
    from tadc.emit.numpy.module import emit_numpy

    if unit.mode not in unit.listed:
        return emit_numpy(compiler.for_numpy(unit.function.program), unit.mode, unit.dtype)
    made = compiler.with_lists(unit.function.program)  # it sums pieces of its own
    return emit_numpy(made.program, unit.mode, unit.dtype, made.lists)


def _idx(unit: Unit) -> str:
    return str(unit.function)


def _latex(unit: Unit) -> str:
    f = unit.function
    return f._tree.tex() if f._tree is not None else tex_text(f.program, own_letters(f))


class Target(NamedTuple):
    """A kind of text.

    `suffix` is that of its files, empty if there is none; `all_modes` says that they have all modes, else there is one
    for each; `halves` that there are elements of 16 bits; `manifest` has the entries of a manifest for their modes.
    """

    text: Callable[[Unit], str]
    suffix: str
    all_modes: bool
    halves: bool
    manifest: str


# fmt: off
TARGETS: Mapping[str, Target] = {
    #                     text          suffix  all modes  16 bits  manifest
    "cuda":        Target(_cuda,        ".cu",  True,      True,    "launcher workspace_bytes kernels"),
    "cuda-atomic": Target(_cuda_atomic, "",     True,      True,    ""),
    "opencl":      Target(_opencl,      ".cl",  True,      False,   "workspace_bytes kernels"),
    "c":           Target(_c,           ".c",   True,      False,   "launcher workspace_bytes"),
    "numpy":       Target(_numpy,       ".py",  False,     False,   "launcher"),
    "idx":         Target(_idx,         ".idx", False,     True,    ""),
    "latex":       Target(_latex,       ".tex", False,     True,    ""),
}
# fmt: on
FILES = tuple(name for name, target in TARGETS.items() if target.suffix)


def with_lists(
    whole: dict[str, Any], listed: Mapping[str, Listed], checks: Mapping[str, FileChecks]
) -> dict[str, Any]:
    """The manifest with what is to be said of lists: they are no sizes and inputs of the program, but of its launchers."""
    if not listed:
        return whole
    from tadc.emit.clike.lists import list_entries

    own = {s for made in listed.values() for each in made.lists for s in each.sizes}
    modes = {}
    for name, mode in whole["modes"].items():
        modes[name] = mode
        if name in listed:
            launcher = mode["launcher"] or name
            entries = list_entries(listed[name], launcher)
            sizes, check = list(listed[name].program.sizes), checks[name].entry()
            modes[name] = mode | {"sizes": sizes, "lists": entries, "check": check}
    return {**whole, "sizes": [s for s in whole["sizes"] if s not in own], "modes": modes}


def source(f: Function, target: str) -> str:
    """The text of one function. Raises ArgumentError for another target, BackendError for elements that it has not."""
    if not isinstance(target, str) or target not in TARGETS:
        *others, last = (f"`{name}`" for name in TARGETS)
        raise ArgumentError(
            None, f"there is no target `{target}`", fix=f"use {', '.join(others)} or {last}"
        )
    unit = Unit({f._mode.replace("-", "_"): f})
    if unit.dtype in HALF_TYPES and not TARGETS[target].halves:
        raise BackendError(
            None,
            f"the target `{target}` has no elements of {unit.dtype}",
            fix='use "cuda", or `dtype="float32"`',
        )
    return TARGETS[target].text(unit)
