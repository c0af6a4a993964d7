"""Float rewrites before calibration for int8, of products and quotients with constants.

x * [2.5]                           ->  x * 2.5, and so with other operators of two tensors
x / c                               ->  x * (1 / c)
x * c, of a factor for each channel ->  a 1x1 depthwise convolution, if one scale for all factors would ruin the least
"""

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.functions import BINARY
from compiler.frontend.nodes import attribute
from compiler.frontend.normalise import scale_channels
from compiler.frontend.writer import Writer

aten = torch.ops.aten

SHARING = {aten.maximum.default, aten.minimum.default}  # of two tensors only

# int8 of one scale rounds the least of such factors by up to 1 / (2 * 127 / 16), 6 %; weights have a scale for each channel.
RUINOUS_RATIO = 16


def rewrite_constant_factors(module: GraphModule) -> None:
    for node in list(module.graph.nodes):
        if node.target in BINARY:
            _use_numbers(module, node)
    for node in list(module.graph.nodes):
        if node.target is aten.div.Tensor:
            _multiply_by_reciprocal(module, node)
    for node in list(module.graph.nodes):
        if node.target is aten.mul.Tensor:
            _scale_channels(module, node)
    module.graph.eliminate_dead_code()
    module.recompile()


def _use_numbers(module: GraphModule, node: Node) -> None:
    """Of a number a function is made, which is one table together with its neighbours."""
    for i, operand in enumerate(node.args[:2]):
        other = node.args[1 - i]
        if _is_constant(operand) and isinstance(other, Node) and not _is_constant(other):
            value = attribute(module, str(operand.target)).detach()
            if value.numel() == 1 and other.meta["val"].shape == node.meta["val"].shape and node.target not in SHARING:
                node.update_arg(i, value.item())


def _multiply_by_reciprocal(module: GraphModule, node: Node) -> None:
    x, divisor = node.args
    if not _is_constant(divisor) or not isinstance(x, Node):
        return
    reciprocal = attribute(module, str(divisor.target)).detach().double().reciprocal().float()
    if not reciprocal.isfinite().all():
        return  # what calibration makes of it is refused there
    writer = Writer(module, node)
    node.replace_all_uses_with(writer.call(aten.mul.Tensor, x, writer.constant(f"{node.name}_reciprocal", reciprocal)))
    module.graph.erase_node(node)


def _scale_channels(module: GraphModule, node: Node) -> None:
    constants = [operand for operand in node.args if _is_constant(operand)]
    tensors = [operand for operand in node.args if isinstance(operand, Node) and operand not in constants]
    if len(constants) != 1 or len(tensors) != 1:
        return
    (x,), factor = tensors, attribute(module, str(constants[0].target)).detach()
    shape = x.meta["val"].shape
    if len(shape) not in (2, 3, 4) or shape != node.meta["val"].shape or not _is_of_channels(factor, shape):
        return
    sizes = factor.abs()[factor != 0]
    if sizes.numel() and sizes.max() / sizes.min() > RUINOUS_RATIO:
        scale_channels(module, node, x, factor.flatten().float(), None)


def _is_of_channels(factor: torch.Tensor, shape: torch.Size) -> bool:
    """Whether it is broadcast to the shape along all axes but the second."""
    wide = (1,) * (len(shape) - factor.dim()) + tuple(factor.shape)
    return wide == (1, shape[1]) + (1,) * (len(shape) - 2)


def _is_constant(operand: object) -> bool:
    return isinstance(operand, Node) and operand.op == "get_attr"
