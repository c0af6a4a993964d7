"""Makes a function of several operators several nodes, for models that compute in float: int8 has one table whatever the function.

y = function(x) expression=("mul", "x", ("sigmoid", "x"))   ->  s = function(x) expression=("sigmoid", "x"); y = mul(x, s)
y = function(x) expression=("add", "x", 3.0)                ->  y = add(x, c), c a constant of one element
y = function(x) expression=("sub", 1.0, "x")                ->  y = add(c, x) alpha=-1.0
y = function(x) expression=("clamp", "x", 0.0, 6.0)         ->  y = clamp(x) clamp=(0.0, 6.0)
y = function(x) expression=("pow", "x", 2.0)                ->  y = mul(x, x)

What occurs twice in an expression is computed once.
"""

import dataclasses
from typing import Any

import numpy as np

from compiler.functions import ARGUMENT, Expression, evaluate, substituted
from compiler.ir import Graph, Node, fresh_name
from compiler.rewrite import Rewrite, rewrite
from kernels.operator import TensorType

# What other operators compute of x, which have float kernels.
_COMPOSED: dict[str, Expression] = {
    "cosh": ("mul", 0.5, ("add", ("exp", "x"), ("exp", ("neg", "x")))),
    "sign": ("clamp", ("mul", "x", 3e38), -1.0, 1.0),
    "sinh": ("mul", 0.5, ("sub", ("expm1", "x"), ("expm1", ("neg", "x")))),
}

BINARY = {"add", "div", "maximum", "minimum", "mul", "sub"}

# x to some powers, by operators that there are.
_POWERS: dict[float, Expression] = {
    -2.0: ("div", 1.0, ("mul", "x", "x")),
    -1.0: ("div", 1.0, "x"),
    -0.5: ("rsqrt", "x"),
    0.5: ("sqrt", "x"),
    1.0: "x",
    2.0: ("mul", "x", "x"),
    3.0: ("mul", ("mul", "x", "x"), "x"),
    4.0: ("mul", ("mul", "x", "x"), ("mul", "x", "x")),
}


def expand_functions(graph: Graph) -> Graph:
    return rewrite(graph, _expand)


def _expand(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "function" or _is_single(node.attributes["expression"]):
        return None
    return _Expansion(graph, node).rewrite()


def _is_single(expression: Expression) -> bool:
    """Whether it is one operator on the argument, other than those that have nodes of their own."""
    if not isinstance(expression, tuple):
        return False
    operator, operand, *numbers = expression
    if operator in BINARY or operator in _COMPOSED or operator == "clamp" or (operator == "pow" and numbers[0] in _POWERS):
        return False
    return operand == ARGUMENT


class _Expansion:
    """Nodes in place of one; the last has its name and gives its result."""

    def __init__(self, graph: Graph, node: Node):
        self.graph = graph
        self.node = node
        self.nodes: list[Node] = []
        self.types: dict[str, TensorType] = {}
        self.constants: dict[str, np.ndarray] = {}
        self.known: dict[Expression, str] = {ARGUMENT: node.inputs[0]}

    def rewrite(self) -> Rewrite:
        result = self._tensor(self.node.attributes["expression"])
        if not self.nodes or self.nodes[-1].output != result:
            return Rewrite(tuple(self.nodes), self.types, self.constants, renamed={self.node.output: result})
        last = dataclasses.replace(self.nodes[-1], name=self.node.name, outputs=self.node.outputs)
        return Rewrite((*self.nodes[:-1], last), self.types, self.constants)

    def _tensor(self, expression: Expression) -> str:
        """The tensor that holds the expression's value."""
        if expression not in self.known:
            self.known[expression] = self._computed(expression) if isinstance(expression, tuple) else self._constant(expression)
        return self.known[expression]

    def _computed(self, expression: Expression) -> str:
        operator, *operands = expression
        if not any(isinstance(operand, (str, tuple)) for operand in operands):
            return self._tensor(evaluate(expression, 0.0))
        if operator == "pow" and operands[1] in _POWERS:
            return self._tensor(substituted(_POWERS[operands[1]], operands[0]))
        if operator in _COMPOSED:
            return self._tensor(substituted(_COMPOSED[operator], operands[0]))
        if operator == "clamp":
            return self._node("clamp", operands[:1], clamp=tuple(None if np.isinf(bound) else bound for bound in operands[1:]))
        if operator in ("mul", "div") and operands[1] == 1:
            return self._tensor(operands[0])
        if operator == "mul" and operands[0] == 1:
            return self._tensor(operands[1])
        if operator == "sub" and not isinstance(operands[1], (str, tuple)):
            return self._node("add", [operands[0], -operands[1]])
        if operator == "sub":
            return self._node("add", operands, alpha=-1.0)
        if operator in BINARY:
            return self._node(operator, operands)
        return self._node("function", operands[:1], expression=(operator, ARGUMENT, *operands[1:]))

    def _node(self, operator: str, operands: list[Expression], **attributes: Any) -> str:
        inputs = tuple(self._tensor(operand) for operand in operands)
        step = attributes["expression"][0] if operator == "function" else operator
        name = fresh_name(f"{self.node.name}.{step}", {*self.graph.types, *self.types})
        self.types[name] = self.graph.types[self.node.output]
        self.nodes.append(Node(name, operator, inputs, (name,), attributes, self.node.source))
        return name

    def _constant(self, value: float) -> str:
        name = fresh_name(f"{self.node.name}.number", {*self.graph.types, *self.types})
        self.types[name] = TensorType((), "float32")
        self.constants[name] = np.array(value, np.float32)
        return name
