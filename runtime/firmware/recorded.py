"""Recorded inputs of a firmware: those of one inference after the other, in one file."""

from typing import Any


def one_input(inputs: bytes, plan: dict[str, Any], number: int) -> bytes:
    """The inputs of inference `number`, from 0. `plan` is the firmware's. Raises ValueError if there are not so many."""
    nbytes = sum(port["bytes"] for port in plan["inputs"])
    found = inputs[number * nbytes : (number + 1) * nbytes]
    if number < 0 or len(found) != nbytes:
        raise ValueError(f"there is no input {number}: there are {len(inputs) // nbytes}")
    return found
