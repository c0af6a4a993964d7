"""`folder_for_core`: files built for one core, in a folder of their own, so that a program may have those of several cores."""

load("//platforms:for_core.bzl", "core_transition")

def _folder_for_core_impl(ctx):
    links = []
    for target in ctx.attr.targets:
        for file in target[DefaultInfo].files.to_list():
            link = ctx.actions.declare_file("{}/{}".format(ctx.label.name, file.basename))
            ctx.actions.symlink(output = link, target_file = file)
            links.append(link)
    return [DefaultInfo(files = depset(links), runfiles = ctx.runfiles(links))]

folder_for_core = rule(
    implementation = _folder_for_core_impl,
    doc = "The files of `targets`, built for `core`, as <name>/<file>.",
    attrs = {
        "core": attr.string(doc = "A name from platforms/cores.bzl.", mandatory = True),
        "targets": attr.label_list(cfg = core_transition, mandatory = True),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
    },
)
