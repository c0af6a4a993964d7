"""Says which tensors of an exported model become int8, and how: a Quantizer for PyTorch's PT2E flow.

Activations are int8, affine, per tensor. Weights of convolutions and linear layers are int8 in [-127, 127], symmetric, per
output channel. Biases stay float; lowering makes them int32. An activation function that only clamps is fused with what it
follows. Operators that move or select data share the parameters of their input with their output. Softmax, sigmoid and tanh have
the fixed output parameters that their ranges suggest. Of a function of one tensor (functions.py) only input and result are int8.
"""

import dataclasses
from collections.abc import Callable

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e import (
    FakeQuantize,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)
from torchao.quantization.pt2e.quantizer import (
    FixedQParamsQuantizationSpec,
    QuantizationAnnotation,
    QuantizationSpec,
    QuantizationSpecBase,
    Quantizer,
    SharedQuantizationSpec,
)

from compiler.frontend.exact_functions import compute_exactly
from compiler.frontend.functions import BINARY, CLAMPS, function_origins, is_inside
from compiler.frontend.observer import SMALLEST_SCALE, RangeObserver
from compiler.frontend.sharing import ANNOTATION, share_directly, wished_spec
from compiler.frontend.state import state_pairs

aten = torch.ops.aten

WEIGHTED = {aten.conv1d.default, aten.conv1d.padding, aten.conv2d.default, aten.conv2d.padding, aten.linear.default}
TRANSPOSED = {aten.conv_transpose1d.default, aten.conv_transpose2d.input}
JOINED = {aten.cat.default}
MATMULS = {aten.bmm.default, aten.matmul.default, aten.mm.default}
RESCALED = {
    aten.group_norm.default,
    aten.layer_norm.default,
    aten.log_softmax.int,
    aten.mean.dim,
    aten.rms_norm.default,
    aten.sum.dim_IntList,
}
INDICES = {aten.argmax.default, aten.argmin.default}
SHARED = {
    aten._upsample_nearest_exact1d.vec,
    aten._upsample_nearest_exact2d.vec,
    aten.adaptive_avg_pool1d.default,
    aten.adaptive_avg_pool2d.default,
    aten.amax.default,
    aten.amin.default,
    aten.avg_pool1d.default,
    aten.avg_pool2d.default,
    aten.expand.default,
    aten.flatten.using_ints,
    aten.flip.default,
    aten.index_select.default,
    aten.max_pool1d.default,
    aten.max_pool2d.default,
    aten.pad.default,
    aten.permute.default,
    aten.repeat.default,
    aten.repeat_interleave.self_int,
    aten.reshape.default,
    aten.select.int,
    aten.slice.Tensor,
    aten.squeeze.default,
    aten.squeeze.dim,
    aten.squeeze.dims,
    aten.t.default,
    aten.transpose.int,
    aten.unflatten.int,
    aten.unsqueeze.default,
    aten._upsample_nearest_exact1d.vec,
    aten._upsample_nearest_exact2d.vec,
    aten.upsample_nearest1d.vec,
    aten.upsample_nearest2d.vec,
    aten.view.default,
}
FIXED = {
    aten.softmax.int: (1 / 256, -128),
    aten.hardsigmoid.default: (1 / 256, -128),
    aten.sigmoid.default: (1 / 256, -128),
    aten.tanh.default: (1 / 128, 0),
}


@dataclasses.dataclass(frozen=True)
class Specs:
    """How activations and weights become int8: by what their observers see, or by what training settles on."""

    activation: QuantizationSpec
    weight: QuantizationSpec


def _specs(activation: Callable[..., object], weight: Callable[..., object]) -> Specs:
    return Specs(
        activation=QuantizationSpec(
            dtype=torch.int8,
            observer_or_fake_quant_ctr=activation,
            quant_min=-128,
            quant_max=127,
            qscheme=torch.per_tensor_affine,
        ),
        weight=QuantizationSpec(
            dtype=torch.int8,
            observer_or_fake_quant_ctr=weight,
            quant_min=-127,
            quant_max=127,
            qscheme=torch.per_channel_symmetric,
            ch_axis=0,
        ),
    )


CALIBRATION = _specs(RangeObserver, PerChannelMinMaxObserver.with_args(eps=SMALLEST_SCALE))
TRAINING = _specs(
    FakeQuantize.with_args(observer=MovingAverageMinMaxObserver), FakeQuantize.with_args(observer=MovingAveragePerChannelMinMaxObserver)
)


class Int8Quantiser(Quantizer):
    """`prepare_pt2e(model, Int8Quantiser())`, `prepare_qat_pt2e(model, Int8Quantiser(TRAINING))`.

    Of the model's inputs and outputs the last `states` are its state, which is the same int8 before and after a run.
    """

    def __init__(self, specs: Specs = CALIBRATION, states: int = 0):
        super().__init__()
        self.activation, self.weight = specs.activation, specs.weight
        self.states = states

    def transform_for_annotation(self, model: GraphModule) -> GraphModule:
        compute_exactly(model)
        return model

    def annotate(self, model: GraphModule) -> GraphModule:
        origins = function_origins(model.graph)
        states = state_pairs(model.graph, self.states)
        kept = {after for _, after in states}
        for node in model.graph.nodes:
            if node.op != "call_function" or ANNOTATION in node.meta:
                continue
            if node in kept:  # read like any activation, as it must suit what was there before
                _set(node, {node.args[0]: self.activation}, SharedQuantizationSpec((node.args[0], node)))
            elif node in origins:
                self._annotate_function(node, origins)
            else:
                self._annotate(node)
        share_directly(model.graph, states)
        return model

    def validate(self, model: GraphModule) -> None:
        pass

    def _annotate(self, node: Node) -> None:
        if node.target in WEIGHTED:
            self._annotate_fused(node, {node.args[0]: self._as_given(node.args[0]), node.args[1]: self.weight})
        elif node.target in TRANSPOSED:  # weights are [I, O / groups, ...]
            weight = dataclasses.replace(self.weight, ch_axis=1)
            self._annotate_fused(node, {node.args[0]: self._as_given(node.args[0]), node.args[1]: weight})
        elif node.target in {aten.minimum.default, aten.maximum.default}:
            shared = SharedQuantizationSpec((node.args[0], node))
            _set(node, {node.args[0]: self.activation, node.args[1]: shared}, shared)
        elif node.target in BINARY or node.target in MATMULS:
            self._annotate_fused(node, {operand: self._as_given(operand) for operand in node.args[:2]})
        elif is_pool(node):
            _set(node, {node.args[0]: self.activation}, SharedQuantizationSpec((node.args[0], node)))
        elif node.target in RESCALED:
            _set(node, {node.args[0]: self.activation}, self.activation)
        elif node.target in INDICES:
            _set(node, {node.args[0]: self.activation}, None)
        elif node.target in JOINED:
            first, *others = dict.fromkeys(node.args[0])
            shared = SharedQuantizationSpec((first, node))
            _set(node, {first: self.activation} | dict.fromkeys(others, shared), shared)
        elif node.target in SHARED | CLAMPS:
            operand = node.args[0]
            _set(node, {operand: self._as_given(operand)}, SharedQuantizationSpec((operand, node)))
        elif node.target in FIXED:
            scale, zero_point = FIXED[node.target]
            _set(node, {node.args[0]: self._as_given(node.args[0])}, _fixed(scale, zero_point))

    def _annotate_function(self, node: Node, origins: dict[Node, Node]) -> None:
        operands = [operand for operand in node.all_input_nodes if not is_inside(operand, origins)]
        fixed = FIXED.get(node.target)
        output = None if is_inside(node, origins) else _fixed(*fixed) if fixed else self.activation
        _set(node, {operand: self._as_given(operand) for operand in operands}, output)

    def _annotate_fused(self, node: Node, inputs: dict[Node, QuantizationSpecBase]) -> None:
        clamp = following_clamp(node)
        if clamp is None:
            _set(node, inputs, self.activation)
        else:
            _set(node, inputs, None)
            _set(clamp, {}, self.activation)

    def _as_given(self, operand: Node) -> QuantizationSpecBase:
        """How a node reads its operand: with the fixed parameters that it has where it comes from, if so, else as any activation."""
        annotation = operand.meta.get(ANNOTATION)
        given = wished_spec(annotation.output_qspec) if annotation else None
        return given if isinstance(given, FixedQParamsQuantizationSpec) else self.activation


def is_pool(node: Node) -> bool:
    """A mean over all spatial axes, which becomes an average pool (passes/means_to_pools.py)."""
    if node.target is not aten.mean.dim or not node.args[1]:
        return False
    rank = node.args[0].meta["val"].dim()
    return rank in (3, 4) and {axis % rank for axis in node.args[1]} == set(range(2, rank))


def following_clamp(node: Node) -> Node | None:
    """The activation that is fused with the node: a clamp that alone reads its result."""
    users = list(node.users)
    return users[0] if len(users) == 1 and users[0].target in CLAMPS else None


def _set(node: Node, inputs: dict[Node, QuantizationSpecBase], output: QuantizationSpecBase | None) -> None:
    node.meta[ANNOTATION] = QuantizationAnnotation(input_qspec_map=inputs, output_qspec=output, _annotated=True)


def _fixed(scale: float, zero_point: int) -> FixedQParamsQuantizationSpec:
    return FixedQParamsQuantizationSpec(
        dtype=torch.int8,
        scale=scale,
        zero_point=zero_point,
        quant_min=-128,
        quant_max=127,
        qscheme=torch.per_tensor_affine,
    )
