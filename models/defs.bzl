"""`model_firmware`: what every example builds of its model."""

load("//platforms:cores.bzl", "CORES")
load("//report:defs.bzl", "pte_report")
load("//runtime:defs.bzl", "pte_firmware", "pte_firmware_test")

# One for each CPU that the emulator has.
_EMULATED = [name for name, core in CORES.items() if not core.nearest and not name.endswith("f")]

_REPORTED = ["m55", "m4f", "m3", "m0plus"]

def model_firmware(*, name, model, inputs, sequence = 0):
    """The firmware of a model, held either way, and the proof that every output byte is the host's.

    Makes <name>, which is interpreted, and <name>_baked; <model>.report, the page <model>.html; <name>_test on all cores, and <name>_baked_test on one core for each CPU that the
    emulator has, as a baked model calls the same kernels.

    Args:
      name: name of the interpreted firmware.
      model: the `pte_model`.
      inputs: the `recorded_inputs`.
      sequence: of a model that keeps state: inferences on `inputs` after which it starts anew, see `pte_firmware`.
    """
    pte_firmware(
        name = name,
        inputs = inputs,
        model = model,
        sequence = sequence,
    )
    pte_firmware_test(
        name = name + "_test",
        firmware = name,
    )
    pte_report(
        name = model.removeprefix(":") + ".report",
        cores = _REPORTED,
        firmware = name,
        model = model,
    )
    pte_firmware(
        name = name + "_baked",
        inputs = inputs,
        mode = "baked",
        model = model,
        sequence = sequence,
    )
    pte_firmware_test(
        name = name + "_baked_test",
        cores = _EMULATED,
        firmware = name + "_baked",
    )
