"""What the tests of the rooms in the middle share: text to program, and programs run by the interpreter."""

from __future__ import annotations

import numpy as np

from tadc import compiler
from tadc.errors import Source
from tadc.resolve.resolve import resolve
from tadc.runtime.binding import bind_sizes
from tadc.runtime.interpreter import interpret
from tadc.syntax.idx.parse import parse_idx


def resolved(text, base=0, **sizes):
    """What `resolve` makes of the text: the program is not normalized."""
    return resolve(parse_idx(Source(text)), "p", sizes, base)


def normal(text, **sizes):
    """The program of the text, normalized."""
    return compiler.front(Source(text), "idx", "p", sizes).program


def sizes_of_call(found, arrays, given=None):
    """All sizes of a call, after everything that a call has to show was checked."""
    sizes = bind_sizes(found.program, {n: a.shape for n, a in arrays.items()}, given or {})
    for fact in found.facts:
        fact.verify(sizes)
    for unproved in found.checks:
        unproved.verify(sizes)
    return sizes


def run(program, arrays, given=None):
    """The outputs by name, from the interpreter."""
    arrays = {n: np.asarray(a, np.float64) for n, a in arrays.items()}
    sizes = bind_sizes(program, {n: a.shape for n, a in arrays.items()}, given or {})
    return interpret(program, arrays, {s: sizes[s] for s in program.sizes})


def value(text, given=None, base=0, **arrays):
    """The single output of a program as nested lists; arrays are inputs, by name."""
    found = resolved(text, base)
    arrays = {n: np.asarray(a, np.float64) for n, a in arrays.items()}
    sizes_of_call(found, arrays, given)
    (result,) = run(found.program, arrays, given).values()
    return result.tolist()


def shape(text, **arrays):
    """The shape of the single output."""
    return np.shape(value(text, **arrays))
