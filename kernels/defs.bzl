"""`kernel_family`: what a folder of kernels builds."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("@rules_python//python:defs.bzl", "py_library")
load("//kernels/tools:params_header.bzl", "params_header")
load("//toolchains/python:defs.bzl", "pytest_test")

# Kernels are built for speed. A loop that copies must not become a call of the C library's memcpy; and moving loads ahead of their use, as
# the first scheduling pass does, only costs registers on these cores.
_COPTS = ["-O2", "-fno-tree-loop-distribute-patterns", "-fno-schedule-insns"]

def kernel_family(*, name, description, hdrs, srcs, deps = [], description_deps = []):
    """The description of a family's operators in Python, its parameter structs in C++, its kernels.

    Makes the cc_library <name>, the py_library <name>.description, params.h, and the test of the description's <...>_test.py.

    Args:
      name: name of the family, the folder's.
      description: the Python file that describes the operators.
      hdrs: header that declares the kernels.
      srcs: the kernels, for all tiers, and what they share.
      deps: other cc_library targets than those every kernel needs.
      description_deps: other py_library targets than those every description needs.
    """
    py_library(
        name = name + ".description",
        srcs = [
            "__init__.py",
            description,
        ],
        visibility = ["//kernels:__subpackages__"],
        deps = ["//kernels:description"] + description_deps,
    )
    params_header(
        name = name + ".params",
        description = description,
    )
    cc_library(
        name = name,
        srcs = srcs,
        hdrs = hdrs + [":{}.params".format(name)],
        copts = _COPTS,
        features = ["treat_warnings_as_errors"],
        visibility = ["//kernels:__subpackages__"],
        deps = [
            "//kernels:arithmetic",
            "//kernels:kernel",
        ] + deps,
    )
    subject = description.removesuffix(".py")
    pytest_test(
        name = subject + "_test",
        size = "small",
        srcs = [subject + "_test.py"],
        deps = [
            ":{}.description".format(name),
            "//kernels/testing:random_calls",
            "@pypi//:hypothesis",
        ],
    )
