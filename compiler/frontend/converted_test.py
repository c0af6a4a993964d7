"""Programs that PT2E has converted with a quantizer of the user's, which says what is int8 and what int16."""

from pathlib import Path

import numpy as np
import pytest

from compiler.accuracy.measure import measure
from compiler.errors import CompileError
from compiler.frontend.build_graph import ModelRequest, build_graph
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.port_types import port_types_from_texts
from compiler.program import Program
from compiler.reference import from_firmware, run_program, to_firmware
from kernels.registry import OPERATORS

import torch  # isort: skip  (after the front end, which sets it up)

SOURCE = """
import torch
from torch import nn
from torchao.quantization.pt2e import MinMaxObserver, PerChannelMinMaxObserver
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec, Quantizer

aten = torch.ops.aten

def spec(dtype, low, high):
    observer = MinMaxObserver.with_args(eps=2**-20)
    return QuantizationSpec(dtype=dtype, observer_or_fake_quant_ctr=observer, quant_min=low, quant_max=high, qscheme=torch.per_tensor_symmetric)

INT8, INT16, LESS = spec(torch.int8, -128, 127), spec(torch.int16, -32768, 32767), spec(torch.int8, -127, 127)
WEIGHT = QuantizationSpec(
    dtype=torch.int8, observer_or_fake_quant_ctr=PerChannelMinMaxObserver.with_args(eps=2**-20), quant_min=-127, quant_max=127,
    qscheme=torch.per_channel_symmetric, ch_axis=0)
RESULTS = {RESULTS}

class Own(Quantizer):
    def annotate(self, model):
        for node in model.graph.nodes:
            if node.target in (aten.conv2d.default, aten.linear.default):
                inputs = {node.args[0]: INT8, node.args[1]: WEIGHT}
            elif node.op == "placeholder":
                inputs = {}
            else:
                continue
            result = RESULTS.get(node.target if node.op == "call_function" else "input")
            node.meta["quantization_annotation"] = QuantizationAnnotation(input_qspec_map=inputs, output_qspec=result, _annotated=True)
        return model

    def validate(self, model):
        pass

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.linear = nn.Linear(4 * 16, 5)

    def forward(self, x):
        return self.linear(self.conv(x).flatten(1))

def build_model():
    torch.manual_seed(0)
    samples = [torch.randn(1, 3, 6, 6) for _ in range(5)]
    prepared = prepare_pt2e(torch.export.export(Net().eval(), (samples[0],)).module(), Own())
    for sample in samples:
        prepared(sample)
    return torch.export.export(convert_pt2e(prepared), (samples[0],))
"""
INT16_ENDS = '{"input": INT16, aten.conv2d.default: INT8, aten.linear.default: INT16}'
REQUEST = ModelRequest("model", "model:build_model", "model:example_inputs", "model:calibration", ("model.py",))


@pytest.fixture(autouse=True)
def in_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def compiled(results: str, *io: str, request: ModelRequest = REQUEST) -> Program:
    Path("model.py").write_text(SOURCE.replace("{RESULTS}", results))
    return lower(run_passes(build_graph(request), io=port_types_from_texts(io)), "scalar", OPERATORS)


def test_int16_is_where_the_quantizer_puts_it():
    program = compiled(INT16_ENDS)
    assert [step.kernel for step in program.steps] == ["requantize_s16_s8", "conv2d_s8", "linear_s16"]
    (source,), (result,) = program.inputs, program.outputs
    assert (source.type.dtype, result.type.dtype) == ("int16", "int16")
    namespace = {}
    exec(Path("model.py").read_text(), namespace)
    converted = namespace["build_model"]().module()
    x = torch.randn((1, 3, 6, 6), generator=torch.Generator().manual_seed(7))
    found = from_firmware(result, run_program(program, OPERATORS, {source.name: to_firmware(source, x.numpy())})[result.name])
    wanted = converted(x).detach().numpy()
    # A step of int8 in the middle is worth many of int16 at the end, but few tensors are a step off.
    assert np.abs(found - wanted).max() < 0.02 * np.abs(wanted).max()


def test_ports_can_be_what_the_quantizer_has_not_thought_of():
    program = compiled(INT16_ENDS, "linear=float32")
    assert [step.kernel for step in program.steps] == ["requantize_s16_s8", "conv2d_s8", "linear_s16", "dequantize_s16"]
    assert "requantize_s16_s16" in [step.kernel for step in compiled(INT16_ENDS, "x=int16:1/4096").steps]


@pytest.mark.parametrize(
    ("results", "io", "reason"),
    [
        ('{aten.conv2d.default: INT16, aten.linear.default: INT8}', [], "operator conv2d of int16 is not supported"),
        ('{aten.conv2d.default: INT8}', [], "its weights were quantised, but not all that the layer reads and gives"),
        ('{"input": LESS}', [], r"quantisation to int8 in -127..127 is not supported: all of int8 or int16"),
        (INT16_ENDS, ["x=int8"], "input x cannot be int8: it is quantised to int16"),
        (INT16_ENDS, ["linear=int8"], "output linear cannot be int8: it is quantised to int16"),
    ],
)
def test_what_is_not_supported_is_said(results: str, io: list[str], reason: str):
    with pytest.raises(CompileError, match=reason):
        compiled(results, *io)


def test_a_converted_program_has_no_float_form():
    with pytest.raises(CompileError, match="quantised already cannot be compiled to float32"):
        compiled(INT16_ENDS, request=ModelRequest("model", "model:build_model", "", "", ("model.py",), "float32"))


def test_a_converted_program_has_nothing_to_be_measured_against():
    Path("model.py").write_text(SOURCE.replace("{RESULTS}", INT16_ENDS))
    with pytest.raises(CompileError, match="quantised already has no float model to be measured against"):
        measure(REQUEST)
