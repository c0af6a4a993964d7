"""Makes the model's inputs and outputs what the user wants them to be, where all that happens to them is quantize and dequantize.

int8:   input x: float32; q: int8 = quantize(x)        ->  input x: int8
        f = dequantize(y: int8); output f: float32     ->  output y: int8
int16:  input x: float32; q: int8 = quantize(x)        ->  input x: int16; q: int8 = requantize(x)
        f = dequantize(y: int8); output f: float32     ->  r: int16 = requantize(y: int8); output r
        y: int8 = linear(x); f = dequantize(y); output f: float32      ->  y: int16 = linear(x); output y, in finer steps

In a model that computes in float, int16 becomes float at once: input x: int16; f = dequantize(x).

What a quantizer of the user's has made int16 stays so where int8 is asked for of all.

int16 is symmetric. Unless the user says what a step stands for, it has just the range of the int8 that calibration has found.
"""

import dataclasses

import numpy as np

from compiler.errors import CompileError
from compiler.ir import Graph, Node, Port, fresh_name
from compiler.port_types import PortType, PortTypes
from compiler.rewrite import prune
from kernels.operator import TensorType

LARGEST = 2**15 - 1


def convert_ports(graph: Graph, wishes: PortTypes) -> Graph:
    """Ports of other kinds, such as indices, stay as they are, and state, which nobody sees, is what the model computes in. Raises
    CompileError where a port that is named cannot be as wished."""
    quantised = graph.is_quantised
    for index, port in enumerate(graph.outputs):
        graph = _converted_output(graph, index, port, PortTypes() if port in graph.state_outputs else wishes, quantised)
    graph = prune(graph)
    for port in graph.inputs:
        graph = _converted_input(graph, port, PortTypes() if port in graph.state_inputs else wishes, quantised)
    return graph.check()


def _converted_output(graph: Graph, index: int, port: Port, wishes: PortTypes, quantised: bool) -> Graph:
    wish, named, type_ = wishes.of(port.name), port.name in wishes.named, graph.types[port.tensor]
    if type_.dtype != "float32":
        _refuse_if(named, "output", port, wish, f"it is {type_.dtype}")
        return graph
    if wish.dtype == "float32" or (wish.dtype == "int8" and not quantised and not named):
        return graph
    if not quantised:
        return _with_output(graph, index, port, "quantize", port.tensor, _of_floats("output", port, wish, type_))
    producer = graph.producer(port.tensor)
    if producer is None or producer.operator != "dequantize":
        _refuse_if(named, "output", port, wish, "it was not quantised")
        return graph
    (origin,) = producer.inputs
    given = graph.types[origin].dtype
    _refuse_if(named and wish.dtype == "int8" != given, "output", port, wish, f"it is quantised to {given}")
    if wish.dtype == "int8" or (given == "int16" and not wish.scale):
        return _with_outputs(graph, index, dataclasses.replace(port, tensor=origin))
    int16 = _int16(type_, wish, graph.types[origin])
    if _is_linear(graph.producer(origin)) and graph.only_reader(origin) is producer:
        graph = dataclasses.replace(graph, types={**graph.types, origin: int16})
        return _with_outputs(graph, index, dataclasses.replace(port, tensor=origin))
    return _with_output(graph, index, port, "requantize", origin, int16)


def _converted_input(graph: Graph, port: Port, wishes: PortTypes, quantised: bool) -> Graph:
    wish, named, type_ = wishes.of(port.name), port.name in wishes.named, graph.types[port.tensor]
    if wish.dtype == "float32" or (wish.dtype == "int8" and not quantised and not named):
        return graph
    if not quantised:
        return _dequantised_input(graph, port, _of_floats("input", port, wish, type_))
    readers = graph.readers(port.tensor)
    if not readers or port.tensor in graph.output_tensors or any(reader.operator != "quantize" for reader in readers):
        _refuse_if(named, "input", port, wish, "it was not quantised")
        return graph
    types = {graph.types[reader.output] for reader in readers}
    dtypes = {given.dtype for given in types}
    _refuse_if(named and wish.dtype == "int8" and dtypes != {"int8"}, "input", port, wish, "it is quantised to int16")
    if wish.dtype == "int16" and (wish.scale or len(types) != 1 or dtypes != {"int16"}):
        return dataclasses.replace(
            graph,
            nodes=tuple(dataclasses.replace(node, operator="requantize") if node in readers else node for node in graph.nodes),
            types={**graph.types, port.tensor: _int16(type_, wish, *types)},
        )
    if len(types) != 1:
        _refuse_if(named, "input", port, wish, "it is quantised in several ways")
        return graph
    return _quantised_input(graph, port, readers, types.pop())


def _quantised_input(graph: Graph, port: Port, readers: tuple[Node, ...], type_: TensorType) -> Graph:
    renamed = {reader.output: port.tensor for reader in readers}
    return dataclasses.replace(
        graph,
        outputs=tuple(dataclasses.replace(p, tensor=renamed.get(p.tensor, p.tensor)) for p in graph.outputs),
        nodes=tuple(
            dataclasses.replace(node, inputs=tuple(renamed.get(tensor, tensor) for tensor in node.inputs))
            for node in graph.nodes
            if node not in readers
        ),
        types={name: type_ for name, type_ in graph.types.items() if name not in renamed} | {port.tensor: type_},
    )


def _dequantised_input(graph: Graph, port: Port, type_: TensorType) -> Graph:
    real = graph.fresh(f"{port.tensor}.float")
    first = Node(_fresh_node(graph, f"{port.tensor}.dequantize"), "dequantize", (port.tensor,), (real,))
    others = (
        dataclasses.replace(node, inputs=tuple(real if tensor == port.tensor else tensor for tensor in node.inputs)) for node in graph.nodes
    )
    return dataclasses.replace(
        graph,
        nodes=(first, *others),
        outputs=tuple(dataclasses.replace(p, tensor=real) if p.tensor == port.tensor else p for p in graph.outputs),
        types={**graph.types, real: graph.types[port.tensor], port.tensor: type_},
    )


def _with_output(graph: Graph, index: int, port: Port, operator: str, tensor: str, type_: TensorType) -> Graph:
    """The output is what the operator makes of the tensor."""
    result = graph.fresh(f"{tensor}.{type_.dtype}")
    origin = graph.producer(tensor)
    last = Node(_fresh_node(graph, f"{tensor}.{operator}"), operator, (tensor,), (result,), {}, origin.source if origin else None)
    graph = dataclasses.replace(graph, nodes=(*graph.nodes, last), types={**graph.types, result: type_})
    return _with_outputs(graph, index, dataclasses.replace(port, tensor=result))


def _with_outputs(graph: Graph, index: int, port: Port) -> Graph:
    return dataclasses.replace(graph, outputs=(*graph.outputs[:index], port, *graph.outputs[index + 1 :]))


def _fresh_node(graph: Graph, wish: str) -> str:
    return fresh_name(wish, [node.name for node in graph.nodes])


def _is_linear(node: Node | None) -> bool:
    return node is not None and node.operator == "linear"


def _int16(type_: TensorType, wish: PortType, *ranges: TensorType) -> TensorType:
    """As wished; of the least scale that holds all these ranges where nothing is said."""
    reach = max(max(each.zero_point - int(np.iinfo(each.dtype).min), int(np.iinfo(each.dtype).max) - each.zero_point) * each.scale for each in ranges)
    return TensorType(type_.shape, "int16", wish.scale or float(np.float32(reach / LARGEST)))


def _of_floats(kind: str, port: Port, wish: PortType, type_: TensorType) -> TensorType:
    """What a port of a model that computes in float can be."""
    _refuse_if(wish.dtype == "int8", kind, port, wish, "the model computes in float32")
    _refuse_if(not wish.scale, kind, port, wish, f"the model computes in float32; give it a scale: {port.name}=int16:SCALE")
    return TensorType(type_.shape, "int16", wish.scale)


def _refuse_if(refused: bool, kind: str, port: Port, wish: PortType, why: str) -> None:
    if refused:
        raise CompileError(f"{kind} {port.name} cannot be {wish.dtype}: {why}")
