"""The compiler's command line from a graph on: what it writes, where, and what it says of flags that cannot be."""

import dataclasses
import json

import numpy as np
import pytest

from compiler.graph_file import graph_bytes
from compiler.passes import LAYOUT_PASSES
from compiler.pte_compiler import serve
from compiler.testing import GraphBuilder, int8


@pytest.fixture
def graph(tmp_path):
    b = GraphBuilder()
    x = b.input("x", int8(1, 8, 8, 4))
    y = b.conv2d("first", x, np.ones((8, 1, 1, 4), np.int8), int8(1, 8, 8, 8), layout="NHWC")
    y = b.conv2d("second", y, np.ones((4, 1, 1, 8), np.int8), int8(1, 8, 8, 4), layout="NHWC")
    path = tmp_path / "model.graph"
    path.write_bytes(graph_bytes(b.graph(y)))
    return path


def compiled(graph, *flags: str) -> dict:
    plan = graph.with_suffix(".plan.json")
    code, message = serve([f"--graph={graph}", "--tier=mve", f"--plan={plan}", *flags])
    assert (code, message) == (0, "")
    return json.loads(plan.read_text())


def refused(graph, *flags: str) -> str:
    code, message = serve([f"--graph={graph}", "--tier=mve", f"--plan={graph}.plan.json", *flags])
    assert code == 1
    return message


def test_each_pass_is_dumped(graph, tmp_path):
    compiled(graph, f"--dump-passes={tmp_path / 'dump'}")
    names = [file.stem for file in sorted((tmp_path / "dump").iterdir())]
    assert names[0] == "00_start"
    assert [name.partition("_")[2] for name in names[-len(LAYOUT_PASSES) :]] == [each.__name__ for each in LAYOUT_PASSES]
    assert "first: int8[1,8,8,8]" in (tmp_path / "dump" / f"{names[-1]}.txt").read_text()


def test_regions_and_placement_are_in_the_plan(graph):
    plan = compiled(graph, "--region=dtcm=65536,cycles=1", "--region=sram=65536,cycles=2,alignment=32", "--place=second=sram")
    assert [(region["name"], region["bytes"], region["limit"], region["cycles"]) for region in plan["regions"]] == [
        ("dtcm", 592, 65536, 1),
        ("sram", 256, 65536, 2),
    ]
    region_of = {tensor["name"]: tensor["region"] for tensor in plan["tensors"]}
    assert (region_of["x"], region_of["first"], region_of["second"]) == ("dtcm", "dtcm", "sram")
    assert plan["arena_bytes"] == plan["arena_lower_bound"] == 848 and plan["arena_gap"] == 0


def test_one_region_without_limit_is_the_default(graph):
    assert [(region["name"], region["limit"]) for region in compiled(graph)["regions"]] == [("sram", None)]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--region=sram=lots",), "error: region 'sram=lots': write NAME, NAME=BYTES or NAME=BYTES,cycles=N,alignment=N"),
        (("--place=second",), "error: --place=second: write NAME=REGION"),
        (("--io=x=int16", "--io=x=float32"), "error: --io=x=float32: another --io says already what x is"),
        (("--dtype=float32",), "error: --dtype is for a model from --entry, which is not given; --graph is of one made already"),
        (("--srcs=m.py",), "error: --srcs is for a model from --entry, which is not given; --graph is of one made already"),
        (("--calibration=m.npz",), "error: --calibration is for a model from --entry, which is not given; --graph is of one made already"),
        (("--example_inputs=m:f",), "error: --example_inputs is for a model from --entry, which is not given; --graph is of one made already"),
        (("--place=second=dtcm",), "error: second is to lie in region dtcm, but the regions are sram"),
    ],
)
def test_flags_that_cannot_be_are_refused(graph, flags, message):
    assert refused(graph, *flags) == message


@pytest.mark.parametrize("flag", ["--tier=mve", "--region=sram", "--place=second=sram", "--method=forward", "--dump_passes=dump"])
@pytest.mark.parametrize("written", ["--graph=m.graph", "--accuracy=m.json"])
def test_flags_of_lowering_are_refused_where_nothing_is_lowered(flag, written):
    name = flag.partition("=")[0]
    assert serve(["--entry=m:build_model", written, flag]) == (
        1,
        f"error: {name} is for --pte, --ops and --plan, of which none is given",
    )


def test_types_of_ports_are_refused_where_only_a_graph_is_written():
    assert serve(["--entry=m:build_model", "--graph=m.graph", "--io=int8"]) == (
        1,
        "error: --io is for --pte, --ops, --plan and --accuracy, of which none is given",
    )


def test_what_does_not_fit_names_layer_and_line(graph):
    message = refused(graph, "--region=sram=512")
    assert message.startswith("error: model.py:1: layer first: the arena of ")
    assert "does not fit region sram of 512 bytes" in message and "the smallest change that would make it fit is" in message


def test_a_placement_may_be_of_one_method_alone_but_not_of_none(graph):
    def method(name: str, layer: str):
        b = GraphBuilder()
        y = b.conv2d(layer, b.input("x", int8(1, 8, 8, 4)), np.ones((4, 1, 1, 4), np.int8), int8(1, 8, 8, 4), layout="NHWC")
        return dataclasses.replace(b.graph(y), method=name)

    graph.write_bytes(graph_bytes(method("forward", "near"), method("other", "far")))
    regions = ("--region=dtcm=65536", "--region=sram,cycles=2")
    assert {region["name"] for region in compiled(graph, *regions, "--place=near=sram")["regions"]} == {"dtcm", "sram"}
    assert [region["name"] for region in compiled(graph, *regions, "--place=far=sram")["regions"]] == ["dtcm"]
    message = refused(graph, *regions, "--place=fra=sram")
    assert message == "error: fra is to lie in region sram, but no method has a layer or tensor of that name"
