from report.graph_layout import graph_of


def _plan(*steps: tuple[str, list[str]], tensors: dict[str, tuple[int, int, int, int]] | None = None) -> dict:
    """Steps as (output, inputs); tensors as (offset, bytes, first step, last step), each in a place of its own unless given."""
    names = {name for output, inputs in steps for name in (output, *inputs) if not name.startswith("constant")}
    places = {name: (100 * i, 100, 0, len(steps)) for i, name in enumerate(sorted(names))} | (tensors or {})
    keys = ("offset", "bytes", "first_step", "last_step")
    return {
        "tensors": [{"name": name, "region": "sram"} | dict(zip(keys, place)) for name, place in places.items()],
        "steps": [{"index": i, "layer": output, "inputs": inputs, "outputs": [output]} for i, (output, inputs) in enumerate(steps)],
    }


def _drawn(plan: dict) -> tuple[list[tuple[str, int]], list[tuple[str, str, str]]]:
    graph = graph_of(plan)
    assert [node.row for node in graph.nodes] == list(range(len(graph.nodes)))
    assert graph.lanes == 1 + max(node.lane for node in graph.nodes)
    return [(node.name, node.lane) for node in graph.nodes], [(edge.tensor, edge.start.name, edge.end.name) for edge in graph.edges]


def test_a_chain_is_one_lane():
    nodes, edges = _drawn(_plan(("a", ["x"]), ("b", ["a"]), ("c", ["b", "constant"])))
    assert nodes == [("x", 0), ("a", 0), ("b", 0), ("c", 0)]
    assert edges == [("x", "x", "a"), ("a", "a", "b"), ("b", "b", "c")]


def test_a_skip_connection_goes_straight_on_and_the_branch_beside_it():
    nodes, edges = _drawn(_plan(("a", ["x"]), ("b", ["a"]), ("c", ["b"]), ("add", ["c", "a"]), ("d", ["add"])))
    assert nodes == [("x", 0), ("a", 0), ("b", 1), ("c", 1), ("add", 0), ("d", 0)]
    assert ("a", "a", "add") in edges and len(edges) == 6


def test_an_input_comes_where_it_is_first_needed():
    nodes, _ = _drawn(_plan(("a", ["x"]), ("add", ["a", "y"])))
    assert nodes == [("x", 0), ("a", 0), ("y", 1), ("add", 0)]


def test_a_tensor_that_steps_wrote_in_pieces_comes_from_all_of_them():
    tensors = {"a": (0, 50, 0, 2), "b": (50, 50, 1, 2), "ab": (0, 100, 0, 2), "x": (500, 9, 0, 1), "c": (900, 9, 2, 3)}
    _, edges = _drawn(_plan(("a", ["x"]), ("b", ["x"]), ("c", ["ab"]), tensors=tensors))
    assert edges == [("x", "x", "a"), ("x", "x", "b"), ("ab", "a", "c"), ("ab", "b", "c")]


def test_a_tensor_that_lay_there_before_is_no_piece():
    tensors = {"a": (0, 50, 0, 0), "y": (0, 100, 1, 2), "x": (500, 9, 0, 0), "c": (900, 9, 1, 1)}
    _, edges = _drawn(_plan(("a", ["x"]), ("c", ["y"]), tensors=tensors))
    assert edges == [("x", "x", "a"), ("y", "y", "c")]


def test_one_step_that_takes_a_tensor_twice_ends_its_lane_once():
    nodes, edges = _drawn(_plan(("a", ["x"]), ("square", ["a", "a"]), ("b", ["square"])))
    assert nodes == [("x", 0), ("a", 0), ("square", 0), ("b", 0)]
    assert edges.count(("a", "a", "square")) == 2
