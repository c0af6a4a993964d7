"""linker_script: how a firmware lies in a board's memory, from the board's memory map."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load(":boards.bzl", "BOARDS")

def _linker_script_impl(ctx):
    board = BOARDS[ctx.attr.board]
    script = ctx.actions.declare_file(ctx.label.name + ".ld")
    memory = [
        "  {} ({}) : ORIGIN = {}, LENGTH = {}".format(
            name,
            "rx" if region.kind == "flash" else "rw",
            "0x%x" % region.origin,
            region.length,
        )
        for name, region in board.regions.items()
    ]
    arenas = [
        "  .arena.{0} (NOLOAD) : ALIGN({1}) {{ *(.arena.{0}) }} > {0}".format(name, region.alignment)
        for name, region in board.regions.items()
        if region.kind != "flash" and name != board.arena
    ]
    ctx.actions.expand_template(
        template = ctx.file._template,
        output = script,
        substitutions = {
            "{arena}": board.arena,
            "{arenas}": "\n".join(arenas),
            "{board}": ctx.attr.board,
            "{code}": board.code,
            "{data}": board.data,
            "{memory}": "\n".join(memory),
            "{model}": board.model,
            "{stack}": str(ctx.attr.stack),
        },
    )
    linker_input = cc_common.create_linker_input(
        owner = ctx.label,
        user_link_flags = depset(["-Wl,-T," + script.path]),
        additional_inputs = depset([script]),
    )
    return [
        DefaultInfo(files = depset([script])),
        CcInfo(linking_context = cc_common.create_linking_context(linker_inputs = depset([linker_input]))),
    ]

linker_script = rule(
    implementation = _linker_script_impl,
    doc = "The linker script of a board. A dependency: whatever links with it is laid out for that board.",
    attrs = {
        "board": attr.string(mandatory = True, values = BOARDS.keys(), doc = "A board of //platforms/boards:boards.bzl."),
        "stack": attr.int(default = 8192, doc = "Bytes of the stack, a multiple of 8."),
        "_template": attr.label(default = ":firmware.ld.in", allow_single_file = True),
    },
    provides = [CcInfo],
)
