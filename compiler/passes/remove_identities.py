"""Removes nodes that change nothing, and makes one reshape of several.

y = identity(x)                          ->  y is x
y = permute(x) permutation=(0, 1)        ->  y is x
y = reshape(reshape(x))                  ->  y = reshape(x)
y: int8[2,3] = reshape(x: int8[2,3])     ->  y is x
y = pad(x) before=(0, 0) after=(0, 0)    ->  y is x
y = take(x) indices=(None, None)         ->  y is x
y = concat(x)                            ->  y is x
y = quantize(dequantize(x)), same type   ->  y is x
y = avg_pool2d(x) kernel=(1, 1) stride=(1, 1) padding=(0, 0, 0, 0)  ->  y is x
"""

import dataclasses

from compiler.ir import Graph, Node
from compiler.rewrite import Rewrite, rewrite


def remove_identities(graph: Graph) -> Graph:
    return rewrite(graph, _drop_identity, _merge_reshapes)


def _drop_identity(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator == "quantize":
        producer = graph.producer(node.inputs[0])
        if producer is None or producer.operator != "dequantize":
            return None
        origin = producer.inputs[0]
        return _replaced_by(node, origin) if graph.types[origin] == graph.types[node.output] else None
    if _changes_nothing(graph, node):
        return _replaced_by(node, node.inputs[0])
    return None


def _replaced_by(node: Node, tensor: str) -> Rewrite:
    return Rewrite(renamed={node.output: tensor})


def _changes_nothing(graph: Graph, node: Node) -> bool:
    attributes = node.attributes
    match node.operator:
        case "identity":
            return True
        case "permute":
            return attributes["permutation"] == tuple(range(len(attributes["permutation"])))
        case "reshape":
            return graph.types[node.inputs[0]] == graph.types[node.output]
        case "pad":
            return not any(attributes["before"] + attributes["after"])
        case "take":
            shape = graph.types[node.inputs[0]].shape
            return all(i is None or i == tuple(range(n)) for n, i in zip(shape, attributes["indices"]))
        case "concat":
            return len(node.inputs) == 1
        case "avg_pool2d" | "max_pool2d":
            return (
                attributes["kernel"] == (1, 1)
                and attributes["stride"] == (1, 1)
                and not any(attributes["padding"])
                and attributes.get("clamp", (None, None)) == (None, None)
                and graph.types[node.inputs[0]] == graph.types[node.output]
            )
        case _:
            return False


def _merge_reshapes(graph: Graph, node: Node) -> Rewrite | None:
    if node.operator != "reshape":
        return None
    producer = graph.producer(node.inputs[0])
    if producer is None or producer.operator != "reshape":
        return None
    return Rewrite(nodes=(dataclasses.replace(node, inputs=producer.inputs),))
