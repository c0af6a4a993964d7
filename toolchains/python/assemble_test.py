"""What of the locked packages is kept, and what Bazel is told of them."""

import pathlib

import pytest

from toolchains import store
from toolchains.python import assemble


@pytest.mark.parametrize(
    "name",
    [
        "torch/include/ATen/ATen.h",
        "torch/test/test_api",
        "torch/lib/libtorch.a",
        "numpy/linalg/tests/test_linalg.py",
        "numpy/__init__.pyi",
        "setuptools/_vendor/jaraco/text/Lorem ipsum.txt",
        "torch-2.13.0+cpu.dist-info/RECORD",
        "../../bin/pytest",
    ],
)
def test_unused_files_are_dropped(name: str) -> None:
    assert assemble.UNUSED.search(name)


@pytest.mark.parametrize(
    "name",
    [
        "torch/__init__.py",
        "torch/testing/_comparison.py",
        "torch/lib/libtorch_cpu.so",
        "torch/bin/torch_shm_manager",
        "_pytest/config/__init__.py",
        "hypothesis-6.170.17.dist-info/entry_points.txt",
    ],
)
def test_used_files_are_kept(name: str) -> None:
    assert not assemble.UNUSED.search(name)


def test_targets_are_named_after_distributions() -> None:
    assert [assemble.target(name) for name in ("absl-py", "Jinja2", "typing_extensions")] == ["absl_py", "jinja2", "typing_extensions"]


def test_library_has_sources_data_and_deps() -> None:
    assert assemble.py_library("one", ["one/a.py", "one/b.so"], ["two"]) == (
        'py_library(\n    name = "one",\n    srcs = [\n        "site-packages/one/a.py",\n    ],\n'
        '    data = [\n        "site-packages/one/b.so",\n    ],\n    imports = ["site-packages"],\n'
        '    deps = [\n        ":two",\n    ],\n)\n'
    )


def test_missing_torch_is_said_in_one_line(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(store.ToolchainError) as caught:
        assemble.install(tmp_path / "site")
    message = str(caught.value)
    assert "\n" not in message
    assert "PyTorch" in message and "PIP_FIND_LINKS" in message


def test_requirement_that_is_not_locked_is_said(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "one-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        'Metadata-Version: 2.1\nName: one\nVersion: 1.0\nRequires-Dist: two>=1\nRequires-Dist: three; extra == "all"\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert assemble.requirements(tmp_path, "one", {"one", "two"}) == ["two"]
    with pytest.raises(store.ToolchainError, match="one needs two, which requirements.txt does not lock"):
        assemble.requirements(tmp_path, "one", {"one"})
