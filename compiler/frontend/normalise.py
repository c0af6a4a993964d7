"""Float rewrites before quantisation, so that neighbours which belong together stand next to each other."""

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.capture import attribute

aten = torch.ops.aten

# Operators that return their first argument as it is, in a model that is not being trained.
IDENTITIES = {
    aten.alias.default,
    aten.clone.default,
    aten.contiguous.default,
    aten.detach.default,
    aten.dropout.default,
    aten.dropout_.default,
    aten.feature_dropout.default,
}


def remove_identities(module: GraphModule) -> None:
    """conv → dropout → relu becomes conv → relu."""
    for node in list(module.graph.nodes):
        if node.op == "call_function" and _is_identity(node):
            node.replace_all_uses_with(node.args[0])
            module.graph.erase_node(node)
    module.graph.eliminate_dead_code()
    module.recompile()


def _is_identity(node: Node) -> bool:
    if node.target in {aten.to.dtype, aten._to_copy.default, aten.to.dtype_layout}:
        return node.meta["val"].dtype == node.args[0].meta["val"].dtype
    return node.target in IDENTITIES


def batch_norms_as_convolutions(module: GraphModule) -> None:
    """A batch norm that no convolution or linear layer before it could take in becomes a 1x1 depthwise convolution."""
    for node in list(module.graph.nodes):
        if node.op == "call_function" and node.target is aten.batch_norm.default and node.args[0].meta["val"].dim() in (3, 4):
            _replace_batch_norm(module, node)
    module.graph.eliminate_dead_code()
    module.recompile()


def _replace_batch_norm(module: GraphModule, node: Node) -> None:
    x, gamma, beta, mean, variance, _, _, epsilon, _ = node.args
    channels, rank = x.meta["val"].shape[1], x.meta["val"].dim()

    def value(argument: Node | None, default: float) -> torch.Tensor:
        if argument is None:
            return torch.full((channels,), default)
        return attribute(module, str(argument.target))

    with torch.no_grad():
        factor = value(gamma, 1.0) / torch.sqrt(value(variance, 1.0) + epsilon)
        offset = value(beta, 0.0) - value(mean, 0.0) * factor
    convolution = aten.conv2d.default if rank == 4 else aten.conv1d.default
    ones = [1] * (rank - 2)
    with module.graph.inserting_before(node):
        weight = _constant(module, f"{node.name}_factor", factor.detach().reshape(channels, 1, *ones).clone())
        bias = _constant(module, f"{node.name}_offset", offset.detach().clone())
        new = module.graph.call_function(convolution, (x, weight, bias, ones, [0] * len(ones), ones, channels))
    new.meta = dict(node.meta)
    node.replace_all_uses_with(new)
    module.graph.erase_node(node)


def _constant(module: GraphModule, name: str, value: torch.Tensor) -> Node:
    module.register_buffer(name, value)
    return module.graph.get_attr(name)
