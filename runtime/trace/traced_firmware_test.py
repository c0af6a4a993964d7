"""Keyword spotting, traced: what the ring and the emulator say of it, and that nothing of it is in a firmware that is not traced."""

import functools
import json
import os
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from runtime.firmware.recorded import one_input
from runtime.trace import timeline
from runtime.trace.trace import trace_firmware
from toolchains.qemu import emulator

_CORE = os.environ["KINDLING_CORE"]
_PLAIN = Path("models/kws/firmware.elf")
_TRACED = Path("models/kws/firmware.traced.elf")
_BAKED = Path("models/kws/firmware_baked.traced.elf")
_INPUTS = Path("models/kws/firmware.inputs.bin")
_PLAN = Path("models/kws/firmware.plan.json")

# SysTick of the emulated boards: ticks that go by while one instruction takes 64 ns. https://www.qemu.org/docs/master/system/arm/mps2.html
_INSTRUCTION_NS = 64
_TICKS = {"m0plus": 16e6 * _INSTRUCTION_NS * 1e-9, "m55": 32e6 * _INSTRUCTION_NS * 1e-9}


@functools.cache
def _plan() -> dict:
    return json.loads(_PLAN.read_text())


def _input() -> bytes:
    return one_input(_INPUTS.read_bytes(), _plan(), 3)


def _symbols(elf: Path) -> dict[str, int]:
    with elf.open("rb") as file:
        return {symbol.name: symbol["st_size"] for symbol in ELFFile(file).get_section_by_name(".symtab").iter_symbols()}


def test_an_untraced_firmware_has_nothing_of_it():
    words = ("trace", "clock", "step_begin", "step_end", "kStepOutputs", "ObservedStep")
    assert not [name for name in _symbols(_PLAIN) if any(word in name for word in words)]
    assert {"kindling_clock", "kindling_mark_step_begin", "_ZN8kindling5traceE"} <= set(_symbols(_TRACED))


def test_the_ring_takes_less_than_a_kilobyte_and_the_table_of_outputs_is_left_out():
    assert _symbols(_TRACED)["_ZN8kindling5traceE"] <= 1024
    assert not [name for name in _symbols(_TRACED) if "kStepOutputs" in name]


@pytest.mark.parametrize("elf", [_TRACED, _BAKED])
def test_every_layer_is_there_in_order_and_together_they_are_the_inference(elf):
    layers = trace_firmware(elf, _PLAN, _INPUTS, _CORE, number=3)
    assert [layer.plan_step for layer in layers] == _plan()["steps"]
    plain = emulator.run_firmware(elf=elf.with_name(elf.name.replace(".traced", "")), core=_CORE, inputs=_input())
    total = sum(layer.time.duration for layer in layers)
    # To be stopped after each step costs some instructions, and not more than some.
    assert abs(total - plain.run_instructions[0]) <= 60 * len(layers)


def test_steps_are_a_large_part_of_a_traced_run_and_outputs_are_the_same():
    run = emulator.run_firmware(elf=_TRACED, core=_CORE, inputs=_input())
    assert 0.99 * run.run_instructions[0] < sum(run.step_instructions) < run.run_instructions[0]
    assert run.outputs == emulator.run_firmware(elf=_PLAIN, core=_CORE, inputs=_input()).outputs


def test_the_clock_of_the_core_agrees_with_the_emulator():
    run = emulator.run_firmware(elf=_TRACED, core=_CORE, inputs=_input(), instruction_ns=_INSTRUCTION_NS)
    times, lost = timeline.read_ring(run.files["trace.bin"])
    assert lost == 0 and [time.step for time in times] == list(range(len(_plan()["steps"])))
    for time, instructions in zip(times, run.step_instructions, strict=True):
        # Between two readings of the clock is a little more than the step.
        assert instructions <= time.duration / _TICKS[_CORE] <= instructions + 60


def test_of_many_inferences_the_ring_holds_the_last_steps():
    inputs = _INPUTS.read_bytes()
    run = emulator.run_firmware(elf=_TRACED, core=_CORE, inputs=inputs)
    times, lost = timeline.read_ring(run.files["trace.bin"])
    steps = len(_plan()["steps"])
    assert lost + len(times) == len(run.step_instructions) == steps * len(run.run_instructions) > len(times)
    assert [time.step for time in times] == [step % steps for step in range(lost, lost + len(times))]


def test_a_firmware_that_is_not_traced_and_more_than_one_input_are_refused():
    with pytest.raises(timeline.TraceError, match="firmware.elf is not traced: take the target's twin .traced"):
        timeline.count_in_emulator(_PLAIN, _CORE, _input())
    with pytest.raises(timeline.TraceError, match="2 inferences ran, not one"):
        timeline.count_in_emulator(_TRACED, _CORE, _input() * 2)
