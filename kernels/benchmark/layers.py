"""The layers whose kernels the benchmark counts: those of MLPerf Tiny's models, with weights as trained ones are spread, and others, so
that every kernel is in one."""

import dataclasses
from collections.abc import Mapping

import numpy as np

from kernels.elementwise.add import add_attributes
from kernels.elementwise.div import div_attributes
from kernels.elementwise.mul import mul_attributes
from kernels.function.function import OPERATORS as FUNCTIONS
from kernels.matmul.matmul import matmul_attributes
from kernels.move.move import contiguous_steps
from kernels.operator import Call, TensorType
from kernels.quantize.requantize import requantize_attributes
from kernels.requantise import quantise_multiplier
from kernels.softmax.softmax import log_softmax_attributes, softmax_attributes

_RNG = np.random.default_rng(2020)
_RELU = {"output_zero_point": -128, "activation_min": -128, "activation_max": 127}


@dataclasses.dataclass(frozen=True)
class Layer:
    """A layer and how many times the model has it."""

    name: str
    call: Call
    times: int = 1


def _tensor(*shape: int) -> TensorType:
    return TensorType(shape, "int8", 1.0, -128)


def _weights(*shape: int) -> np.ndarray:
    return np.clip(np.rint(_RNG.normal(0, 32, shape)), -127, 127).astype(np.int8)


def _factors(channels: int, taps: int) -> dict[str, object]:
    pairs = [quantise_multiplier(float(x)) for x in 127 / (2500 * np.sqrt(taps)) * np.exp(_RNG.normal(0, 0.3, channels))]
    bias = _RNG.normal(0, 1500 * np.sqrt(taps), channels).astype(np.int32)
    multiplier, shift = (np.array(column, np.int32) for column in zip(*pairs))
    return {"bias": bias, "multiplier": multiplier, "shift": shift, "input_zero_point": -128} | _RELU


def _size(size: tuple[int, int], stride: int, padding: tuple[int, int, int, int], kernel: tuple[int, int]) -> list[int]:
    return [(size[a] + padding[a] + padding[a + 2] - kernel[a]) // stride + 1 for a in (0, 1)]


def _conv(
    size: tuple[int, int],
    inputs: int,
    outputs: int,
    kernel: tuple[int, int] = (1, 1),
    stride: int = 1,
    padding: tuple = (0, 0, 0, 0),
) -> Call:
    attributes = {"weight": _weights(outputs, *kernel, inputs), "groups": 1, "stride": (stride, stride), "dilation": (1, 1)}
    result = _tensor(1, *_size(size, stride, padding, kernel), outputs)
    taps = kernel[0] * kernel[1] * inputs
    return Call("conv2d", (_tensor(1, *size, inputs),), (result,), attributes | {"padding": padding} | _factors(outputs, taps))


def _depthwise(size: int, channels: int, stride: int = 1, height: int | None = None) -> Call:
    shape, padding = (height or size, size), (1, 1, 1, 1) if stride == 1 else (0, 0, 1, 1)
    attributes = {"weight": _weights(3, 3, channels), "depth_multiplier": 1, "stride": (stride, stride), "dilation": (1, 1)}
    result = _tensor(1, *_size(shape, stride, padding, (3, 3)), channels)
    return Call(
        "depthwise_conv2d",
        (_tensor(1, *shape, channels),),
        (result,),
        attributes | {"padding": padding} | _factors(channels, 9),
    )


def _linear(inputs: int, outputs: int) -> Call:
    return Call(
        "linear",
        (_tensor(1, inputs),),
        (_tensor(1, outputs),),
        {"weight": _weights(outputs, inputs)} | _factors(outputs, inputs),
    )


_POOL = {"padding": (0, 0, 0, 0), "zero_point": -128, "activation_min": -128, "activation_max": 127}


def _average(height: int, width: int, channels: int) -> Call:
    attributes = {"kernel": (height, width), "stride": (height, width), "count_include_pad": False} | _POOL
    return Call("avg_pool2d", (_tensor(1, height, width, channels),), (_tensor(1, 1, 1, channels),), attributes)


def _adaptive(size: int, result: int, channels: int) -> Call:
    bounds = {"activation_min": -128, "activation_max": 127}
    return Call("adaptive_avg_pool2d", (_tensor(1, size, size, channels),), (_tensor(1, result, result, channels),), bounds)


def _max_pool(size: int, channels: int) -> Call:
    """Of windows of 2x2, side by side."""
    attributes = {"kernel": (2, 2), "stride": (2, 2), "dilation": (1, 1)} | _POOL
    return Call("max_pool2d", (_tensor(1, size, size, channels),), (_tensor(1, size // 2, size // 2, channels),), attributes)


def _softmax(depth: int) -> Call:
    return Call("softmax", (_tensor(1, depth),), (_tensor(1, depth),), softmax_attributes(0.1))


def _add(size: int, channels: int) -> Call:
    attributes = add_attributes(0.1, 0.07, 0.12) | {"input_zero_point": (-3, 5)} | _RELU
    tensor = _tensor(1, size, size, channels)
    return Call("add", (tensor, tensor), (tensor,), attributes)


def _broadcast(operator: str, a: tuple[int, ...], b: tuple[int, ...]) -> Call:
    factors = {
        "add": add_attributes(0.1, 0.07, 0.12),
        "mul": mul_attributes(0.1, 1 / 256, 0.12),
        "div": div_attributes(0.1, 0.07, 0.12, 5),
    }.get(operator, {})
    result = _tensor(*np.broadcast_shapes(a, b))
    return Call(operator, (_tensor(*a), _tensor(*b)), (result,), factors | {"input_zero_point": (-3, 5)} | _RELU)


def _requantize(count: int, source: str = "int16", result: str = "int8") -> Call:
    types = (TensorType((count,), source, 1.0),), (TensorType((count,), result, 256.0),)
    return Call("requantize", *types, requantize_attributes(1.0, 256.0) | {"input_zero_point": 0, "output_zero_point": -3})


def _linear_to_int16(inputs: int, outputs: int) -> Call:
    call = _linear(inputs, outputs)
    bounds = {"output_zero_point": 0, "activation_min": -32768, "activation_max": 32767}
    attributes = {**call.attributes, **bounds, "shift": call.attributes["shift"] + 8}
    return Call("linear", call.inputs, (TensorType((1, outputs), "int16"),), attributes)


def _with_large_factors(call: Call) -> Call:
    """Above 1/2, of which the fast kernels do not know."""
    return dataclasses.replace(call, attributes={**call.attributes, "shift": call.attributes["shift"] + 8})


def _with_even_weights(call: Call) -> Call:
    """With weights of all sizes alike, which layers have before much training: their sums of many taps need more than 23 bits."""
    weight = _RNG.integers(-127, 128, call.attributes["weight"].shape).astype(np.int8)
    return dataclasses.replace(call, attributes={**call.attributes, "weight": weight})


def _dilated(size: int, channels: int) -> Call:
    call = _depthwise(size, channels)
    return dataclasses.replace(call, attributes={**call.attributes, "dilation": (2, 2), "padding": (2, 2, 2, 2)})


def _depthwise_5x5(size: int, channels: int) -> Call:
    call = _depthwise(size, channels)
    return dataclasses.replace(call, attributes={**call.attributes, "weight": _weights(5, 5, channels), "padding": (2, 2, 2, 2)})


def _transposed(size: int, inputs: int, outputs: int) -> Call:
    """Kernel 4x4, twice as large."""
    attributes = {"weight": _weights(outputs, 4, 4, inputs), "groups": 1, "spread": (2, 2), "dilation": (1, 1), "padding": (2, 2, 2, 2)}
    result = _tensor(1, 2 * size, 2 * size, outputs)
    return Call("transposed_conv2d", (_tensor(1, size, size, inputs),), (result,), attributes | _factors(outputs, 4 * inputs))


def _matmul(batches: int, rows: int, depth: int, columns: int) -> Call:
    attributes = matmul_attributes(0.02, 0.02, 0.1) | {"transposed": True, "input_zero_point": (-3, 5)} | _RELU
    operands = (_tensor(batches, rows, depth), _tensor(batches, columns, depth))
    return Call("matmul", operands, (_tensor(batches, rows, columns),), attributes)


def _log_softmax(depth: int) -> Call:
    return Call("log_softmax", (_tensor(1, depth),), (_tensor(1, depth),), log_softmax_attributes(0.1, 0.05, 127))


def _normalise(rows: int, depth: int) -> Call:
    attributes = {"positions": 1, "groups": 1, "depth": depth, "centred": True, "epsilon": 1e-5}
    factors = {"factor": _RNG.normal(1, 0.2, depth), "offset": _RNG.normal(0, 0.2, depth)}
    tensor = TensorType((1, rows, depth), "int8", 0.05, 3)
    return Call("normalise", (tensor,), (tensor,), attributes | factors)


def _of_floats(call: Call) -> Call:
    """The same on float32: weights and bias as numbers near 1, no bounds."""
    inputs, outputs = (tuple(TensorType(tensor.shape, "float32") for tensor in tensors) for tensors in (call.inputs, call.outputs))
    attributes = {**call.attributes, "activation_min": -np.inf, "activation_max": np.inf}
    for key in {"weight", "bias"} & attributes.keys():
        attributes[key] = _RNG.normal(0, 1, attributes[key].shape).astype(np.float32)
    return Call(call.operator, inputs, outputs, attributes)


def _function(name: str, count: int) -> Call:
    """Of floats; all numbers that it takes are 1."""
    tensor = TensorType((count,), "float32")
    (numbers,) = (function.numbers for function in FUNCTIONS if function.name == name)
    return Call(name, (tensor,), (tensor,), dict.fromkeys(numbers, 1.0))


def _index_of_extreme(name: str, count: int, dtype: str = "float32") -> Call:
    return Call(name, (TensorType((count,), dtype),), (TensorType((1,), "int32"),), {"axes": (0,)})


def _over_image(reduction: str, size: int, channels: int, dtype: str = "int8") -> Call:
    tensors = (TensorType((1, size, size, channels), dtype),), (TensorType((1, channels), dtype),)
    multiplier, shift = quantise_multiplier(1 / size**2)
    factor = {"multiplier": multiplier, "shift": shift, "input_zero_point": -3, "output_zero_point": 5, "divisor": size**2} if reduction == "sum" else {}
    return Call(reduction, *tensors, {"axes": (1, 2)} | factor)


def _to_nchw(size: int, channels: int) -> Call:
    source = _tensor(1, size, size, channels)
    batch, height, width, channel = contiguous_steps(source.shape)
    attributes = {"input_offset": 0, "input_steps": (batch, channel, height, width)}
    return Call("copy", (source,), (_tensor(1, channels, size, size),), attributes)


def _pad(size: int, channels: int) -> Call:
    result = _tensor(1, size + 2, size + 2, channels)
    return Call("pad", (_tensor(1, size, size, channels),), (result,), {"before": (0, 1, 1, 0), "value": -128})


def _concat(size: int, channels: int, count: int) -> Call:
    return Call("concat", (_tensor(1, size, size, channels),) * count, (_tensor(1, size, size, count * channels),), {"axis": 3})


def _upsample(size: int, larger: int, channels: int) -> Call:
    indices = tuple(size * i // larger for i in range(larger))
    attributes = {"indices": (None, indices, indices, None)}
    return Call("take", (_tensor(1, size, size, channels),), (_tensor(1, larger, larger, channels),), attributes)


def _table(count: int) -> Call:
    return Call("table", (_tensor(count),), (_tensor(count),), {"table": _weights(256)})


def _conversion(operator: str, dtype: str, count: int) -> Call:
    real, integer = TensorType((count,), "float32"), TensorType((count,), dtype, 0.01, -3)
    types = ((real,), (integer,)) if operator == "quantize" else ((integer,), (real,))
    return Call(operator, *types, {"scale": 0.01, "zero_point": -3})


_SAME = (1, 1, 1, 1)
_SAME_STRIDE_2 = (0, 0, 1, 1)

MODELS: Mapping[str, tuple[Layer, ...]] = {
    "kws": (
        Layer("conv 10x4", _conv((49, 10), 1, 64, (10, 4), 2, (4, 1, 5, 1))),
        Layer("depthwise 25x5x64", _depthwise(5, 64, height=25), 4),
        Layer("pointwise 64-64", _conv((25, 5), 64, 64), 4),
        Layer("average 25x5", _average(25, 5, 64)),
        Layer("linear 64-12", _linear(64, 12)),
        Layer("softmax 12", _softmax(12)),
    ),
    "vww": (
        Layer("conv 3x3 s2 3-8", _conv((96, 96), 3, 8, (3, 3), 2, _SAME_STRIDE_2)),
        Layer("depthwise 48x8", _depthwise(48, 8)),
        Layer("pointwise 8-16", _conv((48, 48), 8, 16)),
        Layer("depthwise s2 48x16", _depthwise(48, 16, 2)),
        Layer("pointwise 16-32", _conv((24, 24), 16, 32)),
        Layer("depthwise 24x32", _depthwise(24, 32)),
        Layer("pointwise 32-32", _conv((24, 24), 32, 32)),
        Layer("depthwise s2 24x32", _depthwise(24, 32, 2)),
        Layer("pointwise 32-64", _conv((12, 12), 32, 64)),
        Layer("depthwise 12x64", _depthwise(12, 64)),
        Layer("pointwise 64-64", _conv((12, 12), 64, 64)),
        Layer("depthwise s2 12x64", _depthwise(12, 64, 2)),
        Layer("pointwise 64-128", _conv((6, 6), 64, 128)),
        Layer("depthwise 6x128", _depthwise(6, 128), 5),
        Layer("pointwise 128-128", _conv((6, 6), 128, 128), 5),
        Layer("depthwise s2 6x128", _depthwise(6, 128, 2)),
        Layer("pointwise 128-256", _conv((3, 3), 128, 256)),
        Layer("depthwise 3x256", _depthwise(3, 256)),
        Layer("pointwise 256-256", _conv((3, 3), 256, 256)),
        Layer("average 3x3", _average(3, 3, 256)),
        Layer("linear 256-2", _linear(256, 2)),
        Layer("softmax 2", _softmax(2)),
    ),
    "ic": (
        Layer("conv 3x3 3-16", _conv((32, 32), 3, 16, (3, 3), 1, _SAME)),
        Layer("conv 3x3 16-16", _conv((32, 32), 16, 16, (3, 3), 1, _SAME), 2),
        Layer("add 32x16", _add(32, 16)),
        Layer("conv 3x3 s2 16-32", _conv((32, 32), 16, 32, (3, 3), 2, _SAME_STRIDE_2)),
        Layer("conv 3x3 32-32", _conv((16, 16), 32, 32, (3, 3), 1, _SAME)),
        Layer("conv 1x1 s2 16-32", _conv((32, 32), 16, 32, (1, 1), 2)),
        Layer("add 16x32", _add(16, 32)),
        Layer("conv 3x3 s2 32-64", _conv((16, 16), 32, 64, (3, 3), 2, _SAME_STRIDE_2)),
        Layer("conv 3x3 64-64", _conv((8, 8), 64, 64, (3, 3), 1, _SAME)),
        Layer("conv 1x1 s2 32-64", _conv((16, 16), 32, 64, (1, 1), 2)),
        Layer("add 8x64", _add(8, 64)),
        Layer("average 8x8", _average(8, 8, 64)),
        Layer("linear 64-10", _linear(64, 10)),
        Layer("softmax 10", _softmax(10)),
    ),
    "ad": (
        Layer("linear 640-128", _linear(640, 128)),
        Layer("linear 128-128", _linear(128, 128), 6),
        Layer("linear 128-8", _linear(128, 8)),
        Layer("linear 8-128", _linear(8, 128)),
        Layer("linear 128-640", _linear(128, 640)),
    ),
    "others": (
        Layer("transposed 4x4 s2 16x16 16-8", _transposed(16, 16, 8)),
        Layer("depthwise dilated 12x64", _dilated(12, 64)),
        Layer("matmul 2x32x24x40", _matmul(2, 32, 24, 40)),
        Layer("log_softmax 12", _log_softmax(12)),
        Layer("normalise 16x64", _normalise(16, 64)),
        Layer("adaptive average 10-7x16", _adaptive(10, 7, 16)),
    ),
    "float": (
        Layer("conv 3x3 8-16", _of_floats(_conv((8, 8), 8, 16, (3, 3), 1, _SAME))),
        Layer("depthwise 8x16", _of_floats(_depthwise(8, 16))),
        Layer("linear 64-12", _of_floats(_linear(64, 12))),
        Layer("average 8x8", _of_floats(_average(8, 8, 16))),
        Layer("add 8x16", _of_floats(_add(8, 16))),
        Layer("softmax 12", _of_floats(_softmax(12))),
        Layer("log_softmax 12", _of_floats(_log_softmax(12))),
        Layer("matmul 2x8x16x8", _of_floats(_matmul(2, 8, 16, 8))),
        Layer("argmax 100", _index_of_extreme("argmax", 100)),
        Layer("argmin 100", _index_of_extreme("argmin", 100)),
        Layer("normalise 16x64", _of_floats(_normalise(16, 64))),
        Layer("adaptive average 10-7x16", _of_floats(_adaptive(10, 7, 16))),
    ),
    "windows": (
        Layer("conv 5x5 32-16", _conv((8, 8), 32, 16, (5, 5), 1, (2, 2, 2, 2))),
        Layer("conv 5x5 32-16, even weights", _with_even_weights(_conv((8, 8), 32, 16, (5, 5), 1, (2, 2, 2, 2)))),
        Layer("conv 3x3 256-8", _conv((6, 6), 256, 8, (3, 3), 1, _SAME)),
    ),
    "broadcast": (
        Layer("mul 16x16x24", _broadcast("mul", (1, 16, 16, 24), (1, 16, 16, 24))),
        Layer("mul 16x16x24 by channels", _broadcast("mul", (1, 16, 16, 24), (1, 1, 1, 24))),
        Layer("mul 32x32x6 by channels", _broadcast("mul", (1, 32, 32, 6), (1, 1, 1, 6))),
        Layer("mul 32x32x6 by pixels", _broadcast("mul", (1, 32, 32, 6), (1, 32, 32, 1))),
        Layer("add 32x32x3 and 3", _broadcast("add", (1, 32, 32, 3), (1, 1, 1, 3))),
    ),
    "int16": (
        Layer("int16 to int8 1000", _requantize(1000)),
        Layer("linear 128-8 to int16", _linear_to_int16(128, 8)),
    ),
    "general": (
        Layer("conv 3x3 8-8", _with_large_factors(_conv((8, 8), 8, 8, (3, 3), 1, _SAME))),
        Layer("depthwise 8x16", _with_large_factors(_depthwise(8, 16))),
        Layer("depthwise 5x5 8x16", _depthwise_5x5(8, 16)),
        Layer("linear 64-12", _with_large_factors(_linear(64, 12))),
    ),
    "moves": (
        Layer("permute 16x16x24 to NCHW", _to_nchw(16, 24)),
        Layer("pad 16x16x24", _pad(16, 24)),
        *(Layer(f"concat {count} of 16x16x8", _concat(16, 8, count)) for count in (2, 3, 4)),
        Layer("upsample 12x12x8 to 16x16", _upsample(12, 16, 8)),
    ),
    "reductions": (
        Layer("max pool 16x16x24", _max_pool(16, 24)),
        *(Layer(f"{reduction} 16x16x24", _over_image(reduction, 16, 24)) for reduction in ("sum", "amax", "amin")),
        *(Layer(f"{index} 100", _index_of_extreme(index, 100, "int8")) for index in ("argmax", "argmin")),
    ),
    "elements": (
        *(Layer(f"{operator} 16x16x24", _broadcast(operator, *[(1, 16, 16, 24)] * 2)) for operator in ("div", "minimum", "maximum")),
        Layer("table 1000", _table(1000)),
        *(Layer(f"{way} {dtype} 1000", _conversion(way, dtype, 1000)) for way in ("quantize", "dequantize") for dtype in ("int8", "int16")),
        Layer("int8 to int16 1000", _requantize(1000, "int8", "int16")),
        Layer("int16 to int16 1000", _requantize(1000, "int16", "int16")),
    ),
    "more floats": (
        Layer("transposed 4x4 s2 8x8 8-4", _of_floats(_transposed(8, 8, 4))),
        Layer("max pool 8x8x16", _of_floats(_max_pool(8, 16))),
        *(Layer(f"{reduction} 8x8x16", _over_image(reduction, 8, 16, "float32")) for reduction in ("sum", "amax", "amin")),
        *(
            Layer(f"{operator} 8x8x16", _of_floats(_broadcast(operator, *[(1, 8, 8, 16)] * 2)))
            for operator in ("mul", "div", "minimum", "maximum")
        ),
        *(Layer(f"{function.name} 100", _function(function.name, 100)) for function in FUNCTIONS),
    ),
}
