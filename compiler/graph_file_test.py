import dataclasses

import numpy as np
import pytest

from compiler.errors import CompileError
from compiler.graph_file import graph_bytes, read_graphs
from compiler.ir import Graph, Port, State
from compiler.testing import GraphBuilder, float32, int8


def graph() -> Graph:
    b = GraphBuilder()
    x = b.input("x", int8(1, 3, 8, 8, scale=0.1))
    y = b.conv2d("c", x, np.arange(12, dtype=np.int8).reshape(4, 3, 1, 1), int8(1, 4, 8, 8), clamp=(0.0, None))
    return b.graph(y)


def test_a_graph_survives_the_file():
    before = graph()
    (after,) = read_graphs(graph_bytes(before))
    assert str(after) == str(before)
    assert after.nodes[0].attributes["clamp"] == (0.0, None)
    assert after.nodes[0].source == before.nodes[0].source
    assert after.types["x"].scale == 0.1
    for name, array in before.constants.items():
        assert np.array_equal(after.constants[name], array) and after.constants[name].dtype == array.dtype


def test_constants_without_axes_have_none():
    b = GraphBuilder()
    y = b.node("y", "mul", [b.input("x", float32()), b.constant("c", np.array(2.5, np.float32))], float32())
    (after,) = read_graphs(graph_bytes(b.graph(y)))
    assert after.constants["c"].shape == () and after.constants["c"] == 2.5


def test_the_graphs_of_several_methods_keep_their_order():
    first, second = graph(), dataclasses.replace(graph(), method="second")
    assert [after.method for after in read_graphs(graph_bytes(second, first))] == ["second", "forward"]


def test_what_lasts_from_run_to_run_survives_the_file():
    plain = graph()
    state = State("s", np.array([1.5, -2.0], np.float32))
    before = dataclasses.replace(
        plain,
        inputs=(*plain.inputs, Port("s", "s", (0,))),
        outputs=(*plain.outputs, Port("s", "s", (0,))),
        types={**plain.types, "s": float32(2)},
        states=(state,),
    )
    (after,) = read_graphs(graph_bytes(before))
    assert str(after) == str(before) and [port.name for port in after.called_inputs] == ["x"]
    assert (after.states[0].name, after.states[0].first.tolist()) == ("s", [1.5, -2.0])


def test_the_same_graph_gives_the_same_bytes():
    assert graph_bytes(graph()) == graph_bytes(graph())


def test_the_file_opens_with_numpy(tmp_path):
    (tmp_path / "m.graph").write_bytes(graph_bytes(graph()))
    with np.load(tmp_path / "m.graph") as archive:
        assert b'"format":"kindling graph 3"' in archive["graph"].tobytes()


@pytest.mark.parametrize("damage", [lambda f: b"", lambda f: b"rubbish", lambda f: f[: len(f) // 2]])
def test_a_damaged_file_is_refused(damage):
    with pytest.raises(CompileError, match=r"not a \.graph file"):
        read_graphs(damage(graph_bytes(graph())))


def test_a_file_of_another_version_is_refused():
    file = graph_bytes(graph()).replace(b"kindling graph 3", b"kindling graph 0")
    with pytest.raises(CompileError):
        read_graphs(file)
