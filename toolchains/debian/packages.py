"""Debian packages from the machine's own mirror: found, downloaded, verified and unpacked without touching the machine.

The mirror's address is the one that the machine's apt uses; apt's own downloader fetches, so proxies and credentials set up there
hold here. A locked package (name, version, sha256) needs no package lists at all. `Suite` reads lists, into a folder of its own, for
what is not locked.
"""

import collections
import dataclasses
import functools
import itertools
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


def _environment() -> dict[str, str]:
    return os.environ | {"LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}


def _run(command: Sequence[str], **kwargs) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(command, env=_environment(), capture_output=True, text=True, **kwargs)
    except FileNotFoundError as error:
        raise ToolchainError(f"{command[0]} is missing: this needs Debian's apt and dpkg") from error


def _last_error(output: str) -> str:
    lines = [line for line in output.splitlines() if line.startswith("E:")] or output.splitlines() or ["no reason given"]
    return lines[-1].removeprefix("E: ")


@functools.cache
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
    """Where the package's file is, or will be, in the store."""
    return root() / "debs" / f"{package.sha256}.deb"


def download(packages: Iterable[Package]) -> None:
    """Brings into the store what it lacks of the packages. Raises ToolchainError when the mirror has not all of those very bytes."""
    with locked(root() / "debs" / "debs"):
        lacking = [package for package in packages if not deb(package).is_file()]
        if not lacking:
            return
        megabytes = sum(package.size for package in lacking) / 1e6
        want_space(root(), int(megabytes) + 16)
        what = str(lacking[0]) if len(lacking) == 1 else f"{len(lacking)} packages"
        say(f"downloading {what} from the Debian mirror ({megabytes:.0f} MB)")
        error = _run_apt_helper(lacking)
        for package in lacking:
            part = _part(package)
            if part.is_file() and part.stat().st_size == package.size and sha256(part) == package.sha256:
                part.rename(deb(package))
            else:
                part.unlink(missing_ok=True)
    absent = [package for package in lacking if not deb(package).is_file()]
    if absent:
        raise ToolchainError(f"cannot download {absent[0]} from {mirror()}: {error}; run again to go on")


def _part(package: Package) -> pathlib.Path:
    return deb(package).with_suffix(".part")


def _run_apt_helper(packages: Sequence[Package]) -> str:
    """Downloads each package to its part file, and says why where that fails."""
    wanted = [(f"{mirror()}/{package.file}", str(_part(package)), f"SHA256:{package.sha256}") for package in packages]
    command = [APT_HELPER, "-oAPT::Sandbox::User=root", "-oAcquire::Retries=3", "download-file", *itertools.chain(*wanted)]
    total = sum(package.size for package in packages) / 1e6
    with tempfile.TemporaryFile("w+") as output:
        try:
            helper = subprocess.Popen(command, env=_environment(), stdout=output, stderr=output)
        except FileNotFoundError as error:
            raise ToolchainError(f"{APT_HELPER} is missing: this needs Debian's apt") from error
        while True:
            try:
                helper.wait(timeout=5)
                output.seek(0)
                return _last_error(output.read())
            except subprocess.TimeoutExpired:
                parts = [_part(package) for package in packages]
                say(f"  {sum(part.stat().st_size for part in parts if part.is_file()) / 1e6:.0f} of {total:.0f} MB")
            except BaseException:
                helper.kill()
                raise


def unpack(packages: Sequence[Package], into: pathlib.Path, exclude: Sequence[str] = ()) -> None:
    """Unpacks the packages' files, but for those that match tar's patterns. Downloads what is not in the store; runs none of them."""
    download(packages)
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
        try:
            say(f"reading Debian's package lists ({self.name})")
            done = self._apt("apt-get", "-q", "--error-on=any", "update")
            if done.returncode:
                raise ToolchainError(f"cannot read the package lists of Debian {self.name}: {_last_error(done.stderr)}")
        except BaseException:
            self.__exit__()
            raise
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


def available(lock: Lock, strict: bool) -> list[Package]:
    """The lock's packages, downloaded; where the mirror no longer has a version, the suite's current one, with a warning.

    Stable suites drop a version when they publish a fix of it.

    Args:
      lock: what is wanted.
      strict: the roots must be exactly the locked ones, since their bytes decide those of the outputs.
    """
    try:
        download(lock.packages)
        return list(lock.packages)
    except ToolchainError as error:
        gone = [package for package in lock.packages if not deb(package).is_file()]
        exact = {root.split("=")[0] for root in lock.roots}
        if strict and any(package.name in exact for package in gone):
            raise
        with Suite(lock.suite) as suite:
            newer = {package.name: package for package in suite.packages([package.name for package in gone])}
        if any(newer[package.name] == package for package in gone):
            raise error  # The mirror has it, so the version is not the reason.
    for package in gone:
        say(f"warning: the mirror has {newer[package.name]}, not {package.version} as locked")
    packages = [newer.get(package.name, package) for package in lock.packages]
    download(packages)
    return packages
