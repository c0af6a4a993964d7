"""The one table of Cortex-M cores.

Constraint values, platforms, tiers, compiler flags, toolchains and the emulated boards all come from it.
"""

TIERS = ["scalar", "dsp", "mve"]

def _core(*, cpu, tier, mcpu, board, fpu = "none", mve = "none", nearest = None):
    """One core.

    Args:
      cpu: its value in @platforms//cpu, the nearest one where that list stops short.
      tier: the instruction set its kernels are written for: "scalar", "dsp" or "mve".
      mcpu: GCC's name of it, with the extensions it has or lacks.
      board: the board of //platforms/boards that emulates it.
      fpu: GCC's name of its floating-point unit, "auto" where -mcpu implies it, "none" where it has none.
      mve: its vector unit: "none", "int" or "float".
      nearest: the core that the emulator models in its place, None where it models this one.
    """
    float_abi = "soft" if fpu == "none" else "hard"
    return struct(
        cpu = cpu,
        tier = tier,
        fpu = fpu,
        float_abi = float_abi,
        mve = mve,
        board = board,
        nearest = nearest,
        flags = ["-mthumb", "-mcpu=" + mcpu, "-mfloat-abi=" + float_abi] + ([] if fpu == "none" else ["-mfpu=" + fpu]),
    )

CORES = {
    "m0": _core(cpu = "armv6-m", tier = "scalar", mcpu = "cortex-m0", board = "microbit"),
    "m0plus": _core(cpu = "armv6-m", tier = "scalar", mcpu = "cortex-m0plus", board = "microbit", nearest = "m0"),
    "m3": _core(cpu = "armv7-m", tier = "scalar", mcpu = "cortex-m3", board = "mps2_an385"),
    "m4": _core(cpu = "armv7e-m", tier = "dsp", mcpu = "cortex-m4+nofp", board = "mps2_an386"),
    "m4f": _core(cpu = "armv7e-mf", tier = "dsp", mcpu = "cortex-m4", fpu = "fpv4-sp-d16", board = "mps2_an386"),
    "m7": _core(cpu = "armv7e-m", tier = "dsp", mcpu = "cortex-m7+nofp", board = "mps2_an500"),
    "m7f": _core(cpu = "armv7e-mf", tier = "dsp", mcpu = "cortex-m7", fpu = "fpv5-sp-d16", board = "mps2_an500"),
    "m23": _core(cpu = "armv8-m", tier = "scalar", mcpu = "cortex-m23", board = "mps2_an505", nearest = "m33"),
    "m33": _core(cpu = "armv8-m", tier = "dsp", mcpu = "cortex-m33+nofp", board = "mps2_an505"),
    "m33f": _core(cpu = "armv8-m", tier = "dsp", mcpu = "cortex-m33", fpu = "fpv5-sp-d16", board = "mps2_an505"),
    "m35p": _core(cpu = "armv8-m", tier = "dsp", mcpu = "cortex-m35p", fpu = "fpv5-sp-d16", board = "mps2_an505", nearest = "m33f"),
    "m52": _core(cpu = "armv8-m", tier = "mve", mcpu = "cortex-m52", fpu = "auto", mve = "float", board = "mps3_an547", nearest = "m55"),
    "m55": _core(cpu = "armv8-m", tier = "mve", mcpu = "cortex-m55", fpu = "auto", mve = "float", board = "mps3_an547"),
    "m85": _core(cpu = "armv8-m", tier = "mve", mcpu = "cortex-m85", fpu = "auto", mve = "float", board = "mps3_an547", nearest = "m55"),
}

def values(field):
    """All values of a field of the table, each once, in the table's order."""
    return {getattr(core, field): None for core in CORES.values()}.keys()
