"""From PyTorch to float32 kernels: what the compiled program computes is what the model says, within the rounding of its sums."""

import json

import numpy as np
import pytest

from compiler.errors import CompileError
from compiler.frontend.build_graph import ModelRequest, build_graph
from compiler.frontend.capture import capture
from compiler.frontend.end_to_end_test import MODELS
from compiler.frontend.user_code import UserCode
from compiler.frontend.written_models import in_workspace, write_model  # noqa: F401
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.program import Program
from compiler.pte_compiler import serve
from compiler.reference import from_firmware, run_program, to_firmware
from kernels.operator import TIERS
from kernels.registry import OPERATORS

import torch  # isort: skip  (after the front end, which sets it up)

# Of the largest output: sums of a few hundred products that are rounded in another order than PyTorch's.
TOLERANCE = 2e-6


def in_float(request: ModelRequest) -> ModelRequest:
    return ModelRequest(request.name, request.entry, request.example_inputs, "nowhere:nothing", request.sources, "float32")


def lowered(request: ModelRequest, tier: str = "scalar") -> Program:
    return lower(run_passes(build_graph(in_float(request))), tier, OPERATORS)


def distance(request: ModelRequest, program: Program) -> float:
    """Of the program's outputs from the model's, relative to the largest."""
    with UserCode(request.sources) as code:
        (captured,) = capture(code, request.entry, request.example_inputs)
    generator = torch.Generator().manual_seed(5)
    sample = tuple(torch.randn(example.shape, generator=generator) for example in captured.examples)
    wanted = torch.utils._pytree.tree_leaves(captured.call(captured.module, sample))
    inputs = {port.name: to_firmware(port, x.numpy()) for port, x in zip(program.inputs, sample)}
    results = run_program(program, OPERATORS, inputs)
    return max(
        float(np.abs(from_firmware(port, results[port.name]) - y.detach().numpy()).max() / max(1e-3, y.detach().abs().max()))
        for port, y in zip(program.outputs, wanted)
    )


MOVES = {"copy_s8", "pad_s8", "take_s8", "concat_2_s8", "concat_3_s8", "concat_4_s8"}
"""Kernels that move bytes, whatever they stand for."""

FUNCTIONS = {
    "F.relu6(x + 3) / 6 * x": ["add_f32", "div_f32", "mul_f32"],
    "F.silu(x) - F.mish(x)": ["silu_f32", "mish_f32", "add_f32"],
    "torch.exp(-x.abs())": ["abs_f32", "neg_f32", "exp_f32"],
    "torch.log1p(x * x).sqrt()": ["mul_f32", "log1p_f32", "sqrt_f32"],
    "torch.rsqrt(x.square() + 1)": ["mul_f32", "add_f32", "rsqrt_f32"],
    "1 / (2 - torch.tanh(x))": ["tanh_f32", "add_f32", "div_f32"],
    "x ** 3 + 0.5 * x": ["mul_f32", "mul_f32", "mul_f32", "add_f32"],
    "torch.log(x.abs() + 1) * torch.expm1(x)": ["abs_f32", "add_f32", "log_f32", "expm1_f32", "mul_f32"],
    "F.gelu(x) + F.gelu(x, approximate='tanh')": ["gelu_f32", "gelu_by_tanh_f32", "add_f32"],
    "F.elu(x, 0.7) + F.selu(x) + F.celu(x, 2.0)": ["elu_f32", "elu_f32", "add_f32", "elu_f32", "add_f32"],
    "F.leaky_relu(x, 0.2) * torch.sigmoid(x)": ["leaky_relu_f32", "sigmoid_f32", "mul_f32"],
    "F.softplus(x, 2.0) - torch.erf(x)": ["softplus_f32", "erf_f32", "add_f32"],
    "F.hardswish(x) + F.hardsigmoid(x)": ["hardswish_f32", "hardsigmoid_f32", "add_f32"],
    "torch.maximum(x, -x).clamp(0.5, 2.0)": ["neg_f32", "maximum_f32"],
    "x.clamp(min=-0.5)": ["clamp_f32"],
    "F.pad(x, (1, 2), value=-1.5).flip(2).sum(1)": ["pad_s8", "copy_s8", "sum_f32"],
    "x.amax(2) - x.amin(2)": ["amax_f32", "amin_f32", "add_f32"],
}


@pytest.mark.parametrize("name", MODELS)
def test_the_program_computes_what_the_model_says(name, tmp_path):
    request = write_model(tmp_path, *MODELS[name][:3])
    program = lowered(request)
    assert not any(step.kernel.endswith("_s8") and step.kernel not in MOVES for step in program.steps)
    assert distance(request, program) <= TOLERANCE


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_are_kernels_of_their_own(function, tmp_path):
    request = write_model(tmp_path, (1, 4, 9), "pass", f"return {function}")
    program = lowered(request)
    assert [step.kernel for step in program.steps] == FUNCTIONS[function]
    assert distance(request, program) <= TOLERANCE


def test_indices_are_those_of_the_model(tmp_path):
    request = write_model(tmp_path, (1, 4, 9), "pass", "return x.argmax(1)")
    program = lowered(request)
    assert [step.kernel for step in program.steps] == ["argmax_f32"]
    x = np.random.default_rng(1).normal(size=(1, 4, 9)).astype(np.float32)
    (result,) = run_program(program, OPERATORS, {"x": x}).values()
    assert np.array_equal(result, x.argmax(1))


def test_results_without_axes_have_none(tmp_path):
    request = write_model(tmp_path, (1, 4), "self.register_buffer('two', torch.tensor(2.0))", "return x.mean() * self.two, x.max(), self.two")
    program = lowered(request)
    assert [port.type.shape for port in program.outputs] == [()] * 3
    x = np.array([[1, 2, 3, 6]], np.float32)
    results = [from_firmware(port, run_program(program, OPERATORS, {"x": x})[port.name]) for port in program.outputs]
    assert [(result.shape, float(result)) for result in results] == [((), 6.0), ((), 6.0), ((), 2.0)]


def test_inputs_and_outputs_are_float_and_channels_last(tmp_path):
    program = lowered(write_model(tmp_path, *MODELS["convolution with batch norm and relu"][:3]))
    assert [step.kernel for step in program.steps] == ["conv2d_f32"], "batch norm and relu are in the convolution"
    (source,), (result,) = program.inputs, program.outputs
    assert (source.type.dtype, source.type.shape, source.permutation) == ("float32", (1, 8, 9, 3), (0, 2, 3, 1))
    assert (result.type.dtype, result.type.shape, result.permutation) == ("float32", (1, 8, 9, 8), (0, 2, 3, 1))


def test_every_tier_gets_the_same_kernels_and_params(tmp_path):
    request = write_model(tmp_path, *MODELS["residual addition"][:3])
    first, *others = ([(step.kernel, step.params) for step in lowered(request, tier).steps] for tier in TIERS)
    assert all(other == first for other in others)


def test_the_compiler_compiles_to_float_without_calibration(tmp_path):
    write_model(tmp_path, *MODELS["residual addition"][:3])
    text = (tmp_path / "model.py").read_text()
    (tmp_path / "model.py").write_text(text[: text.index("def calibration")])
    flags = ["--srcs=model.py", "--entry=model:build_model", "--tier=mve", "--pte=m.pte", "--ops=m.ops.json"]
    assert serve([*flags, "--dtype=float32"]) == (0, "")
    ops = json.loads((tmp_path / "m.ops.json").read_text())["operators"]
    assert [(op["kernel"], op["dtype"]) for op in ops] == [("conv2d_f32", "float32"), ("add_f32", "float32")]
    assert serve(flags) == (1, "error: model.py has no function calibration")
    assert serve(["--srcs=model.py", "--entry=model:build_model", "--dtype=float32", "--accuracy=a.json"]) == (
        1,
        "error: a model that computes in float32 has no error of int8 to measure",
    )


def test_a_function_without_a_float_kernel_is_named_with_its_line(tmp_path):
    request = write_model(tmp_path, (1, 4), "pass", "return torch.sin(x)")
    with pytest.raises(CompileError, match=r"^model.py:\d+: layer sin: function sin has no float kernel$"):
        lowered(request)


def test_a_model_trained_for_int8_is_refused(tmp_path):
    request = write_model(tmp_path, (1, 4), "self.fc = nn.Linear(4, 3)", "return self.fc(x)")
    text = (tmp_path / "model.py").read_text().replace("    return model\n", "    return qat.prepare(model, example_inputs())\n")
    (tmp_path / "model.py").write_text("from compiler.frontend import qat\n" + text)
    with pytest.raises(CompileError, match="trained for int8 .* cannot be compiled to float32"):
        build_graph(in_float(request))


def test_a_saved_program_needs_no_calibration(tmp_path):
    program = torch.export.export(torch.nn.Linear(4, 3), (torch.zeros(1, 4),))
    torch.export.save(program, "m.pt2")
    assert serve(["--entry=m.pt2", "--dtype=float32", "--tier=mve", "--pte=m.pte"]) == (0, "")
