"""Runs the pip of the Python that runs this, as the machine has set it up."""

import os
import pathlib
import subprocess
import sys

from toolchains.store import ToolchainError

_OPTIONS = (
    *("--require-hashes", "--no-deps", "--only-binary=:all:", "--no-compile"),
    *("--quiet", "--disable-pip-version-check", "--retries=2"),
)

# Hashes say which versions are meant. Constraints can add nothing, and older pips take them for a second opinion on hashes.
_ENVIRONMENT = {"PIP_CONSTRAINT": os.devnull, "PIP_ROOT_USER_ACTION": "ignore"}


def install(folder: pathlib.Path, arguments: list[str]) -> None:
    """Installs wheels into a folder, by hash, without dependencies and without .pyc files. Raises ToolchainError with pip's reason."""
    command = [sys.executable, "-m", "pip", "install", *_OPTIONS, f"--target={folder}", *arguments]
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, env=inherited | _ENVIRONMENT, capture_output=True, text=True)
    if done.returncode:
        if "No module named pip" in done.stderr:
            raise ToolchainError(f"{sys.executable} has no pip: apt-get install python3-pip")
        raise ToolchainError(_reason(done.stderr))


def _reason(output: str) -> str:
    lines = output.splitlines() or ["no reason given"]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR:")]
    return (errors or lines[-1:])[0].partition(" (from versions")[0]
