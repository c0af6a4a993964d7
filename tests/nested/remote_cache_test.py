"""Builds the firmware on two workspaces and through a remote cache: the same bytes everywhere, and nothing done twice."""

import pathlib
import re
import shutil
import socket
import subprocess
import time

import pytest

from tests.nested.workspace import Workspace, changed_inputs, executed

_FIRMWARE = "//models/kws:firmware"
_M55 = "--platforms=//platforms:m55"
_NGINX = next(pathlib.Path(__file__).absolute().parents[3].glob("*nginx/nginx"))

_CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  client_max_body_size 0;
  server {{
    listen 127.0.0.1:{port};
    root {folder}/cache;
    dav_methods PUT;
    create_full_put_path on;
  }}
}}
"""


@pytest.fixture(scope="module")
def remote_cache(tmp_path_factory):
    """The address of an nginx on loopback that serves as Bazel's HTTP cache."""
    folder = tmp_path_factory.mktemp("nginx")
    (folder / "cache").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    configuration = folder / "nginx.conf"
    configuration.write_text(_CONFIGURATION.format(folder=folder, port=port))
    with subprocess.Popen([_NGINX, "-c", configuration, "-e", folder / "error.log"]) as server:
        for _ in range(100):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert server.poll() is None, (folder / "error.log").read_text()
            time.sleep(0.1)
        yield f"--remote_cache=http://127.0.0.1:{port}"
        server.terminate()


@pytest.fixture(scope="module")
def first(tmp_path_factory, remote_cache):
    """A workspace whose firmware was built from nothing and uploaded; the log of its actions."""
    workspace = Workspace(tmp_path_factory.mktemp("a") / "workspace")
    return workspace, workspace.build_logged("--config=remote-cache", remote_cache, _M55, _FIRMWARE)


def test_a_build_without_a_change_executes_nothing(first, remote_cache):
    workspace, built = first
    assert len(built) > 20
    assert executed(workspace.bazel("build", "--config=remote-cache", remote_cache, _M55, _FIRMWARE)) == {}


def test_another_core_of_the_tier_compiles_no_model(first, remote_cache):
    workspace, _ = first
    said = workspace.bazel("build", "--config=remote-cache", remote_cache, "--platforms=//platforms:m85", "--subcommands", _FIRMWARE)
    assert not re.search(r"SUBCOMMAND: .*(Quantise|Lower)", said)
    assert "SUBCOMMAND" in said


def test_nothing_of_this_machine_is_in_commands_or_firmware(first):
    workspace, _ = first
    machine = (b"/home/", b"/root/", b"/tmp/", str(workspace.folder).encode(), str(workspace.base).encode())
    commands = workspace.bazel("aquery", "--noshow_progress", _M55, f"mnemonic('Cpp.*|Firmware.*|Generate.*|Pte.*', deps({_FIRMWARE}))").encode()
    arguments = b"\n".join(re.findall(rb"Command Line: \(exec (.*?)\n\n", commands, re.DOTALL))
    assert len(arguments) > 1000
    assert not [path for path in machine if path in arguments]
    workspace.outputs(_FIRMWARE, _M55)
    elf = next((workspace.folder / "bazel-bin/models/kws").glob("firmware.elf")).read_bytes()
    assert not [path for path in machine if path in elf]


def test_two_clean_builds_in_two_folders_give_the_same_bytes(first, tmp_path_factory):
    workspace, _ = first
    other = Workspace(tmp_path_factory.mktemp("deeper") / "down" / "elsewhere")
    try:
        assert sum(executed(other.bazel("build", _M55, _FIRMWARE)).values()) > 20
        ours, theirs = workspace.outputs(_FIRMWARE, _M55), other.outputs(_FIRMWARE, _M55)
        assert {"firmware.elf", "firmware.bin", "firmware.hex", "firmware.map", "firmware.size.json"} <= set(ours)
        assert ours == theirs
    finally:
        other.forget_outputs()
        shutil.rmtree(other.folder)


def test_a_moved_workspace_builds_from_the_cache_alone(first, tmp_path_factory, remote_cache):
    workspace, built = first
    before = workspace.outputs(_FIRMWARE, _M55)
    moved = workspace.moved_to(tmp_path_factory.mktemp("b") / "moved")
    try:
        again = moved.build_logged("--config=remote-cache", remote_cache, _M55, _FIRMWARE)
        assert len(again) == len(built)
        by_output = {record["listedOutputs"][0]: record for record in built}
        missed = [record for record in again if not record["cacheHit"]]
        assert not [(output := record["listedOutputs"][0], changed_inputs(record, by_output[output])) for record in missed]
        assert moved.outputs(_FIRMWARE, _M55) == before
    finally:
        moved.bazel("shutdown")
