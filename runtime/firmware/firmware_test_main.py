"""Runs a firmware in the emulator and holds every output byte against the host's: what `pte_firmware_test` starts."""

import argparse
import pathlib
import sys

from toolchains.qemu import emulator


def first_difference(outputs: bytes, expected: bytes, runs: int) -> str | None:
    """Where two sequences of `runs` outputs part, in one line; None if they are equal."""
    if outputs == expected:
        return None
    if len(outputs) != len(expected):
        return f"{len(outputs)} bytes of output, the host gave {len(expected)}"
    at = next(i for i, (ours, theirs) in enumerate(zip(outputs, expected)) if ours != theirs)
    run, byte = divmod(at, len(expected) // runs)
    return f"inference {run}, output byte {byte}: {outputs[at]:#04x}, the host gave {expected[at]:#04x}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elf", type=pathlib.Path, required=True)
    parser.add_argument("--core", required=True, help="the core that the firmware was built for")
    parser.add_argument("--inputs", type=pathlib.Path, required=True, help="recorded inputs, one after another")
    parser.add_argument("--expected", type=pathlib.Path, required=True, help="what the host computed from them")
    arguments = parser.parse_args()
    try:
        run = emulator.run_firmware(elf=arguments.elf, core=arguments.core, inputs=arguments.inputs.read_bytes())
    except emulator.EmulationError as error:
        sys.exit(f"FAIL: {error}")
    if not run.run_instructions:
        sys.exit(f"FAIL: {arguments.inputs} holds no input")
    difference = first_difference(run.outputs, arguments.expected.read_bytes(), len(run.run_instructions))
    if difference:
        sys.exit(f"FAIL on {arguments.core}: {difference}")
    print(
        f"PASS on {arguments.core}: {len(run.run_instructions)} inferences, {len(run.outputs)} output bytes equal;"
        f" {run.init_instructions:,} instructions to initialise, {max(run.run_instructions):,} an inference"
    )


if __name__ == "__main__":
    main()
