"""Values of staged loops that are done together: which loops have them, and what is left of tests. That they change no bits is held in
`test_tile.py`.
"""

from __future__ import annotations

import pytest
from programs import normal

import tadc
from tadc.bounded_cache import BoundedCache
from tadc.function.runs import modelled
from tadc.ir.affine import symbol
from tadc.ir.domain import EVERYWHERE
from tadc.ir.expr import Reduce
from tadc.ir.walk import postorder
from tadc.schedule.gpu.executed import executed
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.gpu.tile import Shape
from tadc.schedule.lowered import GpuModule, modules_of
from tadc.schedule.nest.loop_nest import Branch, Staged, first_of, last_of, steps_of

PRODUCT = "size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = sum{k} a[i,k]*b[k,j]"
CORRELATION = "size B, N, K\ninput x[B,N], y[B,N+K]\nr[b,k: K] = sum{i: N} x[b,i]*y[b,i+k]"
DIAGONALS = "size I, J\ninput a[I], x[I,J]\nc[i: I,j] = sum{k: I | k <= i} a[i-k]*x[k,j]"
SIZES = {"B": 20_000, "N": 5000, "K": 256, "I": 2000, "J": 4000}


def scheduled(text, tile, monkeypatch):
    """The kernel with a tile of that shape, without parts."""
    monkeypatch.setattr("tadc.schedule.gpu.split.WORTH", 2**60)
    monkeypatch.setattr("tadc.schedule.gpu.kernels._made", BoundedCache(8))
    (mode,) = modules_of({"primal": normal(text)})
    sizes = {s: SIZES[s] for s in mode.program.sizes}
    gpu = GpuModule.of(mode, sizes, tiles={mode.kernels[0].name: tile})
    (kernel,) = gpu.kernels
    return kernel, gpu.module.program, mode.program.size_values(sizes)


def loops(kernel):
    found = [s for s in steps_of(kernel.kernel.body) if isinstance(s, Staged)]
    assert found
    return found


def test_what_shares_nothing_is_done_one_by_one(monkeypatch):
    kernel, *_ = scheduled(PRODUCT, Shape({"i": 4, "j": 4}, {"i": 16, "j": 16}), monkeypatch)

    assert [s.together for s in loops(kernel)] == [None]


@pytest.mark.parametrize("count", [1, 2])
def test_windows_that_move_with_a_loop_are_read_for_several_of_its_values(monkeypatch, count):
    shape = Shape({"b": count, "k": 5}, {"b": 8, "k": 32})
    kernel, program, sizes = scheduled(CORRELATION, shape, monkeypatch)

    some = [s.together for s in loops(kernel)]
    assert all(s.count == 8 and s.region.conditions == () for s in some if not s.after)

    def reads():
        return executed(kernel, program, sizes, HOPPER, "float32", 2**17).total.staged_reads

    found = reads()
    monkeypatch.setattr("tadc.schedule.gpu.together.TOGETHER", ())
    kernel, program, sizes = scheduled(CORRELATION, shape, monkeypatch)
    # Of 5 neighbours of 8 values 12 elements are different, not 40.
    assert found < (count * 12 + 8 * count) / (count * 40 + 8 * count) * 1.1 * reads()


def test_values_that_all_points_have_are_not_tested(monkeypatch):
    shape = Shape({"i": 4, "j": 4}, {"i": 16, "j": 16})
    kernel, *_ = scheduled(DIAGONALS, shape, monkeypatch)
    for loop in loops(kernel):
        some = loop.together

        assert not any(isinstance(s, Branch) for s in steps_of(some.body))
        assert any(isinstance(s, Branch) for s in steps_of(loop.body))
        k = symbol(loop.range.index)
        known = [c.form for c in some.region if c.relation == ">="]
        assert known == [symbol(first_of("i")) - k - (some.count - 1)]
        assert last_of("i") not in {s for form in known for s in form.symbols}


def test_the_ends_of_blocks_of_a_long_sum_are_behind_what_is_done_together(monkeypatch):
    kernel, *_ = scheduled(DIAGONALS, Shape({"i": 4, "j": 4}, {"i": 16, "j": 16}), monkeypatch)

    for loop in loops(kernel):
        if loop.together.after:
            assert any(c.relation == "|" for c in loop.together.region)
        else:
            assert loop.after


def test_parts_that_have_a_value_of_an_index_each_have_no_loop_over_it():
    text = "size B, N, M\ninput x[B,N], y[B,M]\nr[k: N+M-1] = sum{b, i: N | i + k >= N - 1 and i + k <= N + M - 2} x[b,i]*y[b,i+k-N+1]"
    (mode,) = modules_of({"primal": normal(text)})

    gpu = GpuModule.of(mode, {"B": 64, "N": 2048, "M": 2048})

    parts, _ = gpu.module.program.statements
    (total,) = (e for e in postorder((parts.body,)) if isinstance(e, Reduce))
    assert len(total.indices) == 1 and parts.target.shape[0].constant == 64
    assert total.domain != EVERYWHERE


DEPTHWISE = """size B, C, H, W
input x[B, C, H, W], w[C, 3, 3]
y[n, c, p: H, q: W] = sum{r, t} x[n, c, pad(p + r - 1), pad(q + t - 1)]*w[c, r, t]"""


def test_loops_that_end_with_their_block_are_left_as_they_are():
    f = tadc.compile(DEPTHWISE, backend="cuda", dtype="float32")

    found = modelled(f, ("vjp",), {"B": 8, "C": 64, "H": 56, "W": 56}, HOPPER)

    assert all(k.milliseconds > 0 for k in found.kernels)
