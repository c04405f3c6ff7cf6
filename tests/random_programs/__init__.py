"""Random tensor programs with their values and gradients by brute force: a witness that knows nothing of the compiler.

`random_program(seed)` gives a valid program as `.idx` text; `.evaluate` and `.gradients` compute what it means from the
generator's own tree, every element a variable of a scalar reverse-mode tape (language, section 6).

    PYTHONPATH=tests python -m random_programs [LEVEL]     # how many of 500 programs have each feature
    PYTHONPATH=tests python -m random_programs LEVEL SEED  # one program
"""

from random_programs.draft import LEVELS
from random_programs.generator import random_program
from random_programs.program import RandomProgram

__all__ = ["LEVELS", "RandomProgram", "random_program"]
