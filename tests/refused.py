"""Documents that have no one meaning."""

from __future__ import annotations

import pytest

import tadc


def assert_is_refused(text: str, fact: str) -> None:
    """That the first error of the LaTeX document tells the fact, and what to write instead."""
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(text, lang="tex")

    assert fact in caught.value.errors[0].fact
    assert caught.value.errors[0].fix
