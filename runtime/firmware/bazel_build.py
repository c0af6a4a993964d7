"""Lets Bazel build firmware, for programs that `bazel run` started and that are told only then what to look at."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence


@contextlib.contextmanager
def built(targets: Sequence[str], core: str) -> Iterator[pathlib.Path]:
    """Builds targets for a core. Gives the folder in which their outputs lie as <package>/<name>.<ending>, as long as it is open.

    Ends the program if it was not started by Bazel, or if they do not build.
    """
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
    if not workspace:
        sys.exit("error: start this program with ./bazelw run")
    with tempfile.TemporaryDirectory(prefix="kindling_") as links:
        prefix = f"{links}/{core}-"
        command = ["./bazelw", "build", f"--platforms=//platforms:{core}", f"--symlink_prefix={prefix}", *targets]
        if subprocess.run(command, cwd=workspace, check=False).returncode:
            sys.exit(f"error: {', '.join(targets)} for {core}: does not build (see above)")
        yield pathlib.Path(f"{prefix}bin")


def output(folder: pathlib.Path, target: str, ending: str = "") -> pathlib.Path:
    """An output of a target written as //package:name, e.g. `elf` of //models/kws:firmware; without ending, what all begin with."""
    package, _, name = target.removeprefix("//").partition(":")
    return folder / package / f"{name or package.rpartition('/')[2]}{ending and '.'}{ending}"


def user_path(path: str) -> pathlib.Path:
    """A path as the user wrote it, who stands elsewhere than the program that Bazel started."""
    return pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", ".")) / path
