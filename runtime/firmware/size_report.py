"""Where a firmware's flash and RAM go, from its ELF file, its linker map and its memory plan."""

import argparse
import json
import pathlib
import re
import struct

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from runtime.firmware.stack_usage import ENTRY, Pointers, StackAnalysis, UnboundedStack, parse

_IN_RAM = (".stack", ".data", ".bss", ".state", ".arena")  # and .arena.<region>
_MODEL = ".model"

# kindling::(anonymous namespace)::kKernels: pairs of a kernel and its check; kindling::kFirmwareModel.
_KERNEL_TABLE = "_ZN8kindling12_GLOBAL__N_1L8kKernelsE"
_MODEL_TABLE = "_ZN8kindling14kFirmwareModelE"

# First match decides. Paths are those of the linker map, which Bazel makes relative to its output folder.
_OWNERS = (
    (re.compile(r"/kernels/"), "kernels"),
    (re.compile(r"/runtime/firmware/|\.harness/"), "harness"),
    (re.compile(r"/runtime/"), "runtime"),
    (re.compile(r"/platforms/|/lib[cgm]\w*\.a\("), "startup"),
    (re.compile(r"/model\.(pic\.)?o$"), "runtime"),  # The generated kernel table.
)

_INPUT_SECTION = re.compile(r"^ (\S+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*)$")
# Equal strings are kept once. The first section that has some is given the size of all, and the next line tells its own.
_MERGED = re.compile(r"^( \S+\s+0x[0-9a-f]+\s+)0x[0-9a-f]+( \S.*)\n\s+(0x[0-9a-f]+) \(size before relaxing\)$", re.MULTILINE)
_OUTPUT_SECTION = re.compile(r"^(\.\S+)(\s+0x[0-9a-f]+\s+0x[0-9a-f]+.*)?$")


def is_ram(section: str) -> bool:
    return section in _IN_RAM or section.startswith(".arena.")


def owner(path: str) -> str:
    """What an object file of the linker map is part of: kernels, harness, runtime, startup (with libc), or other."""
    return next((name for pattern, name in _OWNERS if pattern.search(path)), "other")


def input_sections(map_text: str) -> list[tuple[str, str, int]]:
    """(output section, object file, bytes) of everything that was linked, in order."""
    body = map_text.partition("Linker script and memory map")[2]
    body = re.sub(r"^( \S+)\n\s+(?=0x)", r"\1 ", body, flags=re.MULTILINE)  # Long names stand on a line of their own.
    body = _MERGED.sub(r"\1\3\2", body)
    found, output = [], ""
    for line in body.splitlines():
        if match := _OUTPUT_SECTION.match(line):
            output = match[1]
        elif (match := _INPUT_SECTION.match(line)) and match[1] != "*fill*":
            found.append((output, match[4], int(match[3], 16)))
    return found


def sections(elf: pathlib.Path) -> dict[str, int]:
    """Bytes of every section that is in memory when the firmware runs."""
    with elf.open("rb") as file:
        return {
            section.name: section["sh_size"]
            for section in ELFFile(file).iter_sections()
            if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_size"]
        }


def table(elf: pathlib.Path, symbol: str) -> list[int]:
    """The words of a constant; none if there is no such symbol."""
    with elf.open("rb") as file:
        opened = ELFFile(file)
        for found in opened.get_section_by_name(".symtab").get_symbol_by_name(symbol) or ():
            section, start = opened.get_section(found["st_shndx"]), found["st_value"]
            data = section.data()[start - section["sh_addr"] :][: found["st_size"]]
            return [word for (word,) in struct.iter_unpack("<I", data)]
    return []


def stack_bound(elf: pathlib.Path, disassembly: str) -> dict:
    """Bytes of stack that the firmware, and within it a call of the model's functions, can take at most, and how it comes to that.

    Where there is no bound, `why_unbounded` says why, and the rest is None.
    """
    functions = parse(disassembly)
    kernels, model = ([word & ~1 for word in table(elf, symbol)] for symbol in (_KERNEL_TABLE, _MODEL_TABLE))
    model = tuple(word for word in model if word in functions)
    analysis = StackAnalysis(functions, Pointers(tuple(kernels[::2]), tuple(kernels[1::2]), model))
    try:
        usage = analysis.usage(analysis.address_of(ENTRY))
        of_model = max(analysis.usage(address).nbytes for address in model)
    except UnboundedStack as error:
        return {"bytes": None, "model_bytes": None, "deepest": None, "why_unbounded": str(error)}
    deepest = [{"function": name, "in_use": depth} for name, depth in usage.chain]
    return {"bytes": usage.nbytes, "model_bytes": of_model, "deepest": deepest, "why_unbounded": None}


def report(elf: pathlib.Path, map_text: str, plan: dict, disassembly: str) -> dict:
    """The report: bytes of flash by owner, and of RAM by use. Their sums are the sums of the ELF's sections.

    `constants` are weights and kernels' parameters, `metadata` is the rest of what .model holds; padding between sections and
    whatever has no owner is `other`. `kept` is what of the state the model itself keeps from run to run.
    """
    sizes = sections(elf)
    flash = dict.fromkeys(("runtime", "kernels", "startup", "harness", "constants", "metadata", "other"), 0)
    for output, path, nbytes in input_sections(map_text):
        if output in sizes and output != _MODEL and (not is_ram(output) or output == ".data"):
            flash[owner(path)] += nbytes
    model = sizes.get(_MODEL, 0)
    flash["constants"] = min(plan["constants_bytes"], model)
    flash["metadata"] = model - flash["constants"]
    total = sum(nbytes for name, nbytes in sizes.items() if not is_ram(name) or name == ".data")
    flash["other"] += total - sum(flash.values())
    arena = sum(nbytes for name, nbytes in sizes.items() if name.split(".")[1] == "arena")
    ram = {
        "arena": arena,
        "state": sizes.get(".state", 0),
        "stack": sizes.get(".stack", 0),
        "other": sizes.get(".data", 0) + sizes.get(".bss", 0),
    }
    regions = {region["name"]: region["bytes"] for region in plan["regions"]}
    return {
        "flash": flash,
        "flash_total": total,
        "ram": ram,
        "ram_total": sum(ram.values()),
        "arena_regions": regions,
        "kept": plan["state_bytes"],
        "stack_bound": stack_bound(elf, disassembly),
    }


_WORDS = {
    "runtime": "runtime (loader, executor, kernel table)",
    "kernels": "kernels",
    "startup": "start-up, libc, libgcc",
    "harness": "harness (files by semihosting)",
    "constants": "model: weights and parameters",
    "metadata": "model: everything else",
    "other": "other, padding",
    "arena": "arena",
    "state": "state",
    "stack": "stack (reserved)",
}


def summary(name: str, sizes: dict, plan: dict) -> str:
    """The report on one screen."""
    lines = [f"{name}: model {plan['model']}, tier {plan['tier']}"]
    for memory in ("flash", "ram"):
        lines += ["", f"{memory.upper() if memory == 'ram' else memory.capitalize():46}{sizes[memory + '_total']:>9,} bytes"]
        lines += [_line(_WORDS[part], nbytes) for part, nbytes in sizes[memory].items() if nbytes]
    if len(sizes["arena_regions"]) > 1:
        lines += [_line(f"of the arena in {region}", nbytes) for region, nbytes in sizes["arena_regions"].items()]
    if sizes["kept"]:
        lines.append(_line("of the state what the model keeps from run to run", sizes["kept"]))
    lines += ["", *_ram_bill(sizes, plan)]
    code = sizes["flash_total"] - sizes["flash"]["constants"]
    peak = plan["peak"]
    lines += ["", f"Flash without weights and parameters: {code:,} bytes", f"Arena peak: {peak['bytes']:,} bytes at step {peak['step']}, {peak['layer']}"]
    return "\n".join(lines) + "\n"


def _ram_bill(sizes: dict, plan: dict) -> list[str]:
    """What RAM the firmware cannot do without."""
    ram, bound = sizes["ram"], sizes["stack_bound"]
    if bound["bytes"] is None:
        return [f"RAM in use: arena, state, data and a stack without bound: {bound['why_unbounded']}"]
    needed = ram["arena"] + ram["state"] + ram["other"] + bound["bytes"]
    scratch = max(step["scratch_bytes"] for step in plan["steps"])
    return [
        f"{'RAM in use at most':46}{needed:>9,} bytes",
        _line("arena", ram["arena"]),
        _line("of it scratch of the step that needs most", scratch),
        _line("state of runtime and model, data", ram["state"] + ram["other"]),
        _line("worst-case stack", bound["bytes"]),
        _line("of it the model's, the rest is the main program's", bound["model_bytes"]),
    ]


def _line(what: str, nbytes: int) -> str:
    return f"  {what:44}{nbytes:>9,}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, what in {"elf": "the firmware", "map": "its linker map", "plan": "the model's plan.json", "disassembly": "its code"}.items():
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True, help=what)
    parser.add_argument("--json", type=pathlib.Path, required=True, help="the report to write")
    parser.add_argument("--text", type=pathlib.Path, required=True, help="the summary to write")
    arguments = parser.parse_args()
    plan = json.loads(arguments.plan.read_text())
    sizes = report(arguments.elf, arguments.map.read_text(), plan, arguments.disassembly.read_text())
    arguments.json.write_text(json.dumps(sizes, indent=1) + "\n")
    arguments.text.write_text(summary(arguments.elf.name, sizes, plan))


if __name__ == "__main__":
    main()
