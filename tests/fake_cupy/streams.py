"""Streams, events and graphs: work that is done in the order of its stream, and no sooner than somebody waits for it.

So whatever does not wait for what it needs reads memory as it was before, every time.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from itertools import count

from fake_cupy.state import LOCK, STATE, CUDARuntimeError, ensure_context

NULL = 0
POINTERS = count(4096, 16)
FREE = []  # pointers of streams that are gone, which the next ones get


class Work:
    """Something that a stream has to do, behind what stands before it there and behind what it waits for."""

    __slots__ = ("done", "queue", "run", "waits")

    def __init__(self, run, queue, waits=()):
        self.run, self.queue, self.waits, self.done = run, queue, tuple(waits), False


def key_of(pointer, device=None):
    return (STATE.own.device if device is None else device), (
        NULL if pointer in (1, 2) else pointer
    )


def queue_of(key):
    return STATE.queues.setdefault(key, deque())


def put(pointer, run, waits=(), blocks=None, check=None):
    """The work put on a stream of the current device, or into the graph that is captured there. `blocks` are those of a kernel,
    `check` raises where a graph cannot launch it any more.
    """
    with LOCK:
        key = key_of(pointer)
        if key in STATE.captures:
            if any(not w.done for w in waits):
                raise CUDARuntimeError("cudaErrorStreamCaptureIsolation")
            STATE.captures[key].append((run, blocks, check))
            return None
        queue = queue_of(key)
        device, pointer = key
        if blocks:
            STATE.launches.append((device, pointer, blocks))
        # The null stream and those that block wait for one another.
        others = STATE.blocking if pointer == NULL else {NULL} if pointer in STATE.blocking else ()
        tails = (STATE.queues.get((device, other)) for other in others)
        work = Work(run, queue, (*waits, *(tail[-1] for tail in tails if tail)))
        queue.append(work)
        return work


def do(work):
    """The work of its stream up to this."""
    while not work.done:
        first = work.queue[0]
        for other in first.waits:
            do(other)
        if not first.done:  # what it waited for may have been behind it in another stream
            work.queue.popleft()
            first.done = True
            first.run()


def synchronize(pointer, device=None):
    """Wait for a stream."""
    with LOCK:
        ensure_context()
        key = key_of(pointer, device)
        if key in STATE.captures:
            raise CUDARuntimeError("cudaErrorStreamCaptureUnsupported")
        put(key[1], lambda: None)
        do(queue_of(key)[-1])


def finish(device=None):
    """Wait for all streams, of a device."""
    with LOCK:
        if STATE.captures:
            raise CUDARuntimeError("cudaErrorStreamCaptureUnsupported")
        for (number, _), queue in list(STATE.queues.items()):
            if queue and device in (None, number):
                do(queue[-1])


class Event:
    def __init__(self, block=False, disable_timing=False, interprocess=False):
        ensure_context()
        self.work, self.time, self.is_timed = None, None, not disable_timing

    def record(self, stream=None):
        pointer = STATE.own.stream if stream is None else stream.ptr
        self.work = put(pointer, self._stamp)
        if self.work is None:
            raise AssertionError("the double has no events in graphs")

    def _stamp(self):
        self.time = time.perf_counter()

    @property
    def done(self):
        return self.work is None or self.work.done

    def synchronize(self):
        with LOCK:
            if self.work is not None:
                do(self.work)


def get_elapsed_time(start, end):
    if not (start.is_timed and end.is_timed and start.done and end.done):
        raise CUDARuntimeError("cudaErrorNotReady")
    return 1e3 * (end.time - start.time)


class Graph:
    """Work that is put on a stream as one."""

    def __init__(self, steps):
        self.steps = steps

    def launch(self, stream=None):
        ensure_context()
        pointer = STATE.own.stream if stream is None else stream.ptr
        for run, blocks, check in self.steps:
            if check:
                check()
            put(pointer, run, blocks=blocks)


class Stream:
    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        ensure_context()
        self._set(NULL if null else FREE.pop() if FREE else next(POINTERS))
        self._is_own = not null
        if not (null or non_blocking):
            STATE.blocking.add(self.ptr)

    def _set(self, pointer):
        self.ptr, self.device_id, self._before = pointer, STATE.own.device, []
        self._is_own = False

    def __del__(self):
        if self._is_own:
            STATE.blocking.discard(self.ptr)
            FREE.append(self.ptr)

    @classmethod
    def at(cls, pointer):
        self = cls.__new__(cls)
        self._set(pointer)
        return self

    @classmethod
    def from_external(cls, stream):
        version, pointer = stream.__cuda_stream__()
        assert version == 0
        return cls.at(pointer)

    def __cuda_stream__(self):
        return 0, self.ptr

    def __enter__(self):
        assert self.device_id == STATE.own.device, "a stream of another device"
        self._before.append(STATE.own.stream)
        self.use()
        return self

    def __exit__(self, *_):
        STATE.own.streams[self.device_id] = self._before.pop()

    def use(self):
        STATE.own.streams[self.device_id] = self.ptr
        return self

    def record(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        work = event.work
        if work is not None and not work.done:
            put(self.ptr, lambda: None, (work,))

    def synchronize(self):
        synchronize(self.ptr, self.device_id)

    @property
    def done(self):
        return not queue_of(key_of(self.ptr, self.device_id))

    def begin_capture(self, mode=None):
        if self.ptr == NULL:
            raise RuntimeError("cannot capture on the default (legacy) stream")
        STATE.captures[key_of(self.ptr)] = []

    def end_capture(self):
        return Graph(STATE.captures.pop(key_of(self.ptr)))

    def is_capturing(self):
        return key_of(self.ptr, self.device_id) in STATE.captures


def external_stream(pointer, device_id=-1):
    warnings.warn("ExternalStream is deprecated.", DeprecationWarning, stacklevel=2)
    return Stream.at(pointer)


def get_current_stream(device_id=-1):
    return Stream.at(STATE.own.stream)


def is_capturing():
    return key_of(STATE.own.stream) in STATE.captures
