"""Computes at compile time what does not depend on the model's inputs: weight * 2, a weight norm, arange(6), torch.tensor([1, 2])."""

import operator
from typing import Any

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.functions import BINARY
from compiler.frontend.nodes import attribute, is_finite_or_mask, node_error
from compiler.frontend.user_code import UserCode
from compiler.frontend.writer import Writer


def fold_constants(module: GraphModule, code: UserCode) -> None:
    """Before anything else looks for weights. What parameters go into is a parameter, so that it can be trained.

    Raises CompileError if a value is NaN or infinite.
    """
    values: dict[Node, Any] = {}
    trainable: set[Node] = set()
    for node in list(module.graph.nodes):
        if node.op == "get_attr":
            values[node] = attribute(module, str(node.target))
            is_trainable = isinstance(values[node], torch.nn.Parameter)
        elif _can_be_computed(node) and all(operand in values for operand in node.all_input_nodes):
            values[node] = _value(node, values)
            is_trainable = any(operand in trainable for operand in node.all_input_nodes)
        else:
            continue
        if is_trainable:
            trainable.add(node)
    computed = [node for node in values if node.op == "call_function"]
    for node in computed:
        readers = [user for user in node.users if user not in values]
        if readers and isinstance(values[node], torch.Tensor):
            _replace(module, node, values[node], node in trainable, readers, code)
    for node in reversed(computed):
        if not node.users:  # assertions too, which eliminate_dead_code would leave
            module.graph.erase_node(node)
    _make_operands_floats(module)
    module.graph.eliminate_dead_code()
    module.recompile()


def _make_operands_floats(module: GraphModule) -> None:
    """In x + arange(4), x / image_size: PyTorch converts constants to what it computes in."""
    for node in list(module.graph.nodes):
        for operand in node.all_input_nodes if node.target in BINARY else ():
            dtype = node.meta["val"].dtype
            if operand.op == "get_attr" and dtype.is_floating_point and operand.meta["val"].dtype != dtype:
                value = attribute(module, str(operand.target)).detach().to(dtype)
                node.replace_input_with(operand, Writer(module, node).constant(f"{node.name}_{operand.name}", value))


def _can_be_computed(node: Node) -> bool:
    if node.target is operator.getitem:
        return True
    return isinstance(node.target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded not in node.target.tags


def _value(node: Node, values: dict[Node, Any]) -> Any:
    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), values.__getitem__)
    with torch.no_grad():
        return node.target(*args, **kwargs)


def _replace(module: GraphModule, node: Node, value: torch.Tensor, trainable: bool, readers: list[Node], code: UserCode) -> None:
    if not is_finite_or_mask(value):
        raise node_error(node, code, "its result, which does not depend on the model's inputs, holds NaN or infinity")
    # A copy, as the value may lie in a parameter's memory.
    value = value.detach().clone(memory_format=torch.contiguous_format)
    constant = Writer(module, node).constant(f"{node.name}_value", torch.nn.Parameter(value) if trainable else value)
    constant.meta = dict(node.meta)
    for reader in readers:
        reader.replace_input_with(node, constant)
