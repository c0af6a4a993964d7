"""The examples give the class that the model gives, in C and in C++, interpreted and as code."""

import pathlib
import struct

import pytest

from toolchains.qemu import emulator

_FOLDER = pathlib.Path("runtime/examples")
_CLASSES = 12


@pytest.mark.parametrize("example", ["c", "c_baked", "cc"])
def test_the_example_finds_the_classes(example, tmp_path):
    elf = _FOLDER / f"{example}.elf"
    (tmp_path / "input.bin").write_bytes(elf.with_suffix(".inputs.bin").read_bytes())
    emulator.run_elf(elf=elf, core="m4f", directory=tmp_path, timeout_s=60)
    outputs = elf.with_suffix(".expected.bin").read_bytes()
    scores = [struct.unpack_from(f"<{_CLASSES}b", outputs, at) for at in range(0, len(outputs), _CLASSES)]
    classes = struct.unpack(f"<{len(scores)}i", (tmp_path / "output.bin").read_bytes())
    assert list(classes) == [score.index(max(score)) for score in scores]
    assert len(set(classes)) > 6
