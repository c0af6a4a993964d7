from compiler.passes.int8_ports import int8_ports
from compiler.testing import GraphBuilder, float32, int8, operators


def test_inputs_and_outputs_become_int8():
    b = GraphBuilder()
    x = b.input("x", float32(4))
    q = b.node("q", "quantize", [x], int8(4, zero_point=7))
    s = b.node("s", "softmax", [q], int8(4, scale=1 / 256, zero_point=-128), axis=0)
    y = b.node("y", "dequantize", [s], float32(4))
    after = int8_ports(b.graph(y))
    assert operators(after) == ["softmax"]
    assert after.types["x"] == int8(4, zero_point=7)
    assert after.types[after.outputs[0].tensor] == int8(4, scale=1 / 256, zero_point=-128)
    assert (after.inputs[0].name, after.outputs[0].name) == ("x", "y")


def test_an_input_that_is_quantised_in_two_ways_stays_float():
    b = GraphBuilder()
    x = b.input("x", float32(4))
    q1 = b.node("q1", "quantize", [x], int8(4))
    q2 = b.node("q2", "quantize", [x], int8(4, scale=2.0))
    assert int8_ports(b.graph(q1, q2)).types["x"] == float32(4)
