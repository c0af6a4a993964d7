"""Measures a firmware for its report: what one inference takes on an emulated core, layer by layer.

    measure_layers --core m55 --firmware firmware.elf --traced firmware.traced.elf --plan firmware.plan.json --inputs inputs.bin --json out.json

Writes {"core", "instructions", "init_instructions", "ram": {"arena", "state", "stack"}, "steps": [{"step", "start", "duration"}]}: bytes,
and instructions, which are exact. Those of the steps are of the traced firmware, all others of the plain one; of the first input.
"""

import argparse
import dataclasses
import json
import pathlib
import sys

from runtime.firmware.recorded import one_input
from runtime.trace import timeline
from toolchains.qemu import emulator


def measure(core: str, firmware: pathlib.Path, traced: pathlib.Path, plan: pathlib.Path, inputs: pathlib.Path) -> dict:
    """Raises EmulationError, ValueError or OSError."""
    sample = one_input(inputs.read_bytes(), json.loads(plan.read_text()), 0)
    run = emulator.run_firmware(elf=firmware, core=core, inputs=sample)
    steps = timeline.count_in_emulator(traced, core, sample)
    return {
        "core": core,
        "instructions": run.run_instructions[0],
        "init_instructions": run.init_instructions,
        "ram": {"arena": run.report.arena_bytes, "state": run.report.state_bytes, "stack": run.report.stack_bytes},
        "steps": [dataclasses.asdict(step) for step in steps],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", required=True, help="the core they were built for")
    files = {"firmware": "the firmware", "traced": "its twin .traced", "plan": "its plan.json", "inputs": "recorded inputs", "json": "to write"}
    for name, what in files.items():
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True, help=what)
    given = parser.parse_args()
    try:
        figures = measure(given.core, given.firmware, given.traced, given.plan, given.inputs)
    except (OSError, ValueError, emulator.EmulationError) as error:
        sys.exit(f"measure_layers: {error}")
    given.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
