"""`kernel_family`: what a folder of kernels builds."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("@rules_python//python:defs.bzl", "py_library")
load("//kernels/tools:params_header.bzl", "params_header")
load("//toolchains/python:defs.bzl", "pytest_test")

# Kernels are built for speed. A loop that copies must not become a call of the C library's memcpy; and moving loads ahead of their use, as
# the first scheduling pass does, only costs registers on these cores.
#
# Parameters that are damaged may make sums overflow and outputs wrong. On the cores they wrap around as their instructions do; saying so to the
# compiler would cost a tenth of the instructions of some kernels (M3: linear, add). On the host, where sanitisers look, it is said.
_COPTS = ["-O2"] + select({
    "@platforms//os:none": [],
    "//conditions:default": ["-fwrapv"],
}) + select({
    "//toolchains/clang:is_fuzzing": [],
    "//conditions:default": ["-fno-tree-loop-distribute-patterns", "-fno-schedule-insns"],
})

# Float kernels round every product and sum for itself, so that results are the same with and without a floating-point unit: no fused
# operations, and none of MVE's, which flush denormal numbers to zero. No arithmetic in double by accident, which is soft nearly everywhere.
_FLOAT_COPTS = _COPTS + ["-ffp-contract=off", "-fno-tree-vectorize", "-fno-math-errno", "-Wdouble-promotion"]

def kernel_family(*, name, description, hdrs, srcs = [], float_srcs = [], deps = [], description_srcs = [], description_deps = []):
    """The description of a family's operators in Python, its parameter structs in C++, its kernels.

    Makes the cc_library <name>, the py_library <name>.description, params.h, and the test of the description's <...>_test.py.

    Args:
      name: name of the family, the folder's.
      description: the Python file that describes the operators.
      hdrs: headers that declare the kernels.
      srcs: the kernels, for all tiers, and what they share.
      float_srcs: the kernels of floats, the same for all cores, and what they share.
      deps: other cc_library targets than those every kernel needs.
      description_srcs: further Python files that the description consists of.
      description_deps: other py_library targets than those every description needs.
    """
    py_library(
        name = name + ".description",
        srcs = [
            "__init__.py",
            description,
        ] + description_srcs,
        visibility = ["//kernels:__subpackages__"],
        deps = ["//kernels:description"] + description_deps,
    )
    params_header(
        name = name + ".params",
        description = description,
    )
    library = {
        "features": ["treat_warnings_as_errors"],
        "hdrs": hdrs + [":{}.params".format(name)],
    }
    library_deps = [
        "//kernels:arithmetic",
        "//kernels:kernel",
    ] + deps
    cc_library(
        name = name + ".float",
        srcs = float_srcs,
        copts = _FLOAT_COPTS,
        visibility = ["//kernels:__subpackages__"],
        deps = library_deps,
        **library
    )
    cc_library(
        name = name,
        srcs = srcs,
        copts = _COPTS,
        visibility = ["//kernels:__subpackages__"],
        deps = library_deps + [":{}.float".format(name)],
        **library
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
