"""The module extension that brings compilers, emulator and Python packages: `use_extension("//toolchains:extensions.bzl", "toolchains")`."""

load("//toolchains/python:local_python.bzl", "local_python")
load(":assembled_repository.bzl", "assembled_repository")

_DEBIAN = [
    "//toolchains:pip.py",
    "//toolchains:store.py",
    "//toolchains/debian:assemble_program.py",
    "//toolchains/debian:elf.py",
    "//toolchains/debian:packages.py",
    "//toolchains/debian:patchelf.txt",
    "//toolchains/debian:private_program.py",
    "//toolchains/debian:relocate.py",
]

def _toolchains_impl(ctx):
    assembled_repository(
        name = "arm_gnu",
        assemble = "//toolchains/arm_gnu:assemble.py",
        build_file = "//toolchains/arm_gnu:arm_gnu.BUILD.bazel",
        scripts = _DEBIAN + ["//toolchains/arm_gnu:arm_archive.py", "//toolchains/arm_gnu:packages.lock.json"],
        what = "arm_gnu",
    )
    assembled_repository(
        name = "chromium",
        assemble = "//toolchains/chromium:assemble.py",
        build_file = "//toolchains/chromium:chromium.BUILD.bazel",
        scripts = _DEBIAN + ["//toolchains/chromium:packages.lock.json"],
        what = "chromium",
    )
    assembled_repository(
        name = "clang",
        assemble = "//toolchains/clang:assemble.py",
        build_file = "//toolchains/clang:clang.BUILD.bazel",
        scripts = _DEBIAN + ["//toolchains/clang:packages.lock.json"],
        what = "clang",
    )
    assembled_repository(
        name = "flatbuffers",
        assemble = "//toolchains/flatbuffers:assemble.py",
        build_file = "//toolchains/flatbuffers:flatbuffers.BUILD.bazel",
        scripts = _DEBIAN + ["//toolchains/flatbuffers:packages.lock.json"],
        what = "flatbuffers",
    )
    assembled_repository(
        name = "nginx",
        assemble = "//toolchains/nginx:assemble.py",
        build_file = "//toolchains/nginx:nginx.BUILD.bazel",
        scripts = _DEBIAN + ["//toolchains/nginx:packages.lock.json"],
        what = "nginx",
    )
    assembled_repository(
        name = "pypi",
        assemble = "//toolchains/python:assemble.py",
        scripts = _DEBIAN + ["//toolchains/python:requirements.txt", "//toolchains/python:torch.txt"],
        what = "pypi",
    )
    assembled_repository(
        name = "qemu",
        assemble = "//toolchains/qemu:assemble.py",
        build_file = "//toolchains/qemu:qemu.BUILD.bazel",
        scripts = _DEBIAN + ["//toolchains/qemu:packages.lock.json"],
        what = "qemu",
    )
    local_python(name = "python3")
    return ctx.extension_metadata(
        root_module_direct_deps = "all",
        root_module_direct_dev_deps = [],
    )

toolchains = module_extension(implementation = _toolchains_impl)
