"""The sum's reference against real arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.elementwise.add import OPERATOR, add_attributes
from kernels.operator import Call, UnsupportedError
from kernels.testing.properties import PROPERTY
from kernels.testing.random_calls import add, int8_tensor


@PROPERTY
@given(st.integers(0, 2**32 - 1))
def test_sums_are_within_half_a_step_and_a_bit(seed: int) -> None:
    call, (a, b) = add(np.random.default_rng(seed))
    attributes, (za, zb) = call.attributes, call.attributes["input_zero_point"]
    real = (a - float(za)) * call.inputs[0].scale + (b - float(zb)) * call.inputs[1].scale
    exact = np.clip(real / call.outputs[0].scale + attributes["output_zero_point"], attributes["activation_min"], attributes["activation_max"])
    assert np.abs(OPERATOR.reference(call, [a, b])[0] - exact).max() <= 0.501


def test_shapes_that_differ_are_refused() -> None:
    attributes = add_attributes(0.1, 0.1, 0.1) | {"input_zero_point": (0, 0), "output_zero_point": 0}
    attributes |= {"activation_min": -128, "activation_max": 127}
    with pytest.raises(UnsupportedError, match="shapes differ"):
        OPERATOR.pack(Call("add", (int8_tensor((4,)), int8_tensor((1,))), (int8_tensor((4,)),), attributes), "mve")


def test_a_factor_of_one_or_more_is_refused() -> None:
    attributes = add_attributes(1.0, 1.0, 1e-7) | {"input_zero_point": (0, 0), "output_zero_point": 0}
    attributes |= {"activation_min": -128, "activation_max": 127}
    with pytest.raises(UnsupportedError, match="too small"):
        OPERATOR.pack(Call("add", (int8_tensor((4,)),) * 2, (int8_tensor((4,)),), attributes), "mve")
