"""Builds the firmware of models for cores, runs it in the emulator, and prints what it needs.

    ./bazelw run //tests:measure -- --json=FILE --models=kws --cores=m55,m4f --mode=interpreted

For each model and core: instructions of one inference and of initialisation (exact counts), bytes of flash and RAM by what they are
for, and whether the outputs equal the host's byte for byte.
"""

import dataclasses
import json
import pathlib
import re
import subprocess
import sys

from absl import app, flags

from runtime.firmware import bazel_build
from toolchains.qemu import emulator

MODELS = ("kws", "vww", "ic", "ad", "sww")

_JSON = flags.DEFINE_string("json", None, "Also write the figures to this file, as a JSON list of objects.")
_MODELS = flags.DEFINE_list("models", list(MODELS), "Models to measure: folders of models/.")
_CORES = flags.DEFINE_list("cores", ["m55", "m4f", "m3", "m0plus"], "Cores to measure on: names from platforms/cores.bzl.")
_MODE = flags.DEFINE_enum("mode", "interpreted", ["interpreted", "baked"], "How the firmware holds the model.")
_PROFILE = flags.DEFINE_bool("profile", False, "Also print the functions in which the instructions went.")

_NM = flags.DEFINE_string("nm", None, "The toolchain's nm; the build rule passes it.")

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


def target(model: str, mode: str) -> str:
    return f"//models/{model}:{_TARGET[mode]}"


def demangled(elf: pathlib.Path) -> dict[str, str]:
    """The symbols of `elf` by their names in it, as C++ writes them: kindling::Method::step(unsigned long)."""

    def names(*options: str) -> list[str]:
        command = [str(pathlib.Path(_NM.value).absolute()), "--no-sort", "--format=posix", *options, str(elf)]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        return [re.sub(r" [a-zA-Z] [0-9a-f]+ [0-9a-f]*$", "", line) for line in lines]

    return dict(zip(names(), names("--demangle"), strict=True))


def print_profile(profile: dict[str, int], runs: int, elf: pathlib.Path) -> None:
    names = demangled(elf)
    for function, count in list(profile.items())[:25]:
        print(f"  {count / runs:12,.0f}  {names.get(function, function)}")


def measure(model: str, core: str, mode: str, outputs: pathlib.Path, profile: bool) -> Measurement:
    """Runs the firmware built in `outputs` on its recorded inputs. Raises emulator.EmulationError."""

    def output(ending: str) -> pathlib.Path:
        return bazel_build.output(outputs, target(model, mode), ending)

    run = emulator.run_firmware(
        elf=output("elf"), core=core, inputs=output("inputs.bin").read_bytes(), profile=profile
    )
    if len(set(run.run_instructions)) == 1:
        instructions = run.run_instructions[0]
    else:  # A kernel whose path depends on data: say what the costliest input needs.
        instructions = max(run.run_instructions)
    sizes = json.loads(output("size.json").read_text())["flash"]
    sizes["startup"] += sizes["harness"] + sizes["other"]  # So that the five parts are the whole of flash.
    if profile:
        print_profile(run.profile, len(run.run_instructions), output("elf"))
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
    measurements = []
    for core in _CORES.value:
        with bazel_build.built([target(model, _MODE.value) for model in _MODELS.value], core) as outputs:
            for model in _MODELS.value:
                try:
                    measurements.append(measure(model, core, _MODE.value, outputs, _PROFILE.value))
                except emulator.EmulationError as error:
                    sys.exit(f"measure: {error}")
    print_table(measurements)
    if _JSON.value:
        bazel_build.user_path(_JSON.value).write_text(json.dumps([dataclasses.asdict(m) for m in measurements], indent=1) + "\n")
    if not all(m.bytes_equal for m in measurements):
        sys.exit("measure: outputs differ from the host's")


if __name__ == "__main__":
    app.run(main)
