"""Which parts of an exported model are functions of a single tensor, element by element: x * sigmoid(x), relu6(x + 3) / 6, ...

Such a part becomes one table of 256 results (compiler/functions.py), so nothing in it is quantised but its input and its result.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.fx import Graph, Node

from compiler.functions import Expression

aten = torch.ops.aten

Arguments = Mapping[str, Any]

# Klambauer et al., Self-Normalizing Neural Networks, 2017.
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def _named(name: str, *numbers: str) -> Callable[[Arguments], Expression]:
    """The operator `name` of x and of these arguments of the call."""
    return lambda arguments: (name, "x", *(float(arguments[number]) for number in numbers))


def _gelu(arguments: Arguments) -> Expression:
    return ("gelu" if arguments["approximate"] == "none" else "gelu_by_tanh", "x")


UNARY: Mapping[Any, Callable[[Arguments], Expression]] = {
    aten.abs.default: _named("abs"),
    aten.atan.default: _named("atan"),
    aten.ceil.default: lambda _: ("neg", ("floor", ("neg", "x"))),
    aten.celu.default: lambda a: ("elu", "x", float(a["alpha"]), 1.0, 1 / float(a["alpha"])),
    aten.cos.default: _named("cos"),
    aten.cosh.default: _named("cosh"),
    aten.elu.default: _named("elu", "alpha", "scale", "input_scale"),
    aten.erf.default: _named("erf"),
    aten.exp.default: _named("exp"),
    aten.exp2.default: lambda _: ("exp", ("mul", "x", math.log(2))),
    aten.expm1.default: _named("expm1"),
    aten.floor.default: _named("floor"),
    aten.gelu.default: _gelu,
    aten.hardsigmoid.default: _named("hardsigmoid"),
    aten.hardswish.default: _named("hardswish"),
    aten.leaky_relu.default: _named("leaky_relu", "negative_slope"),
    aten.log.default: _named("log"),
    aten.log10.default: lambda _: ("mul", ("log", "x"), 1 / math.log(10)),
    aten.log1p.default: _named("log1p"),
    aten.log2.default: lambda _: ("mul", ("log", "x"), 1 / math.log(2)),
    aten.log_sigmoid.default: lambda _: ("neg", ("softplus", ("neg", "x"), 1.0, 20.0)),
    aten.mish.default: _named("mish"),
    aten.neg.default: _named("neg"),
    aten.pow.Tensor_Scalar: _named("pow", "exponent"),
    aten.reciprocal.default: lambda _: ("div", 1.0, "x"),
    aten.round.default: _named("round"),
    aten.rsqrt.default: _named("rsqrt"),
    aten.rsub.Scalar: lambda a: ("sub", float(a["other"]), ("mul", "x", float(a["alpha"]))),
    aten.selu.default: lambda _: ("elu", "x", SELU_ALPHA, SELU_SCALE, 1.0),
    aten.sigmoid.default: _named("sigmoid"),
    aten.sign.default: _named("sign"),
    aten.silu.default: _named("silu"),
    aten.sin.default: _named("sin"),
    aten.sinh.default: _named("sinh"),
    aten.softplus.default: _named("softplus", "beta", "threshold"),
    aten.sqrt.default: _named("sqrt"),
    aten.square.default: lambda _: ("mul", "x", "x"),
    aten.tanh.default: _named("tanh"),
}

BINARY: Mapping[Any, str] = {
    aten.add.Tensor: "add",
    aten.div.Tensor: "div",
    aten.maximum.default: "maximum",
    aten.minimum.default: "minimum",
    aten.mul.Tensor: "mul",
    aten.sub.Tensor: "sub",
}
"""Operators of two tensors or of a tensor and a number."""

CLAMPS = {
    aten.clamp.default,
    aten.clamp_max.default,
    aten.clamp_min.default,
    aten.hardtanh.default,
    aten.relu.default,
    aten.relu6.default,
}


def scalar_expression(operator: str, operands: tuple[Any, Any], alpha: float) -> Expression:
    """A binary operator of a tensor and a number."""
    first, second = ("x" if isinstance(operand, Node) else float(operand) for operand in operands)
    if alpha != 1:
        second = ("mul", second, float(alpha))
    return (operator, first, second)


def function_origins(graph: Graph) -> dict[Node, Node]:
    """For each node that is a function of one tensor: that tensor, as far up the graph as can be.

    A clamp is such a function only behind another one; elsewhere it is fused with what it follows.
    """
    origins: dict[Node, Node] = {}
    for node in graph.nodes:
        if node.target in UNARY or (node.target in CLAMPS and node.args[0] in origins):
            operands = [node.args[0]]
        elif node.target in BINARY:
            operands = [operand for operand in node.args[:2] if isinstance(operand, Node)]
        else:
            continue
        found = {origins.get(operand, operand) for operand in operands}
        if len(found) == 1:
            origins[node] = found.pop()
    return origins


def is_inside(node: Node, origins: Mapping[Node, Node]) -> bool:
    """Whether the node is a function whose result only goes into further functions of the same tensor."""
    return node in origins and all(origins.get(user) is origins[node] for user in node.users)
