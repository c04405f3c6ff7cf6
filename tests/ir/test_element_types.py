"""The table of element types says what numpy says."""

from __future__ import annotations

import numpy as np
import pytest

from tadc.ir.element_types import ARITHMETIC_TYPES, ELEMENT_TYPES
from tadc.runtime.element_types import numpy_type


@pytest.mark.parametrize("name", ELEMENT_TYPES)
def test_a_row_has_the_bytes_of_numpys_type_and_computes_in_one_that_holds_its_values(name):
    if name == "bfloat16":
        pytest.importorskip("ml_dtypes")
    row = ELEMENT_TYPES[name]

    assert row.bytes == numpy_type(name).itemsize
    assert row.arithmetic in ARITHMETIC_TYPES
    assert np.can_cast(numpy_type(name), row.arithmetic)
