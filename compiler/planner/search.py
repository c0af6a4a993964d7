"""Places bodies so that the arena is as small as possible.

Two pieces in use at the same time must be apart, or the one an output of a step and the other an input that dies there, far enough
after it. Once it is decided for each such pair which one lies lower, the offsets are longest paths; so the search is over
those decisions. It starts from the best of many greedy placements and ends when none is left that could be better. This is
the disjunctive graph of job-shop scheduling, with bytes for hours.
"""

import dataclasses
import random
from collections.abc import Iterable, Sequence

from compiler.planner.bound import step_bound
from compiler.planner.buffers import Piece, Problem, aligned

SHUFFLES = 400
NODES = 20_000
WINDOWS = (2, 4, 6)  # steps
WINDOW_NODES = 500

Offsets = dict[str, int]  # of bodies
Decisions = tuple[tuple[int, int, int], ...]  # (lower, higher, bytes between their starts), bodies by number


@dataclasses.dataclass(frozen=True)
class Placement:
    """`nbytes` is the size of the arena; no placement can do with less than `lower_bound`."""

    offsets: Offsets
    nbytes: int
    lower_bound: int


def place(problem: Problem, enough: int = 0) -> Placement:
    """The smallest placement found, or the first of at most `enough` bytes; bodies aligned; the same for the same problem."""
    bound = max((step_bound(problem, step) for step in _steps(problem)), default=0)
    enough = max(bound, enough)
    offsets = _best_greedy(problem, enough)
    if arena_bytes(problem, offsets) > enough:
        bound = _window_bound(problem, offsets, bound)
        enough = max(bound, enough)
    if arena_bytes(problem, offsets) > enough:
        search = _Search(problem, offsets, NODES)
        offsets = search.run(enough)
        if search.finished and arena_bytes(problem, offsets) > enough:
            bound = arena_bytes(problem, offsets)
    return Placement(offsets, arena_bytes(problem, offsets), bound)


def _window_bound(problem: Problem, offsets: Offsets, bound: int) -> int:
    """A lower bound, `bound` or higher: what a few steps in a row need, placed as well as can be, were they alone.

    Tells what the steps one by one do not: that a tensor cannot lie where its first step and its last would like to have it both.
    """
    most = arena_bytes(problem, offsets)
    for width in WINDOWS:
        for start in _steps(problem):
            pieces = tuple(piece for piece in problem.pieces if piece.first < start + width and start <= piece.last)
            window = dataclasses.replace(problem, pieces=pieces)
            if arena_bytes(window, offsets) <= bound:
                continue
            search = _Search(window, offsets, WINDOW_NODES)
            search.run(bound)
            if search.finished:
                bound = max(bound, search.best_bytes)
            if bound >= most:
                return most
    return bound


def arena_bytes(problem: Problem, offsets: Offsets) -> int:
    return max((offsets[piece.body] + piece.end for piece in problem.pieces), default=0)


def _steps(problem: Problem) -> Iterable[int]:
    return range(max((piece.last for piece in problem.pieces), default=-1) + 1)


@dataclasses.dataclass(frozen=True)
class _Pair:
    """Pieces of two bodies in use at the same time: b starts `b_above` bytes or more after a, or a `a_above` after b."""

    a: int
    b: int
    b_above: int
    a_above: int
    nbytes: int  # of the smaller piece


def _pairs(problem: Problem, number: dict[str, int]) -> list[_Pair]:
    pieces = problem.pieces
    return [
        _Pair(
            number[p.body], number[q.body], _distance(problem, p, q), _distance(problem, q, p), min(p.nbytes, q.nbytes)
        )
        for i, p in enumerate(pieces)
        for q in pieces[:i]
        if p.body != q.body and p.meets(q)
    ]


def _distance(problem: Problem, low: Piece, high: Piece) -> int:
    """How much later the body of `high` must start than that of `low` for `high` to lie above."""
    apart = aligned(low.end - high.start, problem.alignment)
    lead = problem.leads.get((low, high))
    return apart if lead is None else min(aligned(lead, problem.alignment), apart)


def _best_greedy(problem: Problem, enough: int) -> Offsets:
    """Greedy in several natural orders, then in shuffles of the best one, until the arena is small enough."""
    greedy = _Greedy(problem)
    orders: list[Sequence[int]] = greedy.natural_orders()
    best_order, best, best_bytes = orders[0], {}, None
    generator = random.Random(0)
    for attempt in range(len(orders) + SHUFFLES):
        order = orders[attempt] if attempt < len(orders) else _swapped(best_order, generator)
        offsets = greedy.place(order)
        nbytes = arena_bytes(problem, offsets)
        if best_bytes is None or nbytes < best_bytes:
            best_order, best, best_bytes = order, offsets, nbytes
        if best_bytes <= enough:
            break
    return best


def _swapped(order: Sequence[int], generator: random.Random) -> list[int]:
    swapped = list(order)
    if not swapped:
        return swapped
    for _ in range(generator.randint(1, 3)):
        i, j = generator.randrange(len(swapped)), generator.randrange(len(swapped))
        swapped[i], swapped[j] = swapped[j], swapped[i]
    return swapped


class _Greedy:
    """Places each body in turn at the lowest offset that those already placed leave free."""

    def __init__(self, problem: Problem):
        self.sizes = problem.bodies
        self.names = list(self.sizes)
        self.lives = [_life(problem, name) for name in self.names]
        # Per body its rivals: (number, how far the rival must be below, how far above).
        self.rivals: list[list[tuple[int, int, int]]] = [[] for _ in self.names]
        for pair in _pairs(problem, {name: number for number, name in enumerate(self.names)}):
            self.rivals[pair.a].append((pair.b, pair.a_above, pair.b_above))
            self.rivals[pair.b].append((pair.a, pair.b_above, pair.a_above))

    def natural_orders(self) -> list[Sequence[int]]:
        sizes = [self.sizes[name] for name in self.names]
        first, last = [life[0] for life in self.lives], [life[1] for life in self.lives]
        numbers = range(len(self.names))
        return [
            sorted(numbers, key=lambda i: (-sizes[i], first[i])),
            sorted(numbers, key=lambda i: (first[i], -sizes[i])),
            sorted(numbers, key=lambda i: (-last[i], -sizes[i])),
            sorted(numbers, key=lambda i: (-sizes[i] * (last[i] - first[i] + 1), first[i])),
        ]

    def place(self, order: Sequence[int]) -> Offsets:
        offsets: dict[int, int] = {}
        for body in order:
            rivals = [(offsets[other], above, below) for other, above, below in self.rivals[body] if other in offsets]
            candidates = {0}
            for start, above, below in rivals:
                candidates.add(max(0, start + above))
                candidates.add(max(0, start - below))
            offsets[body] = min(
                candidate
                for candidate in candidates
                if all(candidate >= start + above or start >= candidate + below for start, above, below in rivals)
            )
        return {self.names[body]: offsets[body] for body in sorted(offsets)}


def _life(problem: Problem, body: str) -> tuple[int, int]:
    pieces = [piece for piece in problem.pieces if piece.body == body]
    return min(piece.first for piece in pieces), max(piece.last for piece in pieces)


class _Search:
    """Branch and bound over which of two pieces lies lower."""

    def __init__(self, problem: Problem, start: Offsets, nodes: int):
        self.names = list(problem.bodies)
        self.sizes = list(problem.bodies.values())
        self.pairs = _pairs(problem, {name: number for number, name in enumerate(self.names)})
        self.best = start
        self.best_bytes = arena_bytes(problem, start)
        self.nodes = nodes
        self.finished = True

    def run(self, enough: int) -> Offsets:
        """The best offsets found; stops at an arena of `enough` bytes. `finished` tells whether they are optimal, or enough."""
        stack: list[tuple[Decisions, list[int]]] = [((), [0] * len(self.names))]
        while stack and self.best_bytes > enough:
            if self.nodes == 0:
                self.finished = False
                break
            self.nodes -= 1
            decided, offsets = stack.pop()
            nbytes = self._bytes(offsets)
            if nbytes >= self.best_bytes:
                continue
            pair = self._worst_conflict(offsets)
            if pair is None:
                self.best, self.best_bytes = dict(zip(self.names, offsets)), nbytes
                continue
            orders = ((pair.a, pair.b, pair.b_above), (pair.b, pair.a, pair.a_above))
            choices = [((*decided, order), self._raised(offsets, (*decided, order))) for order in orders]
            feasible = [(decisions, raised) for decisions, raised in choices if raised is not None]
            stack += sorted(feasible, key=lambda choice: (self._bytes(choice[1]), choice[0][-1]), reverse=True)
        return self.best

    def _bytes(self, offsets: list[int]) -> int:
        return max((offset + size for offset, size in zip(offsets, self.sizes)), default=0)

    def _raised(self, offsets: list[int], decided: Decisions) -> list[int] | None:
        """The least offsets, from those without the last decision, that keep them all; None if they are no use."""
        offsets = list(offsets)
        changed = {decided[-1][0]}
        while changed:
            origins, changed = changed, set()
            for low, high, distance in decided:
                if low in origins and offsets[high] < (needed := offsets[low] + distance):
                    if needed + self.sizes[high] >= self.best_bytes:
                        return None  # also where decisions go in a circle, which raises without end
                    offsets[high] = needed
                    changed.add(high)
        return offsets

    def _worst_conflict(self, offsets: list[int]) -> _Pair | None:
        """The two largest pieces that lie where neither is above the other."""
        worst = None
        for pair in self.pairs:
            a, b = offsets[pair.a], offsets[pair.b]
            if b < a + pair.b_above and a < b + pair.a_above and (worst is None or pair.nbytes > worst.nbytes):
                worst = pair
        return worst
