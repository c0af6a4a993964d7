import numpy as np

from compiler.passes.fold_quantization import fold_quantization
from compiler.testing import GraphBuilder, float32, int8, operators


def quantised_convolution(b: GraphBuilder, x: str) -> str:
    weight = b.constant("w", np.arange(-6, 6, dtype=np.int8).reshape(4, 3, 1, 1))
    bias = b.constant("b", np.zeros(4, np.float32))
    weight = b.node("w.float", "dequantize", [weight], float32(4, 3, 1, 1), scale=np.full(4, 0.25), axis=0)
    return b.node(
        "conv", "conv2d", [x, weight, bias], float32(1, 4, 8, 8), stride=(1, 1), padding=(0,) * 4, dilation=(1, 1), groups=1
    )


def test_a_convolution_between_dequantize_and_quantize_works_on_int8():
    b = GraphBuilder()
    x = b.input("x", int8(1, 3, 8, 8))
    x = b.node("x.float", "dequantize", [x], float32(1, 3, 8, 8))
    y = quantised_convolution(b, x)
    y = b.node("y", "quantize", [y], int8(1, 4, 8, 8, scale=2.0, zero_point=3))
    after = fold_quantization(b.graph(y))
    assert operators(after) == ["conv2d"]
    (conv,) = after.nodes
    assert conv.inputs == ("x", "w", "b")
    assert after.types["conv"] == int8(1, 4, 8, 8, scale=2.0, zero_point=3)
    assert conv.attributes["weight_scale"].tolist() == [0.25] * 4
    assert after.outputs[0].tensor == "conv"


def test_one_tensor_quantised_twice_alike_is_folded_once():
    b = GraphBuilder()
    x = b.input("x", int8(4))
    real = b.node("real", "dequantize", [x], float32(4))
    s = b.node("s", "softmax", [real], float32(4), axis=0)
    q1 = b.node("q1", "quantize", [s], int8(4, scale=1.0))
    q2 = b.node("q2", "quantize", [s], int8(4, scale=1.0))
    after = fold_quantization(b.graph(q1, q2))
    assert operators(after) == ["softmax"]
    assert [port.tensor for port in after.outputs] == ["s", "s"]


def test_a_result_that_is_needed_in_float_stays_float():
    b = GraphBuilder()
    x = b.input("x", int8(4))
    real = b.node("real", "dequantize", [x], float32(4))
    s = b.node("s", "softmax", [real], float32(4), axis=0)
    q = b.node("q", "quantize", [s], int8(4, scale=1.0))
    assert operators(fold_quantization(b.graph(s, q))) == ["dequantize", "softmax", "quantize"]


def test_an_operand_that_was_never_quantised_stays_float():
    b = GraphBuilder()
    x = b.input("x", int8(4))
    real = b.node("real", "dequantize", [x], float32(4))
    other = b.input("other", float32(4))
    s = b.node("s", "add", [real, other], float32(4))
    q = b.node("q", "quantize", [s], int8(4, scale=1.0))
    assert operators(fold_quantization(b.graph(q))) == ["dequantize", "add", "quantize"]


def test_a_reshape_between_two_scales_is_not_folded():
    b = GraphBuilder()
    x = b.node("xf", "dequantize", [b.input("x", int8(2, 3))], float32(2, 3))
    y = b.node("y", "reshape", [x], float32(6), shape=(6,))
    graph = b.graph(b.node("q", "quantize", [y], int8(6, scale=0.25)))
    assert operators(fold_quantization(graph)) == ["dequantize", "reshape", "quantize"]
