"""Expresses means and adaptive pools as average pools over fixed windows.

    y: [N,C] = mean(x: [N,C,H,W]) axes=(2, 3)   ->  y: [N,C,1,1] = avg_pool2d(x) kernel=(H, W)
                                                    m: [N,C] = reshape(y), which is read instead of y
    y: [N,C,2,2] = adaptive_avg_pool2d(x: [N,C,8,6]) output_size=(2, 2)  ->  y = avg_pool2d(x) kernel=(4, 3) stride=(4, 3)

Other means stay: sums with a factor. So do adaptive pools whose windows are uneven.
"""

import dataclasses

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite
from kernels.adaptive_windows import AdaptiveWindows


def means_to_pools(graph: Graph) -> Graph:
    return rewrite(graph, _mean, _adaptive_pool)


def _mean(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "mean":
        return None
    (x,) = node.inputs
    type_, result = graph.types[x], graph.types[node.output]
    rank, one_type = len(type_.shape), (type_.scale, type_.zero_point) == (result.scale, result.zero_point)
    if rank not in (3, 4) or node.attributes["axes"] != tuple(range(2, rank)) or not one_type:
        return None
    batch, channels, *spatial = type_.shape
    window = (1,) * (2 - len(spatial)) + tuple(spatial)
    image, mean = (graph.fresh(f"{node.name}.{part}") for part in ("image", "mean"))
    types = {
        image: dataclasses.replace(type_, shape=(batch, channels, *window)),
        node.output: dataclasses.replace(result, shape=(batch, channels, 1, 1)),
        mean: result,
    }
    pool = {"kernel": window, "stride": (1, 1), "padding": (0, 0, 0, 0), "count_include_pad": False}
    nodes = (
        Node(image, "reshape", (x,), (image,), {"shape": types[image].shape}, node.source),
        Node(node.name, "avg_pool2d", (image,), node.outputs, pool, node.source),
        Node(mean, "reshape", node.outputs, (mean,), {"shape": types[mean].shape}, node.source),
    )
    return Rewrite(nodes=nodes, types=types, renamed={node.output: mean})


def _adaptive_pool(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator not in ("adaptive_avg_pool1d", "adaptive_avg_pool2d"):
        return None
    sizes = graph.types[node.inputs[0]].shape[2:]
    windows = [AdaptiveWindows(*both) for both in zip(sizes, node.attributes["output_size"])]
    if any(each.step is None for each in windows):
        return None
    kernel, stride = (tuple(numbers) for numbers in zip(*((each.sizes[0], each.step) for each in windows)))
    attributes = {"kernel": kernel, "stride": stride, "padding": (0,) * 2 * len(kernel), "count_include_pad": False}
    return Rewrite(nodes=(dataclasses.replace(node, operator=node.operator.removeprefix("adaptive_"), attributes=attributes),))
