"""Random calls of every operator on int8: odd sizes, tails, paddings, extreme values and factors. Deterministic for a seed."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from kernels.elementwise.add import add_attributes
from kernels.elementwise.div import div_attributes
from kernels.elementwise.mul import mul_attributes
from kernels.matmul.matmul import matmul_attributes
from kernels.move.move import contiguous_steps
from kernels.operator import Call, TensorType
from kernels.quantize.requantize import requantize_attributes
from kernels.requantise import quantise_multiplier
from kernels.softmax.softmax import log_softmax_attributes, softmax_attributes

Inputs = list[np.ndarray]
Generator = np.random.Generator


def int8_tensor(shape: tuple[int, ...], zero_point: int = 0, scale: float = 1.0) -> TensorType:
    return TensorType(shape, "int8", scale, zero_point)


def values(rng: Generator, shape: tuple[int, ...], low: int = -128) -> np.ndarray:
    """int8: usually anything, sometimes a constant or only extremes."""
    kind = rng.integers(8)
    if kind == 0:
        return np.full(shape, rng.choice([low, 127]), np.int8)
    if kind == 1:
        return rng.choice(np.array([low, 127], np.int8), shape)
    return rng.integers(low, 128, shape).astype(np.int8)


def zero_point(rng: Generator) -> int:
    return int(rng.choice([-128, 0, 127, *rng.integers(-128, 128, 3)]))


def activation(rng: Generator, output_zero_point: int) -> dict[str, int]:
    """Unbounded, a ReLU's bounds, or any."""
    kind = rng.integers(3)
    if kind == 0:
        return {"activation_min": -128, "activation_max": 127}
    if kind == 1:
        return {"activation_min": output_zero_point, "activation_max": 127}
    low, high = sorted(int(x) for x in rng.integers(-128, 128, 2))
    return {"activation_min": low, "activation_max": high}


def factors(rng: Generator, channels: int, depth: int) -> dict[str, np.ndarray]:
    """Bias, multiplier and shift per channel: mostly such that outputs spread over int8, now and then extreme."""
    typical = 127 / (5000 * np.sqrt(depth))
    real = typical * np.exp(rng.normal(0, 1, channels))
    if rng.integers(6) == 0:  # far too large, far too small, exact powers of two, none at all
        real = rng.choice([0.0, 0.5, 0.25, 0.75, 1.0, 2.0**-7, 2.0**-20, 2.0**-40, 6.0], channels)
    pairs = [quantise_multiplier(float(r)) for r in real]
    return {
        "bias": (rng.normal(0, 3000 * np.sqrt(depth), channels)).astype(np.int32),
        "multiplier": np.array([m for m, _ in pairs], np.int32),
        "shift": np.array([s for _, s in pairs], np.int32),
    }


def window(
    rng: Generator, largest_kernel: int, largest_output: int
) -> tuple[dict, tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Attributes stride, dilation, padding; kernel, input size, output size. A third are 3x3 with stride 1 or 2."""
    kernel = tuple(int(k) for k in rng.integers(1, largest_kernel + 1, 2))
    stride = tuple(int(s) for s in rng.choice([1, 1, 1, 2, 3], 2))
    dilation = tuple(int(d) for d in rng.choice([1, 1, 1, 2, 3], 2)) if rng.integers(3) == 0 else (1, 1)
    if rng.integers(3) == 0:
        kernel, stride, dilation = (3, 3), [(1, 1), (2, 2)][rng.integers(2)], (1, 1)
    extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    top, bottom = (int(rng.integers(0, extent[0])) for _ in range(2))
    left, right = (int(rng.integers(0, extent[1])) for _ in range(2))
    if rng.integers(3) == 0:
        top = left = bottom = right = 0
    output = tuple(int(o) for o in rng.integers(1, largest_output + 1, 2))
    size = []
    for axis, pads in ((0, top + bottom), (1, left + right)):
        slack = int(rng.integers(0, stride[axis]))
        size.append(max(1, (output[axis] - 1) * stride[axis] + extent[axis] - pads + slack))
    result = tuple((size[a] + p - extent[a]) // stride[a] + 1 for a, p in ((0, top + bottom), (1, left + right)))
    attributes = {"stride": stride, "dilation": dilation, "padding": (top, left, bottom, right)}
    return attributes, kernel, (size[0], size[1]), result


def conv2d(rng: Generator) -> tuple[Call, Inputs]:
    groups = int(rng.choice([1, 1, 1, 1, 2, 3]))
    depth, per_group = int(rng.integers(1, 24)), int(rng.integers(1, 12))
    attributes, kernel, size, result = window(rng, 5, 6)
    if depth > 18:  # channels that fill vectors
        depth, per_group = 16 * (depth % 3 + 1), 4 * (per_group % 3 + 1)
    if rng.integers(3) == 0:
        kernel, result, groups, depth = (1, 1), size, 1, int(rng.integers(1, 80))
        attributes = {"stride": (1, 1), "dilation": (1, 1), "padding": (0, 0, 0, 0)}
        per_group = int(rng.integers(1, 40))
    return _convolution(rng, attributes | {"groups": groups}, (groups * per_group, *kernel, depth), size, result)


def conv2d_3x3(rng: Generator) -> tuple[Call, Inputs]:
    """Windows one pixel apart, channels that fill vectors."""
    size, padding = rng.integers(1, 12, 2), rng.integers(0, 4, 4)
    result = size + padding[:2] + padding[2:] - 2
    if (result < 1).any():
        return conv2d_3x3(rng)
    attributes = {"stride": (1, 1), "dilation": (1, 1), "padding": tuple(padding.tolist()), "groups": 1}
    weight_shape = (4 * int(rng.integers(1, 5)), 3, 3, 16 * int(rng.integers(1, 4)))
    return _convolution(rng, attributes, weight_shape, tuple(size.tolist()), tuple(result.tolist()))


def _convolution(
    rng: Generator, attributes: dict, weight_shape: tuple[int, ...], size: tuple[int, int], result: tuple[int, int]
) -> tuple[Call, Inputs]:
    batches = int(rng.choice([1, 1, 1, 2]))
    outputs, depth = weight_shape[0], weight_shape[3]
    weight = values(rng, weight_shape, int(rng.choice([-127, -127, -128])))
    in_zero, out_zero = zero_point(rng), zero_point(rng)
    call = Call(
        "conv2d",
        (int8_tensor((batches, *size, attributes["groups"] * depth), in_zero),),
        (int8_tensor((batches, *result, outputs), out_zero),),
        attributes
        | factors(rng, outputs, int(np.prod(weight_shape[1:])))
        | activation(rng, out_zero)
        | {"weight": weight, "input_zero_point": in_zero, "output_zero_point": out_zero},
    )
    return call, [values(rng, call.inputs[0].shape)]


def depthwise_conv2d(rng: Generator) -> tuple[Call, Inputs]:
    channels, multiplier = int(rng.integers(1, 40)), int(rng.choice([1, 1, 1, 1, 2, 3]))
    attributes, kernel, size, result = window(rng, 5, 7)
    batches = int(rng.choice([1, 1, 1, 2]))
    in_zero, out_zero = zero_point(rng), zero_point(rng)
    weight = values(rng, (*kernel, channels * multiplier), int(rng.choice([-127, -127, -128])))
    call = Call(
        "depthwise_conv2d",
        (int8_tensor((batches, *size, channels), in_zero),),
        (int8_tensor((batches, *result, channels * multiplier), out_zero),),
        attributes
        | factors(rng, channels * multiplier, kernel[0] * kernel[1])
        | activation(rng, out_zero)
        | {"weight": weight, "depth_multiplier": multiplier, "input_zero_point": in_zero, "output_zero_point": out_zero},
    )
    return call, [values(rng, call.inputs[0].shape)]


def transposed_conv2d(rng: Generator) -> tuple[Call, Inputs]:
    """Padding from what a transposed convolution without padding has down to less than nothing."""
    groups, depth, per_group = int(rng.choice([1, 1, 1, 2, 3])), int(rng.integers(1, 12)), int(rng.integers(1, 8))
    kernel, size = ([int(n) for n in rng.integers(1, 6, 2)] for _ in range(2))
    spread, dilation = ([int(n) for n in rng.choice([1, 2, 2, 3, 4] if i else [1, 1, 2, 3], 2)] for i in (1, 0))
    padding, result = [0] * 4, [0, 0]
    for axis in (0, 1):
        extent = (kernel[axis] - 1) * dilation[axis] + 1
        padding[axis], padding[axis + 2] = (extent - 1 - int(rng.integers(0, extent)) + int(rng.integers(-1, 2)) for _ in range(2))
        padding[axis + 2] = max(padding[axis + 2], extent - (size[axis] - 1) * spread[axis] - 1 - padding[axis])
        result[axis] = (size[axis] - 1) * spread[axis] + 1 + padding[axis] + padding[axis + 2] - extent + 1
    in_zero, out_zero = zero_point(rng), zero_point(rng)
    batches = int(rng.choice([1, 1, 2]))
    call = Call(
        "transposed_conv2d",
        (int8_tensor((batches, *size, groups * depth), in_zero),),
        (int8_tensor((batches, *result, groups * per_group), out_zero),),
        factors(rng, groups * per_group, depth * kernel[0] * kernel[1])
        | activation(rng, out_zero)
        | {"spread": tuple(spread), "dilation": tuple(dilation), "padding": tuple(padding), "groups": groups}
        | {"weight": values(rng, (groups * per_group, *kernel, depth), int(rng.choice([-127, -127, -128])))}
        | {"input_zero_point": in_zero, "output_zero_point": out_zero},
    )
    return call, [values(rng, call.inputs[0].shape)]


def linear(rng: Generator) -> tuple[Call, Inputs]:
    depth, outputs, rows = int(rng.integers(1, 90)), int(rng.integers(1, 24)), int(rng.choice([1, 1, 2, 5]))
    lowest = int(rng.choice([-127, -127, -128]))
    if rng.integers(4) == 0:  # more than kernels add up at once
        depth, rows = int(rng.integers(90, 1100)), 1
    in_zero, out_zero = zero_point(rng), zero_point(rng)
    call = Call(
        "linear",
        (int8_tensor((rows, depth), in_zero),),
        (int8_tensor((rows, outputs), out_zero),),
        factors(rng, outputs, depth)
        | activation(rng, out_zero)
        | {"weight": values(rng, (outputs, depth), lowest), "input_zero_point": in_zero, "output_zero_point": out_zero},
    )
    return call, [values(rng, (rows, depth))]


def linear_to_int16(rng: Generator) -> tuple[Call, Inputs]:
    """The same layer in 256 times finer steps."""
    call, inputs = linear(rng)
    low, high = (call.attributes[bound] for bound in ("activation_min", "activation_max"))
    zero = call.attributes["output_zero_point"] * 256 + int(rng.integers(256))
    bounds = {"activation_min": low * 256, "activation_max": high * 256 + 255, "output_zero_point": zero}
    result = TensorType(call.outputs[0].shape, "int16", 1.0, zero)
    return Call("linear", call.inputs, (result,), {**call.attributes, **bounds, "shift": call.attributes["shift"] + 8}), inputs


def matmul(rng: Generator) -> tuple[Call, Inputs]:
    rows, depth, columns = int(rng.integers(1, 8)), int(rng.integers(1, 70)), int(rng.integers(1, 20))
    if rng.integers(8) == 0:  # more than the kernel adds up at once
        depth = int(rng.integers(70, 1100))
    fronts = [(), (), (1,), (3,), (2, 2)]
    front = fronts[rng.integers(len(fronts))]
    front_a, front_b = [(front, front), (front, ()), ((1,) * len(front), front), (front, front)][rng.integers(4)]
    transposed = bool(rng.integers(2))
    zero_a, zero_b, out_zero = (zero_point(rng) for _ in range(3))
    real = min(np.exp(rng.normal(0, 1)) / (60 * np.sqrt(depth)), 0.499) if rng.integers(8) else rng.choice([0.49, 2.0**-20, 1e-9])
    shape_a, shape_b = (*front_a, rows, depth), (*front_b, *((columns, depth) if transposed else (depth, columns)))
    call = Call(
        "matmul",
        (int8_tensor(shape_a, zero_a), int8_tensor(shape_b, zero_b)),
        (int8_tensor((*front, rows, columns), out_zero),),
        matmul_attributes(float(real), 1.0, 1.0)
        | {"transposed": transposed, "input_zero_point": (zero_a, zero_b), "output_zero_point": out_zero}
        | activation(rng, out_zero),
    )
    return call, [values(rng, shape_a), values(rng, shape_b)]


def _pool(rng: Generator, operator: str) -> tuple[Call, Inputs]:
    attributes, kernel, size, result = window(rng, 4, 6)
    top, left, bottom, right = attributes["padding"]
    if operator == "avg_pool2d":
        attributes.pop("dilation")
        attributes["count_include_pad"] = bool(rng.integers(2))
    half = (kernel[0] // 2, kernel[1] // 2)
    top, bottom, left, right = min(top, half[0]), min(bottom, half[0]), min(left, half[1]), min(right, half[1])
    attributes["padding"] = (top, left, bottom, right)
    dilation = attributes.get("dilation", (1, 1))
    extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    size = tuple(max(s, e) for s, e in zip(size, extent))
    pads = (top + bottom, left + right)
    result = [(size[a] + pads[a] - extent[a]) // attributes["stride"][a] + 1 for a in (0, 1)]
    for axis, before in ((0, top), (1, left)):  # ceil mode, where its window starts inside
        ragged = (size[axis] + pads[axis] - extent[axis]) % attributes["stride"][axis]
        if (
            ragged
            and result[axis] * attributes["stride"][axis] - before < size[axis]
            and dilation == (1, 1)
            and rng.integers(2)
        ):
            result[axis] += 1
    channels, zero = int(rng.integers(1, 40)), zero_point(rng)
    shape = (int(rng.choice([1, 1, 2])), *size, channels)
    call = Call(
        operator,
        (int8_tensor(shape, zero),),
        (int8_tensor((shape[0], *result, channels), zero),),
        attributes | {"kernel": kernel, "zero_point": zero} | activation(rng, zero),
    )
    return call, [values(rng, shape)]


def avg_pool2d(rng: Generator) -> tuple[Call, Inputs]:
    return _pool(rng, "avg_pool2d")


def max_pool2d(rng: Generator) -> tuple[Call, Inputs]:
    return _pool(rng, "max_pool2d")


def adaptive_avg_pool2d(rng: Generator) -> tuple[Call, Inputs]:
    batches, channels, zero = int(rng.choice([1, 1, 2])), int(rng.integers(1, 40)), zero_point(rng)
    size, result = (tuple(int(n) for n in rng.integers(1, most, 2)) for most in (12, 8))
    call = Call(
        "adaptive_avg_pool2d",
        (int8_tensor((batches, *size, channels), zero),),
        (int8_tensor((batches, *result, channels), zero),),
        activation(rng, zero),
    )
    return call, [values(rng, call.inputs[0].shape)]


def softmax(rng: Generator) -> tuple[Call, Inputs]:
    shape = (int(rng.integers(1, 4)), int(rng.integers(1, 40)), int(rng.choice([1, *rng.integers(1, 12, 2)])))
    if rng.integers(8) == 0:
        shape = (1, int(rng.integers(400, 1200)), 1)  # long enough for sums of 512 and more
    scale = float(np.exp(rng.uniform(np.log(1e-6), np.log(3))))
    attributes = softmax_attributes(scale) | {"axis": int(rng.choice([0, 1, 1, 2]))}
    call = Call("softmax", (int8_tensor(shape, 0, scale),), (int8_tensor(shape, -128, 1 / 256),), attributes)
    return call, [values(rng, shape)]


def log_softmax(rng: Generator) -> tuple[Call, Inputs]:
    call, inputs = softmax(rng)
    zero, output_scale = zero_point(rng), float(np.exp(rng.uniform(np.log(2**-12), np.log(2))))
    attributes = log_softmax_attributes(call.inputs[0].scale, output_scale, zero) | {"axis": call.attributes["axis"]}
    return Call("log_softmax", call.inputs, (int8_tensor(call.inputs[0].shape, zero, output_scale),), attributes), inputs


def normalise(rng: Generator) -> tuple[Call, Inputs]:
    outer, positions, groups, depth = (int(rng.choice([1, *rng.integers(1, most, 2)])) for most in (4, 12, 6, 20))
    channels = groups * depth
    attributes = {
        "positions": positions,
        "groups": groups,
        "depth": depth,
        "centred": bool(rng.integers(4)),
        "epsilon": float(rng.choice([0.0, 1e-5, 1e-3])),
        "factor": rng.normal(0.5, 1, channels),
        "offset": rng.normal(0, 1, channels),
    }
    shape = (outer, positions, channels)
    scale, output_scale = (float(s) for s in np.exp(rng.normal(-3, 2, 2)))
    types = int8_tensor(shape, zero_point(rng), scale), int8_tensor(shape, zero_point(rng), output_scale)
    return Call("normalise", types[:1], types[1:], attributes), [values(rng, shape)]


def broadcast_shapes(rng: Generator) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Of two operands and their result: of up to four axes, of which either operand may lack some or have size 1."""
    if rng.integers(3) == 0:
        shape = (int(rng.integers(1, 200)),)
        return shape, shape, shape
    rank = int(rng.integers(1, 5))
    shape = (*(int(size) for size in rng.integers(1, 5, rank - 1)), int(rng.integers(1, 90 if rank < 3 else 20)))
    a, b = (tuple(int(size) if rng.integers(3) else 1 for size in shape)[-int(rng.integers(1, rank + 1)) :] for _ in range(2))
    return a, b, np.broadcast_shapes(a, b)


def _binary(rng: Generator, operator: str, output_scale: Callable[[float, float], float]) -> tuple[Call, Inputs]:
    """Zero points, bounds and scales; factors are the caller's to add."""
    a, b, result = broadcast_shapes(rng)
    if rng.integers(2):
        a, b = b, a
    scale_a, scale_b = (float(s) for s in np.exp(rng.normal(-3, 2, 2)))
    if rng.integers(6) == 0:
        scale_b = scale_a
    zeros = [zero_point(rng) for _ in range(3)]
    call = Call(
        operator,
        (int8_tensor(a, zeros[0], scale_a), int8_tensor(b, zeros[1], scale_b)),
        (int8_tensor(result, zeros[2], output_scale(scale_a, scale_b)),),
        {"input_zero_point": (zeros[0], zeros[1]), "output_zero_point": zeros[2]} | activation(rng, zeros[2]),
    )
    return call, [values(rng, a), values(rng, b)]


def _with_factors(call: Call, factors: dict) -> Call:
    return dataclasses.replace(call, attributes=call.attributes | factors)


def _scales(call: Call) -> list[float]:
    return [tensor.scale for tensor in (*call.inputs, *call.outputs)]


def add(rng: Generator) -> tuple[Call, Inputs]:
    """Some are differences."""
    call, inputs = _binary(rng, "add", lambda a, b: max(a, b) * np.exp(rng.choice([rng.uniform(-3, 2), -16, 9])))
    scale_a, scale_b, output = _scales(call)
    return _with_factors(call, add_attributes(scale_a, scale_b * int(rng.choice([1, 1, -1])), output)), inputs


def mul(rng: Generator) -> tuple[Call, Inputs]:
    call, inputs = _binary(rng, "mul", lambda a, b: a * b * np.exp(rng.choice([rng.uniform(2, 6), rng.uniform(-15, 25)])))
    return _with_factors(call, mul_attributes(*_scales(call))), inputs


def div(rng: Generator) -> tuple[Call, Inputs]:
    call, inputs = _binary(rng, "div", lambda a, b: a / b * np.exp(rng.choice([rng.uniform(-5, 1), rng.uniform(-15, 25)])))
    return _with_factors(call, div_attributes(*_scales(call), call.inputs[1].zero_point)), inputs


def _extreme(rng: Generator, operator: str) -> tuple[Call, Inputs]:
    a, b, result = broadcast_shapes(rng)
    call = Call(operator, (int8_tensor(a), int8_tensor(b)), (int8_tensor(result),), activation(rng, zero_point(rng)))
    return call, [values(rng, a), values(rng, b)]


def minimum(rng: Generator) -> tuple[Call, Inputs]:
    return _extreme(rng, "minimum")


def maximum(rng: Generator) -> tuple[Call, Inputs]:
    return _extreme(rng, "maximum")


def table(rng: Generator) -> tuple[Call, Inputs]:
    shape = (int(rng.integers(1, 70)),)
    call = Call("table", (int8_tensor(shape),), (int8_tensor(shape),), {"table": values(rng, (256,))})
    return call, [values(rng, shape)]


def _shape(rng: Generator, rank: int, largest: int = 7) -> tuple[int, ...]:
    return tuple(int(size) for size in rng.integers(1, largest + 1, rank))


def copy(rng: Generator) -> tuple[Call, Inputs]:
    """Permutes, slices with steps either way, repeats, and all of them at once."""
    source = _shape(rng, int(rng.integers(1, 5)))
    if rng.integers(3) == 0:
        source = (*source[:2], int(rng.integers(1, 70)))
    axes = []
    for size, step in zip(source, contiguous_steps(source)):
        picked = int(rng.integers(1, size + 1))
        stride = int(rng.integers(1, (size - 1) // (picked - 1) + 1)) if picked > 1 else 1
        start = int(rng.integers(0, size - (picked - 1) * stride))
        kind = rng.integers(6)
        if kind < 2:
            start, picked, stride = 0, size, 1
        if kind == 2:
            start, stride = start + (picked - 1) * stride, -stride
        axes.append((start * step, picked, stride * step))
        if kind == 3:
            axes.append((0, int(rng.integers(1, 5)), 0))
    if rng.integers(2):
        axes = [axes[i] for i in rng.permutation(len(axes))]
    dtype = str(rng.choice(["int8", "int8", "int8", "uint8", "int32"]))
    call = Call(
        "copy",
        (TensorType(source, dtype),),
        (TensorType(tuple(size for _, size, _ in axes), dtype),),
        {"input_offset": sum(start for start, _, _ in axes), "input_steps": tuple(step for _, _, step in axes)},
    )
    return call, [_elements(rng, source, dtype)]


def _elements(rng: Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    bytes_ = values(rng, (int(np.prod(shape)) * np.dtype(dtype).itemsize,))
    return bytes_.view(dtype).reshape(shape)


def pad(rng: Generator) -> tuple[Call, Inputs]:
    source = _shape(rng, int(rng.integers(1, 5)))
    before, after = (rng.integers(0, 4, len(source)) * rng.integers(0, 2, len(source)) for _ in range(2))
    result = tuple(int(size) for size in np.add(source, before) + after)
    attributes = {"before": tuple(int(b) for b in before), "value": zero_point(rng)}
    return Call("pad", (int8_tensor(source),), (int8_tensor(result),), attributes), [values(rng, source)]


def concat(rng: Generator) -> tuple[Call, Inputs]:
    shape, inputs = _shape(rng, int(rng.integers(1, 5))), int(rng.integers(2, 5))
    axis, dtype = int(rng.integers(len(shape))), str(rng.choice(["int8", "int8", "int32"]))
    shapes = [(*shape[:axis], int(rng.integers(1, 40)), *shape[axis + 1 :]) for _ in range(inputs)]
    result = (*shape[:axis], sum(s[axis] for s in shapes), *shape[axis + 1 :])
    call = Call("concat", tuple(TensorType(s, dtype) for s in shapes), (TensorType(result, dtype),), {"axis": axis})
    return call, [_elements(rng, s, dtype) for s in shapes]


def take(rng: Generator) -> tuple[Call, Inputs]:
    source = _shape(rng, int(rng.integers(1, 5)))
    if rng.integers(2):
        source = (*source, int(rng.integers(1, 40)))
    indices = []
    for size in source:
        picks = tuple(int(i) for i in rng.integers(0, size, rng.integers(1, 9)))
        indices.append(None if rng.integers(2) else tuple(sorted(picks)) if rng.integers(2) else picks)
    result = tuple(size if picks is None else len(picks) for size, picks in zip(source, indices))
    return Call("take", (int8_tensor(source),), (int8_tensor(result),), {"indices": tuple(indices)}), [values(rng, source)]


def _reduction(rng: Generator, operator: str, dtype: str = "int8") -> tuple[Call, Inputs]:
    shape = _shape(rng, int(rng.integers(1, 5)))
    if rng.integers(2):
        shape = (*shape[:-1], int(rng.integers(1, 60)))
    axes = tuple(int(axis) for axis in np.flatnonzero(rng.integers(0, 2, len(shape)))) or (len(shape) - 1,)
    if operator in ("argmax", "argmin"):
        axes = (int(rng.integers(len(shape))),)
    if rng.integers(2):
        result = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    else:
        result = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    call = Call(operator, (int8_tensor(shape),), (TensorType(result, dtype),), {"axes": axes})
    return call, [values(rng, shape)]


def total(rng: Generator) -> tuple[Call, Inputs]:
    call, inputs = _reduction(rng, "sum")
    count = int(np.prod(call.inputs[0].shape) // np.prod(call.outputs[0].shape))
    real = np.exp(rng.normal(0, 1.5)) / count if rng.integers(6) else rng.choice([0.0, 1.0, 2.0**-40, 3.0, 200.0])
    multiplier, shift = quantise_multiplier(float(real))
    factor = {"multiplier": multiplier, "shift": shift}
    zero_points = {"input_zero_point": zero_point(rng), "output_zero_point": zero_point(rng)}
    return dataclasses.replace(call, attributes={**call.attributes, **factor, **zero_points}), inputs


def amax(rng: Generator) -> tuple[Call, Inputs]:
    return _reduction(rng, "amax")


def amin(rng: Generator) -> tuple[Call, Inputs]:
    return _reduction(rng, "amin")


def argmax(rng: Generator) -> tuple[Call, Inputs]:
    call, (x,) = _reduction(rng, "argmax", "int32")
    return call, [x // 32 if rng.integers(3) == 0 else x]  # ties


def argmin(rng: Generator) -> tuple[Call, Inputs]:
    call, (x,) = _reduction(rng, "argmin", "int32")
    return call, [x // 32 if rng.integers(3) == 0 else x]


def _real_and_integer(rng: Generator) -> tuple[TensorType, TensorType, int]:
    """The types of both sides of a conversion, and a number of steps a little beyond the integer's range."""
    shape, scale, zero = (int(rng.integers(1, 50)),), float(np.exp(rng.normal(-2, 4))), zero_point(rng)
    real = TensorType(shape, "float32")
    if rng.integers(2):
        return real, int8_tensor(shape, zero, scale), 300
    return real, TensorType(shape, "int16", scale, 256 * zero + int(rng.integers(256))), 80_000


def quantize(rng: Generator) -> tuple[Call, Inputs]:
    real, integer, steps = _real_and_integer(rng)
    shape, scale = real.shape, integer.scale
    call = Call("quantize", (real,), (integer,), {"scale": scale, "zero_point": integer.zero_point})
    x = rng.normal(0, steps / 3, shape) * scale
    x = np.where(rng.integers(4, size=shape) == 0, (rng.integers(-steps, steps, shape) + 0.5) * scale, x).astype(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e38, -1e38, 1e-45, 1e-38], np.float32)
    return call, [np.where(rng.integers(8, size=shape) == 0, rng.choice(special, shape), x).astype(np.float32)]


def dequantize(rng: Generator) -> tuple[Call, Inputs]:
    real, integer, _ = _real_and_integer(rng)
    call = Call("dequantize", (integer,), (real,), {"scale": integer.scale, "zero_point": integer.zero_point})
    return call, [_elements(rng, integer.shape, integer.dtype)]


def requantize(rng: Generator) -> tuple[Call, Inputs]:
    """Mostly such that outputs spread over their range, with any zero points in a third of the calls."""
    dtypes = (("int16", "int8"), ("int8", "int16"), ("int16", "int16"))[rng.integers(3)]
    steps = [2.0 ** np.iinfo(dtype).bits for dtype in dtypes]
    factor = min(steps[1] / steps[0] * np.exp(rng.normal(0, 1)), 8191) if rng.integers(4) else float(rng.choice([2.0**-30, 1e-6, 1.0, 8191.0]))
    zeros = [int(rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1)) if rng.integers(3) == 0 else 0 for dtype in dtypes]
    shape = (int(rng.integers(1, 50)),)
    source, result = (TensorType(shape, dtype, scale, zero) for dtype, scale, zero in zip(dtypes, (factor, 1.0), zeros))
    attributes = requantize_attributes(factor, 1.0) | {"input_zero_point": zeros[0], "output_zero_point": zeros[1]}
    return Call("requantize", (source,), (result,), attributes), [_elements(rng, shape, source.dtype)]


OPERATOR_CALLS: tuple[Callable[[Generator], tuple[Call, Inputs]], ...] = (
    conv2d,
    depthwise_conv2d,
    transposed_conv2d,
    linear,
    linear_to_int16,
    matmul,
    avg_pool2d,
    max_pool2d,
    adaptive_avg_pool2d,
    softmax,
    log_softmax,
    normalise,
    add,
    mul,
    div,
    minimum,
    maximum,
    table,
    copy,
    pad,
    concat,
    take,
    total,
    amax,
    amin,
    argmax,
    argmin,
    quantize,
    dequantize,
    requantize,
    conv2d_3x3,
)


def random_calls(
    seed: int, per_operator: int, operator_calls: Sequence[Callable[[Generator], tuple[Call, Inputs]]] = OPERATOR_CALLS
) -> Iterator[tuple[Call, Inputs]]:
    """`per_operator` calls of each operator."""
    rng = np.random.default_rng(seed)
    for make in operator_calls:
        for _ in range(per_operator):
            yield make(rng)
