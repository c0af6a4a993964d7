"""Lowering: from nodes to calls of the operators that kernels/ describes.

Here real numbers become fixed point, unless the model computes in float (lower_float.py). With s the scales of input, weight and
output, a convolution's bias is
round(bias / (s_in * s_w)) in int32, and its accumulators are requantised by s_in * s_w / s_out per output channel.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from compiler.errors import CompileError
from compiler.functions import function_table
from compiler.ir import CONVERSIONS, Graph, Node, type_text
from compiler.lower_float import FLOAT_LOWERINGS
from compiler.lower_moves import lower_concat, lower_copy, lower_pad, lower_permute, lower_take
from compiler.lower_one_channel import as_depthwise, is_better_depthwise
from compiler.lower_reductions import lower_arg_extreme, lower_extreme, lower_normalise, lower_sum
from compiler.passes.fold_quantization import OF_INTEGERS, WEIGHTED
from compiler.passes.fuse_clamps import clamped_range
from compiler.program import Program, ProgramPort, ProgramState, Step
from compiler.reference import to_firmware
from kernels.elementwise.add import add_attributes
from kernels.elementwise.div import div_attributes
from kernels.elementwise.mul import mul_attributes
from kernels.matmul.matmul import matmul_attributes
from kernels.operator import Call, Operator, TensorType, Tier, UnsupportedError
from kernels.quantize.requantize import requantize_attributes
from kernels.requantise import quantise_multiplier
from kernels.softmax.softmax import log_softmax_attributes, softmax_attributes

# A bias beyond this leaves too little of int32 for the products.
LARGEST_BIAS = 2**29


@dataclasses.dataclass(frozen=True)
class _Lowered:
    """What a call of `operator` is made of; inputs are tensor names, types those the operator sees."""

    operator: str
    inputs: tuple[str, ...]
    input_types: tuple[TensorType, ...]
    output_type: TensorType
    attributes: Mapping[str, Any]


def lower(graph: Graph, tier: Tier, operators: Mapping[str, Operator]) -> Program:
    """The program for one tier. Raises CompileError at a node that no kernel serves."""
    steps: list[Step] = []
    aliases: dict[str, str] = {}
    weights: dict[str, int] = {}
    for node in graph.nodes:
        if node.operator == "reshape":
            aliases[node.output] = aliases.get(node.inputs[0], node.inputs[0])
            continue
        step = _step(graph, node, tier, operators)
        steps.append(dataclasses.replace(step, inputs=tuple(aliases.get(tensor, tensor) for tensor in step.inputs)))
        if node.operator in WEIGHTED:
            weights[node.inputs[1]] = graph.constants[node.inputs[1]].nbytes
    outputs = tuple(
        ProgramPort(port.name, aliases.get(port.tensor, port.tensor), graph.types[port.tensor], port.permutation)
        for port in graph.called_outputs
    )
    inputs = tuple(ProgramPort(port.name, port.tensor, graph.types[port.tensor], port.permutation) for port in graph.called_inputs)
    computed = {tensor for step in steps for tensor in step.outputs}
    for port in outputs:
        if port.tensor not in computed:
            raise CompileError(f"output {port.name} is an input or a constant, moved there and back; return that itself")
    read = {tensor for step in steps for tensor in step.inputs}
    return Program(
        name=graph.name,
        tier=tier,
        inputs=inputs,
        outputs=outputs,
        tensors={name: type_ for name, type_ in graph.types.items() if name in computed | graph.input_tensors},
        constants={name: array for name, array in graph.constants.items() if name in read},
        steps=tuple(steps),
        weights_bytes=sum(weights.values()),
        method=graph.method,
        states=tuple(_state(graph, index, aliases) for index in range(len(graph.states))),
    )


def _state(graph: Graph, index: int, aliases: Mapping[str, str]) -> ProgramState:
    state, source, result = graph.states[index], graph.state_inputs[index], graph.state_outputs[index]
    type_ = graph.types[source.tensor]
    if type_ != graph.types[result.tensor]:
        raise CompileError(f"the buffer {state.name} is {type_text(type_)} before a run, but {type_text(graph.types[result.tensor])} after it")
    port = ProgramPort(state.name, source.tensor, type_, source.permutation)
    return ProgramState(
        state.name, source.tensor, aliases.get(result.tensor, result.tensor), type_, source.permutation, to_firmware(port, state.first)
    )


def _step(graph: Graph, node: Node, tier: Tier, operators: Mapping[str, Operator]) -> Step:
    try:
        lowered = _lowered(graph, node)
        if lowered.operator == "conv2d" and lowered.output_type.dtype == "int8" and is_better_depthwise(lowered.attributes, tier):
            lowered = dataclasses.replace(lowered, operator="depthwise_conv2d", attributes=as_depthwise(lowered.attributes))
        operator = operators[lowered.operator]
        call = Call(lowered.operator, lowered.input_types, (lowered.output_type,), lowered.attributes)
        return Step(
            layer=node.name,
            kernel=operator.kernel(call, tier),
            call=call,
            inputs=lowered.inputs,
            outputs=node.outputs,
            params=operator.pack(call, tier),
            scratch_bytes=operator.scratch_bytes(call, tier),
            leads=tuple(operator.overlap_lead(call, tier, i) for i in range(len(lowered.inputs))),
            macs=operator.macs(call),
            source=node.source,
        )
    except UnsupportedError as error:
        raise node.error(str(error)) from error


def _lowered(graph: Graph, node: Node) -> _Lowered:
    if graph.computes_in_float and node.operator not in CONVERSIONS:
        if node.operator not in FLOAT_LOWERINGS:
            raise node.error(f"operator {node.operator} has no float kernel")
        return _Lowered(*FLOAT_LOWERINGS[node.operator](graph, node))
    if node.operator not in LOWERINGS:
        raise node.error(f"operator {node.operator} has no kernel")
    for tensor in (*_activations(node), *(() if node.operator in OF_INTEGERS else node.outputs)):
        if not graph.types[tensor].scale and node.operator not in CONVERSIONS:
            raise node.error(f"operator {node.operator} was not quantised, though others of the model were")
    int16 = [tensor for tensor in (*_activations(node), *node.outputs) if graph.types[tensor].dtype == "int16"]
    if node.operator not in CONVERSIONS and int16 not in ([], [node.output] if node.operator == "linear" else []):
        raise node.error(f"operator {node.operator} of int16 is not supported: only inputs and outputs of the model, and results of linear, can be")
    return LOWERINGS[node.operator](graph, node)


def _activations(node: Node) -> tuple[str, ...]:
    return node.inputs[:1] if node.operator in WEIGHTED else node.inputs


def _activation(node: Node, type_: TensorType) -> dict[str, int]:
    low, high = clamped_range(node, type_)
    return {"activation_min": low, "activation_max": high}


def _factor(node: Node, real: float) -> tuple[int, int]:
    if not math.isfinite(real) or real >= 2**30:
        raise node.error(f"its scales give the requantisation factor {real:g}; check the range of its input and output")
    return quantise_multiplier(real)


def _channel_factors(graph: Graph, node: Node) -> dict[str, Any]:
    """Weight, bias, multiplier and shift of conv2d and linear, with the zero points."""
    source, result = graph.types[node.inputs[0]], graph.types[node.output]
    weight = graph.constants[node.inputs[1]]
    scale = np.asarray(node.attributes["weight_scale"], np.float64)
    bias = graph.constants[node.inputs[2]].astype(np.float64) if len(node.inputs) > 2 else np.zeros(len(weight))
    if not (np.isfinite(bias).all() and np.isfinite(scale).all()):
        raise node.error("its weights hold NaN or infinity")
    # Channels whose weights are nothing beside their bias need a coarser scale for the bias to fit.
    needed = np.abs(bias) / (source.scale * LARGEST_BIAS)
    coarse = np.maximum(scale, needed)
    shrink = (scale / coarse).reshape(-1, *[1] * (weight.ndim - 1))
    factors = [_factor(node, source.scale * s / result.scale) for s in coarse]
    return {
        "weight": np.where(shrink == 1, weight, np.rint(weight * shrink)).astype(np.int8),
        "bias": np.rint(bias / (source.scale * coarse)).astype(np.int32),
        "multiplier": np.array([multiplier for multiplier, _ in factors], np.int32),
        "shift": np.array([shift for _, shift in factors], np.int32),
        "input_zero_point": source.zero_point,
        "output_zero_point": result.zero_point,
        **_activation(node, result),
    }


def _simple(graph: Graph, node: Node, operator: str, attributes: Mapping[str, Any], inputs: int = 1) -> _Lowered:
    names = node.inputs[:inputs]
    return _Lowered(operator, names, tuple(graph.types[name] for name in names), graph.types[node.output], attributes)


def _conv2d(graph: Graph, node: Node) -> _Lowered:
    attributes = {key: node.attributes[key] for key in ("stride", "dilation", "padding")} | _channel_factors(graph, node)
    groups = node.attributes["groups"]
    attributes["groups"] = groups
    if "spread" in node.attributes:
        del attributes["stride"]
        return _simple(graph, node, "transposed_conv2d", attributes | {"spread": node.attributes["spread"]})
    if groups == graph.types[node.inputs[0]].shape[3] and groups > 1:
        return _simple(graph, node, "depthwise_conv2d", as_depthwise(attributes))
    return _simple(graph, node, "conv2d", attributes)


def _linear(graph: Graph, node: Node) -> _Lowered:
    attributes = _channel_factors(graph, node) | {"beside_pointwise": any(map(functools.partial(_is_pointwise, graph), graph.nodes))}
    return _simple(graph, node, "linear", attributes)


def _is_pointwise(graph: Graph, node: Node) -> bool:
    return node.operator == "conv2d" and graph.constants[node.inputs[1]].shape[1:3] == (1, 1) and node.attributes["groups"] == 1


def _only_type(graph: Graph, node: Node) -> TensorType:
    """Of the output, whose scale and zero point the input has too."""
    source, result = graph.types[node.inputs[0]], graph.types[node.output]
    if (source.scale, source.zero_point) != (result.scale, result.zero_point):
        raise node.error(f"{node.operator} needs the same scale for its input and output")
    return result


def _pool(graph: Graph, node: Node) -> _Lowered:
    result = _only_type(graph, node)
    keys = ("kernel", "stride", "padding") + (("dilation",) if node.operator == "max_pool2d" else ("count_include_pad",))
    return _simple(
        graph,
        node,
        node.operator,
        {key: node.attributes[key] for key in keys} | {"zero_point": result.zero_point} | _activation(node, result),
    )


def _adaptive_pool(graph: Graph, node: Node) -> _Lowered:
    return _simple(graph, node, node.operator, _activation(node, _only_type(graph, node)))


def _clamp(graph: Graph, node: Node) -> _Lowered:
    """A clamp that nothing could take in is a maximum pool over single elements."""
    source, result = graph.types[node.inputs[0]], _only_type(graph, node)
    shape = source.shape if len(source.shape) == 4 else _as_image(math.prod(source.shape))
    attributes = {
        "kernel": (1, 1),
        "stride": (1, 1),
        "padding": (0, 0, 0, 0),
        "dilation": (1, 1),
        "zero_point": result.zero_point,
        **_activation(node, result),
    }
    types = (dataclasses.replace(source, shape=shape), dataclasses.replace(result, shape=shape))
    return _Lowered("max_pool2d", node.inputs, types[:1], types[1], attributes)


def _as_image(elements: int) -> tuple[int, int, int, int]:
    """[1, rows, columns, channels] of so many elements, each less than 2^15 as kernels want it, unless a prime factor is in the way."""
    channels = max(size for size in range(1, 2**15) if elements % size == 0)
    columns = max(size for size in range(1, 2**15) if elements // channels % size == 0)
    return (1, elements // channels // columns, columns, channels)


def _add(graph: Graph, node: Node) -> _Lowered:
    a, b, result = _binary_types(graph, node)
    factors = add_attributes(a.scale, b.scale * node.attributes.get("alpha", 1.0), result.scale)
    return _binary(graph, node, factors)


def _mul(graph: Graph, node: Node) -> _Lowered:
    return _binary(graph, node, mul_attributes(*(type_.scale for type_ in _binary_types(graph, node))))


def _div(graph: Graph, node: Node) -> _Lowered:
    a, b, result = _binary_types(graph, node)
    return _binary(graph, node, div_attributes(a.scale, b.scale, result.scale, b.zero_point))


def _matmul(graph: Graph, node: Node) -> _Lowered:
    factor = matmul_attributes(*(type_.scale for type_ in _binary_types(graph, node)))
    return _binary(graph, node, {**factor, "transposed": node.attributes["transposed"]})


def _extreme(graph: Graph, node: Node) -> _Lowered:
    if len({(type_.scale, type_.zero_point) for type_ in _binary_types(graph, node)}) != 1:
        raise node.error(f"{node.operator} needs the same scale for its inputs and output")
    return _binary(graph, node, {})


def _binary_types(graph: Graph, node: Node) -> list[TensorType]:
    return [graph.types[tensor] for tensor in (*node.inputs, node.output)]


def _binary(graph: Graph, node: Node, factors: Mapping[str, Any]) -> _Lowered:
    a, b, result = _binary_types(graph, node)
    attributes = {
        "input_zero_point": (a.zero_point, b.zero_point),
        "output_zero_point": result.zero_point,
        **factors,
        **_activation(node, result),
    }
    return _simple(graph, node, node.operator, attributes, inputs=2)


def _softmax(graph: Graph, node: Node) -> _Lowered:
    source = graph.types[node.inputs[0]]
    return _simple(graph, node, "softmax", softmax_attributes(source.scale) | {"axis": node.attributes["axis"]})


def _log_softmax(graph: Graph, node: Node) -> _Lowered:
    source, result = graph.types[node.inputs[0]], graph.types[node.output]
    attributes = log_softmax_attributes(source.scale, result.scale, result.zero_point)
    return _simple(graph, node, "log_softmax", attributes | {"axis": node.attributes["axis"]})


def _function(graph: Graph, node: Node) -> _Lowered:
    source, result = graph.types[node.inputs[0]], graph.types[node.output]
    try:
        table = function_table(node.attributes["expression"], source, result)
    except ValueError as error:
        raise node.error(str(error)) from error
    return _simple(graph, node, "table", {"table": table})


def _one_operator(lower_node: Callable[[Graph, Node], tuple[str, dict[str, Any], tuple[int, ...]]]) -> Callable[[Graph, Node], _Lowered]:
    def convert(graph: Graph, node: Node) -> _Lowered:
        operator, attributes, shape = lower_node(graph, node)
        types = tuple(graph.types[tensor] for tensor in node.inputs)
        return _Lowered(operator, node.inputs, types, dataclasses.replace(graph.types[node.output], shape=shape), attributes)

    return convert


def _quantize(graph: Graph, node: Node) -> _Lowered:
    if node.inputs[0] in graph.constants:
        raise node.error("its weights were quantised, but not all that the layer reads and gives")
    quantised = graph.types[node.output if node.operator == "quantize" else node.inputs[0]]
    return _simple(graph, node, node.operator, {"scale": quantised.scale, "zero_point": quantised.zero_point})


def _requantize(graph: Graph, node: Node) -> _Lowered:
    source, result = graph.types[node.inputs[0]], graph.types[node.output]
    zero_points = {"input_zero_point": source.zero_point, "output_zero_point": result.zero_point}
    return _simple(graph, node, "requantize", requantize_attributes(source.scale, result.scale) | zero_points)


LOWERINGS: Mapping[str, Callable[[Graph, Node], _Lowered]] = {
    "adaptive_avg_pool2d": _adaptive_pool,
    "add": _add,
    "amax": _one_operator(lower_extreme),
    "amin": _one_operator(lower_extreme),
    "argmax": _one_operator(lower_arg_extreme),
    "argmin": _one_operator(lower_arg_extreme),
    "avg_pool2d": _pool,
    "clamp": _clamp,
    "concat": _one_operator(lower_concat),
    "conv2d": _conv2d,
    "dequantize": _quantize,
    "div": _div,
    "function": _function,
    "group_norm": _one_operator(lower_normalise),
    "linear": _linear,
    "log_softmax": _log_softmax,
    "matmul": _matmul,
    "max_pool2d": _pool,
    "maximum": _extreme,
    "mean": _one_operator(lower_sum),
    "minimum": _extreme,
    "mul": _mul,
    "normalise": _one_operator(lower_normalise),
    "pad": _one_operator(lower_pad),
    "copy": _one_operator(lower_copy),
    "permute": _one_operator(lower_permute),
    "quantize": _quantize,
    "requantize": _requantize,
    "softmax": _softmax,
    "sum": _one_operator(lower_sum),
    "take": _one_operator(lower_take),
}
