"""Runs the schedules of a GPU on a device of OpenCL: PoCL's, which has work-groups, barriers and local memory on any CPU."""

from __future__ import annotations

import pytest

from tadc.options import Options

pytest.importorskip("pyopencl")

from tadc.runtime.opencl.arrays import as_cl_array, default_queue, devices
from tadc.runtime.opencl.launch import OpenClLaunch, for_device

if not devices():
    pytest.skip("there is no device of OpenCL", allow_module_level=True)


def run_on_opencl(gpu, arrays, sizes, dtype="float64"):
    """The outputs by name of a mode that was scheduled, for these arrays and sizes."""
    queue = default_queue()
    values = gpu.mode.program.size_values(sizes)
    gpu = for_device(gpu, queue.device)
    launch = OpenClLaunch(gpu, values, dtype, Options(), queue)
    given = {n: as_cl_array(n, arrays[n], queue) for n in launch.inputs}
    return {n: a.get() for n, a in launch(given, queue).items()}
