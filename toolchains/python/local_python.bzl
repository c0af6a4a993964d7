"""The machine's Python as a repository: @python3//:runtime, the standard library and interpreter of the PATH's python3."""

_BUILD = """\
load("@rules_python//python:defs.bzl", "py_runtime", "py_runtime_pair")

py_runtime(
    name = "interpreter",
    interpreter = ":python3",
    python_version = "PY3",
)

py_runtime_pair(
    name = "runtime",
    py3_runtime = ":interpreter",
    visibility = ["//visibility:public"],
)
"""

# Without the packages that happen to be installed on the machine: programs see the standard library and what they depend on.
_INTERPRETER = """\
#!/bin/sh
exec "{path}" -S -s "$@"
"""

_FIND = """\
import os, sys
assert sys.version_info >= (3, 11), "Python 3.11 or newer is needed, this is " + sys.version.split()[0]
print(os.path.realpath(sys._base_executable))
"""

def _local_python_impl(ctx):
    python = ctx.which("python3")
    if not python:
        fail("python3 is missing: apt-get install python3")
    found = ctx.execute([python, "-c", _FIND])
    if found.return_code:
        fail(found.stderr.splitlines()[-1])
    ctx.file("BUILD.bazel", _BUILD)
    ctx.file("python3", _INTERPRETER.format(path = found.stdout.strip()))

local_python = repository_rule(
    implementation = _local_python_impl,
    doc = "A py_runtime_pair over the python3 on the PATH.",
    configure = True,
    environ = ["PATH"],
    local = True,
)
