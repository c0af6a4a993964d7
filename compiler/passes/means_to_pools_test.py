from compiler.passes.means_to_pools import means_to_pools
from compiler.passes.remove_identities import remove_identities
from compiler.testing import GraphBuilder, int8, node_named, operators


def test_a_mean_over_height_and_width_becomes_a_pool():
    b = GraphBuilder()
    x = b.input("x", int8(2, 5, 7, 3))
    y = b.node("mean", "mean", [x], int8(2, 5), axes=(2, 3), keepdim=False)
    after = remove_identities(means_to_pools(b.graph(y)))
    assert operators(after) == ["avg_pool2d", "reshape"]
    pool = node_named(after, "mean")
    assert pool.attributes["kernel"] == (7, 3)
    assert after.types[pool.output].shape == (2, 5, 1, 1)
    assert after.types[after.outputs[0].tensor].shape == (2, 5)


def test_a_mean_over_the_last_axis_of_a_sequence_is_a_pool_over_one_row():
    b = GraphBuilder()
    x = b.input("x", int8(1, 8, 20))
    after = means_to_pools(b.graph(b.node("mean", "mean", [x], int8(1, 8, 1), axes=(2,), keepdim=True)))
    assert operators(after) == ["reshape", "avg_pool2d", "reshape"]
    assert after.types[after.nodes[0].output].shape == (1, 8, 1, 20)


def test_other_means_and_those_with_a_scale_of_their_own_stay():
    b = GraphBuilder()
    x = b.input("x", int8(1, 20, 8))
    y = b.node("middle", "mean", [x], int8(1, 1, 8), axes=(1,), keepdim=True)
    z = b.node("scaled", "mean", [x], int8(1, 20, scale=0.25), axes=(2,), keepdim=False)
    assert operators(means_to_pools(b.graph(y, z))) == ["mean", "mean"]


def test_an_adaptive_pool_with_equal_windows_becomes_a_pool():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 8, 6))
    y = b.node("pool", "adaptive_avg_pool2d", [x], int8(1, 4, 2, 2), output_size=(2, 2))
    (pool,) = means_to_pools(b.graph(y)).nodes
    assert pool.operator == "avg_pool2d"
    assert pool.attributes["kernel"] == pool.attributes["stride"] == (4, 3)


def test_windows_that_overlap_evenly_are_a_pool_too():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 7, 13))
    y = b.node("pool", "adaptive_avg_pool2d", [x], int8(1, 4, 3, 4), output_size=(3, 4))
    (pool,) = means_to_pools(b.graph(y)).nodes
    assert (pool.attributes["kernel"], pool.attributes["stride"]) == ((3, 4), (2, 3))


def test_an_adaptive_pool_with_uneven_windows_stays():
    b = GraphBuilder()
    x = b.input("x", int8(1, 4, 7, 10))
    y = b.node("pool", "adaptive_avg_pool2d", [x], int8(1, 4, 3, 7), output_size=(3, 7))
    assert operators(means_to_pools(b.graph(y))) == ["adaptive_avg_pool2d"]
