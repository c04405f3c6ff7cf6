"""The code blocks of the project's documents, and what runs them."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from oracle import ROOT

import tadc

BLOCK = re.compile(r"^```([\w-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of a document under the root of the project, by the line on which it begins."""

    document: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}:{self.language}"


def blocks(*documents):
    for document in documents:
        text = (ROOT / document).read_text("utf-8")
        for match in BLOCK.finditer(text):
            yield Block(document, text.count("\n", 0, match.start()) + 1, *match.groups())


def run(command, folder):
    """What a `tadc` command prints, run in `folder` by the package under test."""
    package = Path(tadc.__file__).parent.parent
    words = shlex.split(command)
    assert words[0] == "tadc", command
    environment = {**os.environ, "PYTHONPATH": str(package), "COLUMNS": "120"}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 or done.stderr, command
    return done.stdout + done.stderr


def python(text, folder):
    """What Python text prints, run in `folder`."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.chdir(folder):
        exec(compile(text, "<document>", "exec"), {})
    return printed.getvalue()
