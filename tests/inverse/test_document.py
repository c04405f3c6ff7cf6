"""The code blocks of docs/inverse.md run, one after the other."""

from __future__ import annotations

import documents
import pytest


@pytest.mark.slow
def test_the_examples_of_the_document_run():
    text = "\n".join(b.text for b in documents.blocks("docs/inverse.md"))

    exec(compile(text, "docs/inverse.md", "exec"), {})
