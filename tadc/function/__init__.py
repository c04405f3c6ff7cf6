"""Programs as functions of arrays, from texts and files, and their derivatives as functions again."""

from tadc.function.entries import compile, load
from tadc.function.function import Function

__all__ = ["Function", "compile", "load"]
