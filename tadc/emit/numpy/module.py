"""Numpy text: a self-contained Python module with one function, whole-array expressions statement after statement.

It is written by `tadc compile --target numpy`, and executed by the numpy backend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tadc.emit.clike.index_width import numbers
from tadc.emit.numpy.lists import list_lines
from tadc.emit.numpy.names import identifier, program_names, reserved
from tadc.emit.numpy.points import follows_data, point_lines
from tadc.emit.numpy.scope import INDENT
from tadc.emit.numpy.spelling import called
from tadc.emit.numpy.statement import statement_lines
from tadc.emit.templates import template
from tadc.ir.names import Names
from tadc.ir.program import DerivedSize, Program
from tadc.printing.idx import statement_comment
from tadc.schedule.rewrite.list_tensors import Rows, SortedList
from tadc.version import __version__

__all__ = ["emit_numpy"]


def emit_numpy(
    program: Program, mode: str, dtype: str, lists: Sequence[SortedList | Rows] = ()
) -> str:
    """The module of `def <program>_<mode>(<inputs>, *, <sizes>)`, which returns the tuple of outputs.

    It makes the tensors of `lists`, the last inputs, itself.

    `dtype` is that of tensors without a declared one. The outputs share no memory with the inputs.
    Raises BackendError where an index does not fit into 64 bits.
    """
    numbers(program)  # that they fit is checked
    names = program_names(program)
    dtypes = {n: t.dtype or dtype for n, t in program.tensors.items()}
    lines = [_derived_size(d, names) for d in program.derived_sizes]
    lines += [line for each in lists for line in list_lines(each, program, names)]
    for statement in program.statements:
        taken = Names((*reserved(), *names.values()))
        lines += ["", f"# {statement_comment(statement)}"]
        printed = point_lines if follows_data(statement) else statement_lines
        lines += printed(statement, program, names, dtypes, taken)
    body = "\n".join(INDENT + line if line else "" for line in lines)
    made = {t.name for each in lists for t in each.tensors}
    given = [t for t in program.inputs if t.name not in made]
    inputs = [names[t.name] for t in given]
    counts = {s for each in lists for s in each.sizes}
    sizes = [names[s] for s in program.sizes if s not in counts]
    functions = called(body)
    return template("numpy/program.py.jinja").render(
        program=identifier(program.name),
        mode=mode,
        version=__version__,
        special=any("special." in text for text in (body, *functions)),
        functions=functions,
        parameters=", ".join([*inputs, *(["*", *sizes] if sizes else [])]),
        inputs=[
            f"{n} = np.asarray({n}, np.{dtypes[t.name]})"
            for n, t in zip(inputs, given, strict=True)
        ],
        body=body,
        outputs=_outputs(program, names),
    )


def _outputs(program: Program, names: Mapping[str, str]) -> str:
    inputs = {t.name for t in program.inputs}
    parts = [
        f'np.array({names[n]}, order="C")' if n in inputs else names[n] for n in program.outputs
    ]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _derived_size(d: DerivedSize, names: Mapping[str, str]) -> str:
    forms = [form.text(names) for form in d.forms]
    match d.op:
        case "floor":
            return f"{names[d.name]} = ({forms[0]}) // {d.modulus}"
        case _:
            return f"{names[d.name]} = {d.op}({', '.join(forms)})"
