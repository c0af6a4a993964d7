"""Float rewrites before quantisation, so that neighbours which belong together stand next to each other."""

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.nodes import attribute, node_error
from compiler.frontend.user_code import UserCode
from compiler.frontend.writer import Writer

aten = torch.ops.aten

CONVOLUTIONS = {
    aten.conv1d.default,
    aten.conv1d.padding,
    aten.conv2d.default,
    aten.conv2d.padding,
    aten.conv_transpose1d.default,
    aten.conv_transpose2d.input,
}

# Operators that return their first argument as it is, in a model that is not being trained.
IDENTITIES = {
    aten.alias.default,
    aten.clone.default,
    aten.contiguous.default,
    aten.detach.default,
    aten.dropout.default,
    aten.feature_dropout.default,
}


def remove_identities(module: GraphModule) -> None:
    """conv → dropout → relu becomes conv → relu."""
    for node in list(module.graph.nodes):
        if node.op == "call_function" and _is_identity(node):
            node.replace_all_uses_with(node.args[0])
            module.graph.erase_node(node)
        elif node.target is aten._assert_tensor_metadata.default:  # stands before each conversion
            module.graph.erase_node(node)
    module.graph.eliminate_dead_code()
    module.recompile()


def reshape_views(module: GraphModule) -> None:
    """A view may stand behind a contiguous() that is there no more."""
    for node in module.graph.nodes:
        if node.target is aten.view.default:
            node.target = aten.reshape.default
    module.recompile()


def _is_identity(node: Node) -> bool:
    if node.target in {aten.to.dtype, aten._to_copy.default, aten.to.dtype_layout}:
        return node.meta["val"].dtype == node.args[0].meta["val"].dtype
    return node.target in IDENTITIES


def view_given_outputs(module: GraphModule) -> None:
    """Outputs that are inputs or constants become views of them, which are quantised as other results are."""
    (output,) = (node for node in module.graph.nodes if node.op == "output")
    for given in [node for node in output.all_input_nodes if node.op in ("placeholder", "get_attr")]:
        view = Writer(module, output).call(aten.view.default, given, list(given.meta["val"].shape))
        view.meta = {key: value for key, value in given.meta.items() if key != "tensor_meta"}
        output.replace_input_with(given, view)
    module.recompile()


def batch_norms_as_convolutions(module: GraphModule, code: UserCode) -> None:
    """A batch norm that no convolution or linear layer before it can take in becomes a 1x1 depthwise convolution. Raises CompileError."""
    for node in list(module.graph.nodes):
        if node.op == "call_function" and node.target is aten.batch_norm.default:
            _check_statistics(module, node, code)
            if not _can_be_folded(node):
                _replace_batch_norm(module, node)
    module.graph.eliminate_dead_code()
    module.recompile()


def _check_statistics(module: GraphModule, norm: Node, code: UserCode) -> None:
    _, _, _, mean, variance, of_batch, _, epsilon, _ = norm.args
    if of_batch or mean is None or variance is None:
        raise node_error(norm, code, "a batch norm of each batch's own statistics is not supported: it needs running statistics")
    if not (attribute(module, str(variance.target)) + epsilon > 0).all():
        raise node_error(norm, code, "its running_var and eps make a variance that is not positive")


def _can_be_folded(norm: Node) -> bool:
    """Whether a layer in front computes for the norm alone, with weights that are used nowhere else or always before the same norm.

    PT2E folds norms into layers without asking.
    """
    layer = norm.args[0]
    if layer.target is aten.linear.default:
        suits = layer.meta["val"].dim() == 2
    else:
        suits = layer.target in CONVOLUTIONS
    return suits and all(
        [user.target for user in reader.users] == [aten.batch_norm.default] and _parameters(next(iter(reader.users))) == _parameters(norm)
        for reader in _readers_of_weight(layer)
    )


def _readers_of_weight(layer: Node) -> list[Node]:
    weight = layer.args[1]
    return [user for node in layer.graph.nodes if node.op == weight.op and node.target == weight.target for user in node.users]


def _parameters(norm: Node) -> list[str]:
    return [str(getattr(argument, "target", argument)) for argument in norm.args[1:]]


def _replace_batch_norm(module: GraphModule, node: Node) -> None:
    x, gamma, beta, mean, variance, _, _, epsilon, _ = node.args
    channels = x.meta["val"].shape[1]

    def value(argument: Node | None, default: float) -> torch.Tensor:
        if argument is None:
            return torch.full((channels,), default)
        return attribute(module, str(argument.target))

    with torch.no_grad():
        factor = value(gamma, 1.0) / torch.sqrt(value(variance, 1.0) + epsilon)
        offset = value(beta, 0.0) - value(mean, 0.0) * factor
    scale_channels(module, node, x, factor.detach(), offset.detach())


def scale_channels(module: GraphModule, node: Node, x: Node, factor: torch.Tensor, offset: torch.Tensor | None) -> None:
    """Puts a 1x1 depthwise convolution, x * factor + offset, in the node's place. x: [N, C, ...], rank 2 to 4; factor, offset: [C]."""
    channels, rank = x.meta["val"].shape[1], x.meta["val"].dim()
    convolution = aten.conv2d.default if rank == 4 else aten.conv1d.default
    ones = [1] * max(rank - 2, 1)
    writer = Writer(module, node)
    weight = writer.constant(f"{node.name}_factor", factor.reshape(channels, 1, *ones).clone())
    bias = None if offset is None else writer.constant(f"{node.name}_offset", offset.clone())
    if rank == 2:
        x = writer.call(aten.unsqueeze.default, x, 2)
    new = writer.call(convolution, x, weight, bias, ones, [0] * len(ones), ones, channels)
    if rank == 2:
        new = writer.call(aten.squeeze.dim, new, 2)
    node.replace_all_uses_with(new)
    module.graph.erase_node(node)

