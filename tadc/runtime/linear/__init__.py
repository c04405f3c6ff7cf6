"""Linear systems with the diagonal block of a step: assembled once from coloured products with it, factored, solved many times."""

from tadc.runtime.linear.assembled import Entries, assembled
from tadc.runtime.linear.block import Block, Singular

__all__ = ["Block", "Entries", "Singular", "assembled"]
