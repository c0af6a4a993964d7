import dataclasses

import numpy as np
import pytest

from compiler.errors import CompileError
from compiler.ir import Graph, Port, State
from compiler.passes.convert_ports import convert_ports
from compiler.port_types import PortTypes, port_types_from_texts
from compiler.testing import GraphBuilder, float32, int8, operators
from kernels.operator import TensorType


def softmax_of_int8() -> Graph:
    b = GraphBuilder()
    x = b.input("x", float32(4))
    q = b.node("q", "quantize", [x], int8(4, zero_point=7))
    s = b.node("s", "softmax", [q], int8(4, scale=1 / 256, zero_point=-128), axis=0)
    return b.graph(b.node("y", "dequantize", [s], float32(4)))


def softmax_of_floats() -> Graph:
    b = GraphBuilder()
    return b.graph(b.node("y", "softmax", [b.input("x", float32(4))], float32(4), axis=0))


def quantised_twice() -> Graph:
    b = GraphBuilder()
    x = b.input("x", float32(4))
    q1 = b.node("q1", "quantize", [x], int8(4))
    q2 = b.node("q2", "quantize", [x], int8(4, scale=2.0))
    return b.graph(q1, q2)


def converted(graph: Graph, *texts: str) -> Graph:
    return convert_ports(graph, port_types_from_texts(texts))


def test_inputs_and_outputs_become_int8():
    after = converted(softmax_of_int8())
    assert operators(after) == ["softmax"]
    assert after.types["x"] == int8(4, zero_point=7)
    assert after.types[after.outputs[0].tensor] == int8(4, scale=1 / 256, zero_point=-128)
    assert (after.inputs[0].name, after.outputs[0].name) == ("x", "y")


def test_an_input_that_is_quantised_in_two_ways_stays_float():
    assert convert_ports(quantised_twice(), PortTypes()).types["x"] == float32(4)


def test_int16_has_the_range_of_the_int8_that_it_becomes():
    after = converted(softmax_of_int8(), "int16")
    assert operators(after) == ["requantize", "softmax", "requantize"]
    x, y = after.types["x"], after.types[after.outputs[0].tensor]
    assert (x.dtype, x.zero_point) == (y.dtype, y.zero_point) == ("int16", 0)
    assert x.scale * 32767 == pytest.approx((128 + 7) * 0.5) and y.scale * 32767 == pytest.approx(255 / 256)
    assert (after.inputs[0].name, after.outputs[0].name) == ("x", "y")


def test_a_linear_layer_gives_int16_by_itself_if_nothing_else_reads_its_result():
    for other_readers in (False, True):
        b = GraphBuilder()
        q = b.node("q", "quantize", [b.input("x", float32(1, 4))], int8(1, 4))
        y = b.linear("y", q, np.ones((2, 4), np.int8), int8(1, 2))
        real = b.node("real", "dequantize", [y], float32(1, 2))
        after = converted(b.graph(real, *([b.node("s", "softmax", [y], int8(1, 2), axis=1)] if other_readers else [])), "real=int16")
        assert operators(after) == (["linear", "softmax", "requantize"] if other_readers else ["linear"])
        assert after.types[after.outputs[0].tensor].dtype == "int16"


def test_int16_has_the_scale_that_is_given():
    after = converted(softmax_of_int8(), "x=int16:1/32768", "y=float32")
    assert operators(after) == ["requantize", "softmax", "dequantize"]
    assert after.types["x"] == TensorType((4,), "int16", 1 / 32768)


def test_an_int16_that_is_quantised_in_two_ways_holds_both_ranges():
    after = converted(quantised_twice(), "int16")
    assert operators(after) == ["requantize", "requantize"]
    assert after.types["x"].scale * 32767 == pytest.approx(2.0 * 128)


def test_int16_becomes_float_where_the_model_computes_in_float():
    after = converted(softmax_of_floats(), "x=int16:1/32768", "y=int16:1/32767")
    assert operators(after) == ["dequantize", "softmax", "quantize"]
    assert after.types["x"] == TensorType((4,), "int16", 1 / 32768)
    assert after.types[after.outputs[0].tensor].dtype == "int16"
    assert after.computes_in_float


def test_a_model_that_computes_in_float_has_float_unless_it_is_said():
    assert str(converted(softmax_of_floats())) == str(softmax_of_floats())


def test_indices_stay_as_they_are():
    b = GraphBuilder()
    q = b.node("q", "quantize", [b.input("x", float32(4))], int8(4))
    graph = b.graph(b.node("y", "argmax", [q], TensorType((), "int32"), axes=(0,), keepdim=False))
    assert converted(graph, "int16").types["y"] == TensorType((), "int32")
    with pytest.raises(CompileError, match="output y cannot be int16: it is int32"):
        converted(graph, "y=int16")


@pytest.mark.parametrize(
    ("graph", "text", "reason"),
    [
        (quantised_twice, "x=int8", "input x cannot be int8: it is quantised in several ways"),
        (softmax_of_floats, "x=int8", "input x cannot be int8: the model computes in float32"),
        (softmax_of_floats, "y=int8", "output y cannot be int8: the model computes in float32"),
        (softmax_of_floats, "x=int16", "input x cannot be int16: the model computes in float32; give it a scale: x=int16:SCALE"),
        (softmax_of_floats, "int16", "output y cannot be int16: the model computes in float32; give it a scale: y=int16:SCALE"),
    ],
)
def test_what_cannot_be_is_said(graph, text: str, reason: str):
    with pytest.raises(CompileError) as error:
        converted(graph(), text)
    assert str(error.value) == reason


def test_what_was_not_quantised_cannot_be_an_integer():
    b = GraphBuilder()
    x, z = b.input("x", float32(4)), b.input("z", float32(4))
    q = b.node("q", "quantize", [x], int8(4))
    graph = b.graph(b.node("y", "softmax", [z], float32(4), axis=0), b.node("d", "dequantize", [q], float32(4)))
    for name, kind in (("z", "input"), ("y", "output")):
        for dtype in ("int8", "int16"):
            with pytest.raises(CompileError, match=f"{kind} {name} cannot be {dtype}: it was not quantised"):
                converted(graph, f"{name}={dtype}")


def test_state_is_int8_whatever_the_caller_wants():
    graph = dataclasses.replace(quantised_shift(), states=(State("x", np.zeros(4, np.float32)),))
    for wish in ("int8", "int16", "float32"):
        after = converted(graph, wish)
        (source,), (result,) = after.state_inputs, after.state_outputs
        assert after.types[source.tensor] == after.types[result.tensor] == int8(4)
        assert after.types[after.called_outputs[0].tensor].dtype == wish


def quantised_shift() -> Graph:
    """State x becomes output y."""
    b = GraphBuilder()
    q = b.node("q", "quantize", [b.input("s", float32(4))], int8(4))
    y = b.node("y", "function", [q], int8(4), expression=("mul", 0.5, "x"))
    graph = b.graph(b.node("f", "dequantize", [y], float32(4)), b.node("g", "dequantize", [y], float32(4)))
    return dataclasses.replace(graph, inputs=(Port("x", "s", (0,)),))
