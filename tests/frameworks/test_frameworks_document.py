"""The lines of Python in `docs/frameworks.md` run, one after the other."""

import documents
import pytest


def test_the_lines_of_python_run(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("jax")
    texts = [b.text for b in documents.blocks("docs/frameworks.md") if b.language == "python"]
    assert len(texts) == 4
    documents.python("\n".join(texts), tmp_path)
