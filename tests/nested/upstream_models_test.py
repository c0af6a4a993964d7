"""ExecuTorch 1.5.1 still makes the models in runtime/upstream/testing/models, and what they answer; its own examples run here too."""

import pathlib
import subprocess
import sys

import pytest

from toolchains import pip

_RUNFILES = pathlib.Path(__file__).absolute().parents[2]
_MODELS = sorted(_RUNFILES.glob("runtime/upstream/testing/models/*.pte"))
_RUN_PTE = _RUNFILES / "runtime/upstream/run_pte"


@pytest.fixture(scope="module", autouse=True)
def export_models(tmp_path_factory):
    """runtime/upstream/testing/export_models.py, with ExecuTorch installed by hash into a folder of this test's own."""
    folder = tmp_path_factory.mktemp("executorch")
    pip.install(folder, ["--requirement", str(_RUNFILES / "tests/nested/executorch.txt")])
    sys.path.append(str(folder))
    from runtime.upstream.testing import export_models

    return export_models


@pytest.mark.parametrize("model", _MODELS, ids=[model.stem for model in _MODELS])
def test_the_model_and_its_answers_are_what_upstream_makes(model, export_models):
    made = export_models.export(model.stem)
    assert made.pte == model.read_bytes()
    assert made.inputs == model.with_suffix(".inputs.bin").read_bytes()
    assert made.expected == model.with_suffix(".expected.bin").read_bytes()


def test_every_model_is_here(export_models):
    assert [model.stem for model in _MODELS] == sorted(export_models.MODELS)


@pytest.mark.parametrize(
    ("module", "model", "shape", "core"),
    [
        ("ds_cnn", "DSCNNKWS", (1, 1, 49, 10), "cortex-m55"),
        ("mobilenet_v1_025", "MobileNetV1025", (1, 3, 96, 96), "cortex-m4"),
        ("deep_autoencoder", "DeepAutoEncoder", (1, 640), "cortex-m0"),
    ],
)
def test_an_example_of_upstreams_gives_upstreams_bytes(module, model, shape, core, export_models, tmp_path):
    import importlib

    build = getattr(importlib.import_module(f"executorch.examples.models.mlperf_tiny.{module}"), model)
    made = export_models.export_model(build, shape, export_models.cortex_m(core), seed=1)
    (tmp_path / "model.pte").write_bytes(made.pte)
    (tmp_path / "inputs").write_bytes(made.inputs)
    subprocess.run([_RUN_PTE, "model.pte", "inputs", "outputs"], cwd=tmp_path, check=True)
    assert (tmp_path / "outputs").read_bytes() == made.expected
