"""Whatever is done to a document, it is a program or a `tadc.Error` that shows a place in it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import tadc

FORMULAS = sorted((Path(__file__).parents[1] / "formulas").glob("*.tex"))
PIECES = [
    *[
        r"\[",
        r"\]",
        r"$",
        r"&",
        r"\\",
        r"{",
        r"}",
        r"(",
        r")",
        r"[",
        r"]",
        r"|",
        r"\|",
        r"_",
        r"^",
        r",",
        r".",
        r";",
        r":",
        r"=",
        r"<",
        r">",
        r"\le",
        r"\ne",
        r"\in",
        r"\to",
        r"\gets",
        r"\approx",
        r"\equiv",
        r"+",
        r"-",
        r"/",
        r"\cdot",
        r"\odot",
        r"\times",
    ],
    *[
        r"\sum",
        r"\prod",
        r"\max_k",
        r"\frac",
        r"\sqrt",
        r"\exp",
        r"\log",
        r"\sigma",
        r"\top",
        r"^T",
        r"^\top",
        r"^2",
        r"^{-1}",
        r"^{(l)}",
        r"^{t+1}",
        r"_{ij}",
        r"_{j|i}",
        r"_i",
        r"_{\max}",
        r"_F",
    ],
    *[
        r"\langle",
        r"\rangle",
        r"\lVert",
        r"\rVert",
        r"\left(",
        r"\right)",
        r"\mathbf",
        r"\mathcal{L}",
        r"\mathbb{R}",
        r"\mathbb{1}",
        r"\operatorname{tr}",
        r"\nabla",
    ],
    *[
        r"\begin{cases}",
        r"\end{cases}",
        r"\begin{align}",
        r"\end{align}",
        r"\text{if}",
        r"\quad",
        r"\dots",
        r"\forall",
        r"i",
        r"j",
        r"k",
        r"N",
        r"x",
        r"0",
        r"1",
        r"2",
    ],
    r"\mathrm{softmax}",
    r"\newcommand{\m}[1]{#1_{#1}}",
    r"\m{x}",
    r"\def\a{\b}\def\b{\a\a}\a",
    r"\norm{x_i}",
    r"\quad i = 2, \dots, N-1",
    r"\text{for } i = 1, \dots, N",
    r"x \in \mathbb{R}^{N \times D}",
    r"f(x) = x^2",
    "f(x_i)",
    "%!tadc base 1\n",
    "%!tadc upper\n",
    "%!tadc einstein\n",
    "%!tadc input x[N, D]\n",
    "\n\n",
    "{\\rm ",
]


def mutated(text: str, others: list[str], chance: random.Random) -> str:
    """The text with one to four parts removed, repeated, or replaced by pieces of LaTeX or of other documents."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.choice([0, 0, 1, 3, 12]))
        put = chance.choice(["", " ".join(chance.choices(PIECES, k=chance.randint(1, 3)))])
        if chance.random() < 0.2:
            other = chance.choice(others)
            place = chance.randint(0, len(other))
            put = other[place : place + chance.randint(1, 30)]
        text = text[:start] + put + text[end:]
    return text


def survives(text: str) -> None:
    try:
        tadc.compile(text, lang="tex")
    except tadc.Error as caught:
        for error in caught.errors:
            assert error.fact, text
            assert error.span is None or 0 <= error.span.start <= error.span.end <= len(text), text


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 101))]
)
def test_a_mutated_document_is_a_program_or_an_error(seed):
    chance = random.Random(seed)
    texts = [path.read_text() for path in FORMULAS]
    for _ in range(100):
        survives(mutated(chance.choice(texts), texts, chance))
