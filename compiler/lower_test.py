import numpy as np
import pytest

from compiler.errors import CompileError
from compiler.ir import Graph
from compiler.lower import lower
from compiler.testing import GraphBuilder, float32, int8
from kernels.registry import OPERATORS
from kernels.requantise import quantise_multiplier


def lowered(graph: Graph):
    return lower(graph, "scalar", OPERATORS)


def nhwc_conv(b: GraphBuilder, x: str, weight: np.ndarray, type_, **attributes) -> str:
    return b.conv2d("conv", x, weight, type_, layout="NHWC", **attributes)


def test_a_convolution_gets_fixed_point_factors_bias_and_bounds():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 4, 3, scale=0.5, zero_point=-3))
    weight = np.ones((2, 1, 1, 3), np.int8)
    y = nhwc_conv(
        b, x, weight, int8(1, 4, 4, 2, scale=0.25, zero_point=10), weight_scale=np.array([0.125, 0.01]), clamp=(0.0, 6.0)
    )
    b.constants["conv.bias"] = np.array([1.0, -2.0], np.float32)
    (step,) = lowered(b.graph(y)).steps
    attributes = step.call.attributes
    assert step.call.operator == "conv2d"
    assert attributes["bias"].tolist() == [round(1.0 / (0.5 * 0.125)), round(-2.0 / (0.5 * 0.01))]
    assert (attributes["multiplier"][0], attributes["shift"][0]) == quantise_multiplier(0.5 * 0.125 / 0.25)
    assert (attributes["multiplier"][1], attributes["shift"][1]) == quantise_multiplier(0.5 * 0.01 / 0.25)
    assert (attributes["input_zero_point"], attributes["output_zero_point"]) == (-3, 10)
    assert (attributes["activation_min"], attributes["activation_max"]) == (10, 34)


def test_a_group_per_channel_is_a_depthwise_convolution():
    b = GraphBuilder()
    x = b.input("x", int8(1, 5, 5, 3))
    weight = np.arange(6 * 3 * 2, dtype=np.int8).reshape(6, 3, 2, 1)
    y = nhwc_conv(b, x, weight, int8(1, 3, 4, 6, scale=40.0), groups=3)
    (step,) = lowered(b.graph(y)).steps
    assert step.call.operator == "depthwise_conv2d"
    assert step.call.attributes["depth_multiplier"] == 2
    assert step.call.attributes["weight"].shape == (3, 2, 6)
    assert step.call.attributes["weight"][2, 1, 5] == weight[5, 2, 1, 0]


def test_a_convolution_of_one_channel_is_an_ordinary_one():
    b = GraphBuilder()
    x = b.input("x", int8(1, 5, 5, 1))
    y = nhwc_conv(b, x, np.ones((4, 3, 3, 1), np.int8), int8(1, 3, 3, 4, scale=40.0))
    assert lowered(b.graph(y)).steps[0].call.operator == "conv2d"


def test_a_bias_too_large_for_its_weights_coarsens_them():
    b = GraphBuilder()
    x = b.input("x", int8(1, 1, 1, 2, scale=1.0))
    weight = np.array([[127, -127], [100, 50]], np.int8).reshape(2, 1, 1, 2)
    y = nhwc_conv(b, x, weight, int8(1, 1, 1, 2, scale=4.0), weight_scale=np.array([1e-9, 0.1]))
    b.constants["conv.bias"] = np.array([100.0, 1.0], np.float32)
    attributes = lowered(b.graph(y)).steps[0].call.attributes
    assert attributes["bias"].tolist() == [2**29, 10]
    assert attributes["weight"].reshape(2, 2).tolist() == [[1, -1], [100, 50]]
    real = attributes["multiplier"][0] * 2.0 ** (int(attributes["shift"][0]) - 31)
    assert real * 2**29 == pytest.approx(100.0 / 4.0, rel=1e-6)


def test_reshapes_are_free():
    b = GraphBuilder()
    x = b.input("x", int8(1, 1, 1, 4))
    flat = b.node("flat", "reshape", [x], int8(1, 4), shape=(1, 4))
    y = b.linear("fc", flat, np.ones((2, 4), np.int8), int8(1, 2, scale=40.0))
    out = b.node("out", "reshape", [y], int8(2), shape=(2,))
    program = lowered(b.graph(out))
    (step,) = program.steps
    assert step.inputs == ("x",)
    assert step.call.inputs[0].shape == (1, 4)
    assert program.outputs[0].tensor == "fc"
    assert program.outputs[0].type.shape == (2,)


def test_weights_are_counted_once():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4))
    y = b.linear("a", x, np.ones((4, 4), np.int8), int8(1, 4, scale=40.0))
    z = b.node("b", "linear", [y, "a.weight", "a.bias"], int8(1, 4, scale=40.0), weight_scale=np.full(4, 0.25))
    assert lowered(b.graph(z)).weights_bytes == 16


@pytest.mark.parametrize(
    "operator, attributes, reason",
    [
        ("sigmoid", {}, "operator sigmoid has no kernel"),
    ],
)
def test_what_has_no_kernel_is_refused_naming_the_layer(operator, attributes, reason):
    b = GraphBuilder()
    x = b.input("x", int8(2, 3, 3))
    y = b.node("block.layer", operator, [x], int8(2, 3, 3), **attributes)
    with pytest.raises(CompileError, match=rf"^model.py:1: layer block.layer: {reason}"):
        lowered(b.graph(y))


def test_an_operator_left_in_float_is_refused():
    b = GraphBuilder()
    x = b.node("first", "softmax", [b.input("x", int8(4))], int8(4), axis=0)
    x = b.node("x.f", "dequantize", [x], float32(4))
    with pytest.raises(CompileError, match=r"operator softmax was not quantised, though others of the model were"):
        lowered(b.graph(b.node("s", "softmax", [x], float32(4), axis=0)))


def test_a_model_without_scales_gets_float_kernels():
    b = GraphBuilder()
    x = b.input("x", float32(1, 3, 3, 2))
    y = b.conv2d("conv", x, np.ones((5, 1, 1, 2), np.float32), float32(1, 3, 3, 5), clamp=(0.0, None))
    y = b.node("sigmoid", "function", [y], float32(1, 3, 3, 5), expression=("sigmoid", "x"))
    y = b.node("mean", "mean", [y], float32(1, 5), axes=(1, 2), keepdim=False)
    program = lowered(b.graph(y))
    assert [step.kernel for step in program.steps] == ["conv2d_f32", "sigmoid_f32", "sum_f32"]
    assert program.steps[0].call.attributes["activation_min"] == 0.0
    assert program.steps[2].call.attributes["divisor"] == 9
    assert program.weights_bytes == 40


@pytest.mark.parametrize(
    ("operator", "attributes", "reason"),
    [
        ("function", {"expression": ("sin", "x")}, "function sin has no float kernel"),
        ("adaptive_max_pool2d", {}, "operator adaptive_max_pool2d has no float kernel"),
    ],
)
def test_what_has_no_float_kernel_is_refused_naming_the_layer(operator, attributes, reason):
    b = GraphBuilder()
    y = b.node("block.layer", operator, [b.input("x", float32(4))], float32(4), **attributes)
    with pytest.raises(CompileError, match=f"^model.py:1: layer block.layer: {reason}"):
        lowered(b.graph(y))


def test_float_weights_must_be_constant_and_finite():
    b = GraphBuilder()
    x, w = b.input("x", float32(1, 3)), b.input("w", float32(2, 3))
    with pytest.raises(CompileError, match="layer fc: weights must be constant"):
        lowered(b.graph(b.node("fc", "linear", [x, w], float32(1, 2))))
    b = GraphBuilder()
    y = b.linear("fc", b.input("x", float32(1, 3)), np.full((2, 3), np.nan, np.float32), float32(1, 2))
    with pytest.raises(CompileError, match="layer fc: its weights hold NaN or infinity"):
        lowered(b.graph(y))


def test_operands_that_broadcast():
    b = GraphBuilder()
    x, y = b.input("x", int8(1, 4)), b.input("y", int8(1, 1))
    assert [step.kernel for step in lowered(b.graph(b.node("sum", "add", [x, y], int8(1, 4)))).steps] == ["add_s8"]
    z = b.input("z", int8(1, 3))
    with pytest.raises(CompileError, match=r"mul: shapes \[1, 4\] and \[1, 3\] do not broadcast"):
        lowered(b.graph(b.node("product", "mul", [x, z], int8(1, 4))))


def test_a_minimum_of_different_scales_is_refused():
    b = GraphBuilder()
    x, y = b.input("x", int8(1, 4)), b.input("y", int8(1, 4, scale=0.25))
    with pytest.raises(CompileError, match="minimum needs the same scale for its inputs and output"):
        lowered(b.graph(b.node("least", "minimum", [x, y], int8(1, 4))))


def test_subtracting_is_adding_with_a_negative_factor():
    b = GraphBuilder()
    x, y = b.input("x", int8(1, 4)), b.input("y", int8(1, 4, scale=0.25))
    (step,) = lowered(b.graph(b.node("difference", "add", [x, y], int8(1, 4), alpha=-2.0))).steps
    assert step.call.attributes["input_multiplier"] == (2**30, -(2**30))


def test_what_a_kernel_refuses_is_told_with_layer_and_line():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 4, 2))
    y = nhwc_conv(b, x, np.ones((2, 3, 3, 2), np.int8), int8(1, 9, 9, 2))
    with pytest.raises(CompileError, match=r"^model.py:1: layer conv: conv2d: output size"):
        lowered(b.graph(y))


def test_an_output_that_is_an_input_is_refused():
    b = GraphBuilder()
    x = b.input("x", int8(4))
    with pytest.raises(CompileError, match="output x is an input or a constant, moved there and back; return that itself"):
        lowered(b.graph(x))


def test_scales_that_no_factor_fits_are_refused():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, scale=1e30))
    y = b.linear("fc", x, np.ones((2, 4), np.int8), int8(1, 2, scale=1e-30))
    with pytest.raises(CompileError, match="layer fc: its scales give the requantisation factor"):
        lowered(b.graph(y))


def test_a_clamp_on_its_own_is_a_pool_over_single_elements():
    b = GraphBuilder()
    x = b.input("x", int8(3, 5, scale=0.1))
    program = lowered(b.graph(b.node("r", "clamp", [x], int8(3, 5, scale=0.1), clamp=(0.0, 6.0))))
    (step,) = program.steps
    assert step.kernel == "max_pool2d_s8"
    data = np.arange(-7, 8, dtype=np.int8).reshape(3, 5)
    (result,) = OPERATORS["max_pool2d"].reference(step.call, [data.reshape(step.call.inputs[0].shape)])
    assert result.ravel().tolist() == [0] * 7 + list(range(8))


def test_a_clamp_of_many_elements_is_a_pool_whose_axes_are_short():
    b = GraphBuilder()
    x = b.input("x", int8(1, 2, 70000, scale=0.1))
    (step,) = lowered(b.graph(b.node("r", "clamp", [x], int8(1, 2, 70000, scale=0.1), clamp=(0.0, 6.0)))).steps
    assert step.call.inputs[0].shape == step.call.outputs[0].shape == (1, 1, 5, 28000)


def test_a_permute_is_a_copy_with_steps():
    b = GraphBuilder()
    x = b.input("x", int8(2, 3, 4))
    (step,) = lowered(b.graph(b.node("p", "permute", [x], int8(4, 2, 3), permutation=(2, 0, 1)))).steps
    assert step.kernel == "copy_s8"
    data = np.arange(24, dtype=np.int8).reshape(2, 3, 4)
    (result,) = OPERATORS["copy"].reference(step.call, [data])
    assert np.array_equal(result, data.transpose(2, 0, 1))


@pytest.mark.parametrize(
    "indices, kernel",
    [
        ((None, (1, 2, 3)), "copy_s8"),
        (((1, 0), (0, 2, 4)), "copy_s8"),
        ((None, (0, 0, 1, 1, 2, 2)), "copy_s8"),
        (((0, 1, 0, 1), (4, 2, 0, 4, 2, 0)), "copy_s8"),
        (((0, 0), (3,)), "copy_s8"),
        (((0,), (0, 0, 1, 3)), "take_s8"),
    ],
)
def test_elements_are_taken_with_steps_where_they_follow_each_other_evenly(indices, kernel):
    b = GraphBuilder()
    x = b.input("x", int8(2, 5))
    shape = tuple(n if i is None else len(i) for n, i in zip((2, 5), indices))
    (step,) = lowered(b.graph(b.node("t", "take", [x], int8(*shape), indices=indices))).steps
    assert step.kernel == kernel
    data = np.arange(10, dtype=np.int8).reshape(2, 5)
    expected = data[np.ix_(*(range(n) if i is None else i for n, i in zip((2, 5), indices)))]
    (result,) = OPERATORS[step.call.operator].reference(step.call, [data])
    assert np.array_equal(result.reshape(shape), expected)


def test_padding_is_quantised_as_its_input_and_kept_in_range():
    b = GraphBuilder()
    x = b.input("x", int8(2, scale=0.5, zero_point=3))
    y = b.node("half", "pad", [x], int8(4, scale=0.5, zero_point=3), before=(1,), after=(1,), value=-2.0)
    z = b.node("low", "pad", [y], int8(5, scale=0.5, zero_point=3), before=(1,), after=(0,), value=float("-inf"))
    assert [step.call.attributes["value"] for step in lowered(b.graph(z)).steps] == [-1, -128]


def test_a_concat_of_different_scales_is_refused():
    b = GraphBuilder()
    x, y = b.input("x", int8(2, scale=0.5)), b.input("y", int8(3, scale=0.25))
    with pytest.raises(CompileError, match="layer c: concat moves data, so its inputs and output need one scale, not 0.5, 0.25, 0.5"):
        lowered(b.graph(b.node("c", "concat", [x, y], int8(5, scale=0.5), axis=0)))
