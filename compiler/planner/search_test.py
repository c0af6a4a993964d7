import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.planner.bound import step_bound
from compiler.planner.buffers import Piece, Problem, aligned
from compiler.planner.search import arena_bytes, place


def chain(*sizes: int, leads: dict[int, int] | None = None) -> Problem:
    """Tensor i is made by step i - 1 and read by step i; leads[i] is that of step i, from tensor i to tensor i + 1."""
    last_step = len(sizes) - 2
    pieces = tuple(Piece(f"t{i}", size, max(i - 1, 0), min(i, last_step)) for i, size in enumerate(sizes))
    return Problem(pieces, {(pieces[i + 1], pieces[i]): lead for i, lead in (leads or {}).items()})


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
    scratch = Piece("scratch", 100, 1, 1)
    placement = place(Problem((*problem.pieces, scratch), problem.leads))
    assert placement.nbytes == 320 + 100


def test_the_same_problem_is_placed_the_same_way():
    problem = chain(490, 8000, 8000, 8000, 8000, 64, 12, leads=dict.fromkeys(range(1, 6), 0))
    assert place(problem) == place(problem)


def test_the_bound_of_a_step_counts_what_is_alive_there():
    problem = chain(160, 320, 480, 16)
    assert [step_bound(problem, step) for step in range(3)] == [480, 800, 496]


@st.composite
def problems(draw) -> Problem:
    """Bodies of one or two pieces, some of which may start a lead before another."""
    pieces = []
    for i in range(draw(st.integers(1, 5))):
        start = 0
        for _ in range(draw(st.integers(1, 2)) if i < 3 else 1):
            first, nbytes = draw(st.integers(0, 4)), draw(st.integers(1, 100))
            pieces.append(Piece(f"b{i}", nbytes, first, first + draw(st.integers(0, 3)), start))
            start += nbytes
    leads = {}
    for output, operand in itertools.permutations(pieces, 2):
        dies_there = output.first == operand.last and operand.first < output.first and output.body != operand.body
        if dies_there and draw(st.booleans()):
            leads[output, operand] = draw(st.integers(0, 120))
    return Problem(tuple(pieces), leads)


def is_legal(problem: Problem, offsets: dict[str, int]) -> bool:
    for a, b in itertools.combinations(problem.pieces, 2):
        if not a.meets(b) or a.body == b.body:
            continue
        apart = offsets[a.body] + a.end <= offsets[b.body] + b.start or offsets[b.body] + b.end <= offsets[a.body] + a.start
        led = any(
            (o, i) in problem.leads and offsets[o.body] + problem.leads[o, i] <= offsets[i.body] for o, i in ((a, b), (b, a))
        )
        if not (apart or led):
            return False
    return all(offset % 16 == 0 and offset >= 0 for offset in offsets.values())


@settings(deadline=None, max_examples=80)
@given(problems())
def test_placements_are_legal_and_not_below_their_bound(problem):
    placement = place(problem)
    assert is_legal(problem, placement.offsets)
    assert placement.lower_bound <= placement.nbytes == arena_bytes(problem, placement.offsets)


@settings(deadline=None, max_examples=40)
@given(problems())
def test_small_problems_are_placed_optimally(problem):
    """Against trying all orders: every optimum is what some order gives when each body takes its lowest place."""
    smallest = min(arena_bytes(problem, lowest_in_order(problem, order)) for order in itertools.permutations(problem.bodies))
    placement = place(problem)
    assert placement.nbytes == placement.lower_bound <= smallest


def lowest_in_order(problem: Problem, order: tuple[str, ...]) -> dict[str, int]:
    offsets: dict[str, int] = {}
    for body in order:
        offset = 0
        while not is_legal(problem.only([*offsets, body]), {**offsets, body: offset}):
            offset += 16
        offsets[body] = offset
    return offsets


def test_the_bound_sees_what_no_single_step_tells():
    """The start of MobileNetV1: to leave room for the scratch of step 1, b would have to lie elsewhere than step 2 wants it."""
    sizes = {"image": 27648, "a": 18432, "b": 18432, "c": 36864}
    image, a, b, c = (Piece(name, size, max(i - 1, 0), i) for i, (name, size) in enumerate(sizes.items()))
    d, scratches = Piece("d", 9216, 3, 3), (Piece("scratch1", 2400, 1, 1), Piece("scratch3", 2352, 3, 3))
    problem = Problem((image, a, b, c, d, *scratches), {(a, image): 94, (b, a): 0, (c, b): 18424, (d, c): 0})
    assert max(step_bound(problem, step) for step in range(4)) == 36864 + 2352
    placement = place(problem)
    assert placement.nbytes == placement.lower_bound == 36864 + 2400


def test_a_piece_that_is_dead_leaves_its_place_to_others():
    """y is made of a, from step 0, and b, from step 2: until then something else may lie where b will."""
    pieces = (Piece("y", 160, 0, 3), Piece("y", 320, 2, 3, start=160), Piece("other", 320, 0, 1))
    placement = place(Problem(pieces, {}))
    assert placement.nbytes == placement.lower_bound == 480
    assert placement.offsets["other"] >= placement.offsets["y"] + 160


def test_pieces_that_start_anywhere_may_follow_bodies_at_once():
    pieces = (Piece("x", 40, 0, 0), Piece("y", 24, 1, 1), Piece("y", 40, 0, 0, start=24))
    placement = place(Problem(pieces, {}))
    assert placement.nbytes == placement.lower_bound


def test_alignment_rounds_up():
    assert [aligned(n) for n in (0, 1, 16, 17)] == [0, 16, 16, 32]
