"""Firmware from a compiled model: `pte_firmware` and `pte_firmware_test`."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("@rules_python//python:defs.bzl", "py_test")
load("//compiler:defs.bzl", "PteModelInfo")
load("//platforms/boards:boards.bzl", "BOARDS")
load("//platforms:cores.bzl", "CORES")
load("//platforms:for_core.bzl", "for_core")
load("//platforms:select_by_core.bzl", "select_by_core")

def _generate_sources(ctx, model):
    """The kernel table, the header and the object that holds the model, for exactly what the model uses."""
    folder = ctx.label.name + ".generated/"
    table = ctx.actions.declare_file(folder + "model.cc")
    header = ctx.actions.declare_file(folder + "model.h")
    blob = ctx.actions.declare_file(folder + "model_blob.S")
    args = ctx.actions.args()
    args.add("--name", model.name)
    args.add("--mode", ctx.attr.mode)
    args.add("--verification", ctx.attr.verification)
    if ctx.attr.checksums:
        args.add("--checksums")
    args.add("--pte", model.pte)
    args.add("--ops", model.ops)
    args.add("--plan", model.plan)
    args.add("--table", table)
    args.add("--header", header)
    args.add("--blob", blob)
    if ctx.attr.observed:
        args.add("--observed")
    ctx.actions.run(
        executable = ctx.executable._generate,
        arguments = [args],
        inputs = [model.pte, model.ops, model.plan],
        outputs = [table, header, blob],
        mnemonic = "GenerateModelSources",
        progress_message = "Generating the kernel table of %{label}",
    )
    return struct(table = table, header = header, blob = blob)

def _link(ctx, model, *, extra_inputs = [], extra_flags = [], outputs = []):
    """Compiles the generated sources and links them with `deps`. Returns the executable and the sources."""
    sources = _generate_sources(ctx, model)
    toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    contexts = [dep[CcInfo] for dep in ctx.attr.deps]
    _, objects = cc_common.compile(
        name = ctx.label.name,
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = toolchain,
        srcs = [sources.table, sources.blob],
        private_hdrs = [sources.header],
        additional_inputs = [model.pte],
        user_compile_flags = ["-I" + sources.header.dirname],
        compilation_contexts = [context.compilation_context for context in contexts],
    )
    linked = cc_common.link(
        name = ctx.label.name + ".elf",
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = toolchain,
        compilation_outputs = objects,
        linking_contexts = [context.linking_context for context in contexts],
        user_link_flags = extra_flags,
        additional_inputs = extra_inputs,
        additional_outputs = outputs,
    )
    return struct(elf = linked.executable, header = sources.header)

def _output(ctx, ending):
    return ctx.actions.declare_file(ctx.label.name + "." + ending)

def _images(board):
    """Endings of the raw images, one for each memory that is to be written, and objcopy's options for what is in them."""
    if board.model == board.code:
        return {"bin": []}
    return {"bin": ["--remove-section=.model"], board.model + ".bin": ["--only-section=.model"]}

def _pte_firmware_impl(ctx):
    model = ctx.attr.model[PteModelInfo]
    map = _output(ctx, "map")
    linked = _link(ctx, model, extra_flags = ["-Wl,-Map=" + map.path], outputs = [map])
    elf = linked.elf

    def tool(executable, arguments, outputs, mnemonic, more = []):
        ctx.actions.run(
            executable = executable,
            arguments = arguments,
            inputs = [elf, map, model.ops, model.plan] + more,
            outputs = outputs,
            mnemonic = mnemonic,
        )

    binaries = []
    for ending, sections in _images(BOARDS[ctx.attr.board]).items():
        binaries.append(_output(ctx, ending))
        tool(ctx.executable._objcopy, ["-O", "binary"] + sections + [elf.path, binaries[-1].path], binaries[-1:], "FirmwareBin")
    hex = _output(ctx, "hex")
    tool(ctx.executable._objcopy, ["-O", "ihex", elf.path, hex.path], [hex], "FirmwareHex")

    disassembly = _output(ctx, "S")
    ctx.actions.run_shell(
        command = '"$1" --disassemble --demangle --no-show-raw-insn "$2" > "$3"',
        arguments = [ctx.executable._objdump.path, elf.path, disassembly.path],
        inputs = [elf],
        tools = [ctx.executable._objdump],
        outputs = [disassembly],
        mnemonic = "FirmwareDisassembly",
    )

    sizes = _output(ctx, "size.json")
    summary = _output(ctx, "size.txt")
    tool(
        ctx.executable._size_report,
        ["--elf", elf.path, "--map", map.path, "--plan", model.plan.path, "--disassembly", disassembly.path] +
        ["--json", sizes.path, "--text", summary.path],
        [sizes, summary],
        "FirmwareSize",
        [disassembly],
    )

    checked = _output(ctx, "symbols_checked")
    tool(
        ctx.executable._check_symbols,
        ["--elf", elf.path, "--map", map.path, "--ops", model.ops.path, "--stamp", checked.path],
        [checked],
        "FirmwareSymbols",
    )

    header = _output(ctx, "h")
    ctx.actions.symlink(output = header, target_file = linked.header)
    plan = _output(ctx, "plan.json")
    ctx.actions.symlink(output = plan, target_file = model.plan)
    recorded = {}
    if ctx.attr.expected:
        for kind, file in {"expected": ctx.file.expected, "inputs": ctx.file.inputs}.items():
            recorded[kind] = _output(ctx, kind + ".bin")
            ctx.actions.symlink(output = recorded[kind], target_file = file)
    on_host = []
    for file in ctx.files.host_program:
        on_host.append(_output(ctx, "host." + file.basename.removeprefix(ctx.attr.host_program.label.name + ".")))
        ctx.actions.symlink(output = on_host[-1], target_file = file)

    files = [elf, hex, map, header, plan, sizes, summary] + binaries + recorded.values() + on_host
    return [
        DefaultInfo(files = depset(files), executable = elf),
        OutputGroupInfo(
            disassembly = depset([disassembly]),
            elf = depset([elf]),
            plan = depset([plan]),
            _validation = depset([checked]),
            **{kind: depset([file]) for kind, file in recorded.items()}
        ),
    ]

_LINK_ATTRS = {
    "checksums": attr.bool(doc = "Whether the .pte is held against its checksums first."),
    "deps": attr.label_list(providers = [CcInfo], doc = "What is linked with the model: runtime, kernels, main program, start-up."),
    "mode": attr.string(default = "interpreted", values = ["interpreted", "baked"], doc = "How the model is held."),
    "model": attr.label(providers = [PteModelInfo], mandatory = True, doc = "The `pte_model`."),
    "observed": attr.bool(doc = "The model tells of every step, to a library of `deps`."),
    "verification": attr.string(default = "structure", values = ["none", "structure", "full"], doc = "What is checked of the .pte."),
    "_generate": attr.label(default = "//runtime/firmware:generate", executable = True, cfg = "exec"),
}

_pte_firmware = rule(
    implementation = _pte_firmware_impl,
    attrs = _LINK_ATTRS | {
        "board": attr.string(values = BOARDS.keys(), doc = "Where the firmware lies: a board of //platforms/boards:boards.bzl."),
        "expected": attr.label(allow_single_file = True),
        "host_program": attr.label(),
        "inputs": attr.label(allow_single_file = True),
        "_check_symbols": attr.label(default = "//runtime/firmware:check_symbols", executable = True, cfg = "exec"),
        "_objcopy": attr.label(default = "//toolchains/arm_gnu:objcopy", executable = True, cfg = "exec", allow_single_file = True),
        "_objdump": attr.label(default = "//toolchains/arm_gnu:objdump", executable = True, cfg = "exec", allow_single_file = True),
        "_size_report": attr.label(default = "//runtime/firmware:size_report", executable = True, cfg = "exec"),
    },
    executable = True,
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(),
)

def _pte_host_outputs_impl(ctx):
    program = _link(ctx, ctx.attr.model[PteModelInfo]).elf
    outputs = _output(ctx, "bin")
    ctx.actions.run_shell(
        # The harness works on files of fixed names in its working directory.
        command = 'root="$PWD" && cd "$(mktemp -d)" && cp "$root/$2" input.bin && "$root/$1" && cp output.bin "$root/$3"',
        arguments = [program.path, ctx.file.inputs.path, outputs.path],
        inputs = [ctx.file.inputs],
        tools = [program],
        outputs = [outputs],
        mnemonic = "HostOutputs",
        progress_message = "Running %{label} on the host",
    )
    return [DefaultInfo(files = depset([outputs]))]

def _reference_transition_impl(_settings, attr):
    return {"//command_line_option:platforms": str(Label(attr.platform))}

_reference_transition = transition(
    implementation = _reference_transition_impl,
    inputs = [],
    outputs = ["//command_line_option:platforms"],
)

_HOST_ATTRS = _LINK_ATTRS | {
    "platform": attr.string(default = "//platforms:reference", doc = "The host, and how it is built for."),
    "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
}

_pte_host_outputs = rule(
    implementation = _pte_host_outputs_impl,
    doc = "What the model computes on the host from recorded inputs, with the same runtime and the portable kernels.",
    attrs = _HOST_ATTRS | {
        "inputs": attr.label(allow_single_file = True, mandatory = True),
    },
    cfg = _reference_transition,
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(),
)

def _pte_host_program_impl(ctx):
    model = ctx.attr.model[PteModelInfo]
    program = _output(ctx, "program")
    ctx.actions.symlink(output = program, target_file = _link(ctx, model).elf)
    plan = _output(ctx, "plan.json")
    ctx.actions.symlink(output = plan, target_file = model.plan)
    return [DefaultInfo(files = depset([program, plan]))]

_pte_host_program = rule(
    implementation = _pte_host_program_impl,
    doc = "The model as a program for the host, <name>.program, and the plan it follows, <name>.plan.json.",
    attrs = _HOST_ATTRS,
    cfg = _reference_transition,
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(),
)

_RUNTIME = {
    "baked": ["//kernels"],
    "interpreted": ["//kernels", "//runtime", "//runtime/upstream"],
}

def pte_firmware(
        *,
        name,
        model,
        inputs = None,
        sequence = 0,
        mode = "interpreted",
        verification = "structure",
        checksums = False,
        main = None,
        clock = "//runtime/trace:systick_clock",
        visibility = None,
        tags = None,
        **kwargs):
    """A firmware image of a model for the core of the target platform, with exactly the kernels that the model uses.

    Gives <name>.elf, .bin, .hex, .map, .h (shapes, scales, zero points, bytes of RAM), .plan.json, .size.json and .size.txt; where the
    board keeps models in a memory of its own, <name>.<memory>.bin beside .bin; with `inputs` also .inputs.bin and .expected.bin; output group `disassembly`: <name>.S. Fails if a symbol got in that must not be
    there: the heap, printf, exceptions, static constructors, a kernel that the model does not use.

    Beside it, for who asks for them: <name>.traced, the same firmware which records when each step ran, see
    runtime/trace/trace.h; and <name>.steps, which shows every step's outputs, with <name>.steps.host.program, which does so on
    the host, for //runtime:compare.

    Args:
      name: name of the target and of the files.
      model: the `pte_model`.
      inputs: recorded inputs, laid end to end, for tests and measurements; the host computes what is expected of them.
      sequence: of a model that keeps state: after how many inferences on `inputs` it is put back to where it starts; 0: never.
      mode: "interpreted": the .pte lies in flash and the runtime executes it there. "baked": the model becomes code.
      verification: interpreted: what is checked when the model is made ready; "none", "structure" or "full", see
        runtime/verification.h. Whatever the .pte holds, the last two keep the runtime inside its memory.
      checksums: interpreted: whether the .pte is held against its CRC-32 checksums before anything of it is used.
      main: cc_library that holds the main program; by default the harness that works on the host's files by semihosting.
      clock: cc_library that defines the clock of <name>.traced, see runtime/trace/clock.h.
      visibility: as usual.
      tags: as usual.
      **kwargs: other common attributes.
    """
    if mode == "baked" and (checksums or verification != "structure"):
        fail("{}: a baked model has no .pte left to verify".format(name))
    if main and sequence:
        fail("{}: a main program of its own says itself where a sequence ends".format(name))
    harness = "//runtime/firmware:main"
    if sequence:
        harness = name + ".harness"
        cc_library(
            name = harness,
            srcs = [
                "//runtime/firmware:harness.cc",
                "//runtime/firmware:main.cc",
            ],
            local_defines = ["KINDLING_SEQUENCE={}".format(sequence)],
            visibility = ["//visibility:private"],
            deps = [
                "//platforms/boards:unaligned",
                "//runtime/firmware:harness_header",
                "//runtime/firmware:services",
            ],
            alwayslink = True,
        )
    expected = None
    if inputs:
        expected = name + ".expected"
        _pte_host_outputs(
            name = expected,
            inputs = inputs,
            mode = mode,
            model = model,
            tags = ["manual"],
            visibility = ["//visibility:private"],
            deps = _RUNTIME[mode] + [harness],
        )
    for variant, deps in {
        "": [main or harness],
        ".steps": ["//runtime/compare:main", "//runtime/firmware:observer"],
        ".traced": [main or "//runtime/trace:main", "//runtime/firmware:observer", "//runtime/trace", clock],
    }.items():
        _pte_firmware(
            name = name + variant,
            board = select_by_core("board"),
            checksums = checksums,
            expected = expected,
            host_program = name + ".on_host" if variant == ".steps" else None,
            inputs = inputs,
            mode = mode,
            model = model,
            observed = bool(variant),
            tags = (tags or []) + (["manual"] if variant else []),
            target_compatible_with = ["@platforms//os:none"],
            verification = verification,
            visibility = visibility,
            deps = _RUNTIME[mode] + deps + ["//platforms/boards:startup"],
            **kwargs
        )
    _pte_host_program(
        name = name + ".on_host",
        mode = mode,
        model = model,
        observed = True,
        tags = ["manual"],
        visibility = ["//visibility:private"],
        deps = _RUNTIME[mode] + ["//runtime/compare:main", "//runtime/firmware:observer"],
        **kwargs
    )

def pte_fuzzer(*, name, model, main, verification = "structure", tags = None, **kwargs):
    """A program that libFuzzer drives, with the runtime, a model and the portable kernels, all under sanitisers: <name>.program.

    Args:
      name: name of the target.
      model: the `pte_model`.
      main: cc_library with LLVMFuzzerTestOneInput.
      verification: as in `pte_firmware`.
      tags: as usual.
      **kwargs: other common attributes.
    """
    _pte_host_program(
        name = name,
        model = model,
        platform = "//toolchains/clang:fuzzing_platform",
        tags = tags,
        verification = verification,
        deps = _RUNTIME["interpreted"] + [main],
        **kwargs
    )

def pte_firmware_image(*, name, firmware, core, visibility = None, tags = None, **kwargs):
    """A firmware built for one core, whatever the target platform: for programs and tests on the host that run it.

    Makes <name>, all its files, and <name>.elf, <name>.plan and, if it has `inputs`, <name>.inputs and <name>.expected, one file each.

    Args:
      name: name of the target.
      firmware: the `pte_firmware`.
      core: a name from platforms/cores.bzl.
      visibility: as usual.
      tags: as usual.
      **kwargs: other common attributes.
    """
    for_core(
        name = name,
        core = core,
        tags = tags,
        target = firmware,
        visibility = visibility,
        **kwargs
    )
    for kind in ["elf", "expected", "inputs", "plan"]:
        native.filegroup(
            name = "{}.{}".format(name, kind),
            srcs = [name],
            output_group = kind,
            tags = ["manual"],
            visibility = visibility,
            **kwargs
        )

def pte_firmware_test(*, name, firmware, cores = CORES.keys(), tags = None, **kwargs):
    """Runs a firmware that has `inputs` on emulated cores, and holds every output byte against the host's.

    The test of one core is <name>.<core>; <name> is all of them. M0+, M23, M35P, M52 and M85 run on the nearest core that the
    emulator has, see platforms/cores.bzl.

    Args:
      name: name of the test suite.
      firmware: the `pte_firmware`.
      cores: the cores to test; all by default.
      tags: as usual.
      **kwargs: other attributes of tests.
    """
    for core in cores:
        test = "{}.{}".format(name, core)
        image = test + ".image"
        pte_firmware_image(
            name = image,
            core = core,
            firmware = firmware,
            tags = ["manual"],
            testonly = True,
        )
        files = ["elf", "expected", "inputs"]
        py_test(
            name = test,
            size = "small",
            timeout = "moderate",
            srcs = ["//runtime/firmware:firmware_test_main.py"],
            args = ["--core=" + core] + ["--{0}=$(rootpath :{1}.{0})".format(file, image) for file in files],
            data = ["{}.{}".format(image, file) for file in files],
            main = "//runtime/firmware:firmware_test_main.py",
            tags = tags,
            deps = ["//toolchains/qemu:emulator"],
            **kwargs
        )
    native.test_suite(
        name = name,
        tests = ["{}.{}".format(name, core) for core in cores],
    )
