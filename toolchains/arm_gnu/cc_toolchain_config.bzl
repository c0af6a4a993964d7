"""What GCC is told when it builds for a Cortex-M core."""

load("@rules_cc//cc:action_names.bzl", "ACTION_NAMES")
load(
    "@rules_cc//cc:cc_toolchain_config_lib.bzl",
    "action_config",
    "env_entry",
    "env_set",
    "feature",
    "flag_group",
    "flag_set",
    "tool",
    "with_feature_set",
)
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")

_CXX = [
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.cpp_header_parsing,
]
_COMPILE = _CXX + [
    ACTION_NAMES.c_compile,
    ACTION_NAMES.assemble,
    ACTION_NAMES.preprocess_assemble,
]
_LINK = [ACTION_NAMES.cpp_link_executable]

# Bazel's own features, which say how inputs, outputs and users' flags are handed over.
_BAZEL_COMPILES = ["user_compile_flags", "compiler_input_flags", "compiler_output_flags"]
_BAZEL_LINKS = [
    "output_execpath_flags",
    "library_search_directories",
    "libraries_to_link",
    "user_link_flags",
    "linker_param_file",
]

# The output is the same in whatever folder it is built: no path is made absolute, no order of a folder or time of day gets in.
_REPRODUCIBLE = [
    "-no-canonical-prefixes",
    "-fno-canonical-system-headers",
    "-Wno-builtin-macro-redefined",
    "-D__DATE__=\"redacted\"",
    "-D__TIME__=\"redacted\"",
    "-D__TIMESTAMP__=\"redacted\"",
]

# No heap, no exceptions, no RTTI, no static constructors that take locks or register destructors. No unaligned
# accesses: M0 has none, and tests trap them on every core.
_FREESTANDING = [
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-common",
    "-mno-unaligned-access",
]
_FREESTANDING_CXX = [
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-fno-use-cxa-atexit",
]

_LINKING = [
    "-no-canonical-prefixes",
    "-nostartfiles",
    "-nodefaultlibs",
    "-Wl,--gc-sections",
    "-Wl,--no-warn-rwx-segments",
    "-Wl,--no-warn-execstack",  # Said of newlib's assembler; there is no loader that would mind.
    "-Wl,--fatal-warnings",
    "-Wl,--build-id=none",
]

def _flags(actions, flags, **with_features):
    return flag_set(
        actions = actions,
        flag_groups = [flag_group(flags = flags)],
        with_features = [with_feature_set(**with_features)] if with_features else [],
    )

def _impl(ctx):
    def uses(file, actions, implies = []):
        return [
            action_config(action_name = action, enabled = True, tools = [tool(tool = file)], implies = implies)
            for action in actions
        ]

    nano = ctx.file.nano.dirname
    root = nano.removesuffix("/nano")
    core = feature(
        name = "core",
        enabled = True,
        env_sets = [env_set(
            actions = _COMPILE + _LINK,
            env_entries = [env_entry("PWD", "/proc/self/cwd"), env_entry("LC_ALL", "C")],
        )],
        flag_sets = [
            _flags(_COMPILE + _LINK, ctx.attr.core_flags),
            _flags(_COMPILE, _REPRODUCIBLE + _FREESTANDING + ["-isystem", nano]),
            _flags(_CXX, _FREESTANDING_CXX),
            _flags(_COMPILE, ["-Os"], not_features = ["dbg"]),
            _flags(_COMPILE, ["-Og", "-g"], features = ["dbg"]),
            _flags(_COMPILE, ["-DNDEBUG"], features = ["opt"]),
            _flags(_LINK, _LINKING),
        ],
    )

    # After all objects, since newlib and libgcc serve them.
    libraries = feature(
        name = "libraries",
        enabled = True,
        flag_sets = [_flags(_LINK, ["-Wl,--start-group", "-lc_nano", "-lm", "-lgcc", "-Wl,--end-group"])],
    )
    warnings_are_errors = feature(
        name = "treat_warnings_as_errors",
        flag_sets = [_flags(_COMPILE, ["-Werror"])],
    )
    external_include_paths = feature(
        name = "external_include_paths",
        flag_sets = [flag_set(
            actions = _COMPILE,
            flag_groups = [flag_group(
                flags = ["-isystem", "%{external_include_paths}"],
                iterate_over = "external_include_paths",
                expand_if_available = "external_include_paths",
            )],
        )],
    )
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        toolchain_identifier = ctx.label.name,
        target_cpu = "cortex-m",
        target_system_name = "arm-none-eabi",
        target_libc = "newlib-nano",
        compiler = "gcc",
        abi_version = "eabi",
        abi_libc_version = "newlib-nano",
        cxx_builtin_include_directories = [
            root + "/arm-none-eabi/include",
            root + "/lib",
            nano,
        ],
        action_configs =
            uses(ctx.file.gcc, _COMPILE, _BAZEL_COMPILES) +
            uses(ctx.file.gcc, _LINK, _BAZEL_LINKS) +
            uses(ctx.file.ar, [ACTION_NAMES.cpp_link_static_library], ["archiver_flags", "linker_param_file"]) +
            uses(ctx.file.strip, [ACTION_NAMES.strip]) +
            uses(ctx.file.objcopy, [ACTION_NAMES.objcopy_embed_data]),
        features = [
            feature(name = "opt"),
            feature(name = "dbg"),
            feature(name = "fastbuild"),
            core,
            external_include_paths,
            warnings_are_errors,
            libraries,
        ],
    )

cc_toolchain_config = rule(
    implementation = _impl,
    doc = "The configuration of one core's cc_toolchain.",
    attrs = {
        "ar": attr.label(default = "@arm_gnu//:ar", allow_single_file = True),
        "core_flags": attr.string_list(mandatory = True, doc = "What names the core, its FPU and float ABI."),
        "gcc": attr.label(default = "@arm_gnu//:gcc", allow_single_file = True),
        "nano": attr.label(default = "@arm_gnu//:nano", allow_single_file = True, doc = "newlib-nano's own header, which comes before newlib's."),
        "objcopy": attr.label(default = "@arm_gnu//:objcopy", allow_single_file = True),
        "strip": attr.label(default = "@arm_gnu//:strip", allow_single_file = True),
    },
    provides = [CcToolchainConfigInfo],
)
