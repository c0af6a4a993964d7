import numpy as np

from compiler.passes.nhwc import nhwc
from compiler.testing import GraphBuilder, int8, node_named, operators


def test_a_convolution_and_its_weight_become_nhwc_between_permutes():
    b = GraphBuilder()
    x = b.input("x", int8(1, 3, 9, 8))
    weight = np.arange(2 * 3 * 2 * 1, dtype=np.int8).reshape(2, 3, 2, 1)
    y = b.conv2d("conv", x, weight, int8(1, 2, 8, 8))
    after = nhwc(b.graph(y))
    assert operators(after) == ["permute", "conv2d", "permute"]
    conv = node_named(after, "conv")
    assert after.types[conv.inputs[0]].shape == (1, 9, 8, 3)
    assert after.types[conv.output].shape == (1, 8, 8, 2)
    assert after.constants[conv.inputs[1]].shape == (2, 2, 1, 3)
    assert after.constants[conv.inputs[1]][1, 0, 0, 2] == weight[1, 2, 0, 0]
    assert after.types[after.outputs[0].tensor].shape == (1, 2, 8, 8)
