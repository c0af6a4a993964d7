"""Recognises the word in a recording with the firmware itself, run in QEMU; prints word, score (0 to 1) and instructions."""

import argparse
import json
import os
import sys
from pathlib import Path

import numpy as np

from models.kws import features
from models.kws.labels import LABELS
from models.record_inputs import quantise
from toolchains.qemu import emulator


def recognise(wavs: list[Path], elf: Path, plan: Path, core: str) -> list[str]:
    """One line for each recording. Raises WavError, OSError, ValueError or EmulationError."""
    ports = json.loads(plan.read_text())
    (model_input,), (model_output,) = ports["inputs"], ports["outputs"]
    windows = [features.mfcc(features.loudest_second(features.read_wav(wav))) for wav in wavs]
    run = emulator.run_firmware(elf=elf, core=core, inputs=quantise(np.stack(windows), model_input).tobytes())
    answers = np.frombuffer(run.outputs, model_output["dtype"]).reshape(len(wavs), len(LABELS))
    scores = (answers.astype(float) - model_output["zero_point"]) * model_output["scale"]
    return [
        f"{LABELS[score.argmax()]}  {score.max():.3f}  {instructions:,} instructions  {wav}"
        for wav, score, instructions in zip(wavs, scores, run.run_instructions, strict=True)
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wavs", nargs="+", type=Path, metavar="WAV", help="16 kHz mono 16-bit; of a longer one the loudest second counts")
    # The build rule passes these three.
    parser.add_argument("--elf", type=Path, required=True, help="the firmware")
    parser.add_argument("--plan", type=Path, required=True, help="the model's plan.json")
    parser.add_argument("--core", required=True, help="the core the firmware is for, e.g. m55")
    given = parser.parse_args(arguments)
    elf, plan = given.elf.absolute(), given.plan.absolute()
    # Bazel starts programs in its own folder and says in which the user stands.
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    try:
        print(*recognise(given.wavs, elf, plan, given.core), sep="\n")
    except (OSError, ValueError, emulator.EmulationError) as error:
        sys.exit(f"simulate: {error}")


if __name__ == "__main__":
    main()
