"""ExecuTorch 1.5.1's own loader opens the .pte of every model and tier, and reads in it what the memory plan says."""

import json
import math
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
    kept = [plan["state_bytes"]] if plan["states"] else []
    assert method.non_const_buffer_sizes == [0] + [region["bytes"] for region in plan["regions"]] + kept


def test_what_lasts_from_run_to_run_has_a_place_and_a_first_value_as_upstreams_mutable_buffers_have():
    from executorch.exir._serialize._program import deserialize_pte_binary
    from executorch.exir.schema import Tensor

    (pte,) = (pte for pte in _PTES if pte.name == "sww_streaming.mve.pte")
    plan = json.loads(pte.with_suffix(".plan.json").read_text())
    file = deserialize_pte_binary(pte.read_bytes())
    (method,) = file.program.execution_plan
    tensors = [value.val for value in method.values if isinstance(value.val, Tensor)]
    first = {t.allocation_info.memory_offset: t for t in tensors if t.allocation_info and t.data_buffer_idx}
    assert list(first) == [state["offset"] for state in plan["states"]]
    assert {tensor.allocation_info.memory_id for tensor in first.values()} == {len(plan["regions"]) + 1}
    assert [tensor.sizes for tensor in first.values()] == [state["shape"] for state in plan["states"]]
    kept = [math.prod(state["shape"]) for state in plan["states"]]
    assert [-(-len(buffer.storage) // 16) for buffer in file.mutable_data[1:]] == [-(-size // 16) for size in kept]


def test_every_tier_of_every_model_is_here():
    assert len(_PTES) >= 3 and len(_PTES) % 3 == 0
