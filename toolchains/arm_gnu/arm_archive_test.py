"""Arm's archive is downloaded whole, resumed, refused or passed over, and comes out in the layout of the BUILD file."""

import hashlib
import http.server
import io
import pathlib
import tarfile
import threading

import pytest

from toolchains import store
from toolchains.arm_gnu import arm_archive, assemble

# The layout of Arm's release 14.2.rel1, a file for each thing that is kept or dropped.
TARGET, GCC = "arm-none-eabi", "lib/gcc/arm-none-eabi/14.2.1"
KEPT = (
    "bin/arm-none-eabi-gcc",
    "bin/arm-none-eabi-objcopy",
    "libexec/gcc/arm-none-eabi/14.2.1/cc1plus",
    f"{GCC}/include/stddef.h",
    f"{GCC}/thumb/v8.1-m.main+mve/hard/libgcc.a",
    f"{TARGET}/bin/as",
    f"{TARGET}/include/stdio.h",
    f"{TARGET}/include/c++/14.2.1/arm-none-eabi/thumb/v6-m/nofp/bits/c++config.h",
    f"{TARGET}/lib/thumb/v6-m/nofp/libc_nano.a",
)
DROPPED = (
    "bin/arm-none-eabi-gdb",
    "libexec/gcc/arm-none-eabi/14.2.1/f951",
    f"{GCC}/libgcc.a",
    f"{GCC}/thumb/v7-a/nofp/libgcc.a",
    f"{TARGET}/include/c++/14.2.1/arm-none-eabi/arm/bits/c++config.h",
    f"{TARGET}/lib/libc.a",
    f"{TARGET}/lib/thumb/v6-m/nofp/libc.a",
    f"{TARGET}/lib/thumb/v8-r/nofp/libc_nano.a",
    "share/doc/gcc.pdf",
)
MOVED = f"{TARGET}/include/newlib-nano/newlib.h"


def archive_content() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz") as tar:
        for name in (*KEPT, *DROPPED, MOVED):
            member = tarfile.TarInfo(f"arm-gnu-toolchain-14.2.rel1-x86_64-arm-none-eabi/{name}")
            member.size = len(name)
            tar.addfile(member, io.BytesIO(name.encode()))
    return data.getvalue()


class Server:
    """An HTTP server on the loopback address that holds the archive; remembers which byte each request began with."""

    def __init__(self, content: bytes):
        starts = self.starts = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                start = int((self.headers["Range"] or "bytes=0-").removeprefix("bytes=").removesuffix("-"))
                starts.append(start)
                self.send_response(206 if start else 200)
                self.send_header("Content-Length", str(len(content) - start))
                self.end_headers()
                self.wfile.write(content[start:])

            def log_message(self, *_) -> None:
                pass

        self._server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/archive.tar.xz"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    content = archive_content()
    server = Server(content)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("KINDLING_ARM_GNU", raising=False)
    monkeypatch.setattr(arm_archive, "URL", server.url)
    monkeypatch.setattr(arm_archive, "SHA256", hashlib.sha256(content).hexdigest())
    yield server
    server.stop()


def part_file() -> pathlib.Path:
    folder = store.root() / "archives"
    folder.mkdir(exist_ok=True)
    return folder / f"{arm_archive.SHA256}.tar.part"


def test_archive_is_downloaded_once(server: Server) -> None:
    assert arm_archive.fetch().read_bytes() == arm_archive.fetch().read_bytes() == archive_content()
    assert server.starts == [0]


def test_download_goes_on_where_it_stopped(server: Server) -> None:
    part_file().write_bytes(archive_content()[:100])
    assert arm_archive.fetch().read_bytes() == archive_content()
    assert server.starts == [100]


def test_other_bytes_are_refused_and_not_kept(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arm_archive, "SHA256", "0" * 64)
    with pytest.raises(store.ToolchainError, match="its sha256 differs"):
        arm_archive.fetch()
    assert not part_file().exists()


def test_unreachable_archive_is_passed_over_unless_insisted_on(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.stop()
    assert arm_archive.fetch() is None
    monkeypatch.setenv("KINDLING_ARM_GNU", "arm")
    with pytest.raises(store.ToolchainError, match="cannot download .*; run again to go on"):
        arm_archive.fetch()


def test_debian_can_be_insisted_on(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINDLING_ARM_GNU", "debian")
    assert arm_archive.fetch() is None and not server.starts


def test_wrong_choice_is_said(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINDLING_ARM_GNU", "clang")
    with pytest.raises(store.ToolchainError, match='KINDLING_ARM_GNU is "clang": say arm or debian'):
        arm_archive.fetch()


def test_layout_is_that_of_the_build_file(server: Server, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "tree"
    folder.mkdir()
    arm_archive.unpack(arm_archive.fetch(), folder)
    assemble.prune(folder)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == {*KEPT, "nano/newlib.h"}
