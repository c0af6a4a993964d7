import numpy as np

from compiler.passes.cancel_permutes import cancel_permutes
from compiler.passes.nhwc import nhwc
from compiler.passes.widen_1d import widen_1d
from compiler.testing import GraphBuilder, float32, int8, node_named, operators

POINTWISE = np.ones((4, 4, 1, 1), np.int8)


def test_between_convolutions_and_through_a_residual_addition_nothing_is_permuted():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 6, 5))
    y = b.conv2d("first", x, POINTWISE, int8(1, 4, 6, 5))
    z = b.conv2d("second", y, POINTWISE, int8(1, 4, 6, 5))
    s = b.node("sum", "add", [y, z], int8(1, 4, 6, 5))
    r = b.node("relu", "clamp", [s], int8(1, 4, 6, 5), clamp=(0.0, None))
    after = cancel_permutes(nhwc(b.graph(r)))
    assert operators(after) == ["conv2d", "conv2d", "add", "clamp"]
    assert after.types["x"].shape == (1, 6, 5, 4)
    assert after.inputs[0].permutation == (0, 2, 3, 1)
    assert after.types[after.outputs[0].tensor].shape == (1, 6, 5, 4)
    assert after.outputs[0].permutation == (0, 2, 3, 1)


def test_a_model_written_for_nhwc_keeps_its_input_as_it_is():
    b = GraphBuilder()
    x = b.input("x", int8(1, 6, 5, 4))
    x = b.node("to_nchw", "permute", [x], int8(1, 4, 6, 5), permutation=(0, 3, 1, 2))
    y = b.conv2d("conv", x, POINTWISE, int8(1, 4, 6, 5))
    y = b.node("to_nhwc", "permute", [y], int8(1, 6, 5, 4), permutation=(0, 2, 3, 1))
    after = cancel_permutes(nhwc(b.graph(y)))
    assert operators(after) == ["conv2d"]
    assert after.inputs[0].permutation == after.outputs[0].permutation == (0, 1, 2, 3)


def test_flattening_before_a_linear_layer_permutes_its_weight():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 3, 2))
    y = b.conv2d("conv", x, POINTWISE, int8(1, 4, 3, 2))
    y = b.node("flat", "reshape", [y], int8(1, 24), shape=(1, 24))
    weight = np.arange(48, dtype=np.int8).reshape(2, 24)
    y = b.linear("linear", y, weight, int8(1, 2))
    after = cancel_permutes(nhwc(b.graph(y)))
    assert operators(after) == ["conv2d", "reshape", "linear"]
    new = after.constants[node_named(after, "linear").inputs[1]]
    image = np.arange(24).reshape(4, 3, 2)
    assert np.array_equal(new @ image.transpose(1, 2, 0).ravel(), weight @ image.ravel())


def test_a_permute_of_a_single_pixel_is_a_reshape():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 3, 2))
    y = b.node(
        "pool", "avg_pool2d", [x], int8(1, 4, 1, 1), kernel=(3, 2), stride=(3, 2), padding=(0,) * 4, count_include_pad=False
    )
    y = b.node("flat", "reshape", [y], int8(1, 4), shape=(1, 4))
    after = cancel_permutes(nhwc(b.graph(y)))
    assert operators(after) == ["avg_pool2d", "reshape"]


def test_convolutions_over_time_with_a_residual_need_no_permute():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 20))
    attributes = {"stride": (1,), "padding": (1, 1), "dilation": (1,), "groups": 1, "weight_scale": np.ones(4)}

    def conv1d(name: str, x: str) -> str:
        inputs = [x, b.constant(f"{name}.w", np.ones((4, 4, 3), np.int8)), b.constant(f"{name}.b", np.zeros(4, np.float32))]
        return b.node(name, "conv1d", inputs, int8(1, 4, 20), **attributes)

    y = conv1d("first", x)
    z = conv1d("second", y)
    s = b.node("sum", "add", [y, z], int8(1, 4, 20))
    after = cancel_permutes(nhwc(widen_1d(b.graph(conv1d("third", s)))))
    assert "permute" not in operators(after)
    assert after.types["x"].shape == (1, 20, 4)
    assert after.inputs[0].permutation == (0, 2, 1)
    assert after.outputs[0].permutation == (0, 2, 1)


def test_a_float_input_changes_its_layout_in_front_of_its_quantisation():
    b = GraphBuilder()
    x = b.input("x", float32(1, 4, 6, 5))
    q = b.node("q", "quantize", [x], int8(1, 4, 6, 5))
    y = b.conv2d("conv", q, POINTWISE, int8(1, 4, 6, 5))
    y = b.node("y", "dequantize", [y], float32(1, 4, 6, 5))
    after = cancel_permutes(nhwc(b.graph(y)))
    assert operators(after) == ["quantize", "conv2d", "dequantize"]
    assert after.types["x"].shape == after.types[after.outputs[0].tensor].shape == (1, 6, 5, 4)


def test_softmax_over_channels_works_on_the_last_axis():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 6, 5))
    y = b.conv2d("conv", x, POINTWISE, int8(1, 4, 6, 5))
    y = b.node("softmax", "softmax", [y], int8(1, 4, 6, 5), axis=1)
    after = cancel_permutes(nhwc(b.graph(y)))
    assert operators(after) == ["conv2d", "softmax"]
    assert node_named(after, "softmax").attributes["axis"] == 3


def test_a_permute_that_has_nowhere_to_go_stays():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 6, 5))
    y = b.conv2d("conv", x, POINTWISE, int8(1, 4, 6, 5))
    turned = b.node("turn", "permute", [y], int8(1, 4, 5, 6), permutation=(0, 1, 3, 2))
    z = b.conv2d("again", turned, POINTWISE, int8(1, 4, 5, 6))
    after = cancel_permutes(nhwc(b.graph(z)))
    assert operators(after) == ["conv2d", "permute", "conv2d"]
    assert after.nodes[1].attributes["permutation"] == (0, 2, 1, 3)


def test_an_input_with_one_channel_is_nhwc_too():
    b = GraphBuilder()
    x = b.input("x", int8(1, 1, 6, 5))
    y = b.conv2d("conv", x, np.ones((1, 1, 1, 1), np.int8), int8(1, 1, 6, 5))
    after = cancel_permutes(nhwc(b.graph(y)))
    assert operators(after) == ["conv2d"]
    assert after.types["x"].shape == after.types["conv"].shape == (1, 6, 5, 1)


def test_an_addition_of_a_constant_permutes_the_constant():
    b = GraphBuilder()
    x = b.input("x", int8(1, 2, 3, 1))
    y = b.conv2d("conv", x, np.ones((2, 2, 1, 1), np.int8), int8(1, 2, 3, 1))
    offset = b.constant("offset", np.arange(6, dtype=np.int8).reshape(1, 2, 3, 1))
    after = cancel_permutes(nhwc(b.graph(b.node("sum", "add", [y, offset], int8(1, 2, 3, 1)))))
    assert operators(after) == ["conv2d", "add"]
    assert after.constants[after.nodes[1].inputs[1]].ravel().tolist() == [0, 3, 1, 4, 2, 5]


def test_an_input_that_is_added_late_takes_the_layout_of_the_other_operand():
    b = GraphBuilder()
    x, late = b.input("x", int8(1, 4, 6, 5)), b.input("late", int8(1, 4, 6, 5))
    y = b.conv2d("conv", x, POINTWISE, int8(1, 4, 6, 5))
    after = cancel_permutes(nhwc(b.graph(b.node("sum", "add", [y, late], int8(1, 4, 6, 5)))))
    assert operators(after) == ["conv2d", "add"]
    assert after.types["late"].shape == (1, 6, 5, 4)
    assert [port.permutation for port in (*after.inputs, *after.outputs)] == [(0, 2, 3, 1)] * 3


def test_inputs_that_are_added_first_take_the_layout_of_the_convolution_behind():
    b = GraphBuilder()
    x, y = b.input("x", int8(1, 4, 6, 5)), b.input("y", int8(1, 4, 6, 5))
    s = b.node("sum", "add", [x, y], int8(1, 4, 6, 5))
    after = cancel_permutes(nhwc(b.graph(b.conv2d("conv", s, POINTWISE, int8(1, 4, 6, 5)))))
    assert operators(after) == ["add", "conv2d"]
    assert after.types["x"].shape == after.types["y"].shape == (1, 6, 5, 4)


def test_a_channel_shuffle_between_convolutions_swaps_two_axes_of_what_lies_there():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 6, 5))
    y = b.conv2d("conv", x, POINTWISE, int8(1, 4, 6, 5))
    y = b.node("split", "reshape", [y], int8(1, 2, 2, 6, 5), shape=(1, 2, 2, 6, 5))
    y = b.node("turn", "permute", [y], int8(1, 2, 2, 6, 5), permutation=(0, 2, 1, 3, 4))
    y = b.node("join", "reshape", [y], int8(1, 4, 6, 5), shape=(1, 4, 6, 5))
    after = cancel_permutes(nhwc(b.graph(b.conv2d("again", y, POINTWISE, int8(1, 4, 6, 5)))))
    assert operators(after) == ["conv2d", "reshape", "permute", "reshape", "conv2d"]
    turned = after.nodes[2]
    assert turned.attributes["permutation"] == (0, 1, 2, 4, 3)
    assert after.types[turned.output].shape == (1, 6, 5, 2, 2)


def test_what_moves_data_along_axes_does_so_in_the_layout_of_the_convolutions():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 6, 5))
    y = b.conv2d("conv", x, POINTWISE, int8(1, 4, 6, 5))
    part = b.node("part", "take", [y], int8(1, 2, 6, 5), indices=(None, (0, 3), None, None))
    padded = b.node("pad", "pad", [part], int8(1, 2, 9, 5), before=(0, 0, 1, 0), after=(0, 0, 2, 0), value=0.0)
    both = b.node("both", "concat", [padded, padded], int8(1, 4, 9, 5), axis=1)
    after = cancel_permutes(nhwc(b.graph(b.conv2d("again", both, POINTWISE, int8(1, 4, 9, 5)))))
    assert operators(after) == ["conv2d", "take", "pad", "concat", "conv2d"]
    _, take, pad, concat, _ = after.nodes
    assert take.attributes["indices"] == (None, None, None, (0, 3))
    assert (pad.attributes["before"], pad.attributes["after"]) == ((0, 1, 0, 0), (0, 2, 0, 0))
    assert concat.attributes["axis"] == 3
    assert after.types[concat.output].shape == (1, 9, 5, 4)


def test_a_part_of_an_input_is_taken_in_the_layout_of_the_convolution_behind():
    b = GraphBuilder()
    x = b.input("x", int8(1, 8, 6, 5))
    part = b.node("part", "take", [x], int8(1, 4, 6, 5), indices=(None, (0, 2, 4, 6), None, None))
    after = cancel_permutes(nhwc(b.graph(b.conv2d("conv", part, POINTWISE, int8(1, 4, 6, 5)))))
    assert operators(after) == ["take", "conv2d"]
    assert after.types["x"].shape == (1, 6, 5, 8)
    assert after.nodes[0].attributes["indices"] == (None, None, None, (0, 2, 4, 6))


def test_flattening_the_image_moves_nothing_until_the_order_matters():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 6, 5))
    y = b.conv2d("conv", x, POINTWISE, int8(1, 4, 6, 5))
    y = b.node("flat", "reshape", [y], int8(1, 4, 30), shape=(1, 4, 30))
    y = b.node("max", "amax", [y], int8(1, 4), axes=(2,), keepdim=False)
    after = cancel_permutes(nhwc(b.graph(y)))
    assert operators(after) == ["conv2d", "reshape", "amax"]
    assert after.types[after.nodes[1].output].shape == (1, 30, 4)
    assert after.nodes[2].attributes["axes"] == (1,)


def test_reductions_work_in_the_layout_of_the_convolutions():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 6, 5))
    y = b.conv2d("conv", x, POINTWISE, int8(1, 4, 6, 5))
    rows = b.node("rows", "mean", [y], int8(1, 4, 6), axes=(3,), keepdim=False)
    channels = b.node("channels", "sum", [y], int8(1, 1, 6, 5), axes=(1,), keepdim=True)
    after = cancel_permutes(nhwc(b.graph(rows, channels)))
    assert operators(after) == ["conv2d", "mean", "sum"]
    _, mean, total = after.nodes
    assert (mean.attributes["axes"], total.attributes["axes"]) == ((2,), (3,))
    assert [after.types[port.tensor].shape for port in after.outputs] == [(1, 6, 4), (1, 6, 5, 1)]
    assert [port.permutation for port in after.outputs] == [(0, 2, 1), (0, 2, 3, 1)]


def test_flattening_may_add_an_axis_of_size_1():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 6, 5))
    y = b.conv2d("conv", x, POINTWISE, int8(1, 4, 6, 5))
    y = b.node("flat", "reshape", [y], int8(1, 120, 1), shape=(1, 120, 1))
    after = cancel_permutes(nhwc(b.graph(y)))
    assert operators(after) == ["conv2d", "permute", "reshape"], "the order of the flattened elements is still the user's"
    assert after.types[after.outputs[0].tensor].shape == (1, 120, 1)
