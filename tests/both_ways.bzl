"""`firmware_both_ways`: a small model's firmware, interpreted and baked, and the proof that its bytes are the host's."""

load("//runtime:defs.bzl", "pte_firmware", "pte_firmware_test")

def firmware_both_ways(*, model, inputs, cores):
    """Makes firmware_<mode> and firmware_<mode>_test of each mode.

    Args:
      model: the `pte_model`.
      inputs: file of inputs, one after another.
      cores: names from platforms/cores.bzl to test on.
    """
    for mode in ["baked", "interpreted"]:
        pte_firmware(
            name = "firmware_" + mode,
            inputs = inputs,
            mode = mode,
            model = model,
        )
        pte_firmware_test(
            name = "firmware_{}_test".format(mode),
            cores = cores,
            firmware = ":firmware_" + mode,
        )
