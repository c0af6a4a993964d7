"""Builds the firmware of models for cores, runs it in the emulator, and prints what it needs.

    ./bazelw run //tests:measure -- --json=FILE --models=kws --cores=m55,m4f --mode=interpreted

For each model and core: instructions of one inference and of initialisation (exact counts), bytes of flash and RAM by what they are
for, and whether the outputs equal the host's byte for byte.
"""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from absl import app, flags

from toolchains.qemu import emulator

MODELS = ("kws", "vww", "ic", "ad", "sww")

_JSON = flags.DEFINE_string("json", None, "Also write the figures to this file, as a JSON list of objects.")
_MODELS = flags.DEFINE_list("models", list(MODELS), "Models to measure: folders of models/.")
_CORES = flags.DEFINE_list("cores", ["m55", "m4f", "m3", "m0plus"], "Cores to measure on: names from platforms/cores.bzl.")
_MODE = flags.DEFINE_enum("mode", "interpreted", ["interpreted", "baked"], "How the firmware holds the model.")
_PROFILE = flags.DEFINE_bool("profile", False, "Also print the functions in which the instructions went.")

_TARGET = {"interpreted": "firmware", "baked": "firmware_baked"}


@dataclasses.dataclass(frozen=True)
class Measurement:
    """Figures of one firmware. Instructions are counts, everything else is bytes.

    Flash is all of it: `startup` is start-up, libc, the harness and padding, `constants` weights and kernels' parameters, `metadata`
    the rest of the .pte. `stack` is the high-water mark of a run.
    """

    model: str
    core: str
    mode: str
    instructions: int
    init_instructions: int
    flash: dict[str, int]
    ram: dict[str, int]
    bytes_equal: bool


def build(models: list[str], core: str, mode: str, workspace: pathlib.Path, links: pathlib.Path) -> pathlib.Path:
    """Builds the firmware of `models` for `core`; returns the folder that holds models/<model>/<target>.elf and the rest."""
    targets = [f"//models/{model}:{_TARGET[mode]}" for model in models]
    prefix = links / f"{core}-"
    command = [str(workspace / "bazelw"), "build", f"--platforms=//platforms:{core}", f"--symlink_prefix={prefix}", *targets]
    if subprocess.run(command, cwd=workspace, check=False).returncode:
        sys.exit(f"measure: the firmware for {core} does not build (see above)")
    return pathlib.Path(f"{prefix}bin")


def measure(model: str, core: str, mode: str, outputs: pathlib.Path, profile: bool) -> Measurement:
    """Runs the built firmware on its recorded inputs. Raises emulator.EmulationError."""

    def output(ending: str) -> pathlib.Path:
        return outputs / "models" / model / f"{_TARGET[mode]}.{ending}"

    run = emulator.run_firmware(
        elf=output("elf"), core=core, inputs=output("inputs.bin").read_bytes(), profile=profile
    )
    if len(set(run.run_instructions)) == 1:
        instructions = run.run_instructions[0]
    else:  # A kernel whose path depends on data: say what the costliest input needs.
        instructions = max(run.run_instructions)
    sizes = json.loads(output("size.json").read_text())["flash"]
    sizes["startup"] += sizes["harness"] + sizes["other"]  # So that the five parts are the whole of flash.
    for function, count in list(run.profile.items())[:25]:
        print(f"  {count / len(run.run_instructions):12,.0f}  {function}")
    return Measurement(
        model=model,
        core=core,
        mode=mode,
        instructions=instructions,
        init_instructions=run.init_instructions,
        flash={part: sizes[part] for part in ("runtime", "kernels", "startup", "constants", "metadata")},
        ram={"arena": run.report.arena_bytes, "state": run.report.state_bytes, "stack": run.report.stack_bytes},
        bytes_equal=run.outputs == output("expected.bin").read_bytes(),
    )


_COLUMNS = "{:8} {:7} {:11} {:>12} {:>8} {:>8} {:>8} {:>8} {:>10} {:>9} {:>7} {:>6} {:>6}  {}"


def print_table(measurements: list[Measurement]) -> None:
    print(
        _COLUMNS.format(
            *("model", "core", "mode", "instructions", "init", "runtime", "kernels", "startup", "constants", "metadata"),
            *("arena", "state", "stack", "same bytes as host"),
        )
    )
    for m in measurements:
        counts = [f"{n:,}" for n in (m.instructions, m.init_instructions, *m.flash.values(), *m.ram.values())]
        print(_COLUMNS.format(m.model, m.core, m.mode, *counts, "yes" if m.bytes_equal else "NO"))


def main(argv: list[str]) -> None:
    if len(argv) > 1:
        sys.exit(f"measure: unexpected argument '{argv[1]}'")
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
    if not workspace:
        sys.exit("measure: start it with ./bazelw run //tests:measure")
    measurements = []
    with tempfile.TemporaryDirectory(prefix="kindling_measure_") as links:
        for core in _CORES.value:
            outputs = build(_MODELS.value, core, _MODE.value, pathlib.Path(workspace), pathlib.Path(links))
            for model in _MODELS.value:
                try:
                    measurements.append(measure(model, core, _MODE.value, outputs, _PROFILE.value))
                except emulator.EmulationError as error:
                    sys.exit(f"measure: {error}")
    print_table(measurements)
    if _JSON.value:
        path = pathlib.Path(os.environ["BUILD_WORKING_DIRECTORY"]) / _JSON.value
        path.write_text(json.dumps([dataclasses.asdict(m) for m in measurements], indent=1) + "\n")
    if not all(m.bytes_equal for m in measurements):
        sys.exit("measure: outputs differ from the host's")


if __name__ == "__main__":
    app.run(main)
