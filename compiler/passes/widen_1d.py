"""Makes operators over sequences operators over images of height 1.

y: [N,O,M] = conv1d(x: [N,C,L], w: [O,C,K])   ->  xi: [N,C,1,L] = reshape(x)
                                                  y: [N,O,1,M] = conv2d(xi, w: [O,C,1,K])
                                                  ys: [N,O,M] = reshape(y), which is read instead of y
"""

import dataclasses

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite
from kernels.operator import TensorType

CONVOLUTIONS = ("conv1d", "conv_transpose1d")
SPATIAL = {"kernel", "stride", "dilation", "output_size"}


def widen_1d(graph: Graph) -> Graph:
    return rewrite(graph, _widen)


def _widen(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator not in (*CONVOLUTIONS, "adaptive_avg_pool1d", "avg_pool1d", "max_pool1d"):
        return None
    x, *parameters = node.inputs
    image, sequence = graph.fresh(f"{node.name}.image"), graph.fresh(f"{node.name}.sequence")
    types = {
        image: _with_height(graph.types[x]),
        node.output: _with_height(graph.types[node.output]),
        sequence: graph.types[node.output],
    }
    constants = {}
    inputs = [image, *parameters]
    if node.operator in CONVOLUTIONS:
        weight = parameters[0]
        if weight not in graph.constants:
            return None
        inputs[1] = graph.fresh(weight)
        types[inputs[1]] = _with_height(graph.types[weight])
        constants[inputs[1]] = graph.constants[weight][:, :, None, :]
    attributes = {key: (1, *value) if key in SPATIAL else value for key, value in node.attributes.items()}
    if "padding" in attributes:
        left, right = attributes["padding"]
        attributes["padding"] = (0, left, 0, right)
    nodes = (
        Node(image, "reshape", (x,), (image,), {"shape": types[image].shape}, node.source),
        Node(node.name, node.operator.replace("1d", "2d"), tuple(inputs), node.outputs, attributes, node.source),
        Node(sequence, "reshape", node.outputs, (sequence,), {"shape": types[sequence].shape}, node.source),
    )
    return Rewrite(nodes=nodes, types=types, constants=constants, renamed={node.output: sequence})


def _with_height(type_: TensorType) -> TensorType:
    n, c, length = type_.shape
    return dataclasses.replace(type_, shape=(n, c, 1, length))
