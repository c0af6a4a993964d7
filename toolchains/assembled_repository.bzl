"""A repository filled by a Python program: `assemble.py <folder>`."""

def _assembled_repository_impl(ctx):
    for script in ctx.attr.scripts:
        ctx.path(script)  # Whoever changes one changes the repository.
    if ctx.attr.build_file:
        ctx.symlink(ctx.attr.build_file, "BUILD.bazel")
    python = ctx.which("python3")
    if not python:
        fail("python3 is missing: apt-get install python3")
    ctx.report_progress("assembling")
    done = ctx.execute(
        [python, "-B", ctx.path(ctx.attr.assemble), ctx.path(".")],
        timeout = 3600,
        quiet = False,
    )
    if done.return_code:
        fail("@{} could not be assembled; see above for how to go on".format(ctx.attr.what))

assembled_repository = repository_rule(
    implementation = _assembled_repository_impl,
    doc = "A repository whose files (and BUILD file, unless given) a program writes.",
    attrs = {
        "assemble": attr.label(mandatory = True, allow_single_file = True, doc = "The program."),
        "build_file": attr.label(allow_single_file = True, doc = "The BUILD file."),
        "scripts": attr.label_list(allow_files = True, doc = "Files that the program reads."),
        "what": attr.string(mandatory = True, doc = "The repository's name in messages."),
    },
    environ = ["HOME", "KINDLING_ARM_GNU", "XDG_CACHE_HOME"],
)
