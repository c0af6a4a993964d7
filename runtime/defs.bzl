"""Firmware from a compiled model: `pte_firmware` and `pte_firmware_test`."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("@rules_python//python:defs.bzl", "py_test")
load("//compiler:defs.bzl", "PteModelInfo")
load("//platforms:cores.bzl", "CORES")
load("//platforms:for_core.bzl", "core_transition", "for_core")

def _generate_sources(ctx, model):
    """The kernel table, the header and the object that holds the model, for exactly what the model uses."""
    folder = ctx.label.name + ".generated/"
    table = ctx.actions.declare_file(folder + "model.cc")
    header = ctx.actions.declare_file(folder + "model.h")
    blob = ctx.actions.declare_file(folder + "model_blob.S")
    args = ctx.actions.args()
    args.add("--name", model.name)
    args.add("--mode", ctx.attr.mode)
    args.add("--pte", model.pte)
    args.add("--ops", model.ops)
    args.add("--plan", model.plan)
    args.add("--table", table)
    args.add("--header", header)
    args.add("--blob", blob)
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
