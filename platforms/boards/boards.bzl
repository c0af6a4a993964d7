"""The one table of boards: the machine that QEMU emulates, and its memory map.

Linker scripts, the emulator's command line and the compiler's memory regions come from it.
"""

_KIB = 1024
_MIB = 1024 * 1024

# By kind: cycles of an access, as is typical of a microcontroller, for the planner to weigh regions with; and the alignment of what is
# put there: a vector's, or a cache line's where there is a cache in front.
_CYCLES = {"flash": 4, "tcm": 1, "sram": 2, "dram": 16}
_ALIGNMENT = {"flash": 16, "tcm": 16, "sram": 16, "dram": 32}

def _region(origin, length, kind):
    """A piece of the memory map.

    Args:
      origin: first address.
      length: bytes.
      kind: "flash" (read only, keeps what was written), "tcm", "sram" or "dram".
    """
    return struct(origin = origin, length = length, kind = kind, cycles = _CYCLES[kind], alignment = _ALIGNMENT[kind])

def _board(*, machine, code, model, data, arena, regions, qemu_args = []):
    """One board.

    Args:
      machine: QEMU's name of it.
      code: region of vector table and code; the core starts there.
      model: region of the model's constants.
      data: region of .data, .bss, the runtime's state and the stack.
      arena: region of the arena.
      regions: dict from name to region.
      qemu_args: what else QEMU is told.
    """
    return struct(
        machine = machine,
        code = code,
        model = model,
        data = data,
        arena = arena,
        regions = regions,
        qemu_args = qemu_args,
    )

def _mps2(machine):
    return _board(
        machine = machine,
        code = "flash",
        model = "flash",
        data = "sram",
        arena = "sram",
        regions = {
            "flash": _region(0x00000000, 4 * _MIB, "flash"),
            "sram": _region(0x20000000, 4 * _MIB, "sram"),
            "dram": _region(0x21000000, 16 * _MIB, "dram"),
        },
    )

BOARDS = {
    # The chip has 256 KiB of flash and 16 KiB of RAM, less than most models need; the emulator gives its Cortex-M0 more.
    "microbit": _board(
        machine = "microbit",
        qemu_args = ["-global", "nrf51-soc.flash-size=0x400000", "-global", "nrf51-soc.sram-size=0x200000"],
        code = "flash",
        model = "flash",
        data = "sram",
        arena = "sram",
        regions = {
            "flash": _region(0x00000000, 4 * _MIB, "flash"),
            "sram": _region(0x20000000, 2 * _MIB, "sram"),
        },
    ),
    "mps2_an385": _mps2("mps2-an385"),
    "mps2_an386": _mps2("mps2-an386"),
    "mps2_an500": _mps2("mps2-an500"),
    # Addresses with bit 28 set are the secure aliases: the core starts, and stays, in secure state.
    "mps2_an505": _board(
        machine = "mps2-an505",
        code = "flash",
        model = "flash",
        data = "sram",
        arena = "sram",
        regions = {
            "flash": _region(0x10000000, 4 * _MIB, "flash"),
            "sram": _region(0x38000000, 2 * _MIB, "sram"),
        },
    ),
    "mps3_an547": _board(
        machine = "mps3-an547",
        code = "itcm",
        model = "qspi",
        data = "dtcm",
        arena = "sram",
        regions = {
            "itcm": _region(0x10000000, 512 * _KIB, "flash"),
            "qspi": _region(0x38000000, 8 * _MIB, "flash"),
            "dtcm": _region(0x30000000, 512 * _KIB, "tcm"),
            "sram": _region(0x31000000, 4 * _MIB, "sram"),
            "dram": _region(0x70000000, 256 * _MIB, "dram"),
        },
    ),
}
