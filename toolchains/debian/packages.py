"""Debian packages from the machine's own mirror: found, downloaded, verified and unpacked without touching the machine.

The mirror's address is the one that the machine's apt uses; apt's own downloader fetches, so proxies and credentials set up there
hold here. A locked package (name, version, sha256) needs no package lists at all. `Suite` reads lists, into a folder of its own, for
what is not locked.
"""

import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence

from toolchains.store import ToolchainError, locked, root, say, sha256, want_space

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
APT_HELPER = "/usr/lib/apt/apt-helper"


@dataclasses.dataclass(frozen=True)
class Package:
    """One .deb: where it lies in the mirror (`file`), its sha256 and its size in bytes."""

    name: str
    version: str
    sha256: str
    file: str
    size: int

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclasses.dataclass(frozen=True)
class Lock:
    """A lock file: the suite, what was asked for (`roots`, as apt takes them), and the packages that came of it.

    `host` names packages that every machine has, and that are left out.
    """

    suite: str
    roots: tuple[str, ...]
    host: tuple[str, ...]
    packages: tuple[Package, ...]

    @staticmethod
    def read(path: pathlib.Path) -> "Lock":
        content = json.loads(path.read_text())
        packages = tuple(Package(**package) for package in content["packages"])
        return Lock(content["suite"], tuple(content["roots"]), tuple(content["host"]), packages)

    def write(self, path: pathlib.Path) -> None:
        path.write_text(json.dumps(dataclasses.asdict(self), indent=2) + "\n")


def _run(command: Sequence[str], **kwargs) -> subprocess.CompletedProcess:
    environment = os.environ | {"LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    try:
        return subprocess.run(command, env=environment, capture_output=True, text=True, **kwargs)
    except FileNotFoundError as error:
        raise ToolchainError(f"{command[0]} is missing: this needs Debian's apt and dpkg") from error


def _last_error(output: str) -> str:
    lines = [line for line in output.splitlines() if line.startswith("E:")] or output.splitlines() or ["no reason given"]
    return lines[-1].removeprefix("E: ")


def mirror() -> str:
    """The address of the Debian mirror that this machine's apt uses."""
    listed = _run(["apt-get", "indextargets", "--format", "$(SITE) $(COMPONENT) $(ORIGIN)", "Created-By: Packages"]).stdout
    sites = [line.split() for line in listed.splitlines()]
    debian = [
        site for site, component, *origin in sites
        if component == "main" and "security" not in site and (origin == ["Debian"] or "debian" in site)
    ]
    if not debian:
        raise ToolchainError("apt has no Debian mirror: add one to /etc/apt/sources.list.d, run apt-get update and try again")
    return collections.Counter(debian).most_common(1)[0][0].rstrip("/")


def deb(package: Package) -> pathlib.Path:
    """The package's file, from the store or else downloaded into it. Raises ToolchainError when the mirror has no such bytes."""
    place = root() / "debs" / f"{package.sha256}.deb"
    if place.is_file():
        return place
    with locked(place.parent / "debs"):
        if not place.is_file():
            _download(package, place)
    return place


def _download(package: Package, place: pathlib.Path) -> None:
    want_space(place.parent, (package.size >> 20) + 16)
    part = place.with_suffix(".part")
    part.unlink(missing_ok=True)
    address = f"{mirror()}/{package.file}"
    say(f"downloading {package} ({package.size / 1e6:.1f} MB)")
    helper = [APT_HELPER, "-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=3"]
    done = _run([*helper, "download-file", address, str(part), f"SHA256:{package.sha256}"])
    if done.returncode or not part.is_file():
        part.unlink(missing_ok=True)
        raise ToolchainError(f"cannot download {package} from {address}: {_last_error(done.stderr + done.stdout)}; run again to go on")
    if sha256(part) != package.sha256:
        part.unlink()
        raise ToolchainError(f"{address} is not the package that was locked: its sha256 differs")
    part.rename(place)


def unpack(packages: Iterable[Package], into: pathlib.Path, exclude: Sequence[str] = ()) -> None:
    """Unpacks the packages' files, but for those that match tar's patterns. Downloads what is not in the store; runs none of them."""
    into.mkdir(parents=True, exist_ok=True)
    patterns = [f"--exclude={pattern}" for pattern in exclude]
    for package in packages:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb(package))], stdout=subprocess.PIPE) as tar:
            done = _run(["tar", "--extract", "--no-same-owner", *patterns, f"--directory={into}"], stdin=tar.stdout)
        if done.returncode or tar.returncode:
            raise ToolchainError(f"cannot unpack {package}: {_last_error(done.stderr)}")


class Suite:
    """A suite of the mirror (bookworm, trixie, ...) as apt sees it today, with nothing installed. A context manager."""

    def __init__(self, name: str):
        self.name = name

    def __enter__(self) -> "Suite":
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="apt.", dir=root()))
        for folder in ("lists/partial", "cache/archives/partial"):
            (self._folder / folder).mkdir(parents=True)
        (self._folder / "status").touch()
        (self._folder / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror()} {self.name} main\n")
        self._options = [
            f"-oDir::Etc::SourceList={self._folder}/sources.list",
            "-oDir::Etc::SourceParts=/dev/null",
            "-oDir::Etc::Preferences=/dev/null",
            "-oDir::Etc::PreferencesParts=/dev/null",
            f"-oDir::State::Lists={self._folder}/lists",
            f"-oDir::State::Status={self._folder}/status",
            f"-oDir::Cache={self._folder}/cache",
            "-oAPT::Sandbox::User=root",
            "-oAcquire::Languages=none",
            "-oAcquire::Retries=3",
        ]
        say(f"reading Debian's package lists ({self.name})")
        done = self._apt("apt-get", "-q", "--error-on=any", "update")
        if done.returncode:
            self.__exit__()
            raise ToolchainError(f"cannot read the package lists of Debian {self.name}: {_last_error(done.stderr)}")
        return self

    def __exit__(self, *_) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _apt(self, tool: str, *arguments: str) -> subprocess.CompletedProcess:
        return _run([tool, *self._options, *arguments])

    def closure(self, roots: Sequence[str]) -> list[str]:
        """Names of the roots and of all that they depend on."""
        done = self._apt("apt-get", "-qq", "--no-install-recommends", "--yes", "--print-uris", "install", *roots)
        if done.returncode:
            raise ToolchainError(f"Debian {self.name} cannot provide {' '.join(roots)}: {_last_error(done.stderr)}")
        return [line.split()[1].split("_")[0] for line in done.stdout.splitlines() if line.startswith("'")]

    def packages(self, names: Sequence[str]) -> list[Package]:
        """The packages of those names, each in the suite's newest version or as "name=version" says."""
        found = {}
        for paragraph in self._apt("apt-cache", "--no-all-versions", "show", *names).stdout.split("\n\n"):
            fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if ": " in line and not line.startswith(" "))
            if fields:
                found[fields["Package"]] = Package(
                    fields["Package"], fields["Version"], fields["SHA256"], fields["Filename"], int(fields["Size"])
                )
        missing = [name for name in names if name.split("=")[0] not in found]
        if missing:
            raise ToolchainError(f"Debian {self.name} has no {' '.join(missing)}")
        return [found[name.split("=")[0]] for name in names]


def available(lock: Lock, strict: bool) -> tuple[Package, ...]:
    """The lock's packages, downloaded; where the mirror no longer has a version, the suite's current one, with a warning.

    Stable suites drop a version when they publish a fix of it.

    Args:
      lock: what is wanted.
      strict: the roots must be exactly the locked ones, since their bytes decide those of the outputs.
    """
    exact = {root.split("=")[0] for root in lock.roots} if strict else set()
    packages = []
    with contextlib.ExitStack() as stack:
        suite = None
        for package in lock.packages:
            try:
                deb(package)
            except ToolchainError:
                if package.name in exact:
                    raise
                suite = suite or stack.enter_context(Suite(lock.suite))
                (newer,) = suite.packages([package.name])
                if newer == package:
                    raise
                say(f"warning: the mirror has {newer}, not {package.version} as locked")
                deb(newer)
                package = newer
            packages.append(package)
    return tuple(packages)
