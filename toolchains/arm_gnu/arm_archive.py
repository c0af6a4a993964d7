"""Arm's release archive of the toolchain."""

import os
import pathlib
import tarfile
import urllib.error
import urllib.request

from toolchains import store

RELEASE = "14.2.rel1"
URL = (
    "https://armkeil.blob.core.windows.net/developer/Files/downloads/gnu/"
    f"{RELEASE}/binrel/arm-gnu-toolchain-{RELEASE}-x86_64-arm-none-eabi.tar.xz"
)
SHA256 = "62a63b981fe391a9cbad7ef51b17e49aeaa3e7b0d029b36ca1e9c3b2a9b78823"
TIMEOUT_SECONDS = 8


def fetch() -> pathlib.Path | None:
    """The archive's file in the store, downloaded if need be; None where it cannot be reached (or KINDLING_ARM_GNU is "debian")."""
    choice = os.environ.get("KINDLING_ARM_GNU", "")
    if choice not in ("", "arm", "debian"):
        raise store.ToolchainError(f'KINDLING_ARM_GNU is "{choice}": say arm or debian')
    if choice == "debian":
        return None
    place = store.root() / "archives" / f"{SHA256}.tar.xz"
    with store.locked(place):
        if place.is_file():
            return place
        try:
            _download(place)
            return place
        except (urllib.error.URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            if choice == "arm":
                raise store.ToolchainError(f"cannot download {URL}: {reason}; run again to go on") from error
            store.say(f"Arm's archive cannot be had ({reason}): taking Debian's packages")
            return None


def _download(place: pathlib.Path) -> None:
    """Downloads, going on where an earlier try stopped. A file that does not match is thrown away."""
    part = place.with_suffix(".part")
    have = part.stat().st_size if part.is_file() else 0
    request = urllib.request.Request(URL, headers={"Range": f"bytes={have}-"} if have else {})
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
        resumed = answer.status == 206
        to_come = int(answer.headers.get("Content-Length", 0))
        store.want_space(place.parent, (to_come >> 20) + 16)
        store.say(f"downloading {URL} ({to_come / 1e6:.0f} MB{' to go' if resumed else ''})")
        with open(part, "ab" if resumed else "wb") as file:
            while block := answer.read(1 << 20):
                file.write(block)
    if store.sha256(part) != SHA256:
        part.unlink()
        raise store.ToolchainError(f"{URL} is not the archive that was locked: its sha256 differs; KINDLING_ARM_GNU=debian does without it")
    part.rename(place)


def unpack(archive: pathlib.Path, folder: pathlib.Path) -> None:
    """Unpacks the archive's programs, libraries and headers."""
    store.say("unpacking Arm's archive")
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "fully_trusted_filter", None)  # Its sha256 was checked.
        for member in tar:
            member.name = member.name.partition("/")[2]
            if member.islnk():
                member.linkname = member.linkname.partition("/")[2]
            if member.name.startswith(("bin/", "lib/", "libexec/", "arm-none-eabi/")):
                tar.extract(member, folder)
