import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.planner.buffers import Buffer, Problem, aligned
from compiler.planner.search import arena_bytes, place, step_bound


def chain(*sizes: int, leads: dict[int, int] | None = None) -> Problem:
    """Tensor i is made by step i - 1 and read by step i; leads[i] is that of step i, from tensor i to tensor i + 1."""
    last_step = len(sizes) - 2
    buffers = tuple(Buffer(f"t{i}", size, max(i - 1, 0), min(i, last_step)) for i, size in enumerate(sizes))
    return Problem(buffers, {(f"t{i + 1}", f"t{i}"): lead for i, lead in (leads or {}).items()})


def test_a_chain_needs_its_largest_neighbours():
    placement = place(chain(160, 320, 480, 16))
    assert placement.nbytes == placement.lower_bound == 800


def test_in_place_steps_need_no_second_buffer():
    placement = place(chain(320, 320, 320, leads={0: 0, 1: 0}))
    assert placement.nbytes == placement.lower_bound == 320
    assert set(placement.offsets.values()) == {0}


def test_an_output_that_leads_its_input_starts_so_far_before_it():
    placement = place(chain(320, 320, leads={0: 40}))
    assert placement.nbytes == placement.lower_bound == 320 + 48
    assert placement.offsets["t0"] - placement.offsets["t1"] == 48


def test_a_lead_larger_than_the_output_is_no_use():
    assert place(chain(320, 64, leads={0: 1000})).nbytes == 384


def test_scratch_is_only_in_the_way_of_its_own_step():
    problem = chain(320, 320, 320, leads={0: 0, 1: 0})
    scratch = Buffer("scratch", 100, 1, 1)
    placement = place(Problem((*problem.buffers, scratch), problem.leads))
    assert placement.nbytes == 320 + 100


def test_the_same_problem_is_placed_the_same_way():
    problem = chain(490, 8000, 8000, 8000, 8000, 64, 12, leads={i: 0 for i in range(1, 6)})
    assert place(problem) == place(problem)


def test_the_bound_of_a_step_counts_what_is_alive_there():
    problem = chain(160, 320, 480, 16)
    assert [step_bound(problem, step) for step in range(3)] == [480, 800, 496]


@st.composite
def problems(draw) -> Problem:
    count = draw(st.integers(1, 6))
    buffers = []
    for i in range(count):
        first = draw(st.integers(0, 4))
        buffers.append(Buffer(f"b{i}", draw(st.integers(1, 100)), first, first + draw(st.integers(0, 3))))
    leads = {}
    for output, operand in itertools.permutations(buffers, 2):
        if output.first == operand.last and operand.first < output.first and draw(st.booleans()):
            leads[output.name, operand.name] = draw(st.integers(0, 120))
    return Problem(tuple(buffers), leads)


def is_legal(problem: Problem, offsets: dict[str, int]) -> bool:
    for a, b in itertools.combinations(problem.buffers, 2):
        if not a.meets(b):
            continue
        apart = offsets[a.name] + a.nbytes <= offsets[b.name] or offsets[b.name] + b.nbytes <= offsets[a.name]
        led = any(
            (o.name, i.name) in problem.leads and offsets[o.name] + problem.leads[o.name, i.name] <= offsets[i.name]
            for o, i in ((a, b), (b, a))
        )
        if not (apart or led):
            return False
    return all(offset % 16 == 0 and offset >= 0 for offset in offsets.values())


@settings(deadline=None, max_examples=150)
@given(problems())
def test_placements_are_legal_and_not_below_their_bound(problem):
    placement = place(problem)
    assert is_legal(problem, placement.offsets)
    assert placement.lower_bound <= placement.nbytes == arena_bytes(problem, placement.offsets)


@settings(deadline=None, max_examples=60)
@given(problems())
def test_small_problems_are_placed_optimally(problem):
    """Against trying all orders: every optimum is what some order gives when each buffer takes its lowest place."""
    smallest = min(arena_bytes(problem, lowest_in_order(problem, order)) for order in itertools.permutations(problem.buffers))
    placement = place(problem)
    assert placement.nbytes == placement.lower_bound <= smallest


def lowest_in_order(problem: Problem, order: tuple[Buffer, ...]) -> dict[str, int]:
    offsets: dict[str, int] = {}
    for buffer in order:
        offset = 0
        placed = [other for other in problem.buffers if other.name in offsets]
        while not is_legal(problem.only((*placed, buffer)), {**offsets, buffer.name: offset}):
            offset += 16
        offsets[buffer.name] = offset
    return offsets


def test_alignment_rounds_up():
    assert [aligned(n) for n in (0, 1, 16, 17)] == [0, 16, 16, 32]
