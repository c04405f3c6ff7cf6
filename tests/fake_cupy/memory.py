"""Memory of the double: blocks that a pool uses again at once, in the order of the stream that they were allocated on."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager

from fake_cupy.state import LOCK, STATE, Device, ensure_context
from fake_cupy.streams import put

UNIT = 512  # bytes


class OutOfMemoryError(MemoryError):
    pass


class Block:
    """Bytes that are NaN until something is written there. They stay, since work that is not done may know the address."""

    def __init__(self, size):
        ensure_context()
        self._buffer = ctypes.create_string_buffer(size + UNIT)
        self.ptr = -(-ctypes.addressof(self._buffer) // UNIT) * UNIT
        self.size = size
        self.poison()

    def poison(self):
        ctypes.memset(self.ptr, 0xFF, self.size)


class PooledMemory:
    """A block of a pool, which has it back when this is gone."""

    def __init__(self, block, free, size):
        self.ptr, self.size, self.device_id = block.ptr, size, STATE.own.device
        self._block, self._free = block, free

    @property
    def device(self):
        return Device(self.device_id)

    def __del__(self):
        self._free.append(self._block)


class UnownedMemory:
    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner = ptr, size, owner
        self.device_id = STATE.own.device if device_id < 0 else device_id

    @property
    def device(self):
        return Device(self.device_id)


class DLPackMemory(UnownedMemory):
    """Memory of another library, which has it back when this is gone."""


class MemoryPointer:
    __slots__ = ("mem", "ptr")

    def __init__(self, mem, offset):
        self.mem, self.ptr = mem, (mem.ptr + offset if mem is not None else 0)

    @property
    def device(self):
        return self.mem.device


class MemoryPool:
    def __init__(self, allocator=None):
        self._free = {}  # blocks, by device, stream and size

    def malloc(self, size):
        if size > STATE.free_bytes:
            raise OutOfMemoryError(f"Out of memory allocating {size:,} bytes")
        if not size:
            return MemoryPointer(None, 0)
        with LOCK:
            rounded = -(-size // UNIT) * UNIT
            key = STATE.own.device, STATE.own.stream, rounded
            free = self._free.setdefault(key, [])
            if free:
                block = free.pop()
                STATE.reused += 1
                put(STATE.own.stream, block.poison)  # behind what the stream still does with it
            else:
                block = Block(rounded)
                STATE.blocks.append(block)
            return MemoryPointer(PooledMemory(block, free, size), 0)


def allocate(size):
    """Memory of the current allocator of this thread."""
    allocators = STATE.own.allocators
    return (allocators[-1] if allocators else STATE.pool.malloc)(size)


@contextmanager
def using_allocator(allocator=None):
    STATE.own.allocators.append(allocator or STATE.pool.malloc)
    try:
        yield
    finally:
        STATE.own.allocators.pop()
