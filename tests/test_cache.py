"""What was made once is read from a file: the same again, and never something else."""

from __future__ import annotations

import io
import os
import pickle
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle import EXAMPLES
from random_programs import random_program

import tadc
from tadc import cache
from tadc.function.derivatives import in_mode
from tadc.ir.fingerprint import fingerprint

CODE = """
import numpy, sys, tadc
f = tadc.compile("size N, M\\ninput x[N, M]\\ny[i] = sum{j} exp(x[i, j])", backend=sys.argv[1])
y, pullback = f.vjp(numpy.ones((3, 4)))
print(y.sum(), pullback(y)["x"].sum(), "tadc.derive.gather" in sys.modules)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TADC_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TADC_REMEMBER", "1")
    monkeypatch.setattr(cache, "WORTH", 0)
    cache.folder.cache_clear()
    yield tmp_path
    cache.folder.cache_clear()


def test_what_was_made_is_not_made_again(place):
    made = []

    def make():
        made.append(1)
        return {"a": (1, 2)}

    found = [cache.disk_cached(("key", n), make) for n in (1, 1, 2)]

    assert found == [{"a": (1, 2)}] * 3
    assert len(made) == 2


def test_value_and_gradients_together_are_not_taken_for_the_halves_of_vjp(place):
    text = "size N\ninput x[N]\ny[i] = exp(x[i])"
    whole = in_mode(tadc.compile(text), "vjp")

    value, pullback = tadc.compile(text).vjp(np.zeros(2))

    assert whole.outputs == ("y", "dx")
    np.testing.assert_array_equal((value, pullback(value)["x"]), np.ones((2, 2)))


@pytest.mark.parametrize("damage", [lambda b: b[:-3], lambda b: b"", lambda b: b"x" + b])
def test_a_file_that_is_damaged_is_made_again(place, damage):
    for _ in range(2):
        assert cache.disk_cached("key", lambda: 7) == 7
        (file,) = place.glob("made-*.pickle")
        file.write_bytes(damage(file.read_bytes()))


def test_what_cannot_be_kept_is_made_every_time(place):
    deep = []
    for _ in range(100_000):
        deep = [deep]

    assert cache.disk_cached("deep", lambda: deep) is deep
    assert cache.disk_cached("no pickle", lambda: len) is len
    assert cache.disk_cached("a function of its own", lambda: lambda: 3)() == 3
    with pytest.raises(tadc.SyntaxError):
        tadc.compile("y[i] = ")
    assert len([*place.glob("made-*")]) == 1  # `len` has a name, and is no value


def damaged(content, r):
    """The bytes cut off, with a bit turned, partly overwritten, or longer."""
    content = bytearray(content)
    at = r.randrange(len(content))
    match r.randrange(4):
        case 0:
            del content[at:]
        case 1:
            content[at] ^= 1 << r.randrange(8)
        case 2:
            content[at : at + 32] = r.randbytes(len(content[at : at + 32]))
        case 3:
            content += r.randbytes(r.randint(1, 40))
    return bytes(content)


@pytest.mark.parametrize("count", [16, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["native-1.so", "made-1.pickle", "grammar-1.pickle", "tuned-1.json"])  # fmt: skip
def test_an_entry_that_is_damaged_is_not_read_and_removed(place, name, count):
    r = random.Random(count)
    assert cache.write(name, r.randbytes(500)) == place / name
    whole = (place / name).read_bytes()
    assert cache.read(name) == whole[:500]

    for _ in range(count):
        changed = damaged(whole, r)
        (place / name).write_bytes(changed)
        assert changed == whole or (cache.read(name) is None and not (place / name).exists())


def test_an_entry_under_the_name_of_another_is_not_read(place):
    cache.write("made-1.pickle", b"one")
    os.rename(place / "made-1.pickle", place / "made-2.pickle")

    assert cache.read("made-2.pickle") is None


class Foreign:
    def __reduce__(self):
        return os.system, ("echo this must not be run",)


@pytest.mark.parametrize(
    "value",
    [Foreign(), os.system, cache.folder, cache.Path, {"a": [Foreign()]}],
    ids=["what it is made by", "a command", "a function", "a class", "inside"],
)
def test_entries_hold_values_and_nothing_that_is_run(place, value, capfd):
    for file in [*place.glob("made-*")]:
        file.unlink()
    assert cache.disk_cached("key", lambda: 7) == 7
    (file,) = place.glob("made-*.pickle")
    cache.write(file.name, pickle.dumps(value))

    assert cache.disk_cached("key", lambda: 8) == 8
    assert capfd.readouterr().out == ""


def others(mode):
    return lambda path: path.chmod(mode)


def linked(path):
    path.rename(path.with_name("real"))
    path.with_name("real").chmod(0o777)
    path.symlink_to(path.with_name("real"))


def given_away(path):
    if os.geteuid():
        pytest.skip("only root can give files away")
    os.chown(path, 12345, -1)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners")
@pytest.mark.parametrize("change", [others(0o770), others(0o707), others(0o1777), linked, given_away])  # fmt: skip
def test_a_folder_that_is_not_the_users_alone_is_not_used(place, change, monkeypatch):
    own = place / "own"
    own.mkdir(mode=0o700)
    monkeypatch.setenv("TADC_CACHE_DIR", str(own))
    cache.folder.cache_clear()
    assert cache.write("made-1.pickle", b"one") and cache.read("made-1.pickle") == b"one"

    change(own)

    for _ in range(2):  # while it is in use, and from the beginning
        assert cache.read("made-1.pickle") is None
        assert cache.write("made-2.pickle", b"two") is None
        assert not (own / "made-2.pickle").exists() and cache.unused(own)
        cache.folder.cache_clear()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners")
@pytest.mark.parametrize("change", ["writable", "link", "pipe", "folder", "given away"])
def test_an_entry_that_is_not_a_file_of_the_users_alone_is_not_read(place, change):
    path = cache.write("made-1.pickle", b"one")
    match change:
        case "writable":
            path.chmod(0o666)
        case "link":
            path.rename(place / "elsewhere")
            path.symlink_to(place / "elsewhere")
        case "pipe":
            path.unlink()
            os.mkfifo(path)
        case "folder":
            path.unlink()
            path.mkdir()
        case "given away":
            given_away(path)

    assert cache.read("made-1.pickle") is None
    assert change == "folder" or cache.write("made-1.pickle", b"two")
    assert change == "folder" or cache.read("made-1.pickle") == b"two"


def test_an_interrupted_write_leaves_nothing(place, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cache.write("made-1.pickle", b"one")

    assert [*place.iterdir()] == []


def test_what_killed_processes_left_counts_and_is_swept_when_it_is_old(place, monkeypatch):
    old, new = place / "native-1.so.1.part", place / "native-1.so.2.part"
    entry = cache.write("native-1.so", bytes(1000))
    for path in (old, new):
        path.write_bytes(bytes(5000))
    os.utime(old, (0, 0))

    cache.kept_small()
    assert [p.exists() for p in (old, new, entry)] == [False, True, True]
    os.utime(new, ns=(entry.stat().st_mtime_ns - 10**9,) * 2)
    monkeypatch.setattr(cache, "MOST_BYTES", 3000)
    cache.kept_small()
    assert [p.exists() for p in (new, entry)] == [False, True]


def test_the_grammars_are_kept_as_plain_data(place):
    from tadc.syntax.idx import load

    trees = [load.parser("idx", lexer="contextual", start="statement").parse("y[i] = 2*x[i]") for _ in range(2)]  # fmt: skip
    (file,) = place.glob("grammar-idx-*.pickle")

    assert trees[0] == trees[1]

    class Nothing(pickle.Unpickler):
        def find_class(self, module, name):
            raise AssertionError(f"{module}.{name}")

    assert Nothing(io.BytesIO(cache.read(file.name))).load()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_examples_are_the_same_from_the_cache(place, path):
    fresh = [str(f()) for f in (lambda: tadc.load(path), lambda: tadc.load(path).adjoint())]
    assert fresh == [str(tadc.load(path)), str(tadc.load(path).adjoint())]
    again = tadc.load(path)
    assert again.adjoint().program == tadc.load(path).adjoint().program
    assert again.ranges == tadc.load(path).ranges


def test_options_that_change_the_program_are_part_of_its_key(place):
    text = "size N\ninput x[N]\ny[i] = x[i]"

    assert tadc.compile(text, sizes={"N": 3}).program != tadc.compile(text).program
    assert tadc.compile(text, name="g").name == "g"
    assert tadc.compile(text).adjoint().program != tadc.compile(text).tangent().program


@pytest.mark.plain(backend=1)
@pytest.mark.parametrize("backend", ["numpy", pytest.param("native", marks=pytest.mark.compiler)])
def test_another_process_finds_it(place, backend):
    results = [
        subprocess.run([sys.executable, "-c", CODE, backend], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]  # fmt: skip

    first, second = (r.stdout for r in results)
    assert first == second and first.startswith(str(round(12 * np.e, 3))[:4])
    assert any(Path(place).glob("made-*.pickle"))


@pytest.mark.plain(seed=6)
@pytest.mark.parametrize("seed", range(30))
def test_programs_have_one_fingerprint_if_they_are_equal(seed):
    texts = [random_program(s, level="full").text for s in (seed, seed, seed + 1)]
    try:
        first, same, other = (tadc.compile(t, sizes=random_program(s, level="full").sizes).program for t, s in zip(texts, (seed, seed, seed + 1), strict=True))  # fmt: skip
    except tadc.Error:
        pytest.skip("one of the programs is refused")

    assert fingerprint(first) == fingerprint(same)
    assert (fingerprint(first) == fingerprint(other)) == (first == other)


def test_entries_are_not_all_looked_at_for_each_new_one(place, monkeypatch):
    looked = []
    monkeypatch.setattr(cache, "kept_small", lambda: looked.append(1))

    for n in range(3):
        cache.write(f"made-{n}.pickle", b"one")
    assert len(looked) == 1
    os.utime(place / cache.SWEPT, (0, 0))
    cache.write("made-3.pickle", b"one")
    assert len(looked) == 2
