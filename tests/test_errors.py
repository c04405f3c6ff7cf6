"""Malformed programs: each file of `errors/` says, on the offending line, the class and the column of its errors.

y[i] = softmax(x[i])  # error: SyntaxError 8
"""

from __future__ import annotations

import pickle
import re
from collections import Counter
from pathlib import Path

import pytest

import tadc

FILES = sorted(Path(__file__).with_name("errors").iterdir())
EXPECTED = re.compile(r"[#%] error: (.*)")
MALFORMED = pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)


def errors_of(path):
    with pytest.raises(tadc.Error) as caught:
        tadc.load(path)
    return caught.value.errors


def expected(text):
    return Counter(
        (line, *error.split())
        for line, content in enumerate(text.splitlines(), 1)
        for marked in EXPECTED.findall(content)
        for error in marked.split(", ")
    )


@MALFORMED
def test_a_malformed_program_has_the_errors_that_it_says(path):
    found = Counter(
        (e.span.line, type(e).__name__, str(e.span.column)) for e in errors_of(path) if e.span
    )

    assert found == expected(path.read_text("utf-8"))


@MALFORMED
def test_every_error_shows_its_place_and_says_what_to_write(path):
    for error in errors_of(path):
        place, line, carets, *fix = error._diagnostic().split("\n")

        assert place.startswith(f"{path}:{error.span.line}:{error.span.column}: ")
        assert line.removeprefix("    ") in path.read_text("utf-8").splitlines()
        assert carets.index("^") == 4 + error.span.column - 1
        assert error.fix
        assert fix == error.fix.split("\n")


def test_an_error_without_a_place_says_what_to_write_too():
    with pytest.raises(tadc.SyntaxError) as caught:
        tadc.compile("")

    assert caught.value.span is None
    assert caught.value.fix


def test_there_are_files():
    assert len(FILES) >= 25
    assert all(expected(path.read_text("utf-8")) for path in FILES)


def test_an_error_that_went_through_a_pickle_is_what_it_was():
    with pytest.raises(tadc.SyntaxError) as caught:
        tadc.compile("y[i: 4] = x[M*i]\nz = x[M*j, 1]\ninput x[M, 2]")

    error = caught.value
    again = pickle.loads(pickle.dumps(error))

    assert error.sizes and len(error.errors) > 1
    assert (str(again), again.sizes, again.span) == (str(error), error.sizes, error.span)
    assert list(map(str, again.errors)) == list(map(str, error.errors))
