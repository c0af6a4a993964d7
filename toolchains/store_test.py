"""The store holds complete things only, and a tree is built once."""

import multiprocessing
import os
import pathlib
import time

import pytest

from toolchains import store


@pytest.fixture(autouse=True)
def own_store(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def write_hello(folder: pathlib.Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "file").write_text("hello")
    (folder / "link").symlink_to("sub/file")


def test_tree_is_built_once() -> None:
    first = store.tree("hello-1", 1, write_hello)
    assert first == store.tree_place("hello-1") and (first / "sub/file").read_text() == "hello"
    assert store.tree("hello-1", 1, lambda folder: pytest.fail("built again")) == first


def test_failed_build_leaves_nothing_and_the_next_one_succeeds() -> None:
    def fail(folder: pathlib.Path) -> None:
        write_hello(folder)
        raise store.ToolchainError("no network")

    with pytest.raises(store.ToolchainError, match="no network"):
        store.tree("hello-1", 1, fail)
    assert [path.name for path in store.tree_place("hello-1").parent.iterdir()] == ["hello-1.lock"]
    assert (store.tree("hello-1", 1, write_hello) / "sub/file").is_file()


def test_left_overs_of_a_killed_build_are_cleared() -> None:
    left_over = store.tree_place("hello-1").parent / ".hello-1.killed"
    left_over.mkdir(parents=True)
    store.tree("hello-1", 1, write_hello)
    assert not left_over.exists()


def test_tree_of_other_inputs_goes_when_it_is_long_unused() -> None:
    old, other, recent = (store.tree(name, 1, write_hello) for name in ("hello-1", "hello-world-1", "hello-2"))
    for tree in (old, other):
        os.utime(tree, (0, 0))
    store.tree("hello-3", 1, write_hello)
    assert not old.exists() and other.exists() and recent.exists()


def test_tree_that_is_used_is_not_old() -> None:
    used = store.tree("hello-1", 1, write_hello)
    os.utime(used, (0, 0))
    store.tree("hello-1", 1, write_hello)
    store.tree("hello-2", 1, write_hello)
    assert used.exists()


def write_slowly(folder: pathlib.Path) -> None:
    time.sleep(0.2)
    with open(store.root() / "builds", "a") as count:
        count.write("x")
    write_hello(folder)


def test_two_processes_build_a_tree_once() -> None:
    processes = [multiprocessing.Process(target=store.tree, args=("hello-1", 1, write_slowly)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert (store.root() / "builds").read_text() == "x"


def test_no_room_is_said_before_anything_is_done(tmp_path: pathlib.Path) -> None:
    with pytest.raises(store.ToolchainError, match=r"no disk space: .* needs 1000000000 MB, \d+ MB are free"):
        store.tree("huge-1", 1_000_000_000, write_hello)


def test_store_that_cannot_be_made_is_said(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(store.ToolchainError, match="set XDG_CACHE_HOME to a folder you can write to"):
        store.root()


def test_key_follows_content_and_facts(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "lock"
    file.write_text("1")
    first = store.key([file], "fact")
    assert first == store.key([file], "fact") != store.key([file], "other")
    file.write_text("2")
    assert store.key([file], "fact") != first


def test_bring_links_files_and_keeps_symbolic_links(tmp_path: pathlib.Path) -> None:
    tree = store.tree("hello-1", 1, write_hello)
    place = tmp_path / "repository"
    place.mkdir()
    (place / "REPO.bazel").touch()
    store.bring(tree, place)
    assert (place / "sub/file").samefile(tree / "sub/file")
    assert (place / "link").readlink() == pathlib.Path("sub/file")
    assert (place / "REPO.bazel").exists()
