"""ExecuTorch 1.5.1's own loader opens the .pte of every model and tier, and reads in it what the memory plan says."""

import json
import pathlib
import sys

import pytest

from toolchains import pip

_RUNFILES = pathlib.Path(__file__).absolute().parents[2]
_PTES = sorted(_RUNFILES.glob("models/*/*.pte"))
_NUMBER = {"int8": 1, "float32": 6}  # torch's ScalarType


@pytest.fixture(scope="module", autouse=True)
def executorch(tmp_path_factory):
    """ExecuTorch's wheel, installed by hash into a folder of this test's own."""
    folder = tmp_path_factory.mktemp("executorch")
    pip.install(folder, ["--requirement", str(_RUNFILES / "tests/nested/executorch.txt")])
    sys.path.append(str(folder))


@pytest.mark.parametrize("pte", _PTES, ids=[pte.name for pte in _PTES])
def test_the_method_has_the_planned_inputs_outputs_and_sizes(pte):
    from executorch.exir._serialize._program import deserialize_pte_binary
    from executorch.extension.pybindings import portable_lib

    plan = json.loads(pte.with_suffix(".plan.json").read_text())
    file = pte.read_bytes()
    module = portable_lib._load_for_executorch_from_buffer(
        file, program_verification=portable_lib.Verification.InternalConsistency
    )
    meta = module.method_meta(plan["method"])
    assert (meta.num_inputs(), meta.num_outputs()) == (len(plan["inputs"]), len(plan["outputs"]))
    tensors = [meta.input_tensor_meta(i) for i in range(meta.num_inputs())]
    tensors += [meta.output_tensor_meta(i) for i in range(meta.num_outputs())]
    for tensor, planned in zip(tensors, plan["inputs"] + plan["outputs"], strict=True):
        assert (list(tensor.sizes()), tensor.nbytes()) == (planned["shape"], planned["bytes"])
        assert (tensor.dtype(), tensor.is_memory_planned()) == (_NUMBER[planned["dtype"]], True)

    (method,) = deserialize_pte_binary(file).program.execution_plan
    assert method.non_const_buffer_sizes == [0] + [region["bytes"] for region in plan["regions"]]


def test_every_tier_of_every_model_is_here():
    assert len(_PTES) >= 3 and len(_PTES) % 3 == 0
