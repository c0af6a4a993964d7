import math

import numpy as np
import pytest

from compiler.functions import OPERATORS, evaluate, function_table, substituted
from compiler.testing import int8

ARGUMENTS = {"add": 1, "clamp": 2, "div": 1, "elu": 3, "int8": 2, "leaky_relu": 1, "maximum": 1, "minimum": 1, "mul": 1, "pow": 1, "softplus": 2, "sub": 1}


def test_the_identity_in_another_scale_is_a_requantisation():
    table = function_table("x", int8(1, scale=0.5, zero_point=3), int8(1, scale=1.0, zero_point=-10))
    real = (np.arange(-128, 128) - 3) * 0.5
    expected = np.sign(real) * np.floor(np.abs(real) + 0.5) - 10
    assert table.tolist() == np.clip(expected, -128, 127).astype(int).tolist()


def test_halves_go_away_from_zero():
    table = function_table(("mul", "x", 0.5), int8(1, scale=1.0), int8(1, scale=1.0))
    assert table[128 + np.array([-3, -1, 1, 3])].tolist() == [-2, -1, 1, 2]


def test_infinity_is_the_end_of_the_range_and_the_undefined_is_as_its_neighbour():
    unit = int8(1, scale=1.0)
    log = function_table(("log", "x"), unit, int8(1, scale=0.1))
    assert log[:129].tolist() == [-128] * 129, "log of 0 is -infinity, and stands for what lies below"
    assert log[129] == 0
    assert function_table(("div", 1.0, "x"), unit, unit)[[127, 128, 129]].tolist() == [-1, 127, 1]


def test_functions_of_functions():
    swish = substituted(("mul", "x", ("sigmoid", "x")), ("add", "x", 1.0))
    assert swish == ("mul", ("add", "x", 1.0), ("sigmoid", ("add", "x", 1.0)))
    assert evaluate(swish, 1.0) == 2 / (1 + math.exp(-2))


def test_rounding_on_the_way_is_a_table_of_a_table():
    source, middle, result = int8(1, scale=0.05), int8(1, scale=0.3, zero_point=9), int8(1, scale=0.02, zero_point=-128)
    first, second = function_table(("tanh", "x"), source, middle), function_table(("exp", "x"), middle, result)
    both = function_table(("exp", ("int8", ("tanh", "x"), 0.3, 9)), source, result)
    assert both.tolist() == second[first.astype(int) + 128].tolist()


def test_a_function_that_is_defined_nowhere():
    with pytest.raises(ValueError, match="not defined"):
        function_table(("log", "x"), int8(1, scale=1.0, zero_point=127 + 1), int8(1))


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("scale", [1e-6, 0.05, 1e6])
def test_every_operator_has_a_value_everywhere(operator, scale):
    expression = (operator, "x", *[1.5] * ARGUMENTS.get(operator, 0))
    assert function_table(expression, int8(1, scale=scale, zero_point=-3), int8(1, scale=0.03)).shape == (256,)
