"""`for_core`: a target built for one core, whatever platform the build was asked for."""

def _core_transition_impl(_settings, attr):
    return {"//command_line_option:platforms": str(Label("//platforms:" + attr.core))}

core_transition = transition(
    implementation = _core_transition_impl,
    inputs = [],
    outputs = ["//command_line_option:platforms"],
)

def _for_core_impl(ctx):
    target = ctx.attr.target[0]
    groups = target[OutputGroupInfo] if OutputGroupInfo in target else OutputGroupInfo()
    return [DefaultInfo(files = target[DefaultInfo].files), groups]

for_core = rule(
    implementation = _for_core_impl,
    doc = "Forwards the files and output groups of `target`, built for `core`.",
    attrs = {
        "core": attr.string(doc = "A name from platforms/cores.bzl, or host.", mandatory = True),
        "target": attr.label(cfg = core_transition, mandatory = True),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
    },
)
