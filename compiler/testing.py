"""Writes graphs in tests, one line per node."""

from typing import Any

import numpy as np

from compiler.errors import Source
from compiler.ir import Graph, Node, Port
from kernels.operator import TensorType


def int8(*shape: int, scale: float = 0.5, zero_point: int = 0) -> TensorType:
    return TensorType(shape, "int8", scale, zero_point)


def float32(*shape: int) -> TensorType:
    return TensorType(shape, "float32")


class GraphBuilder:
    """Every method returns the name of the tensor it adds."""

    def __init__(self) -> None:
        self.inputs: list[Port] = []
        self.nodes: list[Node] = []
        self.types: dict[str, TensorType] = {}
        self.constants: dict[str, np.ndarray] = {}

    def input(self, name: str, type_: TensorType) -> str:
        self.inputs.append(Port(name, name, tuple(range(len(type_.shape)))))
        self.types[name] = type_
        return name

    def constant(self, name: str, array: np.ndarray) -> str:
        self.types[name] = TensorType(array.shape, str(array.dtype))
        self.constants[name] = array
        return name

    def node(self, name: str, operator: str, inputs: list[str], type_: TensorType, **attributes: Any) -> str:
        source = Source("model.py", len(self.nodes) + 1)
        self.nodes.append(Node(name, operator, tuple(inputs), (name,), attributes, source))
        self.types[name] = type_
        return name

    def conv2d(self, name: str, x: str, weight: np.ndarray, type_: TensorType, **attributes: Any) -> str:
        """A convolution with stride 1, no padding and a bias of zeros, unless attributes say otherwise."""
        inputs = [x, self.constant(f"{name}.weight", weight), self.constant(f"{name}.bias", np.zeros(len(weight), np.float32))]
        defaults = {"stride": (1, 1), "padding": (0, 0, 0, 0), "dilation": (1, 1), "groups": 1}
        if weight.dtype == np.int8:
            defaults["weight_scale"] = np.full(len(weight), 0.25)
        return self.node(name, "conv2d", inputs, type_, **{**defaults, **attributes})

    def linear(self, name: str, x: str, weight: np.ndarray, type_: TensorType, **attributes: Any) -> str:
        inputs = [x, self.constant(f"{name}.weight", weight), self.constant(f"{name}.bias", np.zeros(len(weight), np.float32))]
        defaults = {"weight_scale": np.full(len(weight), 0.25)} if weight.dtype == np.int8 else {}
        return self.node(name, "linear", inputs, type_, **{**defaults, **attributes})

    def graph(self, *outputs: str) -> Graph:
        ports = tuple(Port(tensor, tensor, tuple(range(len(self.types[tensor].shape)))) for tensor in outputs)
        return Graph("test", tuple(self.inputs), ports, tuple(self.nodes), self.types, self.constants).check()


def operators(graph: Graph) -> list[str]:
    """The graph's operators in order."""
    return [node.operator for node in graph.nodes]


def node_named(graph: Graph, name: str) -> Node:
    return next(node for node in graph.nodes if node.name == name)
