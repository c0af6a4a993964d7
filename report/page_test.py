"""The page as text: that it says what the files say, and needs nothing else."""

import html
import json
import re

import pytest

from kernels.registry import KERNELS
from report import build_report
from report.page_data import core_name, core_page


def _step(index: int, layer: str, operator: str, inputs: list[str], macs: int, scratch: int = 0) -> dict:
    kernel = {"index": index, "operator": operator, "kernel": operator + "_s8", "layer": layer, "source": f"two.py:{index + 7}"}
    return kernel | {"macs": macs, "inputs": inputs, "outputs": [layer], "scratch_bytes": scratch, "params_bytes": 100 + index}


def _tensor(name: str, shape: list[int], offset: int, nbytes: int, first: int, last: int) -> dict:
    life = {"offset": offset, "region": "sram", "first_step": first, "last_step": last}
    return {"name": name, "shape": shape, "dtype": "int8", "bytes": nbytes} | life


_PEAK = {"step": 0, "layer": "stem<0>", "bytes": 1500}
_PLAN = {
    "model": "two",
    "tier": "mve",
    "inputs": [{"name": "image", "shape": [1, 500], "dtype": "int8"}],
    "outputs": [{"name": "head", "shape": [1, 10], "dtype": "int8"}],
    "regions": [{"name": "sram", "bytes": 1536, "limit": 4096, "peak": _PEAK}],
    "tensors": [
        _tensor("image", [1, 500], 0, 500, 0, 0),
        _tensor("stem<0>", [1, 1, 1000], 500, 1000, 0, 1),
        _tensor("head", [1, 10], 0, 10, 1, 1),
        _tensor("stem<0>.scratch", [36], 1500, 36, 0, 0),
    ],
    "steps": [_step(0, "stem<0>", "conv2d", ["image"], 5000, scratch=36), _step(1, "head", "softmax", ["stem<0>"], 0)],
    "arena_bytes": 1536,
    "arena_lower_bound": 1500,
    "weights_bytes": 77,
}
_SIZES = {
    "flash": {"constants": 201, "metadata": 300, "kernels": 4000, "runtime": 3000, "startup": 700, "harness": 0, "other": 9},
    "ram": {"arena": 1536, "state": 128, "stack": 4096, "other": 0},
    "stack_bound": {"bytes": 900, "model_bytes": 555, "why_unbounded": None},
}
_UNBOUNDED = {"stack_bound": {"bytes": None, "model_bytes": None, "why_unbounded": "f calls itself"}}
_FIGURES = {
    "core": "m55",
    "instructions": 10_500,
    "init_instructions": 777,
    "ram": {"arena": 1536, "state": 128, "stack": 640},
    "steps": [{"step": 0, "start": 0, "duration": 7500}, {"step": 1, "start": 7500, "duration": 2500}],
}
_ACCURACY = {
    "samples": 16,
    "layers": [{"layer": "stem<0>", "operator": "conv2d", "source": "", "snr_db": 23.45}],
    "outputs": [{"name": "head", "snr_db": 31.07}],
}


def _page(accuracy: dict | None = _ACCURACY) -> str:
    cores = [core_page(core, _PLAN, _SIZES, _FIGURES, accuracy) for core in ("m55", "m0plus")]
    return build_report.page("two", cores, accuracy)


def test_figures_are_joined_by_step_and_layer():
    page = core_page("m55", _PLAN, _SIZES, _FIGURES, _ACCURACY)
    stem, head = page.rows
    assert (stem.instructions, stem.share, stem.instructions_per_mac, stem.snr_db, stem.output_shape) == (7500, 0.75, 1.5, 23.45, "1×1×1000")
    assert (head.instructions, head.share, head.instructions_per_mac, head.snr_db) == (2500, 0.25, None, None)
    assert (stem.ram, head.ram) == (1536, 1500)
    assert (page.macs, page.scratch, page.worst_snr_db) == (5000, 36, 23.45)


def test_flash_and_ram_are_the_sums_of_their_parts():
    page = core_page("m55", _PLAN, _SIZES, _FIGURES, None)
    assert page.flash_total == sum(_SIZES["flash"].values()) and page.code == page.flash_total - 201
    assert [(part.key, part.nbytes) for part in page.ram] == [("arena", 1536), ("state", 128), ("stack", 900)]
    assert sum(part.share for part in page.flash) == pytest.approx(1)
    assert "harness" not in [part.key for part in page.flash]


def test_a_stack_without_bound_counts_as_used_and_the_page_says_why():
    page = core_page("m55", _PLAN, _SIZES | _UNBOUNDED, _FIGURES, None)
    assert (page.ram[-1].name, page.stack, page.ram_total) == ("stack, as used", 640, 1536 + 128 + 640)
    assert "The stack has no bound: f calls itself." in build_report.page("two", [page], None)
    assert "the model itself can take 555" in _page()


def test_figures_of_another_model_are_refused():
    with pytest.raises(ValueError, match="the steps measured on m55 are not those of the plan of two"):
        core_page("m55", _PLAN, _SIZES, _FIGURES | {"steps": _FIGURES["steps"][:1]}, None)


def test_cores_are_called_by_their_names():
    assert [core_name(core) for core in ("m55", "m0plus", "m4f")] == ["Cortex-M55", "Cortex-M0+", "Cortex-M4F"]


def test_the_page_says_it_all():
    text = html.unescape(re.sub(r"<[^>]+>", " ", _page()))
    for expected in ("10,500", "1,536 bytes of 4,096", "peak: stem<0>, 1,500 bytes", "75.0 %", "two.py:7", "23.4", "31.1", "Cortex-M0+", "1×1×1000"):
        assert expected in text


def test_without_an_accuracy_report_nothing_is_said_of_it():
    assert "SNR" in _page() and "int8 against float" in _page()
    assert "SNR" not in _page(None) and "int8 against float" not in _page(None)


def test_the_page_needs_no_other_file():
    page = _page()
    assert not re.search(r"https?:|\bsrc=|@import|url\((?!#)", page)
    assert re.findall(r"<link[^>]*>", page) == ['<link rel="icon" href="data:,">']


def test_names_are_escaped():
    assert "stem<0>" not in _page() and "stem&lt;0&gt;" in _page()


def test_every_kernel_has_a_colour_and_every_colour_is_defined():
    style = (build_report._HERE / "page.css").read_text()
    for kind in build_report.KINDS:
        assert f".{kind} {{ background: var(--{kind})" in style and style.count(f"--{kind}: ") == 2
    assert {build_report._kind(kernel) for kernel in KERNELS} | {"input", "scratch", "view"} == set(build_report.KINDS)
    assert [build_report._kind(role) for role in ("add_s8", "concat_2_s8", "scratch")] == ["elementwise", "move", "scratch"]


def test_the_command_writes_the_page_and_names_what_is_wrong(tmp_path, monkeypatch):
    files = {"plan": _PLAN, "sizes": _SIZES, "figures": _FIGURES, "accuracy": _ACCURACY}
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    command = ["build_report", "--name=two", "--core=m55", *(f"--{name}={tmp_path / name}" for name in files), f"--html={tmp_path}/two.html"]
    monkeypatch.setattr("sys.argv", command)
    build_report.main()
    assert "Cortex-M55" in (tmp_path / "two.html").read_text()
    (tmp_path / "figures").unlink()
    with pytest.raises(SystemExit, match="^build_report: .*figures"):
        build_report.main()
