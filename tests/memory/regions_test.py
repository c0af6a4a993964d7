"""A firmware whose arena is in several regions: each lies in the board's memory of that name, and takes what the plan says."""

import json
import os
import pathlib

from elftools.elf.elffile import ELFFile

from toolchains.qemu import emulator

_CORE = os.environ["KINDLING_CORE"]
_FIRMWARE = pathlib.Path("tests/memory/firmware.elf")
_BOARD = json.loads(pathlib.Path("platforms/boards/boards_json.json").read_text())["mps3_an547"]
_PLAN = json.loads(_FIRMWARE.with_suffix(".plan.json").read_text())


def test_each_region_lies_in_the_memory_of_its_name_and_takes_what_is_planned():
    assert [region["name"] for region in _PLAN["regions"]] == ["dram", "dtcm", "sram"]
    with _FIRMWARE.open("rb") as file:
        elf = ELFFile(file)
        for region in _PLAN["regions"]:
            name = ".arena" if region["name"] == _BOARD["arena"] else f".arena.{region['name']}"
            header, memory = elf.get_section_by_name(name).header, _BOARD["regions"][region["name"]]
            assert header.sh_size == region["bytes"] <= region["limit"]
            assert memory["origin"] <= header.sh_addr <= header.sh_addr + header.sh_size <= memory["origin"] + memory["length"]
            assert header.sh_addr % region["alignment"] == 0


def test_reports_have_the_regions_one_by_one_and_the_device_their_sum():
    planned = {region["name"]: region["bytes"] for region in _PLAN["regions"]}
    sizes = json.loads(_FIRMWARE.with_suffix(".size.json").read_text())
    run = emulator.run_firmware(elf=_FIRMWARE, core=_CORE, inputs=_FIRMWARE.with_suffix(".inputs.bin").read_bytes())
    assert sizes["arena_regions"] == planned
    assert run.report.arena_bytes == sizes["ram"]["arena"] == _PLAN["arena_bytes"] == sum(planned.values())
    for region, nbytes in planned.items():
        assert f"  {f'of the arena in {region}':44}{nbytes:>9,}\n" in _FIRMWARE.with_suffix(".size.txt").read_text()


def test_the_user_s_placement_is_kept_and_the_hottest_lie_fastest():
    region_of = {tensor["name"]: tensor["region"] for tensor in _PLAN["tensors"]}
    (mix,) = (step for step in _PLAN["steps"] if step["layer"] == "mix")
    assert region_of[mix["outputs"][0]] == "dram"
    traffic = {tensor["region"]: 0.0 for tensor in _PLAN["tensors"]}
    for tensor in _PLAN["tensors"]:
        traffic[tensor["region"]] = max(traffic[tensor["region"]], tensor["traffic"] / tensor["bytes"])
    assert traffic["dtcm"] > traffic["sram"]


def test_what_only_moves_bytes_along_the_outermost_axis_is_no_step():
    """Two halves of an image, the image of two halves, and two heads end to end."""
    assert sorted(step["operator"] for step in _PLAN["elided"]) == ["concat", "concat", "copy", "copy"]
    assert not {"concat", "copy"} & {step["operator"] for step in _PLAN["steps"]}
    storage_of = {tensor["name"]: tensor["storage"] for tensor in _PLAN["tensors"]}
    assert all(storage_of[step["tensor"]] != step["tensor"] for step in _PLAN["elided"] if step["operator"] == "copy")
