"""Damaged .pte files: what a flash that ages, a transfer that breaks off or somebody with bad intent makes of a good one."""

import dataclasses
import random
import struct

from compiler.pte.reader import read_pte

_WORDS = (0, 1, 2, 4, 7, 8, 0xFF, 0xFFFF, 0x10000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF, 0x00040004)
_PARAMS_BYTES = 64  # what every constant begins with: zero points, shapes, offsets


@dataclasses.dataclass(frozen=True)
class Mutant:
    """The first `size` bytes of a file, some replaced: {offset: byte}."""

    size: int
    bytes: dict[int, int]

    def of(self, file: bytes) -> bytes:
        changed = bytearray(file)
        for offset, byte in self.bytes.items():
            changed[offset] = byte
        return bytes(changed[: self.size])


def mutants(file: bytes, count: int, seed: int) -> list[Mutant]:
    """`count` files that differ from `file`: bit flips anywhere, truncations, words replaced, fields swapped."""
    view, chance = read_pte(file), random.Random(seed)
    base, constant_bytes = view.segments[view.constant_segment]
    constants = [range(base + at, min(base + at + _PARAMS_BYTES, base + constant_bytes)) for at in view.constant_offsets[1:]]

    def place(alignment: int) -> int:
        """Most often where it matters: in the flatbuffer, or where a constant begins."""
        area = chance.choice((range(view.flatbuffer_bytes), range(view.flatbuffer_bytes), chance.choice(constants), range(len(file))))
        return chance.choice(area) // alignment * alignment

    def flip() -> dict[int, int]:
        at = place(1)
        return {at: file[at] ^ 1 << chance.randrange(8)}

    def replace() -> dict[int, int]:
        at = place(4)
        old = int.from_bytes(file[at : at + 4], "little")
        new = chance.choice((chance.choice(_WORDS), old + chance.choice((-4, -1, 1, 4)), chance.getrandbits(32), chance.randrange(len(file))))
        return dict(enumerate(struct.pack("<I", new % (1 << 32)), at))

    def swap() -> dict[int, int]:
        width = chance.choice((2, 4, 8))
        a, b = place(width), place(width)
        return dict(enumerate(file[b : b + width], a)) | dict(enumerate(file[a : a + width], b))

    def mutant() -> Mutant:
        size = chance.randrange(len(file)) if chance.random() < 0.1 else len(file)
        changes: dict[int, int] = {}
        for _ in range(chance.choice((1, 1, 1, 2, 4)) if size == len(file) else 0):
            changes |= chance.choice((flip, flip, replace, swap))()
        return Mutant(size, {at: byte for at, byte in changes.items() if at < size and byte != file[at]})

    found: list[Mutant] = []
    while len(found) < count:
        candidate = mutant()
        if candidate.of(file) != file:
            found.append(candidate)
    return found
