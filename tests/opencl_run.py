"""Runs the schedules of a GPU on a device of OpenCL: PoCL's, which has work-groups, barriers and local memory on any CPU."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context

import pytest

from tadc.options import Options

pytest.importorskip("pyopencl")

from tadc.runtime.opencl.arrays import as_cl_array, default_queue, devices
from tadc.runtime.opencl.launch import OpenClLaunch

if not devices():
    pytest.skip("there is no device of OpenCL", allow_module_level=True)

LONGEST = 30  # seconds that the device's compiler has for the kernels of a mode


def run_on_opencl(gpu, arrays, sizes, dtype="float64", combined=0):
    """The outputs by name of a mode that was scheduled, for these arrays and sizes; teams combine so many sums at most.

    It is run in another process: the compiler of PoCL 3.0 dies of some kernels with barriers, or takes longer the more of
    them there are, without bound. Their test is skipped then.
    """
    given = gpu.combining_at_most(combined), arrays, sizes, dtype
    try:
        return _child().submit(_run, *given).result(timeout=LONGEST)
    except BrokenProcessPool:
        _child.cache_clear()
        pytest.skip("the device's compiler died of this text")
    except TimeoutError:
        for process in _child()._processes.values():
            process.kill()
        _child.cache_clear()
        pytest.skip("the device's compiler does not end for this text")


@cache
def _child():
    return ProcessPoolExecutor(1, get_context("spawn"))


def _run(gpu, arrays, sizes, dtype):
    queue = default_queue()
    values = gpu.module.program.size_values(sizes)
    launch = OpenClLaunch(gpu, values, dtype, Options(), queue)
    given = {n: as_cl_array(n, arrays[n], queue) for n in launch.inputs}
    return {n: a.get() for n, a in launch(given, queue).items()}
