"""Models and calibration data in every form in which users have them give the same graph."""

import json
from pathlib import Path

import numpy as np
import pytest

from compiler.compile import load_graphs
from compiler.ir import Graph
from compiler.pte_compiler import serve

import torch  # isort: skip  (after the front end, which sets it up)

MODEL = """
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.last = nn.Linear(8, 3)

    def forward(self, image, state):
        return self.last(torch.cat([torch.relu(self.conv(image)).mean((2, 3)), state], 1))

class Nested(Model):
    def forward(self, pair, more):
        scores = super().forward(pair[0], more["state"])
        return {"scores": scores, "parts": (scores * 2, {"mean": more["state"].mean(1)})}

def build_model():
    torch.manual_seed(3)
    return Model()

def build_nested():
    torch.manual_seed(3)
    return Nested()

def export_model():
    return torch.export.export(build_model().eval(), example_inputs())

def example_inputs():
    return torch.zeros(1, 1, 6, 6), torch.zeros(1, 4)

def by_name():
    image, state = example_inputs()
    return {"state": state, "image": image}

def nested_inputs():
    image, state = example_inputs()
    return (image, image), {"state": state, "unused": state}

def samples():
    for seed in range(6):
        generator = torch.Generator().manual_seed(seed)
        yield torch.randn(1, 1, 6, 6, generator=generator), torch.randn(1, 4, generator=generator)

def calibration():
    yield from samples()

def calibration_by_name():
    return [{"state": state, "image": image} for image, state in samples()]

def nested_calibration():
    return (((image, image), {"state": state, "unused": state}) for image, state in samples())
"""


@pytest.fixture(autouse=True)
def in_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("m.py").write_text(MODEL)


def load_graph(path: Path) -> Graph:
    (graph,) = load_graphs(path)
    return graph


def graph(*flags: str, entry: str = "m:build_model") -> bytes:
    """The .graph file; arguments change the defaults."""
    assert serve(["--srcs=m.py", "--name=m", f"--entry={entry}", "--graph=m.graph", *flags]) == (0, "")
    return Path("m.graph").read_bytes()


@pytest.fixture(scope="module")
def namespace() -> dict:
    names: dict = {}
    exec(compile(MODEL, "m.py", "exec"), names)
    return names


@pytest.fixture(scope="module")
def arrays(namespace) -> dict[str, np.ndarray]:
    images, states = zip(*namespace["samples"]())
    return {"image": torch.cat(images).numpy(), "state": torch.cat(states).numpy()}


def test_calibration_data_in_every_form_teaches_the_same(arrays) -> None:
    expected = graph()
    np.savez("all.npz", **arrays)
    assert graph("--calibration=all.npz") == expected, "one .npz"
    np.savez("thin.npz", image=arrays["image"][:, 0], state=arrays["state"][:, None])
    assert graph("--calibration=thin.npz") == expected, "axes of size 1 come and go"
    Path("folder").mkdir()
    for index in range(6):
        np.savez(f"folder/{index}.npz", image=arrays["image"][index], state=arrays["state"][index])
    assert graph("--calibration=folder") == expected, "a file per sample"
    assert graph("--calibration=m:calibration_by_name") == expected, "arguments by name"


def test_a_folder_of_bare_arrays_serves_a_model_of_one_input(tmp_path) -> None:
    text = "def build_model():\n    import torch\n    torch.manual_seed(1)\n    return torch.nn.Linear(4, 2)\n"
    Path("one.py").write_text(text + "def example_inputs():\n    import torch\n    return torch.zeros(1, 4)\n")
    array = np.random.default_rng(1).standard_normal((5, 4)).astype(np.float32)
    np.savez("any.npz", whatever=array)
    Path("bare").mkdir()
    for index, row in enumerate(array):
        np.save(f"bare/{index}.npy", row)
    files = []
    for origin in ("any.npz", "bare"):
        assert serve(["--srcs=one.py", "--entry=one:build_model", f"--calibration={origin}", "--graph=one.graph"]) == (0, "")
        files.append(Path("one.graph").read_bytes())
    assert files[0] == files[1]


def test_files_that_are_no_calibration_data_are_refused(arrays) -> None:
    def refused(origin: str) -> str:
        exit_code, message = serve(["--srcs=m.py", "--entry=m:build_model", "--graph=no.graph", f"--calibration={origin}"])
        assert exit_code == 1
        return message.removeprefix("error: ")

    np.savez("uneven.npz", image=arrays["image"], state=arrays["state"][:2])
    assert refused("uneven.npz") == "the arrays of uneven.npz hold different numbers of samples"
    np.savez("scalar.npz", image=arrays["image"], state=1.0)
    assert refused("scalar.npz") == "the arrays of scalar.npz must have samples along their first axis"
    Path("bad.npz").write_bytes(b"nothing")
    assert refused("bad.npz").startswith("cannot read bad.npz: ")
    Path("data.csv").write_text("1,2")
    assert refused("data.csv") == "calibration data data.csv is neither a .npz nor a folder nor module:function"
    np.savez("words.npz", image=arrays["image"].astype(str), state=arrays["state"])
    assert refused("words.npz") == "calibration sample 0: input image is no array of numbers"
    Path("bare").mkdir()
    np.save("bare/0.npy", arrays["image"][0])
    assert refused("bare") == "calibration sample 0 has 1 inputs; the model takes 2"


def test_inputs_by_name_come_in_the_order_in_which_they_are_named(arrays) -> None:
    by_name = graph("--example_inputs=m:by_name", "--calibration=m:calibration_by_name")
    assert [port.name for port in load_graph(Path("m.graph")).inputs] == ["state", "image"]
    np.savez("all.npz", **arrays)
    assert graph("--example_inputs=m:by_name", "--calibration=all.npz") == by_name


def test_tuples_and_dicts_are_flattened_and_outputs_named_by_their_keys() -> None:
    graph("--example_inputs=m:nested_inputs", "--calibration=m:nested_calibration", entry="m:build_nested")
    nested = load_graph(Path("m.graph"))
    assert [port.name for port in nested.inputs] == ["pair_0", "pair_1", "more_state", "more_unused"]
    assert [port.name for port in nested.outputs] == ["scores", "parts.0", "parts.1.mean"]


def test_an_exported_program_from_python_is_taken_as_it_is() -> None:
    assert graph(entry="m:export_model") == graph()


def test_a_saved_exported_program_compiles_without_its_source(arrays) -> None:
    expected = load_graph_of(graph())
    exported = {}
    exec(compile(Path("m.py").read_text(), str(Path("m.py").resolve()), "exec"), exported)
    torch.export.save(exported["export_model"](), "m.pt2")
    Path("m.py").unlink()
    np.savez("all.npz", **arrays)
    assert serve(
        ["--entry=m.pt2", "--calibration=all.npz", "--graph=saved.graph", "--tier=mve", "--pte=m.pte", "--plan=plan.json"]
    ) == (0, "")
    assert str(load_graph(Path("saved.graph"))) == str(expected), "lines of the source included"
    assert json.loads(Path("plan.json").read_text())["model"] == "m"


def test_samples_of_another_structure_are_refused() -> None:
    text = MODEL.replace('{"state": state, "unused": state}) for', '{"state": state, "other": state}) for')
    Path("m.py").write_text(text)
    flags = [
        "--entry=m:build_nested",
        "--example_inputs=m:nested_inputs",
        "--calibration=m:nested_calibration",
        "--graph=no.graph",
    ]
    assert serve(["--srcs=m.py", *flags]) == (
        1,
        "error: calibration data m:nested_calibration: a sample is not built of tuples and dicts as the example inputs are",
    )


def load_graph_of(file: bytes):
    Path("expected.graph").write_bytes(file)
    return load_graph(Path("expected.graph"))


def test_saved_programs_that_cannot_be_compiled_are_refused(namespace) -> None:
    def refused(*flags: str) -> str:
        exit_code, message = serve([*flags, "--graph=no.graph"])
        assert exit_code == 1
        return message.removeprefix("error: ")

    assert (
        refused("--entry=m.pt2") == "m.pt2 needs --calibration: typical inputs, from which the ranges of activations are learnt"
    )
    assert refused("--entry=m.pt2", "--calibration=a.npz") == "cannot read m.pt2: No such file or directory"
    Path("m.pt2").write_bytes(b"nothing")
    assert (
        refused("--entry=m.pt2", "--calibration=a.npz")
        == f"m.pt2 holds no ExportedProgram that this PyTorch ({torch.__version__}) can load"
    )
    counting = torch.export.export(torch.nn.Embedding(4, 2), (torch.zeros(1, dtype=torch.int64),))
    torch.export.save(counting, "m.pt2")
    assert refused("--entry=m.pt2", "--calibration=a.npz") == "m.pt2: input 0 is int64; a model's inputs must be float32"
