"""Bazel run by a test on copies of this workspace, each with an output base of its own."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Iterator

_ORIGIN = pathlib.Path(__file__).resolve().parents[2]  # Runfiles are links into the workspace.
_LEFT_OUT = shutil.ignore_patterns(".git", "bazel-*", "__pycache__", "user.bazelrc")


class Workspace:
    """A copy of the workspace at `folder`, built with the output base `<folder>.base`."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.base = folder.with_name(folder.name + ".base")
        shutil.copytree(_ORIGIN, folder, ignore=_LEFT_OUT)

    def moved_to(self, folder: pathlib.Path) -> "Workspace":
        """The same files in another place, with an output base that has nothing in it; this one is gone."""
        self.forget_outputs()
        self.folder.rename(folder)
        moved = Workspace.__new__(Workspace)
        moved.folder, moved.base = folder, folder.with_name(folder.name + ".base")
        return moved

    def forget_outputs(self) -> None:
        self.bazel("shutdown")
        subprocess.run(["chmod", "-R", "u+w", str(self.base)], check=True)
        shutil.rmtree(self.base)

    def bazel(self, command: str, *arguments: str) -> str:
        """Runs ./bazelw; returns what it printed. Fails the test if it fails."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("TEST_", "RUNFILES_", "BAZEL_"))}
        environment.pop("XML_OUTPUT_FILE", None)
        done = subprocess.run(
            [self.folder / "bazelw", f"--output_base={self.base}", "--max_idle_secs=60", command, *arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-5000:]
        return done.stdout

    def outputs(self, target: str, *arguments: str) -> dict[str, str]:
        """sha256 by name of every file that a built target gives."""
        listed = self.bazel("cquery", "--output=files", "--noshow_progress", *arguments, target).splitlines()
        execution_root = pathlib.Path(self.bazel("info", "execution_root").splitlines()[-1])
        files = [execution_root / line for line in listed if line.startswith("bazel-out/")]
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}

    def build_logged(self, *arguments: str) -> list[dict]:
        """Builds; returns Bazel's log of what was executed or taken from a cache: a record an action, with its inputs' digests."""
        log = self.base.with_suffix(".log.json")
        self.bazel("build", f"--execution_log_json_file={log}", "--execution_log_sort=false", *arguments)
        return list(_records(log.read_text()))


def _records(text: str) -> Iterator[dict]:
    """JSON objects that follow one another."""
    decoder, position = json.JSONDecoder(), 0
    while position < len(text.rstrip()):
        record, position = decoder.raw_decode(text, position)
        position += len(text) - position - len(text[position:].lstrip())
        yield record


def changed_inputs(record: dict, before: dict) -> list[str]:
    """Paths of the inputs of an action that are not, or not the same, among those of the same action in an earlier build."""
    known = {entry["path"]: entry.get("digest") for entry in before["inputs"]}
    return [entry["path"] for entry in record["inputs"] if known.get(entry["path"], {}) != entry.get("digest")]


def executed(output: str) -> dict[str, int]:
    """Actions by how they were run, as the last line that starts with "INFO: N process(es):" counts them; internal ones left out."""
    summaries = re.findall(r"INFO: \d+ process(?:es)?: (.*)\.", output)
    assert summaries, output[-3000:]
    counts = (part.split(" ", 1) for part in summaries[-1].split(", "))
    return {how: int(count) for count, how in counts if how != "internal"}
