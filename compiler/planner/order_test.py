import itertools
import random

import pytest

from compiler.planner.best import plan_best
from compiler.planner.order import least_peak_order, reordered
from compiler.planner.plan import plan_memory
from compiler.program import Program
from compiler.testing_program import program, step


def network(sizes: dict[str, int], reads: dict[str, list[str]], leads: dict[str, list[int | None]] | None = None) -> Program:
    """A step per tensor but x, in the order given; the last tensor is the output."""
    steps = [step(name, inputs, [name], leads=(leads or {}).get(name)) for name, inputs in reads.items()]
    return program(sizes, steps, ["x"], [list(reads)[-1]])


# Two branches of 640 bytes each that end in 64; depth first needs one of them at a time.
BREADTH_FIRST = network(
    {"x": 64, "a": 640, "b": 640, "p": 64, "q": 64, "y": 64},
    {"a": ["x"], "b": ["x"], "p": ["a"], "q": ["b"], "y": ["p", "q"]},
)


def test_branches_are_run_one_after_the_other_where_that_needs_less():
    assert plan_memory(BREADTH_FIRST).arena_bytes == 1344
    order = least_peak_order(BREADTH_FIRST)
    assert [BREADTH_FIRST.steps[index].layer for index in order.steps] == ["a", "p", "b", "q", "y"]
    assert order.peak_bytes == order.lower_bound == 768
    best, plan = plan_best(BREADTH_FIRST)
    assert [step.layer for step in best.steps] == ["a", "p", "b", "q", "y"]
    assert plan.arena_bytes == plan.lower_bound == 768


def test_the_user_s_order_stays_where_none_is_better():
    best, plan = plan_best(network({"x": 64, "a": 64, "b": 64, "y": 64}, {"a": ["x"], "b": ["x"], "y": ["a", "b"]}))
    assert [step.layer for step in best.steps] == ["a", "b", "y"]
    assert plan.arena_bytes == plan.lower_bound


def test_the_order_decides_which_step_may_write_over_the_input():
    """in_place can write over x if it comes last; shrink cannot."""
    net = network(
        {"x": 640, "in_place": 640, "shrink": 16, "y": 640},
        {"in_place": ["x"], "shrink": ["x"], "y": ["in_place", "shrink"]},
        {"in_place": [0], "y": [0, None]},
    )
    assert plan_memory(net).arena_bytes == 640 + 640 + 16
    best, plan = plan_best(net)
    assert [step.layer for step in best.steps] == ["shrink", "in_place", "y"]
    assert plan.arena_bytes == plan.lower_bound == 656


def random_network(seed: int, count: int) -> Program:
    rng = random.Random(seed)
    sizes, reads, leads = {"x": 16 * rng.randint(1, 40)}, {}, {}
    for index in range(count):
        name = f"t{index}"
        reads[name] = rng.sample(sorted(sizes), min(len(sizes), rng.randint(1, 2)))
        leads[name] = [rng.choice([None, 0, 16]) for _ in reads[name]]
        sizes[name] = rng.randint(1, 640)
    loose = sorted(sizes.keys() - {tensor for inputs in reads.values() for tensor in inputs} - {"x"})
    reads["y"], sizes["y"] = loose, 16
    return network(sizes, reads, leads)


def topological_orders(net: Program):
    for order in itertools.permutations(range(len(net.steps))):
        made = {"x"}
        for index in order:
            if not made.issuperset(net.steps[index].inputs):
                break
            made.update(net.steps[index].outputs)
        else:
            yield order


@pytest.mark.parametrize("seed", range(15))
def test_small_graphs_get_the_best_of_all_orders(seed):
    net = random_network(seed, 5)
    peaks = [plan_memory(reordered(net, order)).peak_bytes for order in topological_orders(net)]
    order = least_peak_order(net)
    assert order.peak_bytes == order.lower_bound == min(peaks)
    assert plan_memory(reordered(net, order.steps)).peak_bytes == order.peak_bytes
    assert order.is_only == (len(peaks) == 1)


@pytest.mark.parametrize("seed", range(3))
def test_without_budget_the_order_is_legal_no_worse_and_the_bound_holds(seed):
    net = random_network(seed, 16)
    exact, hasty = least_peak_order(net, budget=200_000), least_peak_order(net, budget=20)
    own = plan_memory(net).peak_bytes
    assert hasty.lower_bound <= exact.lower_bound <= exact.peak_bytes <= hasty.peak_bytes <= own
    assert plan_memory(reordered(net, hasty.steps)).peak_bytes == hasty.peak_bytes


def resnet(blocks: int) -> Program:
    """Stages that halve the image and double the channels; shortcuts by a convolution where they do."""
    sizes, reads, leads, last, size = {"x": 3072, "stem": 16384}, {"stem": ["x"]}, {}, "stem", 16384
    for block in range(blocks):
        down = block % 3 == 2
        size //= 2 if down else 1
        a, b, s, y = (f"{part}{block}" for part in ("a", "b", "short", "y"))
        reads |= {a: [last], b: [a]} | ({s: [last]} if down else {}) | {y: [b, s if down else last]}
        sizes |= {a: size, b: size, y: size} | ({s: size} if down else {})
        leads |= {y: [0, 0], b: [1024]}
        last = y
    return network(sizes, reads, leads)


def densenet(layers: int) -> Program:
    sizes, reads, last = {"x": 2048}, {}, "x"
    for layer in range(layers):
        reads |= {f"squeeze{layer}": [last], f"grow{layer}": [f"squeeze{layer}"], f"join{layer}": [last, f"grow{layer}"]}
        sizes |= {f"squeeze{layer}": 4096, f"grow{layer}": 1024, f"join{layer}": sizes[last] + 1024}
        last = f"join{layer}"
    return network(sizes, reads)


def inception(modules: int) -> Program:
    """Four branches of one to three layers, wide before they narrow, that are written breadth first, then joined."""
    sizes, reads, last = {"x": 4096}, {}, "x"
    for m in range(modules):
        branches = [[(f"m{m}b{b}l{i}", 1024 * (4 if i < b % 3 else 1)) for i in range(1 + b % 3)] for b in range(4)]
        for level in range(3):
            for branch in branches:
                if level < len(branch):
                    name, size = branch[level]
                    reads[name] = [branch[level - 1][0] if level else last]
                    sizes[name] = size
        ends = [branch[-1][0] for branch in branches]
        reads[f"join{m}"], sizes[f"join{m}"] = ends, sum(sizes[end] for end in ends)
        last = f"join{m}"
    return network(sizes, reads)


@pytest.mark.parametrize(
    ("net", "own", "best"),
    [(resnet(15), 33792, 33792), (densenet(15), 34816, 34816), (inception(6), 15360, 11264)],
    ids=("resnet", "densenet", "inception"),
)
def test_known_shapes_of_up_to_60_tensors_are_planned_at_the_bound(net, own, best):
    assert len(net.tensors) <= 60
    plan = plan_best(net)[1]
    assert plan.arena_bytes == plan.lower_bound == best
    assert plan_memory(net).arena_bytes == own
