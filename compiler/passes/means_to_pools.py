"""Expresses means and adaptive pools as average pools over fixed windows.

    y: [N,C] = mean(x: [N,C,H,W]) axes=(2, 3)   ->  y: [N,C,1,1] = avg_pool2d(x) kernel=(H, W)
                                                    m: [N,C] = reshape(y), which is read instead of y
    y: [N,C,2,2] = adaptive_avg_pool2d(x: [N,C,8,6]) output_size=(2, 2)  ->  y = avg_pool2d(x) kernel=(4, 3) stride=(4, 3)

A mean over other axes is permuted so that they come last. Only the batch axis is never averaged.
"""

import dataclasses
import math

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite


def means_to_pools(graph: Graph) -> Graph:
    return rewrite(graph, _mean, _adaptive_pool)


def _mean(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "mean":
        return None
    (x,) = node.inputs
    type_ = graph.types[x]
    reduced = node.attributes["axes"]
    if 0 in reduced or len(reduced) > 2:
        return None
    kept = tuple(axis for axis in range(1, len(type_.shape)) if axis not in reduced)
    order = (0, *kept, *reduced)
    window = tuple(type_.shape[axis] for axis in reduced)
    window = (1,) * (2 - len(window)) + window
    channels = math.prod(type_.shape[axis] for axis in kept)

    permuted, image, mean = (graph.fresh(f"{node.name}.{part}") for part in ("permuted", "image", "mean"))
    batch = type_.shape[0]
    types = {
        permuted: dataclasses.replace(type_, shape=tuple(type_.shape[axis] for axis in order)),
        image: dataclasses.replace(type_, shape=(batch, channels, *window)),
        node.output: dataclasses.replace(graph.types[node.output], shape=(batch, channels, 1, 1)),
        mean: graph.types[node.output],
    }
    pool = {"kernel": window, "stride": (1, 1), "padding": (0, 0, 0, 0), "count_include_pad": False}
    nodes = (
        Node(permuted, "permute", (x,), (permuted,), {"permutation": order}, node.source),
        Node(image, "reshape", (permuted,), (image,), {"shape": types[image].shape}, node.source),
        Node(node.name, "avg_pool2d", (image,), node.outputs, pool, node.source),
        Node(mean, "reshape", node.outputs, (mean,), {"shape": types[mean].shape}, node.source),
    )
    return Rewrite(nodes=nodes, types=types, renamed={node.output: mean})


def _adaptive_pool(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator not in ("adaptive_avg_pool1d", "adaptive_avg_pool2d"):
        return None
    sizes = graph.types[node.inputs[0]].shape[2:]
    results = node.attributes["output_size"]
    if any(size % result for size, result in zip(sizes, results)):
        raise node.error(f"adaptive pooling from {list(sizes)} to {list(results)} needs windows of unequal size")
    window = tuple(size // result for size, result in zip(sizes, results))
    attributes = {"kernel": window, "stride": window, "padding": (0,) * 2 * len(window), "count_include_pad": False}
    return Rewrite(nodes=(dataclasses.replace(node, operator=node.operator.removeprefix("adaptive_"), attributes=attributes),))
