"""Runs one inference on an emulated core and on the host, and holds the outputs of every layer against each other, byte for byte.

    ./bazelw run //runtime:compare -- --firmware=//models/kws:firmware --core=m55

Exit code 0: all layers are equal. 1: the first that is not is named with its place in the model and the first element that differs.
The host runs the same quantised model with the portable kernels.
"""

import argparse
import json
import pathlib
import sys

from runtime.compare import layers
from runtime.firmware import bazel_build
from runtime.firmware.recorded import one_input
from toolchains.qemu import emulator


def compare(steps: pathlib.Path, core: str, inputs: pathlib.Path | None = None, number: int = 0) -> str | None:
    """What to say of the first difference; None: all layers are equal.

    Args:
      steps: the files of a firmware .steps without their endings, e.g. models/kws/firmware.steps.
      core: the core that it was built for.
      inputs: a file of inputs, laid end to end; None: those recorded for the firmware.
      number: which of them.

    Raises CompareError, EmulationError, OSError or ValueError.
    """
    plan, host_plan = (json.loads(_file(steps, ending).read_text()) for ending in ("plan.json", "host.plan.json"))
    sample = one_input((inputs or _file(steps, "inputs.bin")).read_bytes(), plan, number)
    on_core = layers.steps_on_core(_file(steps, "elf"), core, sample, plan)
    on_host = layers.steps_on_host(_file(steps, "host.program"), sample, host_plan)
    difference = layers.first_difference(on_core, on_host)
    return f"{core} differs from the host at {difference}" if difference else None


def layer_count(steps: pathlib.Path) -> int:
    return len(json.loads(_file(steps, "plan.json").read_text())["steps"])


def _file(steps: pathlib.Path, ending: str) -> pathlib.Path:
    return steps.with_name(f"{steps.name}.{ending}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--firmware", required=True, help="a pte_firmware, e.g. //models/kws:firmware")
    parser.add_argument("--core", default="m55", help="the core to emulate, a name from platforms/cores.bzl")
    parser.add_argument("--inputs", help="a file of inputs, laid end to end; default: those recorded for the firmware")
    parser.add_argument("--input", type=int, default=0, metavar="N", help="which of them, from 0")
    given = parser.parse_args()
    target = f"{given.firmware}.steps"
    with bazel_build.built([target], given.core) as folder:
        steps = bazel_build.output(folder, target)
        try:
            difference = compare(steps, given.core, given.inputs and bazel_build.user_path(given.inputs), given.input)
        except (OSError, ValueError, emulator.EmulationError) as error:
            sys.exit(f"compare: {error}")
        if difference:
            sys.exit(difference)
        print(f"all {layer_count(steps)} layers equal: {given.core} and the host, {given.firmware}, input {given.input}")


if __name__ == "__main__":
    main()
