"""Libraries are made of C text whatever the compiler, the cache folder or the machine do; or one error says why not."""

from __future__ import annotations

import ctypes
import gc
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

import pytest

import tadc
from tadc import cache
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.c_compiler import Library, loaded

TEXT = "int seven(void) { return 7; }"
pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler"),
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty cache folder, and a folder for temporary files in which nothing is left behind."""
    folder, temporary = tmp_path / "cache", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TADC_CACHE_DIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(c_compiler, "_stuck", {})
    cache.folder.cache_clear()
    c_compiler.compiler.cache_clear()
    yield folder
    cache.folder.cache_clear()
    c_compiler.compiler.cache_clear()
    assert [*temporary.iterdir()] == []


@pytest.fixture
def compiler(tmp_path, monkeypatch, place):
    """`compiler(script)` makes a shell script the C compiler; it is run with the arguments of one."""

    def chosen(script):
        path = tmp_path / "own cc"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("CC", f"'{path}'")
        c_compiler.compiler.cache_clear()

    return chosen


def seven():
    return loaded(TEXT)["seven"]()


# ---------------------------------------------------------------------- folders


@pytest.mark.parametrize("name", ["-dash", "a space", 'it\'s "quoted"', "two\nlines", "; exit 1"])
def test_a_cache_folder_may_have_any_name(name, tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TADC_CACHE_DIR", name)
    cache.folder.cache_clear()

    assert [seven(), seven()] == [7, 7]
    assert len([*Path(tmp_path, name).glob("native-*.so")]) == 1


def test_a_relative_cache_folder_stays_where_it_was(tmp_path, monkeypatch, place):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TADC_CACHE_DIR", "own")
    cache.folder.cache_clear()
    assert seven() == 7
    monkeypatch.chdir(tmp_path / "elsewhere")

    assert loaded(TEXT.replace("7", "8"))["seven"]() == 8
    assert [*Path.cwd().iterdir()] == []
    assert len([*(tmp_path / "own").glob("native-*.so")]) == 2


def test_a_cache_folder_that_is_removed_or_replaced_is_done_without(place):
    assert seven() == 7
    shutil.rmtree(place)
    assert seven() == 7
    shutil.rmtree(place)
    place.write_text("a file")
    assert seven() == 7


def no_space(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("what", ["fsync", "replace", "mkdir"])
def test_a_cache_folder_that_cannot_be_written_is_done_without(what, monkeypatch, place):
    if what == "mkdir":
        place.write_text("in the way")
    else:
        monkeypatch.setattr(os, what, no_space)

    assert [seven(), seven()] == [7, 7]
    assert what == "mkdir" or [*place.iterdir()] == []


@pytest.mark.parametrize("parts", [("cache",), ("temporary",), ("cache", "temporary")])
def test_libraries_are_run_from_where_the_machine_lets_them(parts, tmp_path, monkeypatch, place):
    assert seven() == 7
    load = ctypes.CDLL.__init__

    def refusing(self, name, *rest):
        if any(str(tmp_path / part) in name for part in parts):
            raise OSError(f"{name}: failed to map segment from shared object")
        load(self, name, *rest)

    monkeypatch.setattr(ctypes.CDLL, "__init__", refusing)
    if len(parts) == 1:
        assert [loaded(t)["seven"]() for t in (TEXT, f"{TEXT}\n")] == [7, 7]
    else:
        with pytest.raises(tadc.BackendError, match="cannot be loaded"):
            seven()


def test_folders_of_killed_processes_are_swept(tmp_path, place):
    old, new = (tmp_path / "temporary" / f"{c_compiler.BUILDING}{n}" for n in "ab")
    for folder in (old, new):
        folder.mkdir()
        (folder / "program.c").write_text(TEXT)
    os.utime(old, (0, 0))
    c_compiler._sweep.cache_clear()

    assert seven() == 7
    assert (old.exists(), new.exists()) == (False, True)
    (new / "program.c").unlink()
    new.rmdir()


# ---------------------------------------------------------------------- damaged libraries


def check_that_damage_is_noticed(place, monkeypatch, seed):
    r = random.Random(seed)
    (entry,) = place.glob("native-*.so")
    content = bytearray(entry.read_bytes())
    match r.randrange(4):
        case 0:
            del content[r.randrange(len(content)) :]
        case 1:
            content[r.randrange(len(content))] ^= 1 << r.randrange(8)
        case 2:
            start = r.randrange(len(content))
            content[start : start + 64] = r.randbytes(len(content[start : start + 64]))
        case 3:
            content += r.randbytes(r.randint(1, 64))
    entry.write_bytes(content)
    loads = []
    with monkeypatch.context() as patch:
        patch.setattr(c_compiler, "Library", lambda path: loads.append(path) or Library(path))
        assert c_compiler._kept(entry.name) is None
    assert not loads and not entry.exists()


@pytest.mark.parametrize("count", [12, pytest.param(400, marks=pytest.mark.slow)])
def test_a_damaged_library_is_never_loaded_and_made_again(count, place, monkeypatch):
    assert seven() == 7
    (entry,) = place.glob("native-*.so")
    content = entry.read_bytes()

    for seed in range(count):
        entry.write_bytes(content)
        check_that_damage_is_noticed(place, monkeypatch, seed)

    assert seven() == 7
    assert entry.read_bytes() == content


def test_the_library_of_another_text_is_not_loaded(place):
    assert seven() == 7
    (entry,) = place.glob("native-*.so")
    assert loaded(TEXT.replace("7", "8"))["seven"]() == 8
    (other,) = {*place.glob("native-*.so")} - {entry}
    os.replace(other, entry)

    assert seven() == 7


# ---------------------------------------------------------------------- compilers

FAILING = {
    "fails without a word": ("exit 3", "ends with status 3"),
    "fails with a word": ("echo 'no such flag' >&2; exit 1", "no such flag"),
    "fails, on standard output": ("echo 'no luck'; exit 1", "no luck"),
    "says where": ("echo 'program.c: In function' >&2; echo 'program.c:1: error: bad' >&2; exit 1", "error: bad"),
    "writes nothing": ("exit 0", "reports success and writes no file"),
    "writes an empty file": ('while [ "$1" != -o ]; do shift; done; : > "$2"', "makes what cannot be loaded"),
    "writes junk": ('while [ "$1" != -o ]; do shift; done; echo junk > "$2"', "makes what cannot be loaded"),
    "prints what is not UTF-8": ("printf '\\377\\376 bad\\n' >&2; exit 1", "bad"),
    "leaves a child with its pipes, and fails": ("sleep 100 & exit 4", "ends with status 4"),
    "dies": ("kill -SEGV $$", "ends with status -11"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILING)
def test_a_compiler_that_fails_is_one_error(name, compiler, place):
    script, message = FAILING[name]
    compiler(script)
    start = time.monotonic()

    with pytest.raises(tadc.BackendError, match=message) as caught:
        seven()

    assert "own cc" in str(caught.value) and str(place.parent / "temporary") not in str(
        caught.value
    )
    assert caught.value.fix and "\n" not in caught.value.fact
    assert not [*place.glob("native-*")]
    assert time.monotonic() - start < 50


def test_a_library_without_the_function_is_an_error(place):
    with pytest.raises(tadc.BackendError, match="has no function `eight`"):
        loaded(TEXT)["eight"]


@pytest.mark.parametrize("variable", ["CC", "CFLAGS"])
def test_a_variable_that_cannot_be_parsed_is_an_error_that_names_it(variable, monkeypatch, place):
    monkeypatch.setenv(variable, 'gcc "')
    c_compiler.compiler.cache_clear()

    with pytest.raises(tadc.BackendError, match=f'`{variable}=gcc "`, which is no list of words'):
        seven()


def test_a_compiler_that_leaves_children_is_not_waited_for(compiler):
    compiler('sleep 100 &\nexec cc "$@"')
    start = time.monotonic()

    assert seven() == 7
    assert time.monotonic() - start < 50


@pytest.mark.slow
def test_a_compiler_that_hangs_is_ended_and_not_asked_again(compiler, tmp_path, monkeypatch):
    compiler(f"echo asked >> '{tmp_path}/asked'; sleep 1000 & echo $! > '{tmp_path}/child'; wait")
    monkeypatch.setattr(c_compiler, "SECONDS", 2)
    monkeypatch.setattr(c_compiler, "SECONDS_FOR_A_LINE", 1)

    for text in (TEXT, TEXT, f"{TEXT}\n"):
        with pytest.raises(tadc.BackendError, match="ran for 2 seconds, and was ended"):
            loaded(text)

    assert (tmp_path / "asked").read_text() == "asked\n" * 2  # the second time for one line
    child = int((tmp_path / "child").read_text())
    for _ in range(100):  # it is ended, and whoever inherits it notices
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().split()[2] == "Z":
            break
        time.sleep(0.05)
    else:
        pytest.fail("a process of the compiler goes on")


@pytest.mark.slow
def test_a_text_that_takes_too_long_is_not_compiled_again_and_others_are(
    compiler, tmp_path, monkeypatch
):
    hangs = f"""grep -q slow "$a" && echo asked >> '{tmp_path}/asked' && exec sleep 1000"""
    compiler(f"""for a in "$@"; do case "$a" in *program.c) {hangs};; esac; done\nexec cc "$@\"""")
    monkeypatch.setattr(c_compiler, "SECONDS", 2)

    for _ in range(2):
        with pytest.raises(tadc.BackendError, match="ran for 2 seconds, and was ended"):
            loaded(f"/* slow */ {TEXT}")

    monkeypatch.setattr(c_compiler, "SECONDS", 300)
    assert seven() == 7
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_flags_that_a_compiler_does_not_know_are_left_out(compiler):
    compiler('for a in "$@"; do [ "$a" = -fopenmp ] && exit 1; done\nexec cc "$@"')

    assert seven() == 7


def test_a_flag_of_the_user_is_kept_where_the_same_of_ours_is_left_out(
    compiler, monkeypatch, tmp_path
):
    """Apple's clang takes `-fopenmp` behind `-Xpreprocessor` alone."""
    compiler(
        'for a in "$@"; do [ "$a" = -fopenmp ] && [ "$last" != -Xpreprocessor ] && exit 1; last=$a; done\n'
        f'echo "$@" > \'{tmp_path}/arguments\'\nexec cc "$@"'
    )
    monkeypatch.setenv("CFLAGS", "-Xpreprocessor -fopenmp")

    assert seven() == 7
    assert "-Xpreprocessor -fopenmp" in (tmp_path / "arguments").read_text()


# ---------------------------------------------------------------------- platforms


@pytest.mark.parametrize(
    ("platform", "suffix", "unused"),
    [
        ("linux", ".so", set()),
        ("darwin", ".so", {"-Wl,-z,noseparate-code,-z,norelro"}),
        ("win32", ".dll", {"-Wl,-z,noseparate-code,-z,norelro", "-fPIC", "-march=native"}),
    ],
)
def test_a_platform_has_its_suffix_and_its_flags(
    platform, suffix, unused, compiler, place, tmp_path, monkeypatch
):
    compiler(f'echo "$@" > \'{tmp_path}/arguments\'\nexec cc "$@"')
    monkeypatch.setattr(c_compiler, "PLATFORM", platform)

    assert seven() == 7
    (library,) = place.glob("native-*")
    used = (tmp_path / "arguments").read_text().split()
    assert library.name.startswith("native-") and library.suffix == suffix
    assert set(c_compiler.FLAGS) - set(used) == unused


def test_a_path_of_windows_keeps_its_backslashes(monkeypatch):
    monkeypatch.setattr(c_compiler, "PLATFORM", "win32")
    monkeypatch.setenv("CC", r'"C:\Program Files\gcc.exe" -m64')

    assert c_compiler._words("CC") == [r"C:\Program Files\gcc.exe", "-m64"]


def test_windows_is_shown_the_folder_of_the_compiler(compiler, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr(os, "add_dll_directory", shown.append, raising=False)
    compiler('exec cc "$@"')

    assert [seven(), seven()] == [7, 7]
    assert shown == [str(tmp_path)]


def is_running(process):
    """Whether the process runs. One that nobody has waited for yet is there, and does not."""
    stat = Path(f"/proc/{process}/stat")
    if Path("/proc/self/stat").exists():
        return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_an_interrupted_compilation_leaves_nothing(tmp_path):
    script = tmp_path / "cc"
    script.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/own\nkill -INT $PPID\nexec sleep 1000\n")
    script.chmod(0o755)
    for name in ("cache", "temporary"):
        (tmp_path / name).mkdir(mode=0o700)
    code = textwrap.dedent(
        f"""
        import signal
        from tadc.runtime.cpu.c_compiler import loaded
        signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
        try:
            loaded({TEXT!r})
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    variables = {"CC": script, "TADC_CACHE_DIR": tmp_path / "cache", "TMPDIR": tmp_path / "temporary"}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **{k: str(v) for k, v in variables.items()}},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )

    assert done.stdout == "interrupted\n"
    compiler_process = int((tmp_path / "own").read_text())
    for _ in range(100):  # what was killed may take a moment
        if not is_running(compiler_process):
            break
        time.sleep(0.1)
    assert not is_running(compiler_process)
    assert [*(tmp_path / "cache").iterdir()] == [*(tmp_path / "temporary").iterdir()] == []


@pytest.mark.skipif(sys.platform == "win32", reason="a process is interrupted otherwise there")
def test_an_interrupt_while_the_compiler_starts_ends_it(compiler, monkeypatch):
    """The signal reaches another thread, as in a process in which BLAS has threads: Python handles it in this one."""
    started = []

    class Interrupted(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            thread = threading.Thread(target=lambda: signal.raise_signal(signal.SIGINT))
            thread.start()
            thread.join()
            started.append(self)

    compiler("exec sleep 1000")
    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            seven()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert [process.returncode for process in started] == [-signal.SIGKILL]


# ---------------------------------------------------------------------- libraries in memory


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="there is no /proc")
def test_a_library_is_unloaded_when_nothing_refers_to_it(place):
    assert seven() == 7
    gc.collect()  # libraries of other tests
    before = mappings()
    functions = [loaded(f"{TEXT} int own_{n};")["seven"] for n in range(8)]
    assert 8 <= mappings() - before <= 32 and [f() for f in functions] == [7] * 8

    function = functions[3]
    del functions[:]
    gc.collect()

    assert function() == 7
    assert mappings() - before <= 4


def mappings():
    return len(Path("/proc/self/maps").read_text().splitlines())


THREADS = """
void fill(double* x) {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 1000; i++) x[i] = i;
}
"""


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="there is no /proc")
def test_the_threads_of_a_library_outlive_it(place):
    # They wait in OpenMP's runtime, which was unloaded with the last library: the process was killed.
    own = """
        import ctypes, gc, sys, time
        from pathlib import Path
        from tadc.runtime.cpu.c_compiler import loaded

        runtimes = lambda: {l.split()[-1] for l in open("/proc/self/maps") if "omp.so" in l or "iomp" in l}
        x = (ctypes.c_double*1000)()
        before = runtimes()
        loaded(sys.argv[1])["fill"](x)
        during = runtimes()
        gc.collect()
        time.sleep(0.5)
        assert runtimes() == during, (during, runtimes())
        print(x[999], len(during - before))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(own), THREADS],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )

    assert done.stdout in ("999.0 1\n", "999.0 0\n")  # none: a compiler without OpenMP
