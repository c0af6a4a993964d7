"""Makes the model's inputs and outputs int8 where all that happens to them is quantize and dequantize.

input x: float32; q: int8 = quantize(x)        ->  input x: int8
f = dequantize(y: int8); output f: float32     ->  output y: int8
"""

import dataclasses

from compiler.ir import Graph, Port
from compiler.rewrite import prune


def int8_ports(graph: Graph) -> Graph:
    graph = dataclasses.replace(graph, outputs=tuple(_int8_output(graph, port) for port in graph.outputs))
    graph = prune(graph)
    for port in graph.inputs:
        graph = _int8_input(graph, port)
    return graph.check()


def _int8_output(graph: Graph, port: Port) -> Port:
    producer = graph.producer(port.tensor)
    if producer is None or producer.operator != "dequantize":
        return port
    return dataclasses.replace(port, tensor=producer.inputs[0])


def _int8_input(graph: Graph, port: Port) -> Graph:
    readers = graph.readers(port.tensor)
    types = {graph.types[reader.output] for reader in readers if reader.operator == "quantize"}
    if port.tensor in graph.output_tensors or len(types) != 1 or any(reader.operator != "quantize" for reader in readers):
        return graph
    renamed = {reader.output: port.tensor for reader in readers}
    return dataclasses.replace(
        graph,
        outputs=tuple(dataclasses.replace(p, tensor=renamed.get(p.tensor, p.tensor)) for p in graph.outputs),
        nodes=tuple(
            dataclasses.replace(node, inputs=tuple(renamed.get(tensor, tensor) for tensor in node.inputs))
            for node in graph.nodes
            if node not in readers
        ),
        types={name: type_ for name, type_ in graph.types.items() if name not in renamed} | {port.tensor: types.pop()},
    )
