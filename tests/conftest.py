"""Options of the test run, its folder, golden files, and the markers of slow tests."""

from __future__ import annotations

import os
import sys
import tempfile
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

# A shared machine may be slow.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

# Most tests are about programs, not about backends: they do without a compiler run for each.
os.environ.setdefault("TADC_BACKEND", "numpy")
os.environ["TADC_REMEMBER"] = "0"  # what a test compiles is compiled

GOLDEN = Path(__file__).with_name("golden")
BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the files under tests/golden"
    )
    parser.addoption(
        "--one-in",
        type=int,
        default=1,
        metavar="N",
        help="of the cases of each test, run one in N: the same ones every time, and at least one",
    )


def pytest_configure(config):
    """What is compiled and kept is in a folder of the run's own, never in the user's; all its processes share it."""
    if hasattr(config, "workerinput"):
        return
    folder = tempfile.TemporaryDirectory(prefix="tadc-tests-", ignore_cleanup_errors=True)
    config.add_cleanup(folder.cleanup)
    os.environ["TADC_TEST_FOLDER"] = folder.name
    os.environ["TADC_CACHE_DIR"] = os.path.join(folder.name, "cache")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Slow tests, and those with a TeX engine, run when they are asked for: `pytest -m slow`, or by their node id.

    Tests of a file that run compiled text share what is compiled: they stay in one process.
    """
    values = {}
    for item in items:
        if not is_plain(item, values):
            item.add_marker(pytest.mark.slow)
        if "compiler" in item.keywords and "xdist_group" not in item.keywords:
            item.add_marker(pytest.mark.xdist_group(item.path.name))
    if config.option.markexpr or any("::" in argument for argument in config.args):
        return
    deselect(config, items, [i for i in items if {"slow", "tex"} & i.keywords.keys()])


@pytest.hookimpl(specname="pytest_collection_modifyitems", trylast=True)
def pytest_thin_out(config, items):
    """Leave one case in N of each test that was selected, drawn by the names of the cases."""
    n = config.option.one_in
    drawn = {}
    for item in items:
        test = (
            item.path,
            getattr(item, "originalname", item.name),
        )  # an example in a docstring has none
        drawn.setdefault(test, []).append((crc32(item.name.encode()), item))
    first = {id(min(cases, key=itemgetter(0))[1]) for cases in drawn.values()}
    kept = {id(i) for cases in drawn.values() for number, i in cases if number % n == 0}
    deselect(config, items, [i for i in items if id(i) not in first | kept])


def deselect(config, items, later):
    if later:
        config.hook.pytest_deselected(items=later)
        gone = {*map(id, later)}
        items[:] = [item for item in items if id(item) not in gone]


def is_plain(item, values):
    """Whether the case has one of the first values of each argument that `plain(argument=count)` names.

    `values` holds what was met so far, by test and argument.
    """
    plain = True
    for marker in item.iter_markers("plain"):
        for argument, count in marker.kwargs.items():
            met = values.setdefault((item.path, item.originalname, argument), {})
            place = met.setdefault(id(item.callspec.params[argument]), len(met))
            plain = plain and place < count
    return plain


@pytest.fixture(autouse=True)
def no_opencl_in_checks(request, monkeypatch):
    """`f.check()` compiles for every device that there is, which takes seconds: a test that means it has the marker."""
    if "opencl" not in request.keywords:
        monkeypatch.setattr("tadc.check.opencl_devices", list)


@pytest.fixture
def double(monkeypatch):
    """The double of CuPy in its place."""
    import fake_cupy

    from tadc.runtime.cuda.arrays import cupy

    yield fake_cupy.install(monkeypatch)
    cupy.cache_clear()


@pytest.fixture(params=["double", pytest.param("GPU", marks=pytest.mark.gpu)])
def xp(request):
    """CuPy: its double, and, where there is a GPU, CuPy itself."""
    if request.param == "double":
        return request.getfixturevalue("double")
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        pytest.skip(f"no GPU: {error}")
    return cupy


@pytest.fixture
def benchmark_module(monkeypatch):
    """Imports a file of `benchmarks/` as its own script does."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    yield import_module
    for path in BENCHMARKS.glob("*.py"):
        if path.stem not in before:
            sys.modules.pop(path.stem, None)


@pytest.fixture
def golden(request):
    """`golden(name, text)` holds the text against the file, or writes it there under `--update-golden`."""

    def compare(name, text):
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.write_text(text, "utf-8")
        assert path.exists(), f"{path} is missing: pytest --update-golden writes it"
        assert text == path.read_text("utf-8")

    return compare
