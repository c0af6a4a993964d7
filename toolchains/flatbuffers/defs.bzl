"""flatbuffers_library: C++ and Python code from a FlatBuffers schema."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("@rules_python//python:defs.bzl", "py_library")

def _flatc_impl(ctx):
    output = ctx.outputs.out
    flags = ctx.actions.args()
    flags.add(output)
    flags.add(ctx.executable._flatc)
    flags.add_all(["--" + ctx.attr.language, "--gen-all", "--gen-onefile", "-I", "."])
    flags.add("-o", output.dirname)
    command = '"${@:2}"'
    if ctx.attr.language == "cpp":
        # Field types as constants; the compiler is not to warn of what they are made of.
        flags.add_all(["--cpp-std", "c++17", "--cpp-static-reflection"])
        command += " && sed -i '1i #pragma GCC system_header' \"$1\""
    flags.add(ctx.file.schema)
    ctx.actions.run_shell(
        command = command,
        arguments = [flags],
        tools = [ctx.executable._flatc],
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
        "language": attr.string(values = ["cpp", "python"]),
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
            language = language,
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
