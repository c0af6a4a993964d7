"""Where the time of an inference goes, layer by layer.

In the emulator, in instructions, counted exactly:
    ./bazelw run //runtime:trace -- --firmware=//models/kws:firmware --core=m55 --chrome=kws.trace.json
On a board, in ticks of its clock, from the ring that a firmware's twin .traced has filled there (runtime/trace/trace.h):
    ./bazelw run //runtime:trace -- --ring=ring.bin --plan=firmware.traced.plan.json --hz=64e6
"""

import argparse
import json
import pathlib
import sys

from runtime.firmware import bazel_build
from runtime.firmware.recorded import one_input
from runtime.trace import reports, timeline
from toolchains.qemu import emulator


def trace_firmware(elf: pathlib.Path, plan: pathlib.Path, inputs: pathlib.Path, core: str, number: int = 0) -> list[timeline.Layer]:
    """Raises TraceError, EmulationError, ValueError or OSError."""
    content = json.loads(plan.read_text())
    return timeline.join(timeline.count_in_emulator(elf, core, one_input(inputs.read_bytes(), content, number)), content)


def _emulated(given: argparse.Namespace) -> tuple[list[timeline.Layer], dict]:
    target = f"{given.firmware}.traced"
    with bazel_build.built([target], given.core) as folder:
        elf, plan, inputs = (bazel_build.output(folder, target, ending) for ending in ("elf", "plan.json", "inputs.bin"))
        inputs = bazel_build.user_path(given.inputs) if given.inputs else inputs
        if not inputs.exists():
            raise timeline.TraceError(f"{given.firmware} has no recorded inputs: give --inputs")
        return trace_firmware(elf, plan, inputs, given.core, given.input), json.loads(plan.read_text())


def _recorded(given: argparse.Namespace) -> tuple[list[timeline.Layer], dict]:
    plan = json.loads(bazel_build.user_path(given.plan).read_text())
    times, lost = timeline.read_ring(bazel_build.user_path(given.ring).read_bytes())
    if lost:
        print(f"{lost} earlier steps were written over")
    return timeline.join(times, plan), plan


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--firmware", help="a pte_firmware, e.g. //models/kws:firmware")
    parser.add_argument("--core", default="m55", help="the core to emulate, a name from platforms/cores.bzl")
    parser.add_argument("--inputs", help="a file of inputs, laid end to end; default: those recorded for the firmware")
    parser.add_argument("--input", type=int, default=0, metavar="N", help="which of them, from 0")
    parser.add_argument("--ring", help="the bytes of kindling::trace, from a board")
    parser.add_argument("--plan", help="for --ring: plan.json of that firmware")
    parser.add_argument("--hz", type=float, help="for --ring: ticks of the board's clock a second")
    parser.add_argument("--chrome", metavar="FILE", help="also write the timeline for Chrome's trace viewer")
    parser.add_argument("--json", metavar="FILE", help="also write the figures")
    given = parser.parse_args(arguments)
    if bool(given.firmware) == bool(given.ring) or bool(given.ring) != bool(given.plan):
        parser.error("give --firmware, or --ring and --plan")
    try:
        layers, plan = _emulated(given) if given.firmware else _recorded(given)
        core, unit = (given.core, "instructions") if given.firmware else ("", "ticks")
        if given.chrome:
            bazel_build.user_path(given.chrome).write_text(reports.chrome_trace(layers, plan, unit, given.hz))
        if given.json:
            bazel_build.user_path(given.json).write_text(reports.figures_json(layers, core, unit))
        sys.stdout.write(reports.table(layers, unit))
    except (OSError, ValueError, emulator.EmulationError) as error:
        sys.exit(f"trace: {error}")


if __name__ == "__main__":
    main()
