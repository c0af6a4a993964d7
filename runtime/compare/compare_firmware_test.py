"""Keyword spotting layer by layer on a core and on the host: equal as it is, and with a fault planted found where it was planted."""

import json
import os
import pathlib
import shutil

import pytest
from elftools.elf.elffile import ELFFile

from compiler.pte.reader import read_pte
from runtime.compare.compare import compare, layer_count
from runtime.compare.layers import CompareError, steps_on_core, steps_on_host
from runtime.firmware.recorded import one_input

_CORE = os.environ["KINDLING_CORE"]
_INTERPRETED = pathlib.Path("models/kws/firmware.steps")
_BAKED = pathlib.Path("models/kws/firmware_baked.steps")
_PLAN = json.loads(pathlib.Path("models/kws/firmware.steps.plan.json").read_text())


@pytest.mark.parametrize("steps", [_INTERPRETED, _BAKED])
@pytest.mark.parametrize("number", [0, 7])
def test_all_layers_are_equal(steps, number):
    assert layer_count(steps) == len(_PLAN["steps"]) > 10
    assert compare(steps, _CORE, number=number) is None


def test_every_step_shows_something_else_than_zeros():
    sample = one_input(pathlib.Path("models/kws/firmware.steps.inputs.bin").read_bytes(), _PLAN, 0)
    outputs = steps_on_core(_INTERPRETED.with_name("firmware.steps.elf"), _CORE, sample, _PLAN)
    assert [output.plan_step for output in outputs] == _PLAN["steps"]
    assert all(len(set(output.values.flat)) > 1 for output in outputs)


def _copy_with_bits_flipped(folder: pathlib.Path, step: int, file: str) -> pathlib.Path:
    """The files of the firmware, in one of which weights of a step are damaged."""
    for path in _INTERPRETED.parent.glob("firmware.steps.*"):
        if path.is_file():
            shutil.copy(path, folder / path.name)
            (folder / path.name).chmod(0o755)
    victim = folder / file
    data = bytearray(victim.read_bytes())
    pte_at, pte_bytes = _model(victim)
    view = read_pte(bytes(data[pte_at : pte_at + pte_bytes]))
    (method,) = view.methods
    arguments = [method.values[index].fields for index in method.instructions[step].arguments]
    params = next(fields for fields in arguments if fields["constant"] is not None)
    segment, _ = view.segments[view.constant_segment]
    # The weights are the larger part of a params constant; between them lie factors and biases, fewer bytes than these at a time.
    at = pte_at + segment + view.constant_offsets[params["constant"] + 1] + params["sizes"][0] * 3 // 4
    for byte in range(at, at + 32):
        data[byte] ^= 0x40
    victim.write_bytes(data)
    return folder / "firmware.steps"


def _model(elf: pathlib.Path) -> tuple[int, int]:
    """Where in the file the .pte lies, and its bytes."""
    with elf.open("rb") as file:
        (symbol,) = ELFFile(file).get_section_by_name(".symtab").get_symbol_by_name("kws_pte")
        section = ELFFile(file).get_section(symbol["st_shndx"])
        return section["sh_offset"] + symbol["st_value"] - section["sh_addr"], symbol["st_size"]


@pytest.mark.parametrize(("file", "step"), [("firmware.steps.elf", 6), ("firmware.steps.host.program", 3)])
def test_a_damaged_weight_is_found_in_its_layer(tmp_path, file, step):
    difference = compare(_copy_with_bits_flipped(tmp_path, step, file), _CORE)
    planned = _PLAN["steps"][step]
    assert difference.startswith(
        f"{_CORE} differs from the host at step {step}, {planned['layer']} ({planned['kernel']}, {planned['source']}): element "
    )
    assert "models/kws/kws.py:" in difference


def test_programs_that_do_not_show_their_steps_are_refused(tmp_path):
    sample = one_input(pathlib.Path("models/kws/firmware.steps.inputs.bin").read_bytes(), _PLAN, 0)
    with pytest.raises(CompareError, match="firmware.elf does not show its steps: take the target's twin .steps"):
        steps_on_core(pathlib.Path("models/kws/firmware.elf"), _CORE, sample, _PLAN)
    with pytest.raises(CompareError, match=r"false failed on the host \(exit code 1\)"):
        steps_on_host(pathlib.Path(shutil.which("false")), sample, _PLAN)
