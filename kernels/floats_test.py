"""References of operators on float32, which kernels reproduce byte for byte, against double precision: within the bounds they state."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.adaptive_windows import AdaptiveWindows
from kernels.operator import Call, TensorType, UnsupportedError
from kernels.registry import OPERATORS
from kernels.testing.properties import SLOW_PROPERTY
from kernels.testing.random_float_calls import FLOAT_CALLS
from kernels.transposed_conv2d.spread import convolution_over_spread, spread_apart
from kernels.window import Window

HALF_UNIT = 2.0**-24
DENORMAL = 2.0**-149

SEEDS = st.integers(0, 2**32 - 1)


def random_call(operator: str, seed: int) -> tuple[Call, list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    for make in FLOAT_CALLS:
        call, inputs = make(rng)
        if call.operator == operator:
            return call, inputs
    raise KeyError(operator)


def bounded(call: Call, x: np.ndarray) -> np.ndarray:
    low, high = (np.float32(call.attributes[key]) for key in ("activation_min", "activation_max"))
    return np.clip(x, low, high)


def assert_within(call: Call, inputs: list[np.ndarray], exact: np.ndarray, bound: np.ndarray) -> None:
    """Clamping and rounding to float32 move two numbers no further apart."""
    (result,) = OPERATORS[call.operator].reference(call, inputs)
    exact = exact.reshape(result.shape)
    assert result.dtype == np.float32
    assert (np.abs(result - exact) <= bound.reshape(result.shape) + np.abs(exact) * HALF_UNIT + DENORMAL).all()


def as_convolution(call: Call, x: np.ndarray) -> tuple[Call, np.ndarray]:
    """A depthwise or transposed convolution as a plain one."""
    if call.operator == "depthwise_conv2d":
        weight = np.moveaxis(call.attributes["weight"], 2, 0)[..., None]
        return Call("conv2d", call.inputs, call.outputs, {**call.attributes, "weight": weight, "groups": x.shape[3]}), x
    if call.operator == "transposed_conv2d":
        return convolution_over_spread(call), spread_apart(call, x, 0)
    return call, x


@pytest.mark.parametrize("operator", ["conv2d", "depthwise_conv2d", "transposed_conv2d"])
@SLOW_PROPERTY
@given(SEEDS)
def test_convolutions(operator: str, seed: int) -> None:
    call, inputs = random_call(operator, seed)
    convolution, x = as_convolution(call, inputs[0])
    weight, groups = convolution.attributes["weight"].astype(np.float64), convolution.attributes["groups"]
    bias, depth, per_group = convolution.attributes["bias"].astype(np.float64), weight.shape[3], len(weight) // groups
    patches = Window.of(convolution, weight.shape[1:3]).patches(x, 0).astype(np.float64)

    def summed(patches: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
        parts = [
            np.tensordot(patches[..., g * depth : (g + 1) * depth], weight[g * per_group : (g + 1) * per_group], ((3, 4, 5), (1, 2, 3)))
            for g in range(groups)
        ]
        return np.concatenate(parts, axis=-1) + bias

    taps = weight[0].size
    size = summed(np.abs(patches), np.abs(weight), np.abs(bias))
    assert_within(call, inputs, bounded(call, summed(patches, weight, bias)), (taps + 1) * (2 * HALF_UNIT * size + DENORMAL))


@SLOW_PROPERTY
@given(SEEDS)
def test_linear_layers(seed: int) -> None:
    call, inputs = random_call("linear", seed)
    x, weight, bias = (array.astype(np.float64) for array in (inputs[0], call.attributes["weight"], call.attributes["bias"]))
    size = np.abs(x) @ np.abs(weight.T) + np.abs(bias)
    assert_within(call, inputs, bounded(call, x @ weight.T + bias), (weight.shape[1] + 1) * (2 * HALF_UNIT * size + DENORMAL))


@SLOW_PROPERTY
@given(SEEDS)
def test_matrix_products(seed: int) -> None:
    call, inputs = random_call("matmul", seed)
    a, b = (array.astype(np.float64) for array in inputs)
    b = b.swapaxes(-1, -2) if call.attributes["transposed"] else b
    size = np.abs(a) @ np.abs(b)
    assert_within(call, inputs, bounded(call, a @ b), (a.shape[-1] + 1) * (2 * HALF_UNIT * size + DENORMAL))


@SLOW_PROPERTY
@given(SEEDS)
def test_average_pools(seed: int) -> None:
    call, inputs = random_call("avg_pool2d", seed)
    window = Window.of(call, call.attributes["kernel"])
    x, (top, left, bottom, right) = inputs[0].astype(np.float64), window.padding
    counts = np.ones((1, *window.input_size, 1))
    if call.attributes["count_include_pad"]:
        counts = np.pad(counts, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=1)
        window_of_counts = Window(window.kernel, window.stride, (1, 1), (0, 0, 0, 0), counts.shape[1:3], window.output_size)
    else:
        window_of_counts = window
    count = window_of_counts.patches(counts, 0).sum(axis=(3, 4))
    patches = window.patches(x, 0)
    taps = patches.shape[3] * patches.shape[4]
    bound = (taps + 1) * HALF_UNIT * np.abs(patches).max(axis=(3, 4))
    assert_within(call, inputs, bounded(call, patches.sum(axis=(3, 4)) / count), bound)


@SLOW_PROPERTY
@given(SEEDS)
def test_average_pools_over_windows_that_differ_in_size(seed: int) -> None:
    call, inputs = random_call("adaptive_avg_pool2d", seed)
    x, result = inputs[0].astype(np.float64), np.empty(call.outputs[0].shape)
    bound = np.empty(result.shape)
    height, width = (AdaptiveWindows(*sizes) for sizes in zip(x.shape[1:3], result.shape[1:3]))
    for row, column in np.ndindex(height.outputs, width.outputs):
        window = x[:, height.starts[row] : height.ends[row], width.starts[column] : width.ends[column]]
        result[:, row, column] = window.mean(axis=(1, 2))
        bound[:, row, column] = (window.shape[1] * window.shape[2] + 1) * HALF_UNIT * np.abs(window).max(axis=(1, 2))
    assert_within(call, inputs, bounded(call, result), bound)


@SLOW_PROPERTY
@given(SEEDS)
def test_maximum_pools_are_exact(seed: int) -> None:
    call, inputs = random_call("max_pool2d", seed)
    patches = Window.of(call, call.attributes["kernel"]).patches(inputs[0], -np.inf)
    assert np.array_equal(OPERATORS["max_pool2d"].reference(call, inputs)[0], bounded(call, patches.max(axis=(3, 4))))


@SLOW_PROPERTY
@given(SEEDS)
def test_softmax(seed: int) -> None:
    call, inputs = random_call("softmax", seed)
    x, axis = inputs[0].astype(np.float64), call.attributes["axis"]
    difference = x - x.max(axis=axis, keepdims=True)
    terms = np.exp(difference)
    exact = terms / terms.sum(axis=axis, keepdims=True)
    least = np.maximum(difference, -200)  # beyond, all is 0
    assert_within(call, inputs, exact, exact * HALF_UNIT * (x.shape[axis] + 6 + np.abs(least)) + 2 * DENORMAL)


@SLOW_PROPERTY
@given(SEEDS)
def test_logarithms_of_softmax(seed: int) -> None:
    call, inputs = random_call("log_softmax", seed)
    x, axis = inputs[0].astype(np.float64), call.attributes["axis"]
    difference, n = x - x.max(axis=axis, keepdims=True), x.shape[axis]
    exact = difference - np.log(np.exp(difference).sum(axis=axis, keepdims=True))
    assert_within(call, inputs, exact, HALF_UNIT * (2 * n + 6 - difference + 2 * np.log(n)))


@SLOW_PROPERTY
@given(SEEDS)
def test_sums_and_means(seed: int) -> None:
    call, inputs = random_call("sum", seed)
    axes = tuple(call.attributes["axes"])
    x, divisor = inputs[0].astype(np.float64), call.attributes["divisor"]
    count = np.prod([x.shape[axis] for axis in axes])
    assert_within(call, inputs, x.sum(axis=axes) / divisor, count * HALF_UNIT * np.abs(x).sum(axis=axes) / divisor)


@pytest.mark.parametrize(
    ("operator", "function"),
    [("add", np.add), ("mul", np.multiply), ("div", np.divide), ("minimum", np.minimum), ("maximum", np.maximum)],
)
@SLOW_PROPERTY
@given(SEEDS)
def test_operators_of_two_tensors_round_once(operator: str, function, seed: int) -> None:
    call, inputs = random_call(operator, seed)
    a, b = (x.astype(np.float64) for x in inputs)
    scaled = b * float(np.float32(call.attributes.get("alpha", 1.0)))
    product = np.broadcast_to(np.abs(scaled) * HALF_UNIT, call.outputs[0].shape)  # alpha * b is rounded too
    assert_within(call, inputs, bounded(call, function(a, scaled)), product if operator == "add" else np.zeros(product.shape))


@pytest.mark.parametrize("operator", ["amax", "amin", "argmax", "argmin"])
@SLOW_PROPERTY
@given(SEEDS)
def test_extremes_are_exact(operator: str, seed: int) -> None:
    call, inputs = random_call(operator, seed)
    axes = call.attributes["axes"]
    expected = getattr(np, operator)(inputs[0], axis=axes[0] if operator.startswith("arg") else tuple(axes))
    assert np.array_equal(OPERATORS[operator].reference(call, inputs)[0], expected.reshape(call.outputs[0].shape))


def test_what_is_not_a_number_wins_as_in_pytorch() -> None:
    x, nan = TensorType((4,), "float32"), np.array([1, np.nan, 3, 2], np.float32)
    for operator, expected in (("amax", np.nan), ("amin", np.nan), ("argmax", 1), ("argmin", 1)):
        result = TensorType((), "int32" if operator.startswith("arg") else "float32")
        call = Call(operator, (x,), (result,), {"axes": (0,)})
        assert np.array_equal(OPERATORS[operator].reference(call, [nan])[0], expected, equal_nan=True)


def conv2d_call(**changes: object) -> Call:
    attributes = {"weight": np.zeros((3, 1, 1, 2), np.float32), "bias": np.zeros(3, np.float32), "groups": 1, "stride": (1, 1)}
    attributes |= {"dilation": (1, 1), "padding": (0, 0, 0, 0), "activation_min": -1.0, "activation_max": 1.0}
    types = TensorType((1, 4, 4, 2), "float32"), TensorType((1, 4, 4, 3), "float32")
    return Call("conv2d", types[:1], types[1:], {**attributes, **changes})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"activation_max": -2.0}, "no number is between -1.0 and -2.0"),
        ({"bias": np.zeros(2, np.float32)}, "needs float32 weights of rank 4 and a bias per output channel"),
        ({"weight": np.zeros((3, 1, 1, 2), np.int8)}, "needs float32 weights of rank 4"),
        ({"groups": 2}, r"2 groups do not fit 2 channels"),
        ({"weight": np.zeros((4, 1, 1, 2), np.float32), "bias": np.zeros(4, np.float32)}, "does not fit weight"),
    ],
)
def test_calls_that_make_no_sense_are_refused(changes: dict, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        OPERATORS["conv2d"].kernel(conv2d_call(**changes), "scalar")


def test_other_outputs_than_floats_are_refused() -> None:
    call = conv2d_call()
    with pytest.raises(UnsupportedError, match="conv2d of float32 needs float32 inputs and output"):
        OPERATORS["conv2d"].kernel(Call("conv2d", call.inputs, (TensorType((1, 4, 4, 3), "int8"),), call.attributes), "mve")
