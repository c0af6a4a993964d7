"""Every mistake a user can make gets one line that says what and where."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from compiler.errors import CompileError
from compiler.frontend.calibration import _load
from compiler.pte_compiler import serve

MODEL = """\
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 2, 3)
        self.second = nn.Linear(2 * 4 * 4, 3)

    def forward(self, x):
        x = self.first(x)
        x = x.flatten(1)
        return self.second(x)

def build_model():
    return Model()

def example_inputs():
    return (torch.zeros(1, 1, 6, 6),)

def calibration():
    for seed in range(4):
        yield torch.randn(1, 1, 6, 6)
"""


@pytest.fixture(autouse=True)
def in_workspace(tmp_path, monkeypatch):
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path)


def compile_model(*changes: tuple[str, str], flags: tuple[str, ...] = ()) -> str:
    """What the compiler says about the model with its text changed; checks that it failed, in one line, and wrote nothing."""
    text = MODEL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    Path("models/m.py").write_text(text)
    exit_code, message = serve(["--srcs=models/m.py", "--entry=m:build_model", "--tier=mve", "--pte=m.pte", *flags])
    assert exit_code != 0
    assert "\n" not in message and "Traceback" not in message
    assert not Path("m.pte").exists()
    return message


def test_the_unchanged_model_compiles():
    Path("models/m.py").write_text(MODEL)
    assert serve(["--srcs=models/m.py", "--entry=m:build_model", "--tier=mve", "--pte=m.pte"]) == (0, "")
    assert Path("m.pte").read_bytes()[4:8] == b"ET12"


def test_a_syntax_error():
    assert compile_model(("def build_model():", "def build_model(:")) == "error: models/m.py:15: syntax error: invalid syntax"


def test_an_operator_that_is_not_supported():
    message = compile_model(("x = self.first(x)", "x = torch.erfinv(self.first(x))"))
    assert message == "error: models/m.py:11: layer erfinv: operator aten.erfinv is not supported"


def test_a_use_of_an_operator_that_is_not_supported():
    message = compile_model(("self.first(x)", "nn.functional.max_pool2d(self.first(x), 1, return_indices=True)[1].float()"))
    assert message == "error: models/m.py:11: layer max_pool2d_with_indices: the indices of a maximum pool are not supported: only its values are"


def test_a_repetition_without_an_axis():
    message = compile_model(("self.first(x)", "self.first(x).repeat_interleave(1).reshape(self.first(x).shape)"))
    assert message == "error: models/m.py:11: layer repeat_interleave: repeat_interleave needs an axis: flatten first"


def test_a_convolution_whose_weights_are_computed():
    message = compile_model(("x = self.first(x)", "x = nn.functional.conv2d(x, x[:, :, :3, :3].repeat(2, 1, 1, 1))"))
    assert message == "error: models/m.py:11: layer conv2d: a convolution's weights must not depend on the model's inputs"


def test_a_batch_norm_whose_factors_are_computed():
    forward = "x = self.first(x); x = nn.functional.batch_norm(x, torch.zeros(2), torch.ones(2), x.mean((0, 2, 3)))"
    message = compile_model(("x = self.first(x)", forward))
    assert message == "error: models/m.py:11: layer batch_norm: a batch norm's factors and statistics must not depend on the model's inputs"


def test_constants_that_are_not_finite():
    message = compile_model(("x = self.first(x)", "x = self.first(x) * torch.zeros(1).log()"))
    wanted = "its result, which does not depend on the model's inputs, holds NaN or infinity"
    assert message == f"error: models/m.py:11: layer log: {wanted}"


def test_indices_that_the_model_works_on():
    message = compile_model(("return self.second(x)", "return self.second(x).argmax(1) + 1"))
    assert message == "error: models/m.py:13: layer add: aten.add.Tensor of integers is not supported: indices can only be outputs of the model"


def test_a_missing_weights_file():
    message = compile_model(("return Model()", "return Model().load_state_dict(torch.load('models/weights.pt'))"))
    assert message.startswith(
        "error: models/m.py:16: FileNotFoundError: [Errno 2] No such file or directory: 'models/weights.pt'"
    )


def test_an_entry_function_that_is_not_there():
    assert compile_model(("build_model", "make_model")) == "error: models/m.py has no function build_model"


def test_an_entry_module_that_is_not_there():
    message = compile_model(flags=("--entry=n:build_model",))
    assert message == "error: there is no module n; the sources are models/m.py"


def test_an_entry_that_is_no_reference():
    assert compile_model(flags=("--entry=m.build_model",)) == (
        "error: 'm.build_model' is no reference to a function; write module:function"
    )


def test_an_import_that_is_not_there():
    message = compile_model(("from torch import nn", "from torch import nn\nimport nowhere"))
    assert message == "error: models/m.py:3: ModuleNotFoundError: No module named 'nowhere'"


def test_an_entry_that_returns_no_module():
    assert compile_model(("return Model()", "return 3")) == "error: m:build_model returned int, not a torch.nn.Module"


def test_weights_that_are_not_numbers():
    message = compile_model(("return Model()", "m = Model(); m.second.weight.data[0] = float('nan'); return m"))
    assert message == "error: models/m.py:13: layer second: its weight holds NaN or infinity"


def test_calibration_that_yields_nothing():
    assert compile_model(("range(4)", "range(0)")) == "error: calibration data m:calibration is empty"


def test_calibration_of_the_wrong_shape():
    message = compile_model(("torch.randn(1, 1, 6, 6)", "torch.randn(1, 6, 6)"))
    assert message == "error: calibration sample 0: input x has shape [1, 6, 6]; the model takes [1, 1, 6, 6]"


def test_calibration_with_the_wrong_number_of_inputs():
    message = compile_model(("yield torch.randn(1, 1, 6, 6)", "yield (torch.zeros(1), torch.zeros(1))"))
    assert message == "error: calibration sample 0 has 2 inputs; the model takes 1"


def test_calibration_that_is_not_finite():
    message = compile_model(("torch.randn(1, 1, 6, 6)", "torch.full((1, 1, 6, 6), float('inf'))"))
    assert message == "error: calibration sample 0: input x holds NaN or infinity"


def test_calibration_that_is_all_zero():
    message = compile_model(("torch.randn(1, 1, 6, 6)", "torch.zeros(1, 1, 6, 6)"))
    assert message == "error: calibration data m:calibration: input x is zero in all samples, so that its range cannot be learnt"


def test_calibration_of_complex_numbers():
    message = compile_model(("torch.randn(1, 1, 6, 6)", "torch.randn(1, 1, 6, 6, dtype=torch.complex64)"))
    assert message == (
        "error: calibration sample 0: input x is complex; give real and imaginary parts as inputs or channels of their own"
    )


@pytest.mark.parametrize(
    ("calculation", "layer"),
    [
        ("self.first(x) / 0", "div"),
        ("1 / (self.first(x) * 0)", "reciprocal"),
        ("self.first(x).clamp(min=float('nan'))", "clamp"),
        ("nn.functional.pad(self.first(x), (1, 1), value=float('-inf'))[..., 1:-1]", "pad"),
        ("self.first(x) * 1e39", "mul"),
        ("torch.log(self.first(x) - 100)", "log"),
        ("torch.tanh(self.first(x) * 1e39) - 0 / torch.tanh(self.first(x) - self.first(x))", "reciprocal"),
    ],
)
def test_layers_whose_results_are_not_finite(calculation, layer):
    message = compile_model(("x = self.first(x)", f"x = {calculation}"))
    assert message == f"error: models/m.py:11: layer {layer}: its output is not finite over the calibration data"


def test_calibration_whose_sums_overflow():
    message = compile_model(
        ("torch.randn(1, 1, 6, 6)", "torch.full((1, 1, 6, 6), 3.4e38)"),
        ("return Model()", "m = Model(); m.first.weight.data.fill_(1.0); return m"),
    )
    assert message == "error: models/m.py:11: layer first: its output is not finite over the calibration data"


def test_batch_norms_without_statistics_that_can_be_folded():
    def message(norm: str, layer: str, statement: str = "pass") -> str:
        text = compile_model(
            ("nn.Conv2d(1, 2, 3)", f"nn.Sequential({norm})"), ("return Model()", f"m = Model(); n = m.first[-1]; {statement}; return m")
        )
        assert text.startswith(f"error: models/m.py:11: layer first.{layer}: ")
        return text.partition(f"layer first.{layer}: ")[2]

    folded, alone = "nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)", "nn.Conv2d(1, 2, 3), nn.ReLU(), nn.BatchNorm2d(2)"
    for norm, layer in ((folded, "1"), (alone, "2")):
        assert message(norm, layer, "n.running_var[0] = -1") == "its running_var and eps make a variance that is not positive"
        untracked = norm.replace("BatchNorm2d(2", "BatchNorm2d(2, track_running_stats=False")
        assert message(untracked, layer) == "a batch norm of each batch's own statistics is not supported: it needs running statistics"


@pytest.mark.parametrize(("method", "dtype"), [("long", "int64"), ("double", "float64"), ("half", "float16")])
def test_conversions_to_other_dtypes(method, dtype):
    message = compile_model(("x = self.first(x)", f"x = self.first(x).{method}()"))
    assert message == f"error: models/m.py:11: layer to: conversion to {dtype} is not supported: a model's tensors are float32"


def test_example_inputs_that_are_empty():
    message = compile_model(("return (torch.zeros(1, 1, 6, 6),)", "return ()"))
    assert message == "error: m:example_inputs: there are no inputs; a model needs one at least"


def test_calibration_that_fails():
    message = compile_model(("yield torch", "raise ValueError('the disk is on fire'); yield torch"))
    assert message == "error: models/m.py:23: ValueError: the disk is on fire"


def test_calibration_that_returns_no_samples():
    loop = "    for seed in range(4):\n        yield torch.randn(1, 1, 6, 6)"
    assert compile_model((loop, "    torch.randn(1)")) == "error: models/m.py:21: m:calibration returned NoneType, not samples"
    assert compile_model((loop, "    return 3")) == "error: models/m.py:21: m:calibration returned int, not samples"


@pytest.mark.parametrize(
    ("statement", "name"),
    [("import sys; sys.exit()", "SystemExit"), ("raise SystemExit(0)", "SystemExit: 0"), ("raise KeyboardInterrupt", "KeyboardInterrupt")],
)
def test_code_that_wants_to_end_the_compiler(statement, name):
    assert compile_model(("return Model()", statement)) == f"error: models/m.py:16: {name}"
    assert compile_model(("yield torch", f"{statement}; yield torch")) == f"error: models/m.py:23: {name}"
    assert compile_model(("x = self.first(x)", statement)) == f"error: models/m.py:11: {name}"
    assert compile_model(("class Model(nn.Module):", f"{statement}\n\nclass Model(nn.Module):")) == f"error: models/m.py:4: {name}"


def test_an_exit_fails_the_command_line_and_leaves_the_worker_alive():
    Path("models/m.py").write_text(MODEL.replace("return Model()", "raise SystemExit(0)"))
    Path("models/n.py").write_text(MODEL)
    flags = ["--srcs=models/m.py", "--entry=m:build_model", "--graph=m.graph"]
    command = [sys.executable, "-m", "compiler.pte_compiler"]
    settings = {"capture_output": True, "text": True, "env": os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}}
    done = subprocess.run([*command, *flags], **settings)
    assert (done.returncode, done.stderr) == (1, "error: models/m.py:16: SystemExit: 0\n")
    requests = [{"arguments": flags}, {"arguments": ["--srcs=models/n.py", "--entry=n:build_model", "--graph=n.graph"], "requestId": 2}]
    done = subprocess.run([*command, "--persistent_worker"], input="\n".join(map(json.dumps, requests)), **settings)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"exitCode": 1, "output": "error: models/m.py:16: SystemExit: 0\n", "requestId": 0},
        {"exitCode": 0, "output": "", "requestId": 2},
    ]


def test_calibration_files():
    assert compile_model(flags=("--calibration=no.npz",)) == "error: calibration data no.npz does not exist"
    np.savez("two.npz", a=np.zeros(1), b=np.zeros(1))
    assert compile_model(flags=("--calibration=two.npz",)) == "error: two.npz has no array x, only a, b"
    np.savez("empty.npz", x=np.zeros((0, 1, 6, 6)))
    assert compile_model(flags=("--calibration=empty.npz",)) == "error: calibration data empty.npz is empty"
    Path("damaged.npz").write_bytes(b"PK\x03\x04rubbish")
    assert compile_model(flags=("--calibration=damaged.npz",)) == "error: cannot read damaged.npz: File is not a zip file"
    np.savez_compressed("damaged.npz", x=np.ones((4, 1, 6, 6)))
    whole = Path("damaged.npz").read_bytes()
    for place in range(0, len(whole), 7):
        Path("damaged.npz").write_bytes(whole[:place] + b"\xff" + whole[place + 1 :])
        with contextlib.suppress(CompileError):
            _load(Path("damaged.npz"))
    np.save("other.npy", np.ones((4, 1, 6, 6)))
    Path("other.npy").rename("other.npz")
    assert compile_model(flags=("--calibration=other.npz",)) == "error: cannot read other.npz: it is not of the kind that its name says"
    Path("folder").mkdir()
    assert compile_model(flags=("--calibration=folder",)) == "error: calibration data folder is empty"
    np.save("folder/0.npy", np.zeros((1, 5, 5)))
    assert "input x has shape [1, 5, 5]" in compile_model(flags=("--calibration=folder",))


def test_integer_inputs():
    message = compile_model(("torch.zeros(1, 1, 6, 6),)", "torch.zeros(1, 1, 6, 6, dtype=torch.int64),)"))
    assert message == "error: m:example_inputs: input 0 is int64; a model's inputs must be float32"


def test_inputs_without_elements():
    message = compile_model(("return (torch.zeros(1, 1, 6, 6),)", "return (torch.zeros(0, 1, 6, 6),)"))
    assert message == "error: m:example_inputs: input 0 has shape [0, 1, 6, 6], which holds no element"


def test_results_that_are_no_tensors():
    message = compile_model(("return self.second(x)", "return self.second(x), 3"))
    assert message == "error: forward() returns int; a model returns tensors, or tuples and dicts of them"


def test_shapes_that_do_not_fit_each_other_and_nothing_beside_the_line():
    Path("models/m.py").write_text(MODEL.replace("x = x.flatten(1)", "x = x + torch.zeros(5)"))
    command = [sys.executable, "-m", "compiler.pte_compiler", "--srcs=models/m.py", "--entry=m:build_model", "--tier=mve", "--pte=m.pte"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: models/m.py:12: RuntimeError: ") and done.stderr.count("\n") == 1


def test_shapes_that_depend_on_data():
    message = compile_model(("return self.second(x)", "return x[x > 0]"))
    assert message == "error: models/m.py:13: layer index: its result has the dynamic shape ['u0']; shapes must be fixed"


def test_control_flow_that_depends_on_data():
    message = compile_model(("x = self.first(x)", "x = self.first(x) if x.sum() > 0 else x"))
    assert message == "error: models/m.py:11: DynamicModel: shapes or control flow depend on the values of tensors"


def test_a_model_that_does_not_take_its_example_inputs():
    message = compile_model(("torch.zeros(1, 1, 6, 6),)", "torch.zeros(1, 3, 6, 6),)"))
    assert message.startswith("error: models/m.py:11: RuntimeError: ")


def test_moves_of_data_that_are_not_supported():
    message = compile_model(("x = self.first(x)", "x = self.first(x).repeat(2, 1, 1, 1, 1)"))
    assert message == "error: models/m.py:11: layer repeat: repeat that adds axes is not supported: unsqueeze first"


def test_norms_of_orders_that_are_not_supported():
    message = compile_model(("x = self.first(x)", "x = self.first(x) + torch.linalg.vector_norm(self.first(x), 3, 1, True)"))
    wanted = "a vector norm of order 3 is not supported: 1, 2 and infinity are"
    assert message == f"error: models/m.py:11: layer linalg_vector_norm: {wanted}"


def test_infinity_in_what_is_no_mask_of_scores():
    message = compile_model(("x = self.first(x)", "x = self.first(x) * torch.tensor([0.0, -torch.inf])[:, None, None]"))
    assert message == "error: models/m.py:11: layer mul: an operand, which is constant, holds infinity; only masks that are added to scores may"


@pytest.mark.parametrize("infinity", ["torch.inf", "-torch.inf"])
def test_infinity_to_fill_with_in_what_is_no_mask_of_scores(infinity):
    message = compile_model(("self.first(x)", f"self.first(x).masked_fill(torch.eye(4).bool(), {infinity})"))
    wanted = "it puts infinity where it is no mask; only -inf in scores that softmax alone reads can be compiled"
    assert message == f"error: models/m.py:11: layer masked_fill: {wanted}"


def test_infinity_in_a_mask_of_what_is_no_scores():
    message = compile_model(("self.first(x)", "self.first(x) + torch.tensor([0.0, -torch.inf])[:, None, None]"))
    assert message == "error: models/m.py:11: layer add: an operand, which is constant, holds infinity; only masks that are added to scores may"


def test_a_variance_that_is_not_defined():
    message = compile_model(("self.first(x)", "self.first(x) + self.first(x)[:, :1].var(1, keepdim=True)"))
    assert message == "error: models/m.py:11: layer var: a variance of 1 element less a correction of 1 is not defined"


def test_powers_that_are_not_defined():
    of_number = "whose exponent is a tensor, is not supported: it is"
    message = compile_model(("self.first(x)", "torch.pow(0, self.first(x))"))
    assert message == f"error: models/m.py:11: layer pow_1: a power of 0, {of_number} infinite for exponents below 0"
    message = compile_model(("self.first(x)", "torch.pow(-2, self.first(x))"))
    assert message == f"error: models/m.py:11: layer pow_1: a power of -2, {of_number} NaN for all exponents but whole ones"


def test_a_mask_at_which_pytorch_looks():
    encoder = "nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, batch_first=True), 1, enable_nested_tensor=False)"
    call = "self.second(x[0], mask=nn.Transformer.generate_square_subsequent_mask(6))"
    message = compile_model(("nn.Linear(2 * 4 * 4, 3)", encoder), ("x = self.first(x)", f"return {call}"))
    reason = "shapes or control flow depend on the values of tensors"
    hint = "PyTorch looks whether the mask is causal; is_causal=True (or False if it is not) beside the mask avoids it"
    assert message == f"error: models/m.py:11: DynamicModel: {reason}: {hint}"


def test_an_arena_that_does_not_fit():
    message = compile_model(flags=("--region=sram=16",))
    assert message.startswith("error: models/m.py:1")
    assert "does not fit region sram of 16 bytes; its peak is this layer" in message
    assert "alive: first.scratch" in message or "alive: x 36" in message


def test_random_numbers_are_no_constants():
    message = compile_model(("return self.second(x)", "return torch.rand(1)"))
    assert message == "error: models/m.py:13: layer rand: operator aten.rand is not supported"


def test_flags_that_contradict_each_other():
    assert serve(["--tier=mve", "--pte=m.pte"]) == (
        1,
        "error: nothing to compile: give --entry (a PyTorch model) or --graph; see --help",
    )
    assert serve(["--graph=m.graph", "--tier=mve", "--pte=m.pte"]) == (1, "error: cannot read m.graph: No such file or directory")
    Path("m.graph").write_bytes(b"rubbish")
    assert serve(["--graph=m.graph", "--tier=mve", "--pte=m.pte"]) == (1, "error: m.graph: not a .graph file")
    assert serve(["--tier=m55"])[0] == 2
    assert serve(["m.graph", "--tier=mve", "--pte=m.pte"]) == (2, "error: 'm.graph' belongs to no flag")
    assert serve(["--graph=m.graph", "--pte=m.pte"]) == (1, "error: to write a .pte, --tier must be given: scalar, dsp or mve")
    nothing = "error: nothing to write: give --pte, --ops, --plan, --accuracy, or --graph with --entry; see --help"
    assert serve(["--entry=m:build_model"]) == serve(["--graph=m.graph"]) == (1, nothing)
    dataset = "error: --dataset is for --accuracy and --accuracy_text, of which neither is given"
    assert serve(["--entry=m:build_model", "--graph=m.graph", "--dataset=m.npz"]) == (1, dataset)
    sources = ["--entry=m:build_model", "--srcs=n.py", "--graph=m.graph"]
    assert serve(sources) == (1, "error: --srcs: there is no file n.py")


def test_verbose_shows_the_trace():
    Path("models/m.py").write_text(MODEL.replace("return Model()", "return 1 / 0"))
    exit_code, message = serve(["--srcs=models/m.py", "--entry=m:build_model", "--graph=m.graph", "--verbose"])
    assert exit_code == 1
    assert message.startswith("Traceback")
    assert message.endswith("error: models/m.py:16: ZeroDivisionError: division by zero")
