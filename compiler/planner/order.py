"""The order of execution that needs the least memory at once.

What a step needs depends on which steps have run, not on their order: so the search is for a path through the sets of steps that can
have run, from none to all, whose most needy step needs least. Best-first, it is exact until its budget ends; what is then still open
gives a lower bound, and a beam the order.
"""

import dataclasses
import heapq
from collections.abc import Iterable, Iterator, Sequence

from compiler.keep_state import write_last
from compiler.planner.bound import pieces_bound
from compiler.planner.buffers import ALIGNMENT, CALLER, Extent, uses_of
from compiler.program import Program

# Steps tried after sets of steps.
BUDGET = 20_000
BEAM = 32


@dataclasses.dataclass(frozen=True)
class Order:
    """`steps` by number, as they run. Of all orders, none has a most needy step that needs less than `lower_bound` bytes."""

    steps: tuple[int, ...]
    peak_bytes: int
    lower_bound: int
    is_only: bool  # there is no other order


def least_peak_order(program: Program, budget: int = BUDGET) -> Order:
    """The program's own order if none is better; the same for the same program."""
    return _Orders(program).best(budget)


def reordered(program: Program, order: Iterable[int]) -> Program:
    return dataclasses.replace(program, steps=tuple(program.steps[index] for index in order))


class _Orders:
    """Sets of steps are numbers, bit i for step i."""

    def __init__(self, program: Program):
        self.count = len(program.steps)
        self.all = (1 << self.count) - 1
        self.uses = uses_of(program)
        self.needs = [0] * self.count  # steps that must have run before
        for extent in self.uses.extents:
            if extent.writer != CALLER:
                for reader in extent.readers:
                    self.needs[reader] |= 1 << extent.writer
        for reader, writer in write_last(program):
            self.needs[writer] |= 1 << reader
        self.readers = {extent: sum(1 << reader for reader in extent.readers) for extent in self.uses.extents}
        self.read = [[extent for extent in self.uses.extents if index in extent.readers] for index in range(self.count)]
        # Whose inputs and outputs fill whole units, so that one in place of another changes nothing for the rest.
        uneven = [extent for extent in self.uses.extents if extent.nbytes % ALIGNMENT or extent.start % ALIGNMENT]
        self.is_even = [not any(e.writer == index or index in e.readers for e in uneven) for index in range(self.count)]

    def best(self, budget: int) -> Order:
        own = tuple(range(self.count))
        own_peak, is_only = self._peak(own), all(len(list(self._ready(done))) == 1 for done in self._prefixes(own))
        floor = max(map(self._least_bytes, own))
        if is_only or own_peak == floor:
            return Order(own, own_peak, own_peak, is_only)
        found, bound = self._best_first(floor, own_peak, budget)
        if found is None and bound < own_peak:
            found = self._beam(own_peak)
        steps = own if found is None else found
        return Order(steps, self._peak(steps), min(bound, own_peak), is_only)

    def _best_first(self, floor: int, enough: int, budget: int) -> tuple[tuple[int, ...] | None, int]:
        """An order whose peak is below `enough`, None if none was found, and the lower bound of all peaks."""
        peaks = {0: floor}
        parents: dict[int, tuple[int, int]] = {}
        heap = [(floor, 0, 0)]
        while heap:
            peak, _, done = heapq.heappop(heap)
            if peak >= enough:
                return None, enough
            if done == self.all:
                return self._path(parents), peak
            if budget <= 0:
                return None, peak
            if peak > peaks[done]:
                continue
            for step in self._moves(done, peak):
                budget -= 1
                after, needed = done | 1 << step, max(peak, self._bytes(done, step))
                if needed < peaks.get(after, enough):
                    peaks[after], parents[after] = needed, (done, step)
                    heapq.heappush(heap, (needed, -after.bit_count(), after))
        return None, enough

    def _beam(self, enough: int) -> tuple[int, ...] | None:
        """Step by step the sets of least peak, then of least bytes in use after."""
        states = {0: (0, 0, ())}
        for _ in range(self.count):
            following: dict[int, tuple[int, int, tuple[int, ...]]] = {}
            for done, (peak, _, path) in states.items():
                for step in self._ready(done):
                    after = done | 1 << step
                    state = (max(peak, self._bytes(done, step)), self._resting(after), (*path, step))
                    if state[0] < enough and (after not in following or state < following[after]):
                        following[after] = state
            states = dict(sorted(following.items(), key=lambda item: item[1])[:BEAM])
        return states[self.all][2] if self.all in states else None

    def _moves(self, done: int, peak: int) -> Sequence[int]:
        """The steps to try: one alone where running it now can do no harm, else all that can run.

        That is where it is the last to read whatever it reads, leaves no more in use than before, and fits under the peak.
        """
        ready = list(self._ready(done))
        resting = self._resting(done)
        for step in ready:
            after = done | 1 << step
            last = all(extent.kept or not self.readers[extent] & ~after for extent in self.read[step])
            if last and self.is_even[step] and self._resting(after) <= resting and self._bytes(done, step) <= peak:
                return [step]
        return ready

    def _ready(self, done: int) -> Iterator[int]:
        return (index for index in range(self.count) if not done >> index & 1 and not self.needs[index] & ~done)

    def _prefixes(self, order: Sequence[int]) -> Iterator[int]:
        done = 0
        for index in order:
            yield done
            done |= 1 << index

    def _peak(self, order: Sequence[int]) -> int:
        return max((self._bytes(done, index) for done, index in zip(self._prefixes(order), order)), default=0)

    def _path(self, parents: dict[int, tuple[int, int]]) -> tuple[int, ...]:
        path, done = [], self.all
        while done:
            done, step = parents[done]
            path.append(step)
        return tuple(reversed(path))

    def _least_bytes(self, step: int) -> int:
        """What the step needs whatever has run before: what it reads and writes, with every overlap that there might be."""
        if any(extent.start % ALIGNMENT for extent in self.uses.extents):
            return 0
        alive = [extent for extent in self.uses.extents if extent.writer == step or step in extent.readers]
        return self._bound(step, alive, [pair for pair in self.uses.overlaps[step] if not pair[1].kept])

    def _bytes(self, done: int, step: int) -> int:
        """What the step needs at once after those that are done."""
        alive = [extent for extent in self.uses.extents if extent.writer == step or self._is_alive(extent, done)]
        if not done:  # inputs that nothing reads are written all the same
            alive += [extent for extent in self.uses.extents if extent.writer == CALLER and not (extent.readers or extent.kept)]
        after = done | 1 << step
        dying = [pair for pair in self.uses.overlaps[step] if not pair[1].kept and not self.readers[pair[1]] & ~after]
        return self._bound(step, alive, dying)

    def _bound(self, step: int, alive: list[Extent], overlapping: list[tuple[Extent, Extent]]) -> int:
        if step in self.uses.scratches:
            alive = [*alive, Extent("", self.uses.scratches[step], 0, step, frozenset(), False)]
        return pieces_bound(alive, {pair: self.uses.overlaps[step][pair] for pair in overlapping}, ALIGNMENT)

    def _resting(self, done: int) -> int:
        """Bytes in use between two steps."""
        return sum(extent.nbytes for extent in self.uses.extents if self._is_alive(extent, done))

    def _is_alive(self, extent: Extent, done: int) -> bool:
        """Whether it has been written and is still to be read."""
        written = extent.writer == CALLER or done >> extent.writer & 1
        return bool(written and (extent.kept or self.readers[extent] & ~done))
