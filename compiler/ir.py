"""The compiler's graph: nodes that call operators on named tensors.

A graph is a value: passes return a new one and leave theirs alone. Tensors are known by name; `types` says what each is and
`constants` holds the contents of those that are known. Nodes stand in an order in which they can run.

Operators and their attributes (float or int8; shapes as the node's tensors have them, NCHW until passes/nhwc.py):

    conv2d           input, weight [O, I/groups, KH, KW], bias [O]?   stride, padding, dilation, groups, clamp
    conv1d           as conv2d with one spatial axis; padding is (left, right)
    conv_transpose2d input, weight [I, O/groups, KH, KW], bias [O]?   stride, padding (cut off), dilation, groups, clamp
    conv_transpose1d as conv_transpose2d with one spatial axis
    linear           input, weight [O, I], bias [O]?                  clamp
    add              a, b: a + alpha * b, as NumPy broadcasts         alpha, clamp
    mul, div         a, b, as NumPy broadcasts                        clamp
    matmul           a [..., M, K], b [..., K, N]                     transposed: b is [..., N, K]; clamp
    minimum, maximum a, b, as NumPy broadcasts                        clamp
    function         input       expression (compiler/functions.py), applied to each element
    avg_pool2d       input       kernel, stride, padding, count_include_pad
    max_pool2d       input       kernel, stride, padding, dilation, clamp
    avg_pool1d, max_pool1d       the same with one spatial axis
    adaptive_avg_pool2d          output_size, clamp; adaptive_avg_pool1d with one spatial axis
    mean, sum, amax, amin        axes, keepdim
    argmax, argmin   input       axes (one), keepdim; int32, where PyTorch has int64
    clamp            input       clamp
    softmax, log_softmax         axis
    normalise        input       positions, groups, depth, factor, offset, epsilon, centred (kernels/normalise)
    group_norm       input       groups, factor, offset (float64 [C]), epsilon, centred
    pad              input       before, after (one number per axis), value
    reshape          input       shape
    concat           inputs...   axis
    take             input       indices: per axis the indices taken, None for all in order
    permute          input       permutation: axis i of the output is axis permutation[i] of the input
    identity         input
    copy             input       an output of the model that is an input or a constant (passes/copy_given.py)
    quantize         float -> int8 or int16; the scale and zero point are those of the output's type
    dequantize       int8 or int16 -> float; the scale and zero point are those of the input's type, or, for weights,
                     attributes scale (float64 array along `axis`) and axis
    requantize       int16 -> int8 or int16, int8 -> int16; scales and zero points are those of the types

padding is (top, left, bottom, right); clamp is (minimum, maximum) in real numbers, None for no bound; stride, dilation and
kernel are (h, w).
After passes/turn_transposed.py there is no conv_transpose2d, but conv2d may have `spread`: its input's pixels lie that far apart,
zeros between, and then padding may be negative.
After passes/nhwc.py `layout` = "NHWC" marks conv2d, pools, group norms and copies (weight [O, KH, KW, I/groups]); after
passes/fold_quantization.py conv2d and linear carry weight_scale, a float64 array [O].
"""

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from compiler.errors import CompileError, Source
from kernels.operator import TensorType


@dataclasses.dataclass(frozen=True)
class Node:
    """One use of an operator. `name` is the layer's path in the user's model, unique in the graph."""

    name: str
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    source: Source | None = None

    @property
    def output(self) -> str:
        (only,) = self.outputs
        return only

    def with_attributes(self, **changes: Any) -> "Node":
        return dataclasses.replace(self, attributes={**self.attributes, **changes})

    def error(self, reason: str) -> CompileError:
        return CompileError(reason, layer=self.name, source=self.source)


CONVERSIONS = {"quantize", "dequantize", "requantize"}
"""Operators that only change how numbers are written."""


@dataclasses.dataclass(frozen=True)
class Port:
    """An input or output of the model.

    `name` is the user's, `tensor` the graph's. Axis i of `tensor` is axis permutation[i] of what the user's model takes or
    gives: (0, 2, 3, 1) where the user wrote NCHW and the firmware has NHWC.
    """

    name: str
    tensor: str
    permutation: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class State:
    """What lasts from run to run under a name of the user's: before the first run it is `first`, real numbers (float32) laid out as
    in the user's model."""

    name: str
    first: np.ndarray


@dataclasses.dataclass(frozen=True)
class Graph:
    """The last inputs and outputs are the states, in their order: what each is when a run begins and when it ends. The caller sees
    none of them."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    nodes: tuple[Node, ...]
    types: Mapping[str, TensorType]
    constants: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)
    method: str = "forward"
    states: tuple[State, ...] = ()

    @cached_property
    def _producers(self) -> dict[str, Node]:
        return {tensor: node for node in self.nodes for tensor in node.outputs}

    @cached_property
    def _readers(self) -> dict[str, tuple[Node, ...]]:
        readers: dict[str, list[Node]] = {}
        for node in self.nodes:
            for tensor in dict.fromkeys(node.inputs):
                readers.setdefault(tensor, []).append(node)
        return {tensor: tuple(nodes) for tensor, nodes in readers.items()}

    @cached_property
    def input_tensors(self) -> frozenset[str]:
        return frozenset(port.tensor for port in self.inputs)

    @cached_property
    def output_tensors(self) -> frozenset[str]:
        return frozenset(port.tensor for port in self.outputs)

    @property
    def called_inputs(self) -> tuple[Port, ...]:
        """Those that the caller gives."""
        return self.inputs[: len(self.inputs) - len(self.states)]

    @property
    def called_outputs(self) -> tuple[Port, ...]:
        """Those that the caller gets."""
        return self.outputs[: len(self.outputs) - len(self.states)]

    @property
    def state_inputs(self) -> tuple[Port, ...]:
        return self.inputs[len(self.inputs) - len(self.states) :]

    @property
    def state_outputs(self) -> tuple[Port, ...]:
        return self.outputs[len(self.outputs) - len(self.states) :]

    @cached_property
    def is_quantised(self) -> bool:
        """Whether a tensor has a scale; if none has, the model computes in float."""
        return any(type_.scale for type_ in self.types.values())

    @cached_property
    def computes_in_float(self) -> bool:
        """Whether none but conversions has to do with scales: quantised are at most inputs and outputs."""
        return not any(
            self.types[tensor].scale
            for node in self.nodes
            if node.operator not in CONVERSIONS
            for tensor in (*node.inputs, *node.outputs)
        )

    @cached_property
    def _by_name(self) -> dict[str, Node]:
        return {node.name: node for node in self.nodes}

    def node(self, name: str) -> Node | None:
        return self._by_name.get(name)

    def producer(self, tensor: str) -> Node | None:
        """The node that computes the tensor; None for inputs of the model and constants."""
        return self._producers.get(tensor)

    def readers(self, tensor: str) -> tuple[Node, ...]:
        return self._readers.get(tensor, ())

    def only_reader(self, tensor: str) -> Node | None:
        """The node that reads the tensor, if nothing else does and it is no output of the model."""
        readers = self.readers(tensor)
        return readers[0] if len(readers) == 1 and tensor not in self.output_tensors else None

    def fresh(self, wish: str) -> str:
        """A tensor name that is not taken: `wish`, or `wish` with a number."""
        return fresh_name(wish, self.types)

    def check(self) -> "Graph":
        """The graph itself; raises ValueError where it is not well formed."""
        known = set(self.constants) | self.input_tensors
        names: set[str] = set()
        for node in self.nodes:
            if node.name in names:
                raise ValueError(f"two nodes are named {node.name}")
            names.add(node.name)
            for tensor in node.inputs:
                if tensor not in known:
                    raise ValueError(f"{node.name} reads {tensor} before it is there")
            known.update(node.outputs)
        for port in self.outputs:
            if port.tensor not in known:
                raise ValueError(f"output {port.name} is {port.tensor}, which nothing computes")
        for tensor in known:
            if tensor not in self.types:
                raise ValueError(f"{tensor} has no type")
        for tensor, array in self.constants.items():
            wanted = self.types[tensor]
            if array.shape != wanted.shape or array.dtype != wanted.dtype:
                raise ValueError(f"constant {tensor} is {array.dtype}{list(array.shape)}, not {type_text(wanted)}")
        return self

    def __str__(self) -> str:
        return graph_text(self)


def fresh_name(wish: str, taken: Iterable[str]) -> str:
    taken = set(taken)
    name, number = wish, 1
    while name in taken:
        name, number = f"{wish}.{number}", number + 1
    return name


def type_text(type_: TensorType) -> str:
    shape = ",".join(map(str, type_.shape))
    quantisation = f" scale {type_.scale:.8g} zero {type_.zero_point}" if type_.scale else ""
    return f"{type_.dtype}[{shape}]{quantisation}"


def graph_text(graph: Graph) -> str:
    """The graph for the eye: one line per node."""

    def port_text(port: Port) -> str:
        return f"{port.name} = {port.tensor}: {type_text(graph.types[port.tensor])} axes {port.permutation}"

    def value_text(value: Any) -> str:
        if isinstance(value, np.ndarray):
            return f"{value.dtype}{list(value.shape)}"
        return str(value)

    lines = [f"graph {graph.name}"]
    lines += [f"  input  {port_text(port)}" for port in graph.called_inputs]
    lines += [f"  state  {port_text(port)}" for port in graph.state_inputs]
    for node in graph.nodes:
        results = ", ".join(f"{t}: {type_text(graph.types[t])}" for t in node.outputs)
        attributes = "".join(f" {key}={value_text(value)}" for key, value in sorted(node.attributes.items()))
        where = f"  # {node.source}" if node.source else ""
        lines.append(f"  {results} = {node.operator}({', '.join(node.inputs)}){attributes}{where}")
    lines += [f"  output {port_text(port)}" for port in graph.called_outputs]
    lines += [f"  state' {port_text(port)}" for port in graph.state_outputs]
    lines += [f"  constant {name}: {type_text(graph.types[name])}" for name in sorted(graph.constants)]
    return "\n".join(lines) + "\n"
