import numpy as np
import pytest

from compiler.ir import Graph
from compiler.lower import lower
from compiler.reference import run_program
from compiler.testing import GraphBuilder, int8
from kernels.operator import TIERS
from kernels.registry import OPERATORS


def convolution(outputs: int, size: int, dilation: int = 1) -> Graph:
    """From one channel."""
    b = GraphBuilder()
    x = b.input("x", int8(1, 9, 9, 1))
    weight = np.arange(outputs * size * size, dtype=np.int8).reshape(outputs, size, size, 1)
    left = 9 - dilation * (size - 1)
    attributes = {"layout": "NHWC", "dilation": (dilation, dilation)}
    return b.graph(b.conv2d("conv", x, weight, int8(1, left, left, outputs, scale=64.0), **attributes))


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize(
    ("outputs", "size", "dilation", "depthwise_on"),
    [(1, 3, 1, TIERS), (1, 5, 1, ("scalar", "dsp")), (1, 3, 2, ()), (8, 3, 1, ())],
)
def test_from_one_channel_to_one_is_depthwise_where_that_is_cheaper(tier, outputs, size, dilation, depthwise_on):
    (step,) = lower(convolution(outputs, size, dilation), tier, OPERATORS).steps
    assert step.call.operator == ("depthwise_conv2d" if tier in depthwise_on else "conv2d")


def test_both_ways_compute_the_same():
    graph = convolution(1, 5)
    inputs = {"x": np.random.default_rng(3).integers(-128, 128, (1, 9, 9, 1), np.int8)}
    depthwise, conv = (run_program(lower(graph, tier, OPERATORS), OPERATORS, inputs) for tier in ("dsp", "mve"))
    assert np.array_equal(depthwise["conv"], conv["conv"]) and len(np.unique(conv["conv"])) > 4
