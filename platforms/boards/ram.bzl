"""ram: the regions of a board that a model's activations may lie in, for `pte_model(memory = ...)`."""

load(":boards.bzl", "BOARDS")

# Left free where .data, .bss, the runtime's state and the stack lie.
_RESERVED = 16 * 1024

def ram(board, **limits):
    """The board's RAM, or some regions of it: `ram("mps3_an547")`, `ram("mps3_an547", dtcm = 65536, sram = 1048576)`.

    Args:
      board: a name from //platforms/boards:boards.bzl.
      **limits: the regions to use, each with its bytes for activations. All by default, each as large as it is, save for 16 KiB where
        data and stack lie too.

    Returns:
      a list of strings, one per region.
    """
    table = BOARDS[board]
    names = limits or [name for name, region in table.regions.items() if region.kind != "flash"]
    texts = []
    for name in names:
        if name not in table.regions or table.regions[name].kind == "flash":
            fail("{} has no RAM named {}: it has {}".format(board, name, [n for n, r in table.regions.items() if r.kind != "flash"]))
        region = table.regions[name]
        size = limits[name] if name in limits else region.length - (_RESERVED if name == table.data else 0)
        texts.append("{}={},cycles={},alignment={}".format(name, size, region.cycles, region.alignment))
    return texts
