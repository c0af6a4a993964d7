"""The same model gives the same bytes: in other processes, with another hash seed, and from a worker that has done other work."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MODEL = """
import random
import numpy as np
import torch
from torch import nn

def build_model():
    return nn.Sequential(
        nn.Conv2d(2, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU(), nn.Dropout(),
        nn.Conv2d(6, 6, 3, groups=6), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, {classes}), nn.Softmax(1),
    )

def example_inputs():
    return torch.zeros(1, 2, 8, 8)

def calibration():
    for _ in range(8):
        yield torch.randn(1, 2, 8, 8) * random.random() + np.random.rand()
"""

FILES = ("m.graph", "m.pte", "m.ops.json", "m.plan.json")
FLAGS = [
    "--entry=m:build_model",
    "--srcs=m.py",
    "--tier=dsp",
    "--graph=m.graph",
    "--pte=m.pte",
    "--ops=m.ops.json",
    "--plan=m.plan.json",
]


def compiler(folder: Path, *arguments: str, hash_seed: int = 0, requests: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-m", "compiler.pte_compiler", *arguments],
        input=requests,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": ":".join(map(os.path.abspath, sys.path)), "PYTHONHASHSEED": str(hash_seed)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "a compile that works says nothing"
    return done.stdout


def digest(folder: Path) -> str:
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in FILES)).hexdigest()


def folder_with(tmp_path: Path, name: str, classes: int = 4) -> Path:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "m.py").write_text(MODEL.format(classes=classes))
    return folder


@pytest.fixture(scope="module")
def one_shot(tmp_path_factory) -> Path:
    """A folder in which one process has compiled the model."""
    folder = folder_with(tmp_path_factory.mktemp("one_shot"), "m")
    compiler(folder, *FLAGS)
    return folder


def test_another_process_with_another_hash_seed_in_another_folder(tmp_path, one_shot):
    folder = folder_with(tmp_path, "elsewhere")
    compiler(folder, *FLAGS, hash_seed=7)
    assert digest(folder) == digest(one_shot)


def test_a_worker_that_has_compiled_other_models_and_failed(tmp_path, one_shot):
    folder = folder_with(tmp_path, "worker")
    other = folder_with(folder, "other", classes=7)
    (folder / "bad.py").write_text("import torch\ntorch.set_default_dtype(torch.float64)\ntorch.manual_seed(5)\n1 / 0\n")
    elsewhere = ["--entry=m:build_model"] + [flag.replace("=m.", "=other/m.") for flag in FLAGS[1:]]
    requests = [elsewhere, ["--srcs=bad.py", "--entry=bad:build_model", "--graph=bad.graph"], FLAGS]
    answers = compiler(
        folder,
        "--persistent_worker",
        requests="".join(json.dumps({"arguments": request, "requestId": 0}) + "\n" for request in requests),
    )
    results = [json.loads(line) for line in answers.splitlines()]
    assert [result["exitCode"] for result in results] == [0, 1, 0]
    assert results[1]["output"] == "error: bad.py:4: ZeroDivisionError: division by zero\n"
    assert digest(other) != digest(folder) == digest(one_shot)


def test_lowering_alone_gives_the_same_and_does_not_import_torch(one_shot):
    program = (
        "import sys\n"
        "from compiler.pte_compiler import serve\n"
        "assert serve(['--graph=m.graph', '--tier=dsp', '--pte=lowered.pte']) == (0, '')\n"
        "assert 'torch' not in sys.modules\n"
    )
    environment = {**os.environ, "PYTHONPATH": ":".join(map(os.path.abspath, sys.path))}
    subprocess.run([sys.executable, "-c", program], cwd=one_shot, env=environment, check=True)
    assert (one_shot / "lowered.pte").read_bytes() == (one_shot / "m.pte").read_bytes()
