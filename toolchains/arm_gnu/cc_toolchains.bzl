"""One cc_toolchain per core of //platforms:cores.bzl."""

load("@rules_cc//cc/toolchains:cc_toolchain.bzl", "cc_toolchain")
load("//platforms:cores.bzl", "CORES")
load(":cc_toolchain_config.bzl", "cc_toolchain_config")

def cc_toolchains():
    """For each core: the configuration, the cc_toolchain and its registration."""
    for name, core in CORES.items():
        cc_toolchain_config(
            name = name + ".config",
            core_flags = core.flags,
        )
        cc_toolchain(
            name = name + ".cc_toolchain",
            all_files = "@arm_gnu//:all_files",
            ar_files = "@arm_gnu//:ar",
            as_files = "@arm_gnu//:compiler_files",
            compiler_files = "@arm_gnu//:compiler_files",
            dwp_files = ":empty",
            linker_files = "@arm_gnu//:linker_files",
            objcopy_files = "@arm_gnu//:objcopy",
            strip_files = "@arm_gnu//:strip",
            toolchain_config = ":" + name + ".config",
        )
        native.toolchain(
            name = name,
            exec_compatible_with = ["@platforms//os:linux", "@platforms//cpu:x86_64"],
            target_compatible_with = ["@platforms//os:none", "//platforms/core:" + name],
            toolchain = ":" + name + ".cc_toolchain",
            toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
        )
