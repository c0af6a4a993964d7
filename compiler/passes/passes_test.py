import numpy as np

from compiler.ir import Graph
from compiler.passes import run_passes
from compiler.port_types import PortType, PortTypes
from compiler.testing import GraphBuilder, float32, int8, operators


def exported() -> Graph:
    """What the front end makes of conv -> relu -> flatten -> linear."""
    b = GraphBuilder()
    x = b.input("x", float32(1, 3, 4, 4))
    x = b.node("x.q", "quantize", [x], int8(1, 3, 4, 4))
    x = b.node("x.f", "dequantize", [x], float32(1, 3, 4, 4))
    w = b.constant("conv.w", np.ones((2, 3, 1, 1), np.int8))
    w = b.node("conv.w.f", "dequantize", [w], float32(2, 3, 1, 1), scale=np.ones(2), axis=0)
    attributes = {"stride": (1, 1), "padding": (0,) * 4, "dilation": (1, 1), "groups": 1}
    y = b.node("conv", "conv2d", [x, w, b.constant("conv.b", np.zeros(2, np.float32))], float32(1, 2, 4, 4), **attributes)
    y = b.node("relu", "clamp", [y], float32(1, 2, 4, 4), clamp=(0.0, None))
    y = b.node("y.q", "quantize", [y], int8(1, 2, 4, 4, zero_point=-128))
    y = b.node("y.f", "dequantize", [y], float32(1, 2, 4, 4))
    y = b.node("flat", "reshape", [y], float32(1, 32), shape=(1, 32))
    y = b.node("flat.q", "quantize", [y], int8(1, 32, zero_point=-128))
    y = b.node("flat.f", "dequantize", [y], float32(1, 32))
    w = b.constant("fc.w", np.ones((5, 32), np.int8))
    w = b.node("fc.w.f", "dequantize", [w], float32(5, 32), scale=np.ones(5), axis=0)
    y = b.node("fc", "linear", [y, w, b.constant("fc.b", np.zeros(5, np.float32))], float32(1, 5))
    y = b.node("out.q", "quantize", [y], int8(1, 5))
    return b.graph(b.node("out", "dequantize", [y], float32(1, 5)))


def test_an_exported_model_becomes_int8_operators_on_nhwc():
    graph = run_passes(exported())
    assert operators(graph) == ["conv2d", "reshape", "linear"]
    assert {graph.types[tensor].dtype for node in graph.nodes for tensor in node.outputs} == {"int8"}
    assert graph.types["x"] == int8(1, 4, 4, 3)
    assert graph.outputs[0].name == "out"


def test_float_ports_keep_their_conversions():
    graph = run_passes(exported(), io=PortTypes(PortType("float32")))
    assert operators(graph) == ["quantize", "conv2d", "reshape", "linear", "dequantize"]
    assert graph.types["x"] == float32(1, 4, 4, 3)


def test_a_model_that_is_not_quantised_stays_in_float():
    b = GraphBuilder()
    y = b.conv2d("conv", b.input("x", float32(1, 3, 4, 4)), np.ones((2, 3, 1, 1), np.float32), float32(1, 2, 4, 4))
    y = b.node("relu", "clamp", [y], float32(1, 2, 4, 4), clamp=(0.0, None))
    y = b.node("more", "function", [y], float32(1, 2, 4, 4), expression=("add", ("exp", "x"), 1.0))
    graph = run_passes(b.graph(y))
    assert operators(graph) == ["conv2d", "function", "add"]
    assert graph.nodes[0].attributes["clamp"] == (0.0, None)
    assert [graph.types[port.tensor] for port in (*graph.inputs, *graph.outputs)] == [float32(1, 4, 4, 3), float32(1, 4, 4, 2)]


def test_running_the_passes_again_changes_nothing():
    graph = run_passes(exported())
    assert str(run_passes(graph)) == str(graph)


def test_every_pass_leaves_its_graph_in_the_dump_folder(tmp_path):
    graph = run_passes(exported(), dump=tmp_path / "dump")
    files = sorted((tmp_path / "dump").iterdir())
    assert files[0].name == "00_start.txt"
    assert files[4].name == "04_fold_quantization.txt"
    assert files[-1].read_text() == str(graph)
