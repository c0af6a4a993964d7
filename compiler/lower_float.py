"""Lowering of float32 nodes: of each the operator, its input tensors with their types, the type of its output, its attributes.

Numbers stay what they are; the operators are those of int8, which choose their kernel by the dtype.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from compiler.ir import Graph, Node
from compiler.lower_moves import lower_concat, lower_copy, lower_pad, lower_permute, lower_take
from compiler.lower_reductions import lower_arg_extreme, lower_extreme, lower_normalise
from kernels.function import function
from kernels.operator import TensorType

Lowered = tuple[str, tuple[str, ...], tuple[TensorType, ...], TensorType, Mapping[str, Any]]

_FUNCTIONS = {operator.name: operator for operator in function.OPERATORS}


def _simple(graph: Graph, node: Node, operator: str, attributes: Mapping[str, Any], inputs: int = 1) -> Lowered:
    names = node.inputs[:inputs]
    return operator, names, tuple(graph.types[name] for name in names), graph.types[node.output], attributes


def _activation(node: Node) -> dict[str, float]:
    low, high = node.attributes.get("clamp", (None, None))
    return {"activation_min": -math.inf if low is None else low, "activation_max": math.inf if high is None else high}


def _weights(graph: Graph, node: Node) -> dict[str, Any]:
    """Weight, bias and bounds of conv2d and linear."""
    names = node.inputs[1:]
    if any(name not in graph.constants for name in names):
        raise node.error("weights must be constant")
    weight, *bias = (graph.constants[name] for name in names)
    if not all(np.isfinite(array).all() for array in (weight, *bias)):
        raise node.error("its weights hold NaN or infinity")
    return {"weight": weight, "bias": bias[0] if bias else np.zeros(len(weight), np.float32)} | _activation(node)


def _conv2d(graph: Graph, node: Node) -> Lowered:
    attributes = {key: node.attributes[key] for key in ("dilation", "groups", "padding")} | _weights(graph, node)
    if "spread" in node.attributes:
        return _simple(graph, node, "transposed_conv2d", attributes | {"spread": node.attributes["spread"]})
    return _simple(graph, node, "conv2d", attributes | {"stride": node.attributes["stride"]})


def _linear(graph: Graph, node: Node) -> Lowered:
    return _simple(graph, node, "linear", _weights(graph, node))


def _pool(graph: Graph, node: Node) -> Lowered:
    keys = ("kernel", "stride", "padding") + (("dilation",) if node.operator == "max_pool2d" else ("count_include_pad",))
    return _simple(graph, node, node.operator, {key: node.attributes[key] for key in keys} | _activation(node))


def _adaptive_pool(graph: Graph, node: Node) -> Lowered:
    return _simple(graph, node, node.operator, _activation(node))


def _clamp(graph: Graph, node: Node) -> Lowered:
    bounds = _activation(node)
    return _simple(graph, node, "clamp", {"low": bounds["activation_min"], "high": bounds["activation_max"]})


def _add(graph: Graph, node: Node) -> Lowered:
    return _simple(graph, node, "add", {"alpha": node.attributes.get("alpha", 1.0)} | _activation(node), inputs=2)


def _binary(graph: Graph, node: Node) -> Lowered:
    return _simple(graph, node, node.operator, _activation(node), inputs=2)


def _matmul(graph: Graph, node: Node) -> Lowered:
    return _simple(graph, node, "matmul", {"transposed": node.attributes["transposed"]} | _activation(node), inputs=2)


def _softmax(graph: Graph, node: Node) -> Lowered:
    """A softmax or its logarithm."""
    return _simple(graph, node, node.operator, {"axis": node.attributes["axis"]})


def _function(graph: Graph, node: Node) -> Lowered:
    name, _, *numbers = node.attributes["expression"]
    if name not in _FUNCTIONS:
        raise node.error(f"function {name} has no float kernel")
    return _simple(graph, node, name, dict(zip(_FUNCTIONS[name].numbers, numbers)))


def _sum(graph: Graph, node: Node) -> Lowered:
    """A sum or a mean."""
    axes, shape = node.attributes["axes"], graph.types[node.inputs[0]].shape
    divisor = math.prod(shape[axis] for axis in axes) if node.operator == "mean" else 1
    return _simple(graph, node, "sum", {"axes": axes, "divisor": divisor})


def _alike(lower_node: Callable[[Graph, Node], tuple[str, dict[str, Any], tuple[int, ...]]]) -> Callable[[Graph, Node], Lowered]:
    """What is lowered alike whatever the dtype."""

    def convert(graph: Graph, node: Node) -> Lowered:
        operator, attributes, shape = lower_node(graph, node)
        types = tuple(graph.types[tensor] for tensor in node.inputs)
        return operator, node.inputs, types, dataclasses.replace(graph.types[node.output], shape=shape), attributes

    return convert


FLOAT_LOWERINGS: Mapping[str, Callable[[Graph, Node], Lowered]] = {
    "adaptive_avg_pool2d": _adaptive_pool,
    "add": _add,
    "amax": _alike(lower_extreme),
    "amin": _alike(lower_extreme),
    "argmax": _alike(lower_arg_extreme),
    "argmin": _alike(lower_arg_extreme),
    "avg_pool2d": _pool,
    "clamp": _clamp,
    "concat": _alike(lower_concat),
    "conv2d": _conv2d,
    "copy": _alike(lower_copy),
    "div": _binary,
    "function": _function,
    "group_norm": _alike(lower_normalise),
    "linear": _linear,
    "log_softmax": _softmax,
    "matmul": _matmul,
    "max_pool2d": _pool,
    "maximum": _binary,
    "mean": _sum,
    "minimum": _binary,
    "mul": _binary,
    "normalise": _alike(lower_normalise),
    "pad": _alike(lower_pad),
    "permute": _alike(lower_permute),
    "softmax": _softmax,
    "sum": _sum,
    "take": _alike(lower_take),
}
