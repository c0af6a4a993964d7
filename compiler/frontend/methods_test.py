"""A model of several methods becomes one .pte, in which each has its own plan and shares constants with the others."""

import json
from pathlib import Path

import numpy as np
import pytest

from compiler.compile import load_graphs
from compiler.lower import lower
from compiler.passes import run_passes
from compiler.pte.reader import read_pte
from compiler.pte_compiler import serve
from compiler.pte_inspect import report
from compiler.reference import from_firmware, run_program, to_firmware
from kernels.registry import OPERATORS

import torch  # isort: skip  (after the front end, which sets it up)

MODEL = """
import torch
from torch import nn

def build_parts():
    torch.manual_seed(3)
    body = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
    nn.init.uniform_(body[1].running_var, 0.5, 2.0)
    encoder = nn.Sequential(body, nn.AdaptiveAvgPool2d(1), nn.Flatten())
    whole = nn.Sequential(body, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))
    return encoder.eval(), whole.eval()

def build_model():
    encoder, whole = build_parts()
    image = torch.zeros(1, 1, 6, 6)
    return {"encode": (encoder, image), "classify": torch.export.export(whole, (image,))}

def calibration():
    def images(): return [torch.randn(1, 1, 6, 6, generator=torch.Generator().manual_seed(seed)) for seed in range(16)]
    return {"encode": images(), "classify": images()}
"""

FLAGS = ["--srcs=m.py", "--entry=m:build_model", "--graph=m.graph", "--tier=mve", "--pte=m.pte", "--ops=m.ops", "--plan=m.plan"]


@pytest.fixture(autouse=True)
def in_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("m.py").write_text(MODEL)


def refused(*changes: tuple[str, str], flags: tuple[str, ...] = ()) -> str:
    text = MODEL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    Path("m.py").write_text(text)
    exit_code, message = serve([*FLAGS, *flags])
    assert exit_code == 1
    return message.removeprefix("error: ")


def test_each_method_computes_what_its_module_does() -> None:
    assert serve(FLAGS) == (0, "")
    namespace: dict = {}
    exec(MODEL, namespace)
    graphs = load_graphs(Path("m.graph"))
    assert [graph.method for graph in graphs] == ["encode", "classify"]
    for graph, module in zip(graphs, namespace["build_parts"]()):
        program = lower(run_passes(graph), "scalar", OPERATORS)
        (port,), (result,) = program.inputs, program.outputs
        x = torch.randn(1, 1, 6, 6, generator=torch.Generator().manual_seed(99))
        answer = run_program(program, OPERATORS, {port.name: to_firmware(port, x.numpy())})
        with torch.no_grad():
            assert np.abs(from_firmware(result, answer[result.name]) - module(x).numpy()).max() < 4 * result.type.scale


def test_the_file_holds_all_methods_and_the_plan_is_of_one() -> None:
    assert serve(FLAGS) == (0, "")
    view = read_pte(Path("m.pte").read_bytes())
    assert [method.name for method in view.methods] == ["encode", "classify"]
    encode, classify = ([instruction.operator for instruction in method.instructions] for method in view.methods)
    assert encode == ["kindling::conv2d_s8.out", "kindling::avg_pool2d_s8.out"]
    assert classify == [*encode, "kindling::linear_s8.out"]
    assert len(view.constant_offsets) - 1 == 3, "convolution and pool are the same in both, and there once"
    text = report(view)
    assert "method encode: 2 instructions" in text and "method classify: 3 instructions" in text
    plan = json.loads(Path("m.plan").read_text())
    assert (plan["method"], plan["methods"], len(plan["steps"])) == ("encode", ["encode", "classify"], 2)

    assert serve([*FLAGS, "--method=classify"]) == (0, "")
    plan, ops = (json.loads(Path(name).read_text()) for name in ("m.plan", "m.ops"))
    assert (plan["method"], len(plan["steps"]), plan["outputs"][0]["shape"]) == ("classify", 3, [1, 3])
    assert [operator["kernel"] for operator in ops["operators"]] == ["conv2d_s8", "avg_pool2d_s8", "linear_s8"]


def test_calibration_data_may_be_files_named_after_the_methods() -> None:
    assert serve(FLAGS) == (0, "")
    expected = Path("m.pte").read_bytes()
    images = np.concatenate(
        [torch.randn(1, 1, 6, 6, generator=torch.Generator().manual_seed(seed)).numpy() for seed in range(16)]
    )
    Path("data/classify").mkdir(parents=True)
    np.savez("data/encode.npz", image=images)
    for index, image in enumerate(images):
        np.save(f"data/classify/{index:02}.npy", image)
    assert serve([*FLAGS, "--calibration=data"]) == (0, "")
    assert Path("m.pte").read_bytes() == expected


def test_mistakes_get_one_line() -> None:
    assert refused(flags=("--method=decode",)) == "there is no method decode, only encode, classify"
    assert (
        refused(("(encoder, image)", "encoder"))
        == "m:build_model: method encode must be (module, example inputs) or an ExportedProgram"
    )
    assert refused(('"encode": (', '"en code": (')) == "m:build_model: 'en code' cannot be the name of a method"
    assert refused(("(encoder, image)", "(3, image)")) == "m:build_model: method encode returned int, not a torch.nn.Module"
    assert refused(("(encoder, image)", "(encoder, image.int())")) == (
        "m:build_model: method encode: input 0 is int32; a model's inputs must be float32"
    )
    assert refused(('return {"encode": images(), ', "return {")) == (
        "calibration data m:calibration must be a dict of samples by method, with encode among them"
    )
    assert (
        refused(('    return {"encode": (encoder, image), ', "    return {}; {")) == "m:build_model returned a dict of no methods"
    )
    Path("data").mkdir()
    assert refused(flags=("--calibration=data",)) == "calibration data data/encode does not exist"
