import dataclasses

import pytest

from compiler.ir import Node, fresh_name
from compiler.rewrite import Rewrite, prune, rewrite
from compiler.testing import GraphBuilder, int8, operators


def two_clamps():
    b = GraphBuilder()
    x = b.input("x", int8(4))
    a = b.node("a", "clamp", [x], int8(4), clamp=(0.0, None))
    y = b.node("y", "clamp", [a], int8(4), clamp=(None, 6.0))
    return b.graph(y)


def test_a_graph_knows_who_makes_and_who_reads_a_tensor():
    graph = two_clamps()
    assert graph.producer("a").name == "a"
    assert graph.producer("x") is None
    assert [node.name for node in graph.readers("a")] == ["y"]
    assert graph.only_reader("a").name == "y"
    assert graph.only_reader("y") is None, "an output of the model is read by the caller too"


def test_a_node_that_reads_a_tensor_twice_is_one_reader():
    b = GraphBuilder()
    x = b.input("x", int8(4))
    graph = b.graph(b.node("twice", "add", [x, x], int8(4)))
    assert len(graph.readers("x")) == 1


def test_check_refuses_a_graph_out_of_order():
    graph = two_clamps()
    with pytest.raises(ValueError, match="y reads a before it is there"):
        dataclasses.replace(graph, nodes=graph.nodes[::-1]).check()


def test_check_refuses_two_nodes_of_one_name():
    graph = two_clamps()
    with pytest.raises(ValueError, match="two nodes are named a"):
        dataclasses.replace(graph, nodes=(graph.nodes[0], *graph.nodes)).check()


def test_prune_removes_what_no_output_needs():
    b = GraphBuilder()
    x = b.input("x", int8(4))
    b.node("unused", "clamp", [x], int8(4), clamp=(0.0, None))
    graph = prune(b.graph(b.node("y", "clamp", [x], int8(4), clamp=(0.0, None))))
    assert [node.name for node in graph.nodes] == ["y"]
    assert "unused" not in graph.types


def test_rewrite_applies_rules_until_none_matches():
    def halve(graph, node):
        low, high = node.attributes["clamp"]
        if high is None or high < 1:
            return None
        return Rewrite(nodes=(node.with_attributes(clamp=(low, high / 2)),))

    assert rewrite(two_clamps(), halve).nodes[1].attributes["clamp"] == (None, 0.75)


def test_a_renamed_tensor_is_read_by_all_but_the_new_nodes():
    def negate_before(graph, node):
        if node.name != "a":
            return None
        other = Node("b", "identity", node.outputs, ("b",))
        return Rewrite(
            nodes=(dataclasses.replace(node, name="first"), other), types={"b": graph.types["a"]}, renamed={"a": "b"}
        )

    after = rewrite(two_clamps(), negate_before)
    assert operators(after) == ["clamp", "identity", "clamp"]
    assert after.nodes[1].inputs == ("a",)
    assert after.nodes[2].inputs == ("b",)


def test_a_fresh_name_is_the_wish_or_the_wish_with_a_number():
    assert fresh_name("a", ["b"]) == "a"
    assert fresh_name("a", ["a", "a.1"]) == "a.2"
