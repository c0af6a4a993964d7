"""What is to be placed in memory: pieces of bodies, when they are in use, and which pairs may overlap."""

import dataclasses
from collections.abc import Container, Iterable, Mapping

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


CALLER = -1


@dataclasses.dataclass(frozen=True)
class Extent:
    """A piece of a body before there is an order: the step that writes it (CALLER: it is there from the start), the steps that read
    it, and whether the caller reads it at the end."""

    body: str
    nbytes: int
    start: int
    writer: int
    readers: frozenset[int]
    kept: bool

    def dies_with(self, step: int, done: Container[int]) -> bool:
        """Nothing needs it once `step` has run after those that are done."""
        return not self.kept and step in self.readers and all(reader == step or reader in done for reader in self.readers)


Overlaps = dict[tuple[Extent, Extent], int]


@dataclasses.dataclass(frozen=True)
class Uses:
    """What is to be placed, whatever the order of the steps, which are known by number."""

    extents: tuple[Extent, ...]
    scratches: Mapping[int, int]  # bytes by step
    overlaps: Mapping[int, Overlaps]  # by step: the lead of what it writes before what it reads, should that die there


def uses_of(program: Program) -> Uses:
    """State is not among it: it has a place of its own, for good."""
    extents = {body: _extents(program, body) for body in program.tensors if body not in program.views.keys() | program.kept}
    return Uses(
        tuple(extent for cut in extents.values() for extent in cut),
        {index: step.scratch_bytes for index, step in enumerate(program.steps) if step.scratch_bytes},
        {index: _overlaps(program, step, index, extents) for index, step in enumerate(program.steps)},
    )


def memory_problem(program: Program) -> Problem:
    """Inputs are in use from the first step, outputs to the last. A dying input may overlap its step's first output."""
    uses = uses_of(program)
    end = len(program.steps) - 1
    pieces = {}
    for extent in uses.extents:
        first = max(extent.writer, 0)
        last = end if extent.kept else max(extent.readers, default=first)
        pieces[extent] = Piece(extent.body, extent.nbytes, first, last, extent.start)
    scratches = tuple(Piece(program.steps[index].scratch, nbytes, index, index) for index, nbytes in uses.scratches.items())
    leads = {
        (pieces[new], pieces[old]): lead
        for index, overlaps in uses.overlaps.items()
        for (new, old), lead in overlaps.items()
        if old.dies_with(index, range(index))
    }
    return Problem((*pieces.values(), *scratches), leads)


def _extents(program: Program, body: str) -> list[Extent]:
    """The body cut where any of its views starts or ends: what lies between two cuts is in use at the same steps."""
    spans = {tensor: _span(program, tensor) for tensor in program.tensors if program.location(tensor).storage == body}
    writers = {tensor: index for index, step in enumerate(program.steps) for tensor in step.outputs}
    writers |= {port.tensor: CALLER for port in program.inputs}
    outputs = {port.tensor for port in program.outputs}
    cuts = sorted({cut for span in spans.values() for cut in (span.start, span.stop)})
    extents = []
    for start, end in zip(cuts, cuts[1:]):
        covering = {tensor for tensor, span in spans.items() if start in span}
        (writer,) = (writers[tensor] for tensor in covering if tensor in writers)
        readers = frozenset(index for index, step in enumerate(program.steps) if covering.intersection(step.inputs))
        extents.append(Extent(body, end - start, start, writer, readers, bool(covering & outputs)))
    return extents


def _span(program: Program, tensor: str) -> range:
    """The tensor's bytes in its body."""
    offset = program.location(tensor).offset
    return range(offset, offset + program.tensors[tensor].nbytes)


def _overlaps(program: Program, step: Step, index: int, extents: Mapping[str, list[Extent]]) -> Overlaps:
    """Between what the step's first output writes and what it reads."""
    result, written = program.location(step.outputs[0]), _span(program, step.outputs[0])
    new = [extent for extent in extents.get(result.storage, ()) if extent.start in written]
    operands = [
        (program.location(tensor).storage, _span(program, tensor), lead)
        for tensor, lead in zip(step.inputs, step.leads)
        if tensor not in program.constants
    ]
    overlaps: Overlaps = {}
    for body in dict.fromkeys(storage for storage, _, _ in operands if storage != result.storage):
        for old in (extent for extent in extents.get(body, ()) if index in extent.readers):
            own = [(span, lead) for storage, span, lead in operands if storage == body and old.start in span]
            if all(lead is not None for _, lead in own):
                distance = result.offset + max(lead - span.start for span, lead in own)
                overlaps |= {(extent, old): distance for extent in new}
    return overlaps
