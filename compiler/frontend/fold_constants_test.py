"""What does not depend on the inputs is one constant, and one parameter if it is made of some."""

from compiler.frontend.capture import capture_module
from compiler.frontend.fold_constants import fold_constants
from compiler.frontend.qat import prepare
from compiler.frontend.user_code import UserCode

import torch  # isort: skip  (after the front end, which sets it up)

aten = torch.ops.aten


class Computed(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.utils.parametrizations.weight_norm(torch.nn.Conv2d(2, 3, 1))
        self.register_buffer("offset", torch.tensor([1.0, 2.0, 3.0]))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first, second = (self.offset * 2).view(3, 1, 1).split([1, 2])
        return self.conv(x) + torch.cat([second, first]), self.offset + torch.ones(3)


def folded() -> torch.fx.GraphModule:
    code = UserCode(())
    module = capture_module(code, Computed(), torch.zeros(1, 2, 4, 4), "inputs").module
    fold_constants(module, code)
    return module


def test_only_operators_on_the_input_are_left():
    module = folded()
    targets = [node.target for node in module.graph.nodes if node.op == "call_function"]
    assert targets == [aten.conv2d.default, aten.add.Tensor]
    x = torch.randn(1, 2, 4, 4)
    constants = [node for node in module.graph.nodes if node.op == "get_attr"]
    offset = next(module.get_buffer(node.target) for node in constants if node.target.startswith("cat"))
    assert torch.equal(offset.flatten(), torch.tensor([4.0, 6.0, 2.0]))
    assert torch.equal(module(x)[1], torch.tensor([2.0, 3.0, 4.0]))


def test_constants_know_the_line_and_layer_that_compute_them():
    module = folded()
    (weight,) = (node for node in module.graph.nodes if "weight_norm" in str(node.target))
    assert "parametrizations" in str(list(weight.meta["nn_module_stack"].values())[-1])
    (offset,) = (node for node in module.graph.nodes if node.op == "get_attr" and node.target.startswith("cat"))
    assert "torch.cat([second, first])" in offset.meta["stack_trace"]


def test_computed_weights_can_be_trained():
    trained = prepare(Computed(), torch.zeros(1, 2, 4, 4))
    (name,) = (name for name, _ in trained.named_parameters() if "weight_norm" in name)
    first, _ = trained(torch.randn(1, 2, 4, 4))
    first.square().sum().backward()
    assert trained.get_parameter(name).grad.abs().sum() > 0
    assert "cat_value" in dict(trained.named_buffers())
