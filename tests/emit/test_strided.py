"""Every second, third and fourth element by shuffles of vectors: which they are, and that nothing is read behind the last."""

from __future__ import annotations

import ctypes
import re
import subprocess

import numpy as np
import pytest

import tadc
from tadc.emit.templates import template
from tadc.runtime.cpu.c_compiler import compiler

TEXT = template("c/functions/strided.c").render()
FUNCTIONS = re.findall(
    r"void (every_(\d)_(\d+)(f?))\(.*?\) \{\n(.*?)^\}", TEXT, re.DOTALL | re.MULTILINE
)


def test_no_vector_ends_behind_the_last_element():
    assert len(FUNCTIONS) == 18
    for name, stride, lanes, _, body in FUNCTIONS:
        vectors = [0, *map(int, re.findall(r"\(from \+ (\d+)\)", body))]
        assert max(vectors) == (int(stride) - 1) * (int(lanes) - 1), name


@pytest.mark.compiler
@pytest.mark.skipif(compiler() is None, reason="there is no C compiler")
def test_elements_are_those_of_a_slice(tmp_path):
    source, library = tmp_path / "strided.c", tmp_path / "strided.so"
    source.write_text(TEXT.replace("static inline INLINED ", ""), "utf-8")
    command = [*compiler(), "-O1", "-w", "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    loaded = ctypes.CDLL(str(library))
    for name, stride, lanes, is_float, _ in FUNCTIONS:
        n = int(lanes)
        given = np.arange(1, int(stride) * (n - 1) + 2, dtype="f4" if is_float else "f8")
        found = np.zeros(n, given.dtype)
        loaded[name](ctypes.c_void_p(found.ctypes.data), ctypes.c_void_p(given.ctypes.data))
        np.testing.assert_array_equal(found, given[:: int(stride)], name)


@pytest.mark.compiler
@pytest.mark.skipif(compiler() is None, reason="there is no C compiler")
def test_values_that_are_read_first_have_names_of_their_own():
    text = "size N\ninput t[N], x[2*N]\ny[i: N] = x[2*i]*t[i] + x[2*i + 1]"
    t, x = np.arange(50.0), np.arange(100.0)

    found = tadc.compile(text, backend="native")(t=t, x=x)

    np.testing.assert_array_equal(found, x[::2] * t + x[1::2])
