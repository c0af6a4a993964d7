"""What is to be placed in memory: pieces of bodies, when they are in use, and which pairs may overlap."""

import dataclasses
from collections.abc import Iterable, Mapping

from compiler.program import Program, Step

ALIGNMENT = 16


def aligned(nbytes: int, alignment: int = ALIGNMENT) -> int:
    return -(-nbytes // alignment) * alignment


@dataclasses.dataclass(frozen=True)
class Piece:
    """Bytes `start` to `start + nbytes` of a body, in use from step `first` to step `last`, both included.

    A body is what gets a place: a tensor with all its views, or a step's scratch. Most are one piece.
    """

    body: str
    nbytes: int
    first: int
    last: int
    start: int = 0

    @property
    def end(self) -> int:
        return self.start + self.nbytes

    def meets(self, other: "Piece") -> bool:
        """In use at the same time for at least one step."""
        return self.first <= other.last and other.first <= self.last


Leads = Mapping[tuple[Piece, Piece], int]


@dataclasses.dataclass(frozen=True)
class Problem:
    """`leads[output, input]` = d lets the output's body start d or more bytes before the input's, whatever the two pieces share.

    Bodies start at multiples of `alignment` bytes.
    """

    pieces: tuple[Piece, ...]
    leads: Leads
    alignment: int = ALIGNMENT

    def only(self, bodies: Iterable[str], alignment: int | None = None) -> "Problem":
        """The same for some of the bodies, perhaps in a memory of another alignment."""
        kept = set(bodies)
        return Problem(tuple(p for p in self.pieces if p.body in kept), self.leads, alignment or self.alignment)

    @property
    def bodies(self) -> dict[str, int]:
        """Bytes of each body."""
        ends: dict[str, int] = {}
        for piece in self.pieces:
            ends[piece.body] = max(ends.get(piece.body, 0), piece.end)
        return ends

    def alive(self, step: int) -> list[Piece]:
        return [piece for piece in self.pieces if piece.first <= step <= piece.last]


@dataclasses.dataclass
class _Life:
    """From the step that writes a tensor, None if its views do, to the last that reads it by this name."""

    first: int | None = None
    last: int = -1


def memory_problem(program: Program) -> Problem:
    """Inputs are in use from the first step, outputs to the last. A dying input may overlap its step's first output."""
    lives = _lives(program)
    pieces = {body: _pieces(program, body, lives) for body in lives if body not in program.views}
    scratches = tuple(
        Piece(step.scratch, step.scratch_bytes, index, index) for index, step in enumerate(program.steps) if step.scratch_bytes
    )
    leads: dict[tuple[Piece, Piece], int] = {}
    for index, step in enumerate(program.steps):
        leads |= _leads(program, step, index, pieces)
    return Problem((*(piece for cut in pieces.values() for piece in cut), *scratches), leads)


def _lives(program: Program) -> dict[str, _Life]:
    lives = {port.tensor: _Life(0, 0) for port in program.inputs}
    for index, step in enumerate(program.steps):
        lives |= {tensor: _Life(index, index) for tensor in step.outputs}
        for tensor in step.inputs:
            if tensor not in program.constants:
                lives.setdefault(tensor, _Life()).last = index
    for view, parent in program.views.items():
        lives.setdefault(view, _Life())
        lives.setdefault(parent.storage, _Life())
    for port in program.outputs:
        lives[port.tensor].last = len(program.steps) - 1
    return lives


def _pieces(program: Program, body: str, lives: Mapping[str, _Life]) -> list[Piece]:
    """The body cut where any of its views starts or ends: what lies between two cuts is in use at the same steps."""
    spans = {tensor: _span(program, tensor) for tensor in lives if program.location(tensor).storage == body}
    cuts = sorted({cut for span in spans.values() for cut in (span.start, span.stop)})
    pieces = []
    for start, end in zip(cuts, cuts[1:]):
        covering = [lives[tensor] for tensor, span in spans.items() if start in span]
        first = min(life.first for life in covering if life.first is not None)
        pieces.append(Piece(body, end - start, first, max(first, *(life.last for life in covering)), start))
    return pieces


def _span(program: Program, tensor: str) -> range:
    """The tensor's bytes in its body."""
    offset = program.location(tensor).offset
    return range(offset, offset + program.tensors[tensor].nbytes)


def _leads(program: Program, step: Step, index: int, pieces: Mapping[str, list[Piece]]) -> Leads:
    """Between what the step's first output writes and what dies of its inputs."""
    leads: dict[tuple[Piece, Piece], int] = {}
    result, written = program.location(step.outputs[0]), _span(program, step.outputs[0])
    born = [piece for piece in pieces[result.storage] if piece.first == index and piece.start in written]
    operands = [(program.location(t).storage, _span(program, t), lead) for t, lead in zip(step.inputs, step.leads) if t not in program.constants]
    kept = [(program.location(port.tensor).storage, _span(program, port.tensor)) for port in program.outputs]
    for body in {storage for storage, _, _ in operands} - {result.storage}:
        for old in (piece for piece in pieces[body] if piece.last == index):
            own = [(span, lead) for storage, span, lead in operands if storage == body and old.start in span]
            is_kept = any(storage == body and old.start in span for storage, span in kept)
            if is_kept or not own or any(lead is None for _, lead in own):
                continue
            leads |= {(new, old): result.offset + max(lead - span.start for span, lead in own) for new in born}
    return leads
