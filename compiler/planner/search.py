"""Places buffers so that the arena is as small as possible.

Two buffers in use at the same time must be apart, or the one an output of a step and the other an input that dies there, far enough
after it. Once it is decided for each such pair which one lies lower, the offsets are longest paths; so the search is over
those decisions. It starts from the best of many greedy placements and ends when none is left that could be better. This is
the disjunctive graph of job-shop scheduling, with bytes for hours.
"""

import dataclasses
import random
from collections.abc import Iterable, Sequence

from compiler.planner.buffers import Buffer, Problem, aligned

SHUFFLES = 400
NODES = 20_000

Offsets = dict[str, int]
Decisions = tuple[tuple[int, int], ...]  # (lower, higher) buffers by number


@dataclasses.dataclass(frozen=True)
class Placement:
    """`nbytes` is the size of the arena; no placement can do with less than `lower_bound`."""

    offsets: Offsets
    nbytes: int
    lower_bound: int


def place(problem: Problem) -> Placement:
    """The smallest placement found, 16-byte aligned; the same for the same problem."""
    bound = max((step_bound(problem, step) for step in _steps(problem)), default=0)
    offsets = _best_greedy(problem, bound)
    if arena_bytes(problem, offsets) > bound:
        search = _Search(problem, offsets, NODES)
        offsets = search.run(bound)
        if search.finished:
            bound = arena_bytes(problem, offsets)
    return Placement(offsets, arena_bytes(problem, offsets), bound)


def step_bound(problem: Problem, step: int) -> int:
    """Bytes that the buffers in use at one step need, were they alone: a lower bound of the arena.

    Those that may overlap are packed by search, they are few; the others just add up. Whatever lies on top need not be aligned.
    """
    alive = [buffer for buffer in problem.buffers if buffer.first <= step <= buffer.last]
    names = {buffer.name for buffer in alive}
    overlapping = {name for pair in problem.leads if names.issuperset(pair) for name in pair}
    block = problem.only(tuple(buffer for buffer in alive if buffer.name in overlapping))
    block_bytes = arena_bytes(block, _Search(block, _greedy(block, block.buffers), NODES).run(0))
    others = [buffer.nbytes for buffer in alive if buffer.name not in overlapping]
    slack = max((aligned(nbytes) - nbytes for nbytes in others), default=0)
    return sum(map(aligned, others)) + min(block_bytes, aligned(block_bytes) - slack)


def arena_bytes(problem: Problem, offsets: Offsets) -> int:
    return max((offsets[buffer.name] + buffer.nbytes for buffer in problem.buffers), default=0)


def _steps(problem: Problem) -> Iterable[int]:
    return range(max((buffer.last for buffer in problem.buffers), default=-1) + 1)


def _distance(problem: Problem, low: Buffer, high: Buffer) -> int:
    """How much later `high` must start than `low` to lie above it."""
    lead = problem.leads.get((low.name, high.name))
    return aligned(low.nbytes) if lead is None else min(aligned(lead), aligned(low.nbytes))


def _best_greedy(problem: Problem, bound: int) -> Offsets:
    """Greedy in several natural orders, then in shuffles of the best one, until the bound is reached."""
    buffers = problem.buffers
    orders: list[Sequence[Buffer]] = [
        sorted(buffers, key=lambda b: (-b.nbytes, b.first)),
        sorted(buffers, key=lambda b: (b.first, -b.nbytes)),
        sorted(buffers, key=lambda b: (-b.last, -b.nbytes)),
        sorted(buffers, key=lambda b: (-b.nbytes * (b.last - b.first + 1), b.first)),
    ]
    best_order, best, best_bytes = orders[0], {}, None
    generator = random.Random(0)
    for attempt in range(len(orders) + SHUFFLES):
        order = orders[attempt] if attempt < len(orders) else _swapped(best_order, generator)
        offsets = _greedy(problem, order)
        nbytes = arena_bytes(problem, offsets)
        if best_bytes is None or nbytes < best_bytes:
            best_order, best, best_bytes = order, offsets, nbytes
        if best_bytes <= bound:
            break
    return best


def _swapped(order: Sequence[Buffer], generator: random.Random) -> list[Buffer]:
    swapped = list(order)
    for _ in range(generator.randint(1, 3)):
        i, j = generator.randrange(len(swapped)), generator.randrange(len(swapped))
        swapped[i], swapped[j] = swapped[j], swapped[i]
    return swapped


def _greedy(problem: Problem, order: Sequence[Buffer]) -> Offsets:
    """Each buffer in turn at the lowest offset that those already placed leave free."""
    offsets: Offsets = {}
    placed: list[Buffer] = []
    for buffer in order:
        rivals = [other for other in placed if other.meets(buffer)]
        candidates = {0}
        for other in rivals:
            candidates.add(offsets[other.name] + _distance(problem, other, buffer))
            candidates.add(max(0, offsets[other.name] - _distance(problem, buffer, other)))
        offsets[buffer.name] = min(
            candidate
            for candidate in candidates
            if all(
                candidate >= offsets[other.name] + _distance(problem, other, buffer)
                or offsets[other.name] >= candidate + _distance(problem, buffer, other)
                for other in rivals
            )
        )
        placed.append(buffer)
    return offsets


class _Search:
    """Branch and bound over which of two buffers lies lower."""

    def __init__(self, problem: Problem, start: Offsets, nodes: int):
        buffers = problem.buffers
        self.names = [buffer.name for buffer in buffers]
        self.sizes = [buffer.nbytes for buffer in buffers]
        self.pairs = [(i, j) for i in range(len(buffers)) for j in range(i) if buffers[i].meets(buffers[j])]
        self.distance = {(a, b): _distance(problem, buffers[a], buffers[b]) for i, j in self.pairs for a, b in ((i, j), (j, i))}
        self.best = start
        self.best_bytes = arena_bytes(problem, start)
        self.nodes = nodes
        self.finished = True

    def run(self, enough: int) -> Offsets:
        """The best offsets found; stops at an arena of `enough` bytes. `finished` tells whether they are optimal."""
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
            choices = [((*decided, order), self._raised(offsets, (*decided, order))) for order in (pair, pair[::-1])]
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
            for low, high in decided:
                if low in origins and offsets[high] < (needed := offsets[low] + self.distance[low, high]):
                    if needed + self.sizes[high] >= self.best_bytes:
                        return None  # also where decisions go in a circle, which raises without end
                    offsets[high] = needed
                    changed.add(high)
        return offsets

    def _worst_conflict(self, offsets: list[int]) -> tuple[int, int] | None:
        """The two largest buffers that lie where neither is above the other."""
        worst, worst_size = None, -1
        for i, j in self.pairs:
            apart = offsets[i] >= offsets[j] + self.distance[j, i] or offsets[j] >= offsets[i] + self.distance[i, j]
            if not apart and min(self.sizes[i], self.sizes[j]) > worst_size:
                worst, worst_size = (i, j), min(self.sizes[i], self.sizes[j])
        return worst
