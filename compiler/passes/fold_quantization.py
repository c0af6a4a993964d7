"""Takes quantize and dequantize into the operators between them, which then work on int8.

    xf = dequantize(x: int8)                              ->  y: int8 = conv2d(x, w, b) weight_scale=float64[O]
    wf = dequantize(w: int8) scale=float64[O] axis=0
    yf = conv2d(xf, wf, b)
    y: int8 = quantize(yf)

Every operator does so whose activations all come from a dequantize and whose results all go to the same quantize. What is left
in float is left for lowering to judge.
"""

import dataclasses

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite_in_order

OF_INTEGERS = {"argmax", "argmin"}
"""Operators whose results are integers that nothing quantises."""

WEIGHTED = {"conv1d": 0, "conv2d": 0, "conv_transpose1d": 1, "conv_transpose2d": 1, "linear": 0}
"""Operators with weights, and the axis of these that has a scale for each output channel (of a group)."""


def fold_quantization(graph: Graph) -> Graph:
    return rewrite_in_order(graph, _fold)


def _fold(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator in ("quantize", "dequantize") or len(node.outputs) != 1:
        return None
    quantizes = _quantizes(graph, node.output)
    if not quantizes and node.operator not in OF_INTEGERS:
        return None
    activations = node.inputs[:1] if node.operator in WEIGHTED else node.inputs
    origins = [_dequantized(graph, tensor) for tensor in activations]
    if not all(origin is not None and not origin.attributes for origin in origins):
        return None
    inputs = [origin.inputs[0] for origin in origins]
    attributes = {}
    if node.operator in WEIGHTED:
        weight = _dequantized(graph, node.inputs[1])
        if weight is None or weight.attributes.get("axis") != WEIGHTED[node.operator] or weight.inputs[0] not in graph.constants:
            return None
        inputs += [weight.inputs[0], *node.inputs[2:]]
        attributes["weight_scale"] = weight.attributes["scale"]
    if node.operator == "reshape" and _numbers(graph, inputs[0]) != _numbers(graph, quantizes[0].output):
        return None  # its bytes stay as they are
    folded = dataclasses.replace(node.with_attributes(**attributes), inputs=tuple(inputs))
    return Rewrite(
        nodes=(folded,),
        types={node.output: graph.types[quantizes[0].output]} if quantizes else {},
        renamed={quantize.output: node.output for quantize in quantizes},
    )


def _numbers(graph: Graph, tensor: str) -> tuple[str, float, int]:
    """What a tensor's bytes stand for."""
    type_ = graph.types[tensor]
    return type_.dtype, type_.scale, type_.zero_point


def _quantizes(graph: Graph, tensor: str) -> tuple[Node, ...]:
    """The quantize nodes to which the tensor goes, if it goes nowhere else and they all do the same."""
    readers = graph.readers(tensor)
    same = len({graph.types[reader.outputs[0]] for reader in readers}) == 1
    if not same or tensor in graph.output_tensors or any(reader.operator != "quantize" for reader in readers):
        return ()
    return readers


def _dequantized(graph: Graph, tensor: str) -> Node | None:
    producer = graph.producer(tensor)
    return producer if producer is not None and producer.operator == "dequantize" else None
