"""`params_header`: the parameter structs of a family of operators, in C++."""

load("//platforms:neutral.bzl", "neutral_transition")

def _generated_impl(ctx):
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    module = "{}/{}".format(ctx.label.package, ctx.attr.description.removesuffix(".py")).replace("/", ".")
    ctx.actions.run(
        executable = ctx.executable._tool,
        arguments = [module, header.path],
        outputs = [header],
        mnemonic = "ParamsHeader",
    )
    return [DefaultInfo(files = depset([header]))]

_generated = rule(
    implementation = _generated_impl,
    attrs = {
        "description": attr.string(doc = "The Python file that describes the operators.", mandatory = True),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
        "_tool": attr.label(default = "//kernels/tools:params_header", executable = True, cfg = "exec"),
    },
    cfg = neutral_transition,
)

def _params_header_impl(ctx):
    header = ctx.actions.declare_file("params.h")
    ctx.actions.symlink(output = header, target_file = ctx.file.generated)
    return [DefaultInfo(files = depset([header]))]

_params_header = rule(
    implementation = _params_header_impl,
    attrs = {"generated": attr.label(allow_single_file = True, mandatory = True)},
)

def params_header(*, name, description, visibility = None, tags = None, **kwargs):
    """Writes params.h from a family's description: once, and then a link to it for every platform.

    Args:
      name: name of the target.
      description: the Python file that describes the operators, in this package.
      visibility: as usual.
      tags: as usual.
      **kwargs: other common attributes.
    """
    generated = name + ".generated"
    _generated(
        name = generated,
        description = description,
        tags = tags,
        visibility = ["//visibility:private"],
        **kwargs
    )
    _params_header(
        name = name,
        generated = generated,
        tags = tags,
        visibility = visibility,
        **kwargs
    )
