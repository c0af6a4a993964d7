"""What no placement can do without: the bytes that are in use at one step, with the most that may overlap there."""

from compiler.planner.buffers import Piece, Problem, aligned


def step_bound(problem: Problem, step: int) -> int:
    """A lower bound of the arena: the bytes that the pieces in use at one step need, were they alone.

    Whatever lies on top need not be a multiple of the alignment.
    """
    alive = problem.alive(step)
    leads = {pair: lead for pair, lead in problem.leads.items() if pair[0].first == step and set(pair) <= set(alive)}
    return pieces_bound(alive, leads, problem.alignment)


def pieces_bound(alive: list[Piece], leads: dict[tuple[Piece, Piece], int], alignment: int) -> int:
    """The same of the pieces given, all in use at once."""
    if len(leads) == 1 and not any(piece.start for piece in alive):
        ((new, old), lead), *_ = leads.items()
        return _bound_with_pair([piece for piece in alive if piece not in (new, old)], new, old, lead, alignment)
    # Bodies start at multiples of the alignment; of pieces that do not, one may follow the other at once.
    unit = 1 if any(piece.start % alignment for piece in alive) else alignment
    units = sum(_units(piece.nbytes, unit) for piece in alive) - _saved(leads, unit)
    return units * unit - max((aligned(piece.nbytes, unit) - piece.nbytes for piece in alive), default=0)


def _bound_with_pair(others: list[Piece], new: Piece, old: Piece, lead: int, alignment: int) -> int:
    """Exact for two that may overlap beside others that may not."""
    over = max(new.nbytes, aligned(lead, alignment) + old.nbytes)
    block = min(over, aligned(new.nbytes, alignment) + old.nbytes, aligned(old.nbytes, alignment) + new.nbytes)
    slack = max((aligned(piece.nbytes, alignment) - piece.nbytes for piece in others), default=0)
    beside = sum(aligned(piece.nbytes, alignment) for piece in others)
    return beside + min(block, aligned(block, alignment) - slack)


def _saved(leads: dict[tuple[Piece, Piece], int], unit: int) -> int:
    """The most units that pieces can share: a new one starts its lead before an old one, and old ones lie apart."""
    shared: dict[Piece, list[tuple[int, int]]] = {}
    for (new, old), lead in leads.items():
        distance = max(0, -(-(lead + old.start - new.start) // unit))
        shared.setdefault(new, []).append((distance, min(_units(old.nbytes, unit), _units(new.nbytes, unit) - distance)))
    saved = 0
    for new, olds in shared.items():
        nearest = min(distance for distance, _ in olds)
        saved += max(0, min(_units(new.nbytes, unit) - nearest, sum(max(0, units) for _, units in olds)))
    return min(saved, sum(_units(old.nbytes, unit) for old in {old for _, old in leads}))


def _units(nbytes: int, unit: int) -> int:
    return -(-nbytes // unit)
