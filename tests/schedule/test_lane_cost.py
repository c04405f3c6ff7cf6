"""What lanes of sums cost by the model."""

import tadc
from tadc.schedule.cpu.lane_cost import cost_of_sums
from tadc.schedule.nest.lower import kernels


def test_a_short_loop_counts_as_often_as_it_runs():
    (kernel,) = kernels(tadc.compile("y[i] = sum{a, b} x[i,a,b]*w[a,b]").program, "primal")
    costs = [cost_of_sums(kernel.body, {}, {"a": n, "b": 100}) for n in (2, 4, 10, 1000)]

    assert costs[0] < costs[1] < costs[2] < 1.01 * costs[3]
