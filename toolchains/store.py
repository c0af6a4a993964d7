"""The user's store of downloads and of trees assembled from them, shared by all workspaces and output bases.

It is $XDG_CACHE_HOME/kindling, by default ~/.cache/kindling. Whatever is in it is complete: files and trees are made beside their
place, under a lock, and renamed. It may be deleted at any time while no build runs.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator

UNUSED_SECONDS = 30 * 24 * 60 * 60


class ToolchainError(Exception):
    """What went wrong and how to go on, in one line."""


def say(line: str) -> None:
    """A line of progress."""
    print(f"kindling: {line}", file=sys.stderr, flush=True)


def root() -> pathlib.Path:
    """The store's folder, made if need be."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = pathlib.Path(base) / "kindling"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolchainError(f"cannot make {folder}: {error.strerror}; set XDG_CACHE_HOME to a folder you can write to") from error
    return folder


def want_space(folder: pathlib.Path, megabytes: int) -> None:
    """Raises ToolchainError unless the disk that holds the folder has that much room."""
    free = shutil.disk_usage(folder).free >> 20
    if free < megabytes:
        raise ToolchainError(f"no disk space: {folder} needs {megabytes} MB, {free} MB are free; free some or set XDG_CACHE_HOME")


@contextlib.contextmanager
def locked(path: pathlib.Path) -> Iterator[None]:
    """Holds <path>.lock against other processes; a lock dies with its process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{path}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another process that makes {path.name}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def sha256(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def key(files: Iterable[pathlib.Path], *facts: str) -> str:
    """Sixteen hex digits that change whenever the content of a file, or a fact, does."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name} {sha256(file)}\n".encode())
    for fact in facts:
        digest.update(f"{fact}\n".encode())
    return digest.hexdigest()[:16]


def tree_place(name: str) -> pathlib.Path:
    """Where the tree of that name is, or will be."""
    return root() / "trees" / name


def tree(name: str, megabytes: int, build: Callable[[pathlib.Path], None]) -> pathlib.Path:
    """The tree of that name (which holds a key of all its inputs), built by build(folder) if it is not there.

    Args:
      name: "<what>-<key>".
      megabytes: room that building it takes.
      build: fills an empty folder, which is moved to its place afterwards.
    """
    place = tree_place(name)
    if place.is_dir():
        os.utime(place)
        return place
    with locked(place):
        if not place.is_dir():
            for old in [*place.parent.glob(f".{name}.*"), *_long_unused(place)]:
                shutil.rmtree(old)
            want_space(place.parent, megabytes)
            with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{name}.") as work:
                folder = pathlib.Path(work) / "tree"
                folder.mkdir()
                build(folder)
                folder.rename(place)
    return place


def _long_unused(place: pathlib.Path) -> list[pathlib.Path]:
    """Trees of the same thing with other inputs that nobody has asked for in a while."""
    what = place.name.rpartition("-")[0]
    others = [path for path in place.parent.glob(f"{what}-*") if path.is_dir() and path.name.rpartition("-")[0] == what]
    return [path for path in others if time.time() - path.stat().st_mtime > UNUSED_SECONDS]


def bring(tree: pathlib.Path, into: pathlib.Path) -> None:
    """Puts the content of a tree into a folder: by hard links, or by copies where it lies on another disk."""
    def link_or_copy(source: str, target: str) -> None:
        try:
            os.link(source, target, follow_symlinks=False)
        except OSError:
            shutil.copy2(source, target, follow_symlinks=False)

    try:
        shutil.copytree(tree, into, symlinks=True, copy_function=link_or_copy, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        raise ToolchainError(f"cannot fill {into} from {tree}: {error}") from error


def run_as_command(assemble: Callable[[pathlib.Path], None]) -> None:
    """The main function of an assemble.py: fills the folder given as its only argument, or says in one line why it cannot."""
    os.umask(0o022)
    try:
        assemble(pathlib.Path(sys.argv[1]))
    except ToolchainError as error:
        sys.exit(f"kindling: error: {error}")
    except KeyboardInterrupt:
        sys.exit("kindling: interrupted; what was downloaded is kept")
