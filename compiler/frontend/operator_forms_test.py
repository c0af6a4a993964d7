"""Every operator of int8 has a form of float32, and operators take all of PyTorch's options, of which those of a group are the outputs
of one model: in float32 they are PyTorch's results, in int8 what PT2E's quantised model says, within one step or a few.
"""

import numpy as np
import pytest

from compiler.frontend.build_graph import ModelRequest, build_graph, quantise
from compiler.frontend.calibration import calibration_samples
from compiler.frontend.capture import capture
from compiler.frontend.importer import import_graph
from compiler.frontend.user_code import UserCode
from compiler.frontend.written_models import in_workspace, write_model  # noqa: F401
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.program import Program
from compiler.reference import from_firmware, run_program, to_firmware
from kernels.registry import OPERATORS

import torch  # isort: skip  (after the front end, which sets it up)

# Of the largest output, as in float_test.py.
TOLERANCE = 2e-6

FORMS: dict[str, tuple[tuple[int, ...], str, list[str]]] = {
    "convolutions": (
        (2, 4, 9, 8),
        "self.a = nn.Conv2d(4, 6, 3, 2, 1); self.b = nn.Conv2d(4, 8, (3, 2), groups=4, dilation=2); self.c = nn.Conv1d(4, 6, 3, groups=2);"
        " self.d = nn.ConvTranspose2d(4, 3, 4, 2, 1); self.e = nn.Conv2d(4, 4, 1, padding='same')",
        ["self.a(x)", "self.b(x)", "self.c(x[:, :, 0])", "self.d(x)", "F.relu(self.e(x))"],
    ),
    "images and sequences without a batch": (
        (3, 8, 9),
        "self.a = nn.Conv2d(3, 4, 3, padding='same'); self.b = nn.ConvTranspose2d(3, 2, 2, 2); self.c = nn.Conv1d(3, 4, 3);"
        " self.d = nn.ConvTranspose1d(3, 2, 2, 2)",
        [
            *("F.relu(self.a(x))", "self.b(x)", "F.relu(self.c(x[:, 0]))", "self.d(x[:, 0])", "F.max_pool2d(x, 2)", "F.max_pool1d(x[:, 0], 3)"),
            *("F.avg_pool2d(x, 3, 2, 1, True)", "F.avg_pool2d(x, 2, divisor_override=3)", "F.avg_pool1d(x[:, 0], 2)", "F.adaptive_avg_pool2d(x, 5)"),
            *("F.adaptive_avg_pool1d(x[:, 0], 2)", "F.adaptive_max_pool2d(x, 5)", "F.adaptive_max_pool1d(x[:, 0], 3)"),
        ],
    ),
    "linear layers and products": (
        (2, 5, 6),
        "self.a = nn.Linear(6, 4)",
        ["self.a(x)", "x[0] @ x[1].mT", "torch.bmm(x, x.transpose(1, 2))", "F.relu6(x[0] @ x[1].T)", "torch.matmul(x[:1], x.transpose(1, 2))"],
    ),
    "products of batches that repeat": (
        (2, 3, 4, 5),
        "pass",
        [
            *("x @ x[0].mT", "x[0, 0] @ x.mT", "x @ x[:, :1].mT", "x[:1] @ x[:, :1].mT", "x @ x[:1, :1].mT", "x[:1] @ x[0].mT"),
            *("x[0] @ x[:, :1].mT", "x.unsqueeze(1) @ x[:1].mT"),
        ],
    ),
    "products with a vector": (
        (3, 4, 5),
        "self.v = nn.Parameter(torch.rand(5))",
        ["x @ self.v", "x[0] @ x[1, 0]", "torch.mv(x[0], self.v)", "torch.dot(x[0, 0], x[1, 1])", "x[0, :, 0] @ x", "x[0, 0] @ x[0, 1]"],
    ),
    "operators of two tensors": (
        (2, 5, 6),
        "self.a = nn.Parameter(torch.rand(5, 1) + 0.5)",
        ["x + self.a", "x - x[:1]", "x * self.a", "x / self.a", "torch.minimum(x, self.a)", "torch.maximum(x, x[:, :1])", "torch.sub(x, self.a, alpha=2)"],
    ),
    "functions": (
        (3, 40),
        "pass",
        [
            *("torch.sigmoid(x)", "torch.tanh(x)", "F.silu(x)", "F.gelu(x)", "F.hardswish(x)", "F.hardsigmoid(x)", "F.elu(x)"),
            *("F.leaky_relu(x)", "torch.exp(x)", "torch.log(x.abs() + 1)", "torch.sqrt(x.abs())", "torch.rsqrt(x * x + 1)"),
            *("F.relu(x)", "F.relu6(x)", "torch.clamp(x, -0.5, 0.7)", "F.hardtanh(x)", "x.clip(-1, 1)", "F.logsigmoid(x)", "torch.exp2(x)"),
            *("torch.log2(x.abs() + 1)", "torch.log10(x.abs() + 1)", "torch.sinh(x)", "torch.cosh(x)", "F.softshrink(x, 0.4)"),
            *("F.softsign(x)", "F.tanhshrink(x)", "torch.erf(x)", "torch.expm1(x)", "torch.log1p(x.abs())", "F.softplus(x)", "F.mish(x)"),
        ],
    ),
    "functions that int8 alone has": (
        (3, 40),
        "pass",
        [
            *("torch.sin(x)", "torch.cos(x)", "torch.atan(x)", "torch.floor(x)", "torch.ceil(x)", "torch.round(x)", "torch.pow(x.abs(), 1.5)"),
        ],
    ),
    "moves": (
        (2, 4, 6, 3),
        "pass",
        [
            *("F.pad(x, (1, 0, 2, 1))", "x.permute(3, 1, 0, 2)", "torch.cat([x, x.flip(2)], 1)", "x.split(2, 2)[1]", "x[:, 1:, ::2]"),
            *("torch.stack([x, x], 2)", "x.repeat_interleave(2, 1)", "x.reshape(8, -1)", "x.view(2, 24, 3)", "x.mT", "x[0, 0].T", "x.swapaxes(1, 3)", "F.interpolate(x, scale_factor=2)", "F.interpolate(x, size=(7, 4))", "F.interpolate(x, size=(7, 4), mode='nearest-exact')", "torch.concat([x, x], -1)"),
        ],
    ),
    "average pools": (
        (2, 3, 9, 8),
        "pass",
        [
            *("F.avg_pool2d(x, 3)", "F.avg_pool2d(x, (2, 3), None, (1, 0))", "F.avg_pool2d(x, 9, 1, 4)", "F.avg_pool2d(x, 5, (3, 2), 2)"),
            *("F.avg_pool2d(x, 3, 2, ceil_mode=True)", "F.avg_pool2d(x, 3, 2, 1, ceil_mode=True)", "F.avg_pool2d(x, 5, 4, 2, ceil_mode=True)"),
            *("F.avg_pool2d(x, 3, 2, 1, True, False)", "F.avg_pool2d(x, 4, 3, 2, True, False)", "F.relu(F.avg_pool2d(x, 2, 3, 1, True))"),
            *("F.avg_pool1d(x[:, :, 0], 3)", "F.avg_pool1d(x[:, :, 0], 5, 3, 2, True)", "F.avg_pool1d(x[:, :, 0], 4, 3, 2, True, False)"),
        ],
    ),
    "average pools with a divisor": (
        (2, 3, 9, 8),
        "pass",
        [
            *("F.avg_pool2d(x, 3, divisor_override=2)", "F.avg_pool2d(x, (2, 3), 2, 1, divisor_override=7)"),
            *("F.avg_pool2d(x, 3, 2, 1, True, False, 5)", "F.avg_pool2d(x[:, :1], 4, 3, 2, True, True, 16)"),
        ],
    ),
    "pools by a norm": (
        (2, 3, 9, 8),
        "pass",
        ["F.lp_pool2d(x + 3, 2, 2)", "F.lp_pool2d(F.relu(x), 1, (3, 2), 2)", "F.lp_pool1d(3 - x[:, :, 0], 2, 3)"],
    ),
    "maximum pools": (
        (2, 3, 9, 8),
        "pass",
        [
            *("F.max_pool2d(x, 3)", "F.max_pool2d(x, (2, 3), None, (1, 0))", "F.max_pool2d(x, 9, 1, 4)", "F.max_pool2d(x, 3, 2, 1, (2, 1))"),
            *("F.max_pool2d(x, 3, 2, 1, 2, True)", "F.max_pool2d(x, 2, 3, 1, ceil_mode=True)", "F.max_pool2d(x, 2, return_indices=True)[0]"),
            *("F.max_pool1d(x[:, :, 0], 3, 2, 1, 2, True)", "F.max_pool1d(x[:, :, 0], 2, return_indices=True)[0]"),
        ],
    ),
    "adaptive average pools": (
        (2, 3, 10, 9),
        "pass",
        [
            *("F.adaptive_avg_pool2d(x, 1)", "F.adaptive_avg_pool2d(x, (5, 3))", "F.adaptive_avg_pool2d(x, 7)", "F.adaptive_avg_pool2d(x, (4, None))"),
            *("F.adaptive_avg_pool2d(x, (None, 2))", "F.relu(F.adaptive_avg_pool2d(x, (12, 3)))", "F.adaptive_avg_pool2d(x, (None, None))"),
            *("F.adaptive_avg_pool1d(x[:, :, 0], 3)", "F.adaptive_avg_pool1d(x[:, :, 0], 4)", "F.adaptive_avg_pool1d(x[:, :, 0], 5)"),
        ],
    ),
    "adaptive maximum pools": (
        (2, 3, 10, 9),
        "pass",
        [
            *("F.adaptive_max_pool2d(x, 1)", "F.adaptive_max_pool2d(x, (5, 3))", "F.adaptive_max_pool2d(x, 7)", "F.adaptive_max_pool2d(x, (4, None))"),
            *("F.adaptive_max_pool2d(x, (None, 2))", "F.relu(F.adaptive_max_pool2d(x, (12, 3)))"),
            *("F.adaptive_max_pool1d(x[:, :, 0], 3)", "F.adaptive_max_pool1d(x[:, :, 0], 4)", "nn.AdaptiveMaxPool1d(5)(x[:, :, 0])"),
        ],
    ),
    **{
        f"{name} over axes": (
            (3, 4, 5, 6),
            "pass",
            [
                *(f"x.{name}({axes}, keepdim={keepdim})" for axes in AXES for keepdim in (False, True)),
                *(f"x[0].{name}({axes})" for axes in ("0", "(1, 2)", "(-3, 2)")),
                *(f"x.flatten(1).{name}({axis})" for axis in (0, 1)),
                *(f"x.reshape(3, 2, 2, 5, 2, 3).{name}({axes}, {kept})" for axes in ("(0, 2, 4)", "(1, -1, 3)", "(1, 4)") for kept in (False, True)),
            ],
        )
        for AXES in (["0", "1", "-1", "(2, 3)", "(-1, -2)", "(0, 2)", "(1, 3)", "(0, 3)", "(1, 2, 3)", "(0, 1, 2, 3)", "(3, 0, 1)"],)
        for name in ("mean", "sum", "amax", "amin")
    },
    "reductions of all": (
        (3, 4, 5),
        "pass",
        ["x.mean()", "x.sum()", "x.max()", "x.min()", "x.amax()", "x.amin()", "x.max(1).values", "x.min(-1, keepdim=True).values", "x.mean(())"],
    ),
    "softmax over any axis": (
        (3, 4, 5, 6),
        "pass",
        [f"F.{name}(x, {axis})" for name in ("softmax", "log_softmax") for axis in (0, 1, 2, -1, -3)],
    ),
    "indices of extremes": (
        (3, 4, 5, 6),
        "pass",
        [
            *(f"x.{name}({axis}, keepdim={keepdim})" for name in ("argmax", "argmin") for axis in (0, 1, -1, -2) for keepdim in (False, True)),
            *("x.argmax()", "x.argmin(None)", "x.argmin(None, True)", "torch.argmax(x, dim=None, keepdim=True)", "x.max(2).indices", "x.min(-1, True).indices"),
        ],
    ),
}



# Of int8, where one is not enough: functions follow that make more of one.
STEPS = {"pools by a norm": 3}


INT8_ALONE = {"functions that int8 alone has"}


def request_of(folder, name: str, dtype: str) -> ModelRequest:
    shape, layers, forms = FORMS[name]
    request = write_model(folder, shape, layers, f"return ({', '.join(forms)},)")
    return ModelRequest(request.name, request.entry, request.example_inputs, request.calibration, request.sources, dtype)


def wrong_forms(name: str, program: Program, model, largest_error) -> list[str]:
    """The group's forms whose results differ from the model's by more than they may."""
    shape, _, forms = FORMS[name]
    (port,) = program.inputs
    x = to_firmware(port, torch.randn(shape, generator=torch.Generator().manual_seed(20)).numpy())
    wanted = model(torch.from_numpy(from_firmware(port, x)))
    results = run_program(program, OPERATORS, {port.name: x})
    lines = []
    for form, output, y in zip(forms, program.outputs, wanted, strict=True):
        y, result = y.detach().numpy(), from_firmware(output, results[output.name])
        if result.shape != y.shape or np.abs(result - y).max() > (0 if output.type.dtype == "int32" else largest_error(output.type, y)):
            lines.append(f"{form}: {np.abs(result - y).max() if result.shape == y.shape else (result.shape, y.shape)}")
    return lines


@pytest.mark.parametrize("name", [name for name in FORMS if name not in INT8_ALONE])
def test_results_of_float_are_pytorchs(name, tmp_path):
    request = request_of(tmp_path, name, "float32")
    program = lower(run_passes(build_graph(request)), "scalar", OPERATORS)
    with UserCode(request.sources) as code:
        (captured,) = capture(code, request.entry, request.example_inputs)
    model = lambda x: captured.call(captured.module, (x,))  # noqa: E731
    assert wrong_forms(name, program, model, lambda _, y: TOLERANCE * max(1.0, np.abs(y).max())) == []


@pytest.mark.parametrize("name", FORMS)
def test_results_of_int8_are_the_quantised_models(name, tmp_path):
    request = request_of(tmp_path, name, "int8")
    with UserCode(request.sources) as code:
        (captured,) = capture(code, request.entry, request.example_inputs)
        quantised = quantise(captured, calibration_samples(request.calibration, code, captured), code)
        graph = import_graph(request.name, captured, quantised, code)
    for tier in ("scalar", "dsp", "mve"):
        program = lower(run_passes(graph), tier, OPERATORS)
        assert wrong_forms(name, program, quantised, lambda type_, _: 1.01 * STEPS.get(name, 1) * type_.scale) == []
