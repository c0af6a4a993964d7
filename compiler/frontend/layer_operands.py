"""Layers whose weights or biases depend on the model's inputs: what can be computed by other operators is, the rest is refused.

linear(x, w)                ->  matmul(x, transpose(w)), of weights that are no constants
linear(x, w, b), conv(...)  ->  linear(x, w) + b, of biases that are no constants
"""

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.nodes import node_error
from compiler.frontend.normalise import CONVOLUTIONS
from compiler.frontend.user_code import UserCode
from compiler.frontend.writer import Writer

aten = torch.ops.aten


def use_constant_weights(module: GraphModule, code: UserCode) -> None:
    """After fold_constants. Raises CompileError."""
    for node in list(module.graph.nodes):
        if node.target in CONVOLUTIONS | {aten.linear.default}:
            _layer(module, node, code)
        elif node.target is aten.batch_norm.default and not all(map(_is_constant, node.args[1:5])):
            raise node_error(node, code, "a batch norm's factors and statistics must not depend on the model's inputs")
    module.graph.eliminate_dead_code()
    module.recompile()


def _layer(module: GraphModule, node: Node, code: UserCode) -> None:
    x, weight, bias, *settings = (*node.args, None)[: max(len(node.args), 3)]
    if _is_constant(weight) and _is_constant(bias):
        return
    writer = Writer(module, node)
    if _is_constant(weight):
        new = writer.call(node.target, x, weight, None, *settings)
    elif node.target is aten.linear.default:
        new = writer.call(aten.matmul.default, x, writer.call(aten.transpose.int, weight, -2, -1))
    else:
        raise node_error(node, code, "a convolution's weights must not depend on the model's inputs")
    if bias is not None:
        axes = 0 if node.target is aten.linear.default else node.meta["val"].dim() - 2
        spread = writer.call(aten.view.default, bias, [-1] + [1] * axes) if axes else bias
        new = writer.call(aten.add.Tensor, new, spread)
    node.replace_all_uses_with(new)
    module.graph.erase_node(node)


def _is_constant(operand: Node | None) -> bool:
    return operand is None or operand.op == "get_attr"
