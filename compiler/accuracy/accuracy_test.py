"""The report names the layer where int8 loses most, by what the model really computes, and counts right answers."""

import json

import numpy as np
import pytest

from compiler.pte_compiler import serve

MODEL = """\
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3)
        self.rough = nn.Conv2d(4, 4, 1)
        self.last = nn.Linear(4, 3)

    def forward(self, x):
        x = torch.relu(self.first(x))
        x = torch.relu(self.rough(x))
        return self.last(x.mean((2, 3)))

def build_model():
    torch.manual_seed(3)
    model = Model()
    # One weight so large that the others of its channel round to nothing.
    model.rough.weight.data[:, 0] = 0.0
    model.first.weight.data[0] = 0.0
    model.rough.weight.data[:, 0] = 40.0
    return model

def example_inputs():
    return (torch.zeros(1, 1, 6, 6),)

def calibration():
    for seed in range(8):
        yield torch.randn(1, 1, 6, 6, generator=torch.Generator().manual_seed(seed))
"""


@pytest.fixture(autouse=True)
def in_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(MODEL)


def run(*flags: str) -> tuple[int, str]:
    return serve(["--srcs=m.py", "--entry=m:build_model", *flags])


def samples(count: int) -> np.ndarray:
    return np.random.default_rng(7).standard_normal((count, 6, 6)).astype(np.float32)


def test_the_worst_layer_comes_first_with_its_line(tmp_path):
    assert run("--accuracy=a.json", "--accuracy_text=a.txt") == (0, "")
    report = json.loads((tmp_path / "a.json").read_text())
    assert report["model"] == "m" and report["samples"] == 8 and report["top1"] is None
    assert {layer["layer"] for layer in report["layers"]} == {"first", "rough", "mean", "last"}
    ratios = [layer["snr_db"] for layer in report["layers"]]
    assert ratios == sorted(ratios)
    by_layer = {layer["layer"]: layer for layer in report["layers"]}
    assert by_layer["first"]["snr_db"] > 30 > by_layer["rough"]["snr_db"] + 10
    assert by_layer["rough"] == {
        "layer": "rough",
        "operator": "conv2d",
        "source": "m.py:13",
        "snr_db": by_layer["rough"]["snr_db"],
    }
    (output,) = report["outputs"]
    assert output["snr_db"] == pytest.approx(by_layer["last"]["snr_db"], abs=1.5), (
        "the lowered program errs as the quantised model does"
    )
    (port,) = report["inputs"]
    assert port["name"] == "x" and port["snr_db"] > 35
    table = (tmp_path / "a.txt").read_text().splitlines()
    assert table[0] == "m: int8 against float over 8 samples"
    assert f"{report['layers'][0]['layer']} (" in table[table.index("") + 2]


def test_top1_counts_right_answers_of_both_models(tmp_path):
    inputs = samples(40)
    np.savez("d.npz", anything=inputs, label=np.arange(40) % 3)
    assert run("--accuracy=a.json", "--dataset=d.npz") == (0, "")
    report = json.loads((tmp_path / "a.json").read_text())
    top1 = report["top1"]
    assert report["samples"] == 16 and top1["samples"] == 40
    namespace: dict = {}
    exec(MODEL, namespace)
    torch = namespace["torch"]
    with torch.inference_mode():
        said = namespace["build_model"]()(torch.from_numpy(inputs)[:, None]).argmax(1).numpy()
    assert top1["float"] == np.mean(said == np.arange(40) % 3)
    assert top1["drop"] == pytest.approx(top1["float"] - top1["int8"])
    assert abs(top1["drop"]) <= 1 - top1["agree"]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": samples(3)}, "d.npz has no array label, only x"),
        ({"x": samples(3), "label": np.zeros(2, int)}, "d.npz: label must be 3 integers, one per sample; it is int64[2]"),
        ({"x": samples(3), "label": np.zeros(3)}, "d.npz: label must be 3 integers, one per sample; it is float64[3]"),
        ({"x": samples(0), "label": np.zeros(0, int)}, "d.npz is empty"),
        (
            {"x": np.zeros((2, 5, 5)), "label": np.zeros(2, int)},
            "d.npz: sample 0: input x has shape [5, 5]; the model takes [1, 1, 6, 6]",
        ),
        ({"a": samples(1), "b": samples(1), "label": np.zeros(1, int)}, "d.npz has no array x, only a, b"),
    ],
)
def test_a_dataset_that_does_not_suit_is_refused(arrays, message):
    np.savez("d.npz", **arrays)
    assert run("--accuracy=a.json", "--dataset=d.npz") == (1, f"error: {message}")


LABELLED = """
def labelled():
    for index in range(5):
        yield next(calibration()), index % 3
"""


def test_samples_may_come_from_a_function(tmp_path):
    (tmp_path / "more.py").write_text("from m import calibration\n" + LABELLED)
    assert run("--srcs=more.py", "--dataset=more:labelled", "--accuracy=a.json") == (0, "")
    assert json.loads((tmp_path / "a.json").read_text())["top1"]["samples"] == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("index % 3", "'no'"), "m:labelled: sample 0 must be (inputs, label), the label an integer"),
        (
            ("next(calibration()), index % 3", "next(calibration())"),
            "m:labelled: sample 0 must be (inputs, label), the label an integer",
        ),
        (("range(5)", "range(0)"), "m:labelled is empty"),
        (("next(calibration())", "(1, 2)"), "m:labelled: sample 0 has 2 inputs; the model takes 1"),
    ],
)
def test_samples_of_a_function_that_do_not_suit_are_refused(tmp_path, change, message):
    (tmp_path / "m.py").write_text(MODEL + LABELLED.replace(*change))
    assert run("--dataset=m:labelled", "--accuracy=a.json") == (1, f"error: {message}")


def test_a_graph_alone_has_no_float_model_to_be_held_against():
    exit_code, message = serve(["--graph=m.graph", "--accuracy=a.json"])
    assert (exit_code, message) == (1, "error: to measure accuracy, --entry must be given: it is held against the float model")
