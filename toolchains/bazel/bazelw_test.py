"""bazelw starts the right Bazel, and says in one line why it cannot."""

import os
import pathlib
import shutil
import subprocess

import pytest

WORKSPACE = pathlib.Path(__file__).absolute().parents[2]
FILES = ("bazelw", ".bazelversion", "toolchains/store.py", "toolchains/pip.py")
FOLDERS = ("toolchains/bazel", "toolchains/debian")


@pytest.fixture
def clone(tmp_path: pathlib.Path) -> pathlib.Path:
    """A workspace with bazelw and what it imports."""
    root = tmp_path / "clone"
    for folder in FOLDERS:
        shutil.copytree(WORKSPACE / folder, root / folder)
    for file in FILES:
        shutil.copy(WORKSPACE / file, root / file)
    return root


def run(clone: pathlib.Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Runs bazelw from a folder of the workspace, where only what the test put into `bin` shadows the machine's programs."""
    variables = {"PATH": f"{clone.parent}/bin:{os.environ['PATH']}", "HOME": str(clone.parent / "home")} | environment
    command = [clone / "bazelw", *arguments]
    return subprocess.run(command, env=variables, cwd=clone / "toolchains", capture_output=True, text=True, timeout=50)


def program(clone: pathlib.Path, name: str, script: str) -> pathlib.Path:
    place = clone.parent / "bin" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(0o755)
    return place


def without_mirror(clone: pathlib.Path) -> None:
    program(clone, "apt-get", "exit 0")


def test_program_of_bazelw_bazel_gets_the_arguments(clone: pathlib.Path) -> None:
    chosen = program(clone, "mine", 'printf "%s\\n" "$@"')
    assert run(clone, "build", "//a b", "--c", BAZELW_BAZEL=str(chosen)).stdout == "build\n//a b\n--c\n"


def test_exit_code_is_bazels(clone: pathlib.Path) -> None:
    assert run(clone, "test", BAZELW_BAZEL=str(program(clone, "mine", "exit 3"))).returncode == 3


def test_wrong_bazelw_bazel(clone: pathlib.Path) -> None:
    done = run(clone, "build", BAZELW_BAZEL="/no/such/bazel")
    assert (done.returncode, done.stderr) == (1, "bazelw: error: BAZELW_BAZEL is /no/such/bazel, which is not a program\n")


def test_bazelisk_that_serves_the_version_is_used(clone: pathlib.Path) -> None:
    program(clone, "bazelisk", 'if [ "$1" = --version ]; then echo "bazel $(cat .bazelversion)"; else echo "ran $1"; fi')
    assert run(clone, "info").stdout == "ran info\n"


def test_answer_of_bazelisk_is_remembered(clone: pathlib.Path) -> None:
    program(clone, "bazelisk", 'echo "$1" >> ${0%/*}/asked; if [ "$1" = --version ]; then echo "bazel 7.7.1"; fi')
    for _ in range(2):
        assert run(clone, "info").returncode == 0
    assert (clone.parent / "bin/asked").read_text().split() == ["--version", "info", "info"]


@pytest.mark.parametrize("script", ["echo bazel 4.2.3", "echo could not download >&2; exit 1"])
def test_bazel_that_does_not_serve_the_version_is_passed_over(clone: pathlib.Path, script: str) -> None:
    for name in ("bazelisk", "bazel"):
        program(clone, name, script)
    without_mirror(clone)
    done = run(clone, "info")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("bazelw: error: apt has no Debian mirror: add one to")


def test_store_that_cannot_be_written(clone: pathlib.Path) -> None:
    program(clone, "bazelisk", "exit 1")
    program(clone, "bazel", "exit 1")
    (clone.parent / "file").touch()
    done = run(clone, "info", XDG_CACHE_HOME=str(clone.parent / "file"))
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("bazelw: error: cannot make ") and line.endswith("set XDG_CACHE_HOME to a folder you can write to")


def test_nothing_half_made_is_left(clone: pathlib.Path) -> None:
    program(clone, "bazelisk", "exit 1")
    program(clone, "bazel", "exit 1")
    mirror = 'echo "http://127.0.0.1:9/debian main Debian"'
    program(clone, "apt-get", f'case "$*" in *indextargets*) {mirror} ;; *) echo "E: no route" >&2; exit 100 ;; esac')
    done = run(clone, "info")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "bazelw: error: cannot read the package lists of Debian forky: no route"
    trees = clone.parent / "home/.cache/kindling/trees"
    assert all(path.suffix == ".lock" for path in trees.iterdir())
