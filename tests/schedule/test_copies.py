"""Copies to shared memory: each element once, by neighbours where they are neighbours in memory."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest

from tadc.schedule.nest.copies import copies

BOXES = [(1,), (7,), (300,), (128, 16), (16, 128), (4, 2, 3, 58), (64, 2, 3, 3), (17, 17, 17), (3, 1), (1, 40, 1), (5, 33)]  # fmt: skip


@pytest.mark.parametrize("counts", BOXES)
def test_every_element_is_copied_once(counts):
    grid = copies(counts, 256)

    found = []
    for turn, thread in product(_places(grid.turns), _places(grid.threads)):
        place = tuple(t + n * k for t, n, k in zip(thread, grid.threads, turn, strict=True))
        if all(p < n for p, n in zip(place, counts, strict=True)):
            found.append(place)

    assert prod(grid.threads) <= 256
    assert sorted(found) == _places(counts)


@pytest.mark.parametrize("counts", BOXES)
def test_there_are_few_turns(counts):
    assert prod(copies(counts, 256).turns) <= 2 * -(-prod(counts) // 256)


def test_threads_are_neighbours_in_memory():
    assert copies((128, 32), 256).threads == (8, 32)
    assert copies((4, 2, 3, 58), 256).threads[-1] == 58
    assert copies((5, 300), 256).threads[-1] >= 32


def _places(counts):
    return list(product(*map(range, counts)))
