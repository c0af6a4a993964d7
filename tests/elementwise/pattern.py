"""Writes bytes that take all values, in no order that the shape of an image could hide: `pattern.py COUNT FILE`."""

import pathlib
import sys


def pattern(count: int) -> bytes:
    """Knuth's multiplicative hash of 0, 1, 2, ..."""
    return bytes((index * 2654435761 >> 24) & 0xFF for index in range(count))


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_bytes(pattern(int(sys.argv[1])))
