"""The command quantises as the plan says, prints one line a recording, and fails in one line. The emulator is played here:
that the firmware answers rightly is for //models/kws's firmware tests."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from models.kws import features, simulate
from models.kws.labels import LABELS
from toolchains.qemu import emulator

YES = Path(__file__).parent / "testdata/yes.wav"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    ports = {
        "inputs": [{"shape": [1, 49, 10, 1], "dtype": "int8", "scale": 0.5, "zero_point": 83}],
        "outputs": [{"shape": [1, 12], "dtype": "int8", "scale": 1 / 256, "zero_point": -128}],
    }
    path.write_text(json.dumps(ports))
    return path


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What the played firmware was given; it answers "no" to the first window, "up" to the second."""
    received = []

    def run_firmware(*, elf: Path, core: str, inputs: bytes, timeout_s: float = 300.0) -> SimpleNamespace:
        assert (elf.name, core) == ("firmware.elf", "m55")
        received.append(inputs)
        outputs = np.full((len(inputs) // 490, len(LABELS)), -128, np.int8)
        for row, word in zip(outputs, ["no", "up"], strict=False):
            row[LABELS.index(word)] = 126
        return SimpleNamespace(outputs=outputs.tobytes(), run_instructions=[1234567] * len(outputs))

    monkeypatch.setattr(emulator, "run_firmware", run_firmware)
    return received


def _simulate(plan: Path, *wavs: Path) -> None:
    simulate.main(["--elf=firmware.elf", f"--plan={plan}", "--core=m55", *map(str, wavs)])


def test_word_score_and_instructions_are_printed_for_each_recording(plan, received, capsys) -> None:
    _simulate(plan, YES, YES)
    assert capsys.readouterr().out == (
        f"no  0.992  1,234,567 instructions  {YES}\nup  0.992  1,234,567 instructions  {YES}\n"
    )


def test_the_firmware_gets_the_quantised_mfccs(plan, received) -> None:
    _simulate(plan, YES)
    mfcc = features.mfcc(features.read_wav(YES))
    expected = np.clip(np.rint(mfcc / 0.5) + 83, -128, 127).astype(np.int8)
    assert received == [expected.tobytes()]


def test_paths_are_taken_from_where_the_user_stands(plan, received, monkeypatch, capsys) -> None:
    monkeypatch.setenv("BUILD_WORKING_DIRECTORY", str(YES.parent))
    _simulate(plan, Path("yes.wav"))
    assert capsys.readouterr().out == "no  0.992  1,234,567 instructions  yes.wav\n"


def test_a_wrong_wav_ends_in_one_line_and_the_firmware_is_not_started(plan, received, tmp_path) -> None:
    text = tmp_path / "text.wav"
    text.write_text("no sound at all, just a text")
    with pytest.raises(SystemExit) as end:
        _simulate(plan, YES, text)
    assert end.value.code == f"simulate: {text}: not a PCM WAV file"
    assert received == []


def test_a_failing_emulator_ends_in_one_line(plan, monkeypatch) -> None:
    def run_firmware(**_: object) -> None:
        raise emulator.EmulationError("firmware.elf on m55: no end after 300 s")

    monkeypatch.setattr(emulator, "run_firmware", run_firmware)
    with pytest.raises(SystemExit) as end:
        _simulate(plan, YES)
    assert end.value.code == "simulate: firmware.elf on m55: no end after 300 s"
