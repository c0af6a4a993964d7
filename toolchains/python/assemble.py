"""Fills a folder with the locked Python packages and a BUILD file: one py_library per distribution, named after it (absl_py, torch)."""

import compileall
import csv
import importlib.metadata
import pathlib
import platform
import py_compile
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from toolchains import pip, store

HERE = pathlib.Path(__file__).parent
REQUIREMENTS, TORCH = HERE / "requirements.txt", HERE / "torch.txt"
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
PYTHONS = ((3, 11), (3, 12), (3, 13))

# Nothing here is read by a program that runs: headers, static libraries, tests, type stubs, records of how it was installed.
UNUSED = re.compile(
    r"^torch/(include|share|test)/|^torch/bin/(?!torch_shm_manager)|(^|/)tests?/|\.(a|h|hpp|cuh|cpp|pyi|pyx|pxd|exe)$|^\.\./|^bin/"
    r"|\.dist-info/(RECORD|INSTALLER|REQUESTED|WHEEL|direct_url\.json|licenses/|sboms/)| "
)


def install(site: pathlib.Path) -> None:
    """Lets pip install everything into `site`; torch from wherever pip is set up to look, else from PyTorch's own index."""
    store.say("installing Python packages: PyTorch for CPU and what goes with it (about 250 MB, a minute or two)")
    try:
        pip.install(site, ["--requirement", str(TORCH)])
    except store.ToolchainError as here:
        store.say(f"pip as it is set up: {here}; asking PyTorch's own index")
        try:
            pip.install(site, ["--index-url", TORCH_INDEX, "--requirement", str(TORCH)])
        except store.ToolchainError as there:
            raise store.ToolchainError(
                f"no CPU build of PyTorch, neither where pip is set up to look nor at {TORCH_INDEX} ({there}): "
                "set PIP_FIND_LINKS to a folder that holds its wheel, or try again with a network"
            ) from there
    try:
        pip.install(site, ["--requirement", str(REQUIREMENTS)])
    except store.ToolchainError as error:
        raise store.ToolchainError(f"pip cannot install {REQUIREMENTS}: {error}; run again to go on") from error


def target(distribution: str) -> str:
    """"absl-py" -> "absl_py"."""
    return re.sub(r"[^a-z0-9]+", "_", distribution.lower())


def keep_used(site: pathlib.Path) -> dict[str, list[str]]:
    """Deletes what no program reads and returns the files that are left, by distribution, in site-relative paths."""
    files = {}
    for distribution in importlib.metadata.distributions(path=[str(site)]):
        listed = [row[0] for row in csv.reader(distribution.read_text("RECORD").splitlines())]
        files[distribution.name] = sorted(name for name in listed if not UNUSED.search(name))
    used = {name for names in files.values() for name in names}
    for path in sorted(site.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(site).as_posix() not in used:
            path.unlink()
    return files


def byte_compile(site: pathlib.Path, files: dict[str, list[str]]) -> None:
    """Adds .pyc files that are trusted as they are, and that do not depend on where or when they were made."""
    compileall.compile_dir(
        site,
        quiet=2,
        stripdir=str(site),
        workers=2,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    for names in files.values():
        caches = [pathlib.PurePosixPath(name) for name in names if name.endswith(".py")]
        compiled = [str(path.parent / "__pycache__" / f"{path.stem}.{sys.implementation.cache_tag}.pyc") for path in caches]
        names += [name for name in compiled if (site / name).is_file()]  # Templates of Python files do not compile.


def requirements(site: pathlib.Path, distribution: str, known: set[str]) -> list[str]:
    """Targets of what a distribution requires on this Python. Raises ToolchainError for one that is not locked."""
    from packaging.requirements import Requirement

    wanted = map(Requirement, importlib.metadata.metadata(distribution).get_all("Requires-Dist") or [])
    names = {target(wish.name) for wish in wanted if wish.marker is None or wish.marker.evaluate({"extra": ""})}
    if missing := names - known:
        raise store.ToolchainError(f"{distribution} needs {', '.join(sorted(missing))}, which requirements.txt does not lock")
    return sorted(names)


def py_library(name: str, files: list[str], deps: list[str]) -> str:
    def labels(names: list[str]) -> str:
        return "".join(f'        "{name}",\n' for name in names)

    sources = [f"site-packages/{file}" for file in files if file.endswith(".py")]
    data = [f"site-packages/{file}" for file in files if not file.endswith(".py")]
    return (
        f'py_library(\n    name = "{name}",\n    srcs = [\n{labels(sources)}    ],\n    data = [\n{labels(data)}    ],\n'
        f'    imports = ["site-packages"],\n    deps = [\n{labels([":" + dep for dep in deps])}    ],\n)\n'
    )


def build(folder: pathlib.Path) -> None:
    site = folder / "site-packages"
    install(site)
    files = keep_used(site)
    byte_compile(site, files)
    sys.path.insert(0, str(site))
    known = {target(name) for name in files}
    libraries = [py_library(target(name), files[name], requirements(site, name, known)) for name in sorted(files, key=target)]
    header = 'load("@rules_python//python:defs.bzl", "py_library")\n\npackage(default_visibility = ["//visibility:public"])\n'
    (folder / "BUILD.bazel").write_text("\n".join([header, *libraries]))


def assemble(into: pathlib.Path) -> None:
    python = sys.version_info[:2]
    if python not in PYTHONS or (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        here = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
        raise store.ToolchainError(f"{here}: packages are locked for Python 3.11, 3.12 and 3.13 on Linux x86_64")
    key = store.key([pathlib.Path(__file__), REQUIREMENTS, TORCH], sys.implementation.cache_tag)
    store.bring(store.tree(f"pypi-{key}", 2500, build), into)


if __name__ == "__main__":
    store.run_as_command(assemble)
