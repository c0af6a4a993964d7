from compiler.passes.fold_transposes import fold_transposes
from compiler.testing import GraphBuilder, int8, operators


def product(permutation: tuple[int, ...], shape: tuple[int, ...]):
    b = GraphBuilder()
    x, y = b.input("x", int8(2, 3, 4)), b.input("y", int8(*shape))
    t = b.node("t", "permute", [y], int8(2, 4, 5), permutation=permutation)
    return fold_transposes(b.graph(b.node("z", "matmul", [x, t], int8(2, 3, 5), transposed=False)))


def test_a_transpose_of_the_second_operand_vanishes():
    after = product((0, 2, 1), (2, 5, 4))
    assert operators(after) == ["matmul"]
    assert after.nodes[0].inputs == ("x", "y") and after.nodes[0].attributes["transposed"]


def test_a_permute_that_moves_more_stays():
    assert operators(product((1, 2, 0), (5, 2, 4))) == ["permute", "matmul"]
