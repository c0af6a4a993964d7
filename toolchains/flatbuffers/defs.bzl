"""flatbuffers_library: C++ and Python code from a FlatBuffers schema."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("@rules_python//python:defs.bzl", "py_library")

def _flatc_impl(ctx):
    output = ctx.outputs.out
    args = ctx.actions.args()
    args.add_all([ctx.attr.option, "--gen-all", "--gen-onefile", "-I", "."])
    args.add("-o", output.dirname)
    args.add(ctx.file.schema)
    ctx.actions.run(
        executable = ctx.executable._flatc,
        arguments = [args],
        inputs = [ctx.file.schema] + ctx.files.includes,
        outputs = [output],
        mnemonic = "Flatc",
        progress_message = "Generating code from %{input}",
    )
    return [DefaultInfo(files = depset([output]))]

_flatc = rule(
    implementation = _flatc_impl,
    attrs = {
        "includes": attr.label_list(allow_files = [".fbs"]),
        "option": attr.string(values = ["--cpp", "--python"]),
        "out": attr.output(mandatory = True),
        "schema": attr.label(allow_single_file = [".fbs"], mandatory = True),
        "_flatc": attr.label(default = "@flatbuffers//:flatc", executable = True, cfg = "exec"),
    },
)

def flatbuffers_library(*, name, schema, includes = [], visibility = None, tags = None, **kwargs):
    """Code of all tables of a schema and of the schemas it includes, without the object API.

    <schema>.fbs gives a cc_library <name> with <schema>_generated.h, and a py_library <name>.py with <schema>_generated.py.

    Args:
      name: name of the cc_library.
      schema: the schema.
      includes: the schemas that it includes.
      visibility: as usual.
      tags: as usual.
      **kwargs: other attributes of both libraries.
    """
    stem = schema.removesuffix(".fbs") + "_generated"
    for language, out in [("cpp", stem + ".h"), ("python", stem + ".py")]:
        _flatc(
            name = name + "." + language,
            includes = includes,
            option = "--" + language,
            out = out,
            schema = schema,
            tags = tags,
        )
    cc_library(
        name = name,
        hdrs = [stem + ".h"],
        visibility = visibility,
        tags = tags,
        deps = ["@flatbuffers"],
        **kwargs
    )
    py_library(
        name = name + ".py",
        srcs = [stem + ".py"],
        visibility = visibility,
        tags = tags,
        deps = ["@pypi//:flatbuffers"],
        **kwargs
    )
