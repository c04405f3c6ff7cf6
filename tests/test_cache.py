"""What was made once is read from a file: the same again, and never something else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle import EXAMPLES
from random_programs import random_program

import tadc
from tadc import cache
from tadc.ir.fingerprint import fingerprint

CODE = """
import numpy, sys, tadc
f = tadc.compile("size N, M\\ninput x[N, M]\\ny[i] = sum{j} exp(x[i, j])", backend=sys.argv[1])
y, pullback = f.vjp(numpy.ones((3, 4)))
print(y.sum(), pullback(y)["x"].sum(), "tadc.derive.gather" in sys.modules)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TADC_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TADC_REMEMBER", "1")
    monkeypatch.setattr(cache, "WORTH", 0)
    cache.folder.cache_clear()
    yield tmp_path
    cache.folder.cache_clear()


def test_what_was_made_is_not_made_again(place):
    made = []

    def make():
        made.append(1)
        return {"a": (1, 2)}

    found = [cache.remembered(("key", n), make) for n in (1, 1, 2)]

    assert found == [{"a": (1, 2)}] * 3
    assert len(made) == 2


@pytest.mark.parametrize("damage", [lambda b: b[:-3], lambda b: b"", lambda b: b"x" + b])
def test_a_file_that_is_damaged_is_made_again(place, damage):
    for _ in range(2):
        assert cache.remembered("key", lambda: 7) == 7
        (file,) = place.glob("made-*.pickle")
        file.write_bytes(damage(file.read_bytes()))


def test_what_cannot_be_kept_is_made_every_time(place):
    deep = []
    for _ in range(100_000):
        deep = [deep]

    assert cache.remembered("deep", lambda: deep) is deep
    assert cache.remembered("no pickle", lambda: len) is len
    assert cache.remembered("a function of its own", lambda: lambda: 3)() == 3
    with pytest.raises(tadc.SyntaxError):
        tadc.compile("y[i] = ")
    assert len([*place.glob("made-*")]) == 1  # `len` is found by its name


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_examples_are_the_same_from_the_cache(place, path):
    fresh = [str(f()) for f in (lambda: tadc.load(path), lambda: tadc.load(path).adjoint())]
    assert fresh == [str(tadc.load(path)), str(tadc.load(path).adjoint())]
    again = tadc.load(path)
    assert again.adjoint().program == tadc.load(path).adjoint().program
    assert again.ranges == tadc.load(path).ranges


def test_options_that_change_the_program_are_part_of_its_key(place):
    text = "size N\ninput x[N]\ny[i] = x[i]"

    assert tadc.compile(text, sizes={"N": 3}).program != tadc.compile(text).program
    assert tadc.compile(text, name="g").name == "g"
    assert tadc.compile(text).adjoint().program != tadc.compile(text).tangent().program


@pytest.mark.parametrize("backend", ["numpy", pytest.param("native", marks=pytest.mark.compiler)])
def test_another_process_finds_it(place, backend):
    results = [
        subprocess.run([sys.executable, "-c", CODE, backend], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]  # fmt: skip

    first, second = (r.stdout for r in results)
    assert first == second and first.startswith(str(round(12 * np.e, 3))[:4])
    assert any(Path(place).glob("made-*.pickle"))


@pytest.mark.parametrize("seed", range(30))
def test_programs_have_one_fingerprint_if_they_are_equal(seed):
    texts = [random_program(s, level="full").text for s in (seed, seed, seed + 1)]
    try:
        first, same, other = (tadc.compile(t, sizes=random_program(s, level="full").sizes).program for t, s in zip(texts, (seed, seed, seed + 1), strict=True))  # fmt: skip
    except tadc.Error:
        pytest.skip("one of the programs is refused")

    assert fingerprint(first) == fingerprint(same)
    assert (fingerprint(first) == fingerprint(other)) == (first == other)
