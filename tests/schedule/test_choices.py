"""Decisions of schedules that a caller makes: another schedule, and the same values."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.choices import BY_MODEL, Choices

SIZES = {"N": 70, "M": 80, "K": 90}
PRODUCT = "size N, M, K\ninput a[N,K], b[K,M]\ny[i,j] = sum{k} (a[i,k] - b[k,j])**2"


def test_the_model_orders_the_alternatives_and_a_rank_takes_another_one():
    words = ["four", "to", "six", "a"]

    def taken(rank: int) -> str | None:
        return Choices((("word", rank),)).best("word", words, len)

    assert [taken(n) for n in range(5)] == ["a", "to", "six", "four", "four"]
    assert BY_MODEL.best("word", words, len) == "a"
    assert BY_MODEL.best("word", list[str](), len) is None


def test_a_rank_turns_a_decision_round():
    otherwise = Choices((("done", 1),))

    assert [BY_MODEL.whether("done", by_model) for by_model in (True, False)] == [True, False]
    assert [otherwise.whether("done", by_model) for by_model in (True, False)] == [False, True]


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("decision", ["lanes of y", "tile of y", "whether y is tiled"])
def test_another_choice_is_another_schedule_with_the_same_values(decision):
    program = tadc.compile(PRODUCT).program
    random = np.random.default_rng(0)
    arrays = {t.name: random.normal(size=tuple(n.at(SIZES) for n in t.shape)) for t in program.inputs}  # fmt: skip
    runners = [
        NativeRunner(program, "float64", Options.of(backend="native"), choices)
        for choices in (BY_MODEL, Choices(((decision, 1),)))
    ]

    chosen, other = (runner.lowered(SIZES) for runner in runners)
    values, same = (runner.run(arrays, SIZES)["y"] for runner in runners)

    assert chosen != other
    np.testing.assert_allclose(values, same, rtol=1e-12)
    np.testing.assert_allclose(
        values, ((arrays["a"][:, :, None] - arrays["b"]) ** 2).sum(1), rtol=1e-12
    )
