"""`sanitised`: a target built for the host with sanitisers."""

def _sanitisers_impl(settings, _attr):
    return {
        # Whether a finding of UndefinedBehaviorSanitizer ends the program is left to UBSAN_OPTIONS. What the sanitisers insert hides from GCC
        # that variables are always set before they are read.
        "//command_line_option:copt": settings["//command_line_option:copt"] + ["-fsanitize-recover=all", "-Wno-maybe-uninitialized"],
        "//command_line_option:features": settings["//command_line_option:features"] + ["asan", "ubsan"],
        "//command_line_option:platforms": str(Label("//platforms:host")),
    }

_sanitisers = transition(
    implementation = _sanitisers_impl,
    inputs = [
        "//command_line_option:copt",
        "//command_line_option:features",
    ],
    outputs = [
        "//command_line_option:copt",
        "//command_line_option:features",
        "//command_line_option:platforms",
    ],
)

def _sanitised_impl(ctx):
    return [DefaultInfo(files = ctx.attr.target[0][DefaultInfo].files)]

sanitised = rule(
    implementation = _sanitised_impl,
    doc = "Forwards the files of `target`, built for the host with AddressSanitizer and UndefinedBehaviorSanitizer.",
    attrs = {
        "target": attr.label(cfg = _sanitisers, mandatory = True),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
    },
)
