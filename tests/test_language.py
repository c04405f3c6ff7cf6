"""The code blocks of docs/language.md: programs compile, errors print as shown, sessions print what they say."""

from __future__ import annotations

import doctest

import documents
import pytest

import tadc

BLOCKS = list(documents.blocks("docs/language.md"))


def of(*languages):
    found = [pytest.param(b.text, id=str(b)) for b in BLOCKS if b.language in languages]
    return pytest.mark.parametrize("text", found)


def test_there_is_a_test_for_every_language():
    assert {b.language for b in BLOCKS} == {"idx", "idx-error", "text", "python", "tex"}


@of("idx")
def test_a_program_compiles_and_has_an_adjoint(text):
    assert "d" in str(tadc.compile(text).adjoint())


@of("tex")
def test_a_formula_compiles_and_has_an_adjoint(text):
    assert "d" in str(tadc.compile(text, lang="tex").adjoint())


def test_errors_print_as_they_are_shown():
    programs = [b.text for b in BLOCKS if b.language == "idx-error"]
    shown = [b.text for b in BLOCKS if b.language == "text"]
    for program, error in zip(programs, shown, strict=True):
        with pytest.raises(tadc.Error) as caught:
            tadc.compile(program)
        assert f"{caught.value}\n" == error


def test_sessions_print_what_is_shown():
    session = "\n".join(b.text for b in BLOCKS if b.language == "python")
    test = doctest.DocTestParser().get_doctest(session, {}, "language.md", None, 0)
    results = doctest.DocTestRunner(verbose=False)

    results.run(test)

    assert results.tries > 5
    assert not results.failures
