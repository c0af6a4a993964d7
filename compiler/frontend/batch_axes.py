"""A float rewrite before quantisation: convolutions and pools of an image, or a sequence, without a batch axis get one.

conv2d(x: [C, H, W], w)   ->  squeeze(conv2d(unsqueeze(x), w)); so do all of AXES
"""

import torch
from torch.fx import GraphModule

from compiler.frontend.writer import Writer

aten = torch.ops.aten

AXES = {
    aten.adaptive_avg_pool1d.default: 1,
    aten.adaptive_avg_pool2d.default: 2,
    aten.avg_pool1d.default: 1,
    aten.avg_pool2d.default: 2,
    aten.conv1d.default: 1,
    aten.conv1d.padding: 1,
    aten.conv2d.default: 2,
    aten.conv2d.padding: 2,
    aten.conv_transpose1d.default: 1,
    aten.conv_transpose2d.input: 2,
    aten.max_pool1d.default: 1,
    aten.max_pool2d.default: 2,
}
"""Operators and their spatial axes, besides which their input has channels, and may have a batch."""


def give_batch_axes(module: GraphModule) -> None:
    for node in list(module.graph.nodes):
        if node.target not in AXES or node.args[0].meta["val"].dim() == AXES[node.target] + 2:
            continue
        writer = Writer(module, node)
        batch = writer.call(node.target, writer.call(aten.unsqueeze.default, node.args[0], 0), *node.args[1:])
        node.replace_all_uses_with(writer.call(aten.squeeze.dim, batch, 0))
        module.graph.erase_node(node)
    module.recompile()
