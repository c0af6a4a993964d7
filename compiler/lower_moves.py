"""Lowering of nodes that move data to calls of kernels/move/: the operator, its attributes, and the shape it gives its output."""

import math
from typing import Any

import numpy as np

from compiler.ir import Graph, Node
from kernels.move.move import contiguous_steps
from kernels.operator import TensorType

Lowered = tuple[str, dict[str, Any], tuple[int, ...]]

Progression = tuple[int, tuple[tuple[int, int], ...]]  # the first index; (size, step) of nested axes


def lower_permute(graph: Graph, node: Node) -> Lowered:
    source, result = _types(graph, node)
    steps = contiguous_steps(source.shape)
    permutation = node.attributes["permutation"]
    return "copy", {"input_offset": 0, "input_steps": tuple(steps[axis] for axis in permutation)}, result.shape


def lower_copy(graph: Graph, node: Node) -> Lowered:
    source, result = _types(graph, node)
    return "copy", {"input_offset": 0, "input_steps": contiguous_steps(source.shape)}, result.shape


def lower_take(graph: Graph, node: Node) -> Lowered:
    """A copy with steps where indices follow each other evenly, a table of offsets where they do not."""
    source, result = _types(graph, node)
    indices = node.attributes["indices"]
    progressions = [progression(range(n) if i is None else i) for n, i in zip(source.shape, indices)]
    if None in progressions:
        return "take", {"indices": indices}, result.shape
    offset, shape, steps = 0, [], []
    for (start, axes), step in zip(progressions, contiguous_steps(source.shape)):
        offset += start * step
        shape += [size for size, _ in axes]
        steps += [by * step for _, by in axes]
    return "copy", {"input_offset": offset, "input_steps": tuple(steps)}, tuple(shape)


def lower_concat(graph: Graph, node: Node) -> Lowered:
    _, *_, result = _types(graph, node)
    return "concat", {"axis": node.attributes["axis"]}, result.shape


def lower_pad(graph: Graph, node: Node) -> Lowered:
    source, result = _types(graph, node)
    if source.dtype == "float32":
        return "pad", {"before": node.attributes["before"], "value": node.attributes["value"]}, result.shape
    steps = min(max(node.attributes["value"] / source.scale, -1024.0), 1024.0)
    value = min(max(round(steps) + source.zero_point, -128), 127)
    return "pad", {"before": node.attributes["before"], "value": value}, result.shape


def progression(indices: range | tuple[int, ...]) -> Progression | None:
    """(0, 2, 4) is (0, ((3, 2),)); (0, 0, 1, 1) is (0, ((2, 1), (2, 0))); (0, 1, 0, 1) is (0, ((2, 0), (2, 1))).

    None if there are neither even steps, nor elements that are repeated evenly, nor repeated even steps.
    """
    values = np.array(indices)
    first = int(values[0])
    even = _even_step(values)
    if even is not None:
        return first, ((len(values), even),)
    for factor in (f for f in range(2, len(values)) if len(values) % f == 0):
        rows = values.reshape(-1, factor)
        step, inner = _even_step(rows[:, 0]), _even_step(rows[0])
        if (rows == rows[:, :1]).all() and step is not None:
            return first, ((len(rows), step), (factor, 0))
        if (rows == rows[0]).all() and inner is not None:
            return first, ((len(rows), 0), (factor, inner))
    return None


def _even_step(values: np.ndarray) -> int | None:
    differences = np.diff(values)
    if not len(differences):
        return 1
    return int(differences[0]) if (differences == differences[0]).all() else None


def _types(graph: Graph, node: Node) -> tuple[TensorType, ...]:
    """Of inputs and output. Raises CompileError where they differ in dtype or quantisation."""
    types = tuple(graph.types[tensor] for tensor in (*node.inputs, node.output))
    if len({(type_.dtype, type_.scale, type_.zero_point) for type_ in types}) != 1:
        scales = ", ".join(f"{type_.scale:g}" for type_ in types)
        raise node.error(f"{node.operator} moves data, so its inputs and output need one scale, not {scales}")
    if any(math.prod(type_.shape) == 0 for type_ in types):
        raise node.error(f"{node.operator} of an empty tensor")
    return types
