"""The worst-case stack of the size report against the high-water mark of emulated runs: never less, and hardly more."""

import json
import os
import pathlib

import pytest

from toolchains.qemu import emulator

_CORE = os.environ["KINDLING_CORE"]
_MODELS = pathlib.Path("models")


@pytest.mark.parametrize("firmware", ["kws/firmware", "kws/firmware_baked", "ic/firmware"])
def test_the_stack_bound_holds_and_is_close(firmware):
    elf = _MODELS / f"{firmware}.elf"
    bound = json.loads(elf.with_suffix(".size.json").read_text())["stack_bound"]
    run = emulator.run_firmware(elf=elf, core=_CORE, inputs=elf.with_suffix(".inputs.bin").read_bytes())
    print(f"{_CORE} {firmware}: {run.report.stack_bytes} used, {bound['bytes']} promised")
    assert run.report.stack_bytes <= bound["bytes"] <= run.report.stack_bytes * 1.1
    assert bound["model_bytes"] < bound["bytes"]
    assert [call["function"] for call in bound["deepest"]][:2] == ["kindling_reset", "main"]


def test_the_report_states_the_whole_ram_bill():
    sizes = json.loads((_MODELS / "kws/firmware.size.json").read_text())
    lines = (_MODELS / "kws/firmware.size.txt").read_text().splitlines()
    needed = sizes["ram"]["arena"] + sizes["ram"]["state"] + sizes["ram"]["other"] + sizes["stack_bound"]["bytes"]
    assert f"{'RAM in use at most':46}{needed:>9,} bytes" in lines
    assert f"  {'worst-case stack':44}{sizes['stack_bound']['bytes']:>9,}" in lines
