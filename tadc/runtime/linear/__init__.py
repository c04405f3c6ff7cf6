"""Linear systems with the diagonal block of a step: assembled once from coloured products with it, factored, solved many times."""

from tadc.runtime.linear.assembled import Entries, assembled
from tadc.runtime.linear.block import Block, Singular
from tadc.runtime.linear.on_gpu import ByHost, as_on_gpu
from tadc.runtime.linear.turned import Turned, TurnedEntries

__all__ = [
    "Block",
    "ByHost",
    "Entries",
    "Singular",
    "Turned",
    "TurnedEntries",
    "as_on_gpu",
    "assembled",
]
