"""The `.graph` file: the Graphs of a model's methods on disk, the same bytes for the same graphs.

An uncompressed NumPy .npz archive. Its member "graph" is UTF-8 JSON; every other member is an array that the JSON refers to as
{"array": member}: constants and array attributes. `np.load` opens it.
"""

import dataclasses
import io
import json
import zipfile
from typing import Any

import numpy as np

from compiler.errors import CompileError, Source
from compiler.ir import Graph, Node, Port, State
from kernels.operator import TensorType

FORMAT = "kindling graph 3"


def graph_bytes(*graphs: Graph) -> bytes:
    """The graphs as a file. Arrays are little-endian and C-contiguous."""
    arrays: dict[str, np.ndarray] = {}

    def plain(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            member = f"a{len(arrays)}"
            arrays[member] = np.asarray(value, order="C")
            return {"array": member}
        if isinstance(value, tuple):
            return [plain(item) for item in value]
        return value

    def plain_node(node: Node) -> dict[str, Any]:
        return {
            "name": node.name,
            "operator": node.operator,
            "inputs": node.inputs,
            "outputs": node.outputs,
            "attributes": {key: plain(value) for key, value in sorted(node.attributes.items())},
            "source": dataclasses.astuple(node.source) if node.source else None,
        }

    def plain_graph(graph: Graph) -> dict[str, Any]:
        return {
            "name": graph.name,
            "method": graph.method,
            "inputs": [dataclasses.astuple(port) for port in graph.inputs],
            "outputs": [dataclasses.astuple(port) for port in graph.outputs],
            "nodes": [plain_node(node) for node in graph.nodes],
            "types": {name: dataclasses.astuple(type_) for name, type_ in sorted(graph.types.items())},
            "constants": {name: plain(array) for name, array in sorted(graph.constants.items())},
            "states": [{"name": state.name, "first": plain(state.first)} for state in graph.states],
        }

    document = {"format": FORMAT, "graphs": [plain_graph(graph) for graph in graphs]}
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for member, array in {"graph": np.frombuffer(text, np.uint8), **arrays}.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{member}.npy"), content.getvalue())
    return file.getvalue()


def read_graphs(file: bytes) -> tuple[Graph, ...]:
    """The graphs of a `.graph` file. Raises CompileError if it is none."""
    try:
        archive = np.load(io.BytesIO(file), allow_pickle=False)
        document = json.loads(archive["graph"].tobytes())
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise CompileError("not a .graph file") from error
    if document.get("format") != FORMAT:
        raise CompileError(f"a .graph file of another format ({document.get('format')!r}, not {FORMAT!r})")

    def rich(value: Any) -> Any:
        if isinstance(value, dict):
            return archive[value["array"]]
        if isinstance(value, list):
            return tuple(rich(item) for item in value)
        return value

    def rich_node(node: dict[str, Any]) -> Node:
        return Node(
            name=node["name"],
            operator=node["operator"],
            inputs=tuple(node["inputs"]),
            outputs=tuple(node["outputs"]),
            attributes={key: rich(value) for key, value in node["attributes"].items()},
            source=Source(*node["source"]) if node["source"] else None,
        )

    def rich_graph(graph: dict[str, Any]) -> Graph:
        return Graph(
            name=graph["name"],
            method=graph["method"],
            inputs=tuple(Port(name, tensor, tuple(axes)) for name, tensor, axes in graph["inputs"]),
            outputs=tuple(Port(name, tensor, tuple(axes)) for name, tensor, axes in graph["outputs"]),
            nodes=tuple(rich_node(node) for node in graph["nodes"]),
            types={
                name: TensorType(tuple(shape), dtype, scale, zero_point)
                for name, (shape, dtype, scale, zero_point) in graph["types"].items()
            },
            constants={name: rich(array) for name, array in graph["constants"].items()},
            states=tuple(State(state["name"], rich(state["first"])) for state in graph["states"]),
        ).check()

    return tuple(rich_graph(graph) for graph in document["graphs"])
