"""What the runtime may cost: code, state, instructions to initialise and to get from operator to operator; on keyword spotting."""

import functools
import json
import os
import pathlib
import re

from toolchains.qemu import emulator

_CORE = os.environ["KINDLING_CORE"]
_FIRMWARE = pathlib.Path("models/kws/firmware.elf")
_VERIFIED = pathlib.Path("runtime/testing/kws_verified.elf")

# Bytes of code and constants, the kernel table included.
_CODE_BYTES = {"m0plus": 5 * 1024, "m55": 4 * 1024}
_VERIFIED_CODE_BYTES = 8 * 1024
_STATE_BYTES = 512
_INIT_INSTRUCTIONS = {"m0plus": 16_000, "m55": 10_000}
_INSTRUCTIONS_BETWEEN_OPERATORS = 100

# The executor, and the functions of the kernel table that hand its arguments on to the kernels.
_EXECUTOR = re.compile(r"^_ZN8kindling(6Method|12_GLOBAL__N_1L?\d+run_)")


def _output(ending: str, firmware: pathlib.Path = _FIRMWARE) -> dict:
    return json.loads(firmware.with_suffix(ending).read_text())


@functools.cache
def _run() -> emulator.FirmwareRun:
    inputs = _FIRMWARE.with_suffix(".inputs.bin").read_bytes()
    return emulator.run_firmware(elf=_FIRMWARE, core=_CORE, inputs=inputs, profile=True)


def test_code_is_small():
    assert 0 < _output(".size.json")["flash"]["runtime"] <= _CODE_BYTES[_CORE]


def test_code_with_full_verification_and_checksums_is_small():
    assert _output(".size.json")["flash"]["runtime"] < _output(".size.json", _VERIFIED)["flash"]["runtime"] <= _VERIFIED_CODE_BYTES


def test_state_beside_the_arena_is_small():
    assert 0 < _run().report.state_bytes <= _STATE_BYTES


def test_initialisation_with_all_checks_is_short():
    assert 0 < _run().init_instructions <= _INIT_INSTRUCTIONS[_CORE]


def test_little_is_done_between_operators():
    run = _run()
    overhead = sum(count for function, count in run.profile.items() if _EXECUTOR.match(function))
    operators = len(run.run_instructions) * len(_output(".plan.json")["steps"])
    # Initialisation is in the profile too, so the average is a little too high.
    assert 0 < overhead / operators <= _INSTRUCTIONS_BETWEEN_OPERATORS
