"""The figures of the four models keep under their bars, measured on an emulated core."""

import functools
import json
import os
import pathlib

import numpy as np
import pytest

from tests.bars.bars import BARS, PTE_BYTES, PTE_BYTES_PER_CHANNEL
from toolchains.qemu import emulator

_CORE = os.environ["KINDLING_CORE"]
_MODELS = [model for model, core in BARS if core == _CORE]


def _output(model: str, ending: str) -> pathlib.Path:
    return pathlib.Path(f"models/{model}/firmware.{ending}")


@functools.cache
def _run(model: str) -> emulator.FirmwareRun:
    run = emulator.run_firmware(elf=_output(model, "elf"), core=_CORE, inputs=_output(model, "inputs.bin").read_bytes())
    assert run.outputs == _output(model, "expected.bin").read_bytes()
    return run


def _flash(model: str) -> dict[str, int]:
    return json.loads(_output(model, "size.json").read_text())["flash"]


@pytest.mark.parametrize("model", _MODELS)
def test_instructions_of_an_inference(model):
    assert 0 < max(_run(model).run_instructions) <= BARS[model, _CORE].instructions


@pytest.mark.parametrize("model", _MODELS)
def test_ram(model):
    report = _run(model).report
    assert 0 < report.arena_bytes + report.state_bytes + report.stack_bytes <= BARS[model, _CORE].ram


@pytest.mark.parametrize("model", _MODELS)
def test_the_planned_arena_is_the_one_used(model):
    plan = json.loads(_output(model, "plan.json").read_text())
    assert sum(region["bytes"] for region in plan["regions"]) == _run(model).report.arena_bytes


@pytest.mark.parametrize("model", _MODELS)
def test_code(model):
    flash = _flash(model)
    assert 0 < sum(flash.values()) - flash["constants"] - flash["metadata"] <= BARS[model, _CORE].code


@pytest.mark.parametrize("model", sorted({"kws", "vww", "ic"} & set(_MODELS)))
def test_what_a_pte_adds_to_its_weights(model):
    weights = [array for array in np.load(f"models/{model}/weights.npz").values() if array.ndim > 1]
    channels = sum(len(array) for array in weights)
    added = _flash(model)["constants"] + _flash(model)["metadata"] - sum(array.size for array in weights)
    assert 0 < added <= PTE_BYTES + PTE_BYTES_PER_CHANNEL * channels
