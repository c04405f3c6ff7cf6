"""What the double was asked for, and what belongs to a thread: its device, streams, allocator and contexts."""

from __future__ import annotations

from contextlib import contextmanager
from threading import RLock, local

DEVICES = 2


class State:
    """What a test may look at, and set."""

    def __init__(self):
        self.launches = []  # (device, stream, blocks)
        self.loads = 0
        self.flags = ()  # of the last text that was compiled
        self.products = 0
        self.product_types = []
        self.copies = 0  # of factors of batched products
        self.solved = 0  # systems
        self.free_bytes = 2**40  # for an array
        self.reused = 0  # blocks of memory
        self.queues = {}  # work of each stream that is not done, by device and pointer
        self.blocking = set()  # streams that the null stream waits for, and that wait for it
        self.captures = {}  # work of a graph, by the stream that is captured
        self.own = Own()
        self.blocks = []  # of memory, all of them
        self.pool = None  # of arrays, where no other is asked for


class Own(local):
    """A thread's."""

    def __init__(self):
        self.device = 0
        self.streams = {}  # the current one of each device
        self.allocators = []
        self.contexts = set()  # of devices that something was asked of

    @property
    def stream(self):
        """The pointer of the current stream of the current device."""
        return self.streams.get(self.device, 0)


LOCK = RLock()  # the host runs blocks one after the other
STATE = State()


class CUDARuntimeError(RuntimeError):
    pass


class CUDADriverError(RuntimeError):
    pass


def ensure_context():
    """What functions of CUDA's run time do first, and those of its driver do not."""
    STATE.own.contexts.add(STATE.own.device)


class Device:
    compute_capability = "90"

    def __init__(self, number=None):
        self.id = STATE.own.device if number is None else int(number)
        self._before = []

    def __enter__(self):
        self._before.append(STATE.own.device)
        self.use()
        return self

    def __exit__(self, *_):
        STATE.own.device = self._before.pop()

    def use(self):
        if STATE.own.device != self.id:
            STATE.own.device = self.id
            ensure_context()

    def synchronize(self):
        from fake_cupy.streams import finish

        finish(self.id)

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return self.id

    def __repr__(self):
        return f"<CUDA Device {self.id}>"


@contextmanager
def on_device(number):
    """The device as the current one, without a context by that."""
    before, STATE.own.device = STATE.own.device, number
    try:
        yield
    finally:
        STATE.own.device = before
