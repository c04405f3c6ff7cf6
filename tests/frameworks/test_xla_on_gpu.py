"""The handler of XLA for a GPU, on the double of CuPy: XLA's stream and memory, and kernels that the host runs."""

import ctypes
import shutil
from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import fake_cupy

import tadc
from tadc.function.operator import Operator
from tadc.jax import handler
from tadc.jax.private import has_gpu
from tadc.runtime.cpu.c_compiler import compiler, loaded

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(not compiler() or not shutil.which("g++"), reason="there is no compiler"),
]

KEPT = []  # what the handlers refer to
RBF = "y[i] = sum{j} exp(-sum{d} (x[i,d] - c[j,d])**2)*w[j]"
NORMALISED = "m = mean{i} x[i]\nv = mean{i} (x[i] - m)**2\ny[i] = (x[i] - m)/sqrt(v + 0.1)"


@pytest.fixture(scope="module")
def frames():
    include = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    text = Path(__file__).with_name("xla_frame.c").read_text("utf-8")
    library = loaded(text.replace("HEADER", include.as_posix()))
    library.run_frame.restype = ctypes.c_char_p
    library.run_frame.argtypes = [
        *(ctypes.c_void_p, ctypes.c_int),
        *(ctypes.c_void_p, ctypes.c_int) * 2,
        *(ctypes.c_int64, ctypes.c_char_p),
    ]
    return library


@pytest.fixture
def call(frames, monkeypatch):
    """Calls of an operator by the handler, as XLA makes them."""
    xp = fake_cupy.install(monkeypatch)
    launched, device_of_call = [], [0]

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3)
    def launch(function, x, y, z, tx, ty, tz, shared, stream, arguments, _):
        launched.append((stream, x, tx))
        with xp.cuda.Device(device_of_call[0]):  # XLA's thread has its context
            xp.cuda.runtime.free(0)
            xp.cuda.driver.launchKernel(
                function or 0, x, y, z, tx, ty, tz, shared, stream, arguments, 0
            )
        fake_cupy.finish()  # XLA frees memory in the order of the stream, the frame at once
        return 0

    library = handler._library()
    library.tadc_use_driver(launch)
    KEPT.append(launch)

    def run(operator, arrays, sizes, device=0):
        dtype, device_of_call[0] = arrays[0].dtype.name, device
        named = handler.gpu_attributes(operator, sizes, dtype)
        outputs = [np.full(shape, np.nan, dtype) for shape in operator.shapes(sizes)]
        places = [
            (ctypes.c_void_p * len(some))(*(a.ctypes.data for a in some))
            for some in (arrays, outputs)
        ]
        entry = ctypes.cast(library.tadc_gpu_handler, ctypes.c_void_p)
        message = frames.run_frame(
            entry,
            device,
            places[0],
            len(arrays),
            places[1],
            len(outputs),
            int(named["program"]),
            named["text"].encode(),
        )
        return outputs, message

    run.launched = launched
    return run


def test_there_is_no_gpu_here_or_it_is_used():
    assert has_gpu() in (False, True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("text", "shapes"), [(RBF, [(7, 3), (5, 3), (5,)]), (NORMALISED, [(300,)])]
)
def test_values_and_gradients_are_those_of_numpy(text, shapes, dtype, call, frames):
    f = tadc.compile(text, backend="numpy")
    random = np.random.default_rng(0)
    arrays = [random.normal(size=s).astype(dtype) for s in shapes]
    seed = np.ones(shapes[0][:1], dtype)
    for g, given in ((f, arrays), (f.adjoint(), [*arrays, seed])):
        on_gpu = Operator.of(tadc.compile(text) if g is f else tadc.compile(text).adjoint())
        sizes = on_gpu.sizes(tuple(a.shape for a in given), {})
        for device in (0, 1):
            outputs, message = call(on_gpu, given, sizes, device)
            assert message is None
            expected = g(*given)
            expected = expected if isinstance(expected, tuple) else (expected,)
            for one, other in zip(outputs, expected, strict=True):
                limit = 1e-4 if dtype == "float32" else 1e-10
                np.testing.assert_allclose(one, other, rtol=limit, atol=limit)
    assert {stream for stream, _, _ in call.launched} == {7}
    assert frames.still_allocated() == 0


def test_what_cannot_be_compiled_is_an_error_of_xla(call):
    operator = Operator.of(tadc.compile("y[i] = 2*x[i]", backend="numpy"))
    _, message = call(operator, [np.ones(3)], (3,))
    assert b"could not be compiled" in message


def test_other_operands_are_an_error_of_xla(call):
    operator = Operator.of(tadc.compile("y[i] = 2*x[i]"))
    _, message = call(operator, [np.ones(3), np.ones(3)], (3,))
    assert b"operands" in message
