"""Float rewrites before quantisation: linear, bilinear and bicubic upsampling, of any factor, whatever becomes of corners.

Along an axis each is a constant linear map; so

    y = upsample(x: [N,C,H,W])   ->  linear layers without bias along W, then along H between transposes; along axes that change
"""

import torch
from torch.fx import GraphModule, Node

from compiler.frontend.writer import Writer

aten = torch.ops.aten

RESAMPLING = {
    aten._upsample_bicubic2d_aa.vec,
    aten._upsample_bilinear2d_aa.vec,
    aten.upsample_bicubic2d.vec,
    aten.upsample_bilinear2d.vec,
    aten.upsample_linear1d.vec,
}


def map_resampling(module: GraphModule) -> None:
    for node in list(module.graph.nodes):
        if node.target in RESAMPLING:
            _map(module, node)
    module.graph.eliminate_dead_code()
    module.recompile()


def _map(module: GraphModule, node: Node) -> None:
    writer = Writer(module, node)
    result = node.args[0]
    last = result.meta["val"].dim() - 1
    for axis in range(last, 1, -1):
        matrix = _matrix(node, axis)
        if torch.equal(matrix, torch.eye(len(matrix))):
            continue
        weight = writer.constant(f"{node.name}_along_{axis}", matrix)
        if axis != last:
            result = writer.call(aten.transpose.int, result, axis, last)
        result = writer.call(aten.linear.default, result, weight)
        if axis != last:
            result = writer.call(aten.transpose.int, result, axis, last)
    node.replace_all_uses_with(result)
    module.graph.erase_node(node)


def _matrix(node: Node, axis: int) -> torch.Tensor:
    """[pixels of the result, pixels of the input] along the axis; PyTorch is asked what it makes of each single pixel."""
    shape = list(node.args[0].meta["val"].shape)
    size = shape[axis]
    shape[:2] = 1, size
    pixels = torch.eye(size).reshape([1, size, *(size if i == axis else 1 for i in range(2, len(shape)))])
    results = node.target(pixels.expand(shape), *node.args[1:], **node.kwargs)
    return results[(0, slice(None), *(slice(None) if i == axis else 0 for i in range(2, len(shape))))].T.contiguous()
