"""Packages come from the mirror with the bytes that were locked, or not at all. The mirror here is a folder, apt and dpkg are real."""

import pathlib
import subprocess

import pytest

from toolchains import store
from toolchains.debian import packages


@pytest.fixture
def mirror(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A folder that serves as the Debian mirror, with an empty store beside it."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(packages, "mirror", lambda: f"copy:{folder}")
    return folder


def make_package(mirror: pathlib.Path, name: str = "hello", version: str = "1") -> packages.Package:
    """A real .deb with one file, /usr/share/<name>/text, in the mirror."""
    root = mirror.parent / f"{name}-{version}"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: test\n"
    )
    (root / "usr/share" / name).mkdir(parents=True)
    (root / "usr/share" / name / "text").write_text(f"{name} {version}")
    file = mirror / f"{name}_{version}_all.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", str(root), str(file)], check=True, capture_output=True)
    return packages.Package(name, version, store.sha256(file), file.name, file.stat().st_size)


def test_package_is_unpacked_and_kept(mirror: pathlib.Path, tmp_path: pathlib.Path) -> None:
    package = make_package(mirror)
    packages.unpack([package], tmp_path / "root")
    assert (tmp_path / "root/usr/share/hello/text").read_text() == "hello 1"
    (mirror / package.file).unlink()
    packages.unpack([package], tmp_path / "again")
    assert (tmp_path / "again/usr/share/hello/text").is_file()


def test_excluded_files_are_not_unpacked(mirror: pathlib.Path, tmp_path: pathlib.Path) -> None:
    packages.unpack([make_package(mirror)], tmp_path / "root", exclude=["*/share/*"])
    assert not list((tmp_path / "root").rglob("text"))


def test_other_bytes_than_locked_are_refused(mirror: pathlib.Path) -> None:
    package = make_package(mirror)
    content = bytearray((mirror / package.file).read_bytes())
    content[-1] ^= 1
    (mirror / package.file).write_bytes(content)
    with pytest.raises(store.ToolchainError, match="cannot download hello 1 from .*; run again to go on"):
        packages.download([package])
    assert not packages.deb(package).exists() and not list(packages.deb(package).parent.glob("*.part"))


def test_what_could_be_downloaded_is_kept_for_the_next_run(mirror: pathlib.Path) -> None:
    here, gone = make_package(mirror, "here"), make_package(mirror, "gone")
    (mirror / gone.file).unlink()
    with pytest.raises(store.ToolchainError, match="cannot download gone 1"):
        packages.download([here, gone])
    assert packages.deb(here).is_file() and not packages.deb(gone).exists()


class FakeSuite:
    """A suite whose current packages are given."""

    current: dict[str, packages.Package] = {}

    def __init__(self, name: str):
        assert name == "trixie"

    def __enter__(self) -> "FakeSuite":
        return self

    def __exit__(self, *_) -> None:
        pass

    def packages(self, names: list[str]) -> list[packages.Package]:
        return [self.current[name] for name in names]


@pytest.fixture
def moved_on(mirror: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> packages.Lock:
    """A lock of hello 1 and library 1, where the mirror has hello 2 by now, or library 2, as the test says."""
    hello, library = make_package(mirror, "hello"), make_package(mirror, "library")
    newer = {name: make_package(mirror, name, "2") for name in ("hello", "library")}
    monkeypatch.setattr(FakeSuite, "current", newer)
    monkeypatch.setattr(packages, "Suite", FakeSuite)
    return packages.Lock("trixie", ("hello",), (), (hello, library))


def test_library_gone_from_the_mirror_is_replaced_by_its_fix(
    mirror: pathlib.Path, moved_on: packages.Lock, capsys: pytest.CaptureFixture[str]
) -> None:
    (mirror / "library_1_all.deb").unlink()
    assert [str(package) for package in packages.available(moved_on, strict=True)] == ["hello 1", "library 2"]
    assert "warning: the mirror has library 2, not 1 as locked" in capsys.readouterr().err


def test_root_gone_from_the_mirror_is_an_error_only_if_strict(mirror: pathlib.Path, moved_on: packages.Lock) -> None:
    (mirror / "hello_1_all.deb").unlink()
    with pytest.raises(store.ToolchainError, match="cannot download hello 1"):
        packages.available(moved_on, strict=True)
    assert [str(package) for package in packages.available(moved_on, strict=False)] == ["hello 2", "library 1"]


def test_machine_without_a_debian_mirror_is_told_so(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "apt-get").write_text("#!/bin/sh\n")
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    packages.mirror.cache_clear()
    with pytest.raises(store.ToolchainError, match="apt has no Debian mirror"):
        packages.mirror()
    packages.mirror.cache_clear()


def test_machine_without_apt_is_told_so(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    packages.mirror.cache_clear()
    with pytest.raises(store.ToolchainError, match="apt-get is missing"):
        packages.mirror()
    packages.mirror.cache_clear()


def test_lists_of_a_mirror_that_does_not_answer(mirror: pathlib.Path) -> None:
    with pytest.raises(store.ToolchainError, match="cannot read the package lists of Debian trixie"):
        with packages.Suite("trixie"):
            pass
    assert not list(store.root().glob("apt.*"))


def test_lock_file_reads_as_written(tmp_path: pathlib.Path) -> None:
    lock = packages.Lock("trixie", ("hello=1",), ("libc6",), (packages.Package("hello", "1", "00ff", "pool/hello.deb", 10),))
    lock.write(tmp_path / "packages.lock.json")
    assert packages.Lock.read(tmp_path / "packages.lock.json") == lock
