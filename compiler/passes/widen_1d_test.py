import numpy as np

from compiler.passes.widen_1d import widen_1d
from compiler.testing import GraphBuilder, int8, node_named, operators


def test_a_convolution_over_time_becomes_one_over_an_image_of_height_1():
    b = GraphBuilder()
    x = b.input("x", int8(1, 3, 20))
    weight = np.arange(2 * 3 * 5, dtype=np.int8).reshape(2, 3, 5)
    inputs = [x, b.constant("w", weight), b.constant("b", np.zeros(2, np.float32))]
    y = b.node("conv", "conv1d", inputs, int8(1, 2, 9), stride=(2,), padding=(2, 1), dilation=(1,), groups=1)
    after = widen_1d(b.graph(y))
    assert operators(after) == ["reshape", "conv2d", "reshape"]
    conv = node_named(after, "conv")
    assert conv.attributes["stride"] == (1, 2)
    assert conv.attributes["padding"] == (0, 2, 0, 1)
    assert after.types[conv.inputs[0]].shape == (1, 3, 1, 20)
    assert after.types[conv.output].shape == (1, 2, 1, 9)
    assert np.array_equal(after.constants[conv.inputs[1]], weight.reshape(2, 3, 1, 5))
    assert after.types[after.outputs[0].tensor].shape == (1, 2, 9)


def test_a_pool_over_time_becomes_one_over_an_image_of_height_1():
    b = GraphBuilder()
    x = b.input("x", int8(1, 3, 20))
    y = b.node("pool", "max_pool1d", [x], int8(1, 3, 10), kernel=(2,), stride=(2,), padding=(0, 0), dilation=(1,))
    pool = node_named(widen_1d(b.graph(y)), "pool")
    assert pool.operator == "max_pool2d"
    assert (pool.attributes["kernel"], pool.attributes["stride"], pool.attributes["dilation"]) == ((1, 2), (1, 2), (1, 1))
