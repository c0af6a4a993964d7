"""Calibration data: where samples come from, and what is asked of each."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from compiler.errors import CompileError
from compiler.frontend.user_code import UserCode

Sample = tuple[torch.Tensor, ...]


def calibration_samples(origin: str, code: UserCode, names: Sequence[str], examples: Sample) -> Iterator[Sample]:
    """The samples that `origin` names, each with the shapes and dtypes of the example inputs.

    origin: "module:function" whose result yields a tensor or a tuple of tensors per sample; or a .npz with one array per
    input (its only array, if the model has one input), samples along the first axis; or a folder of .npy or .npz files, one
    per sample, read in order of name. An axis of size 1 in front (the batch) may be missing in files.
    Raises CompileError if there is no sample, or one with another number of inputs, another shape, or a value that is not finite.
    """
    count = 0
    for sample in _samples(origin, code, names, examples):
        yield _checked(sample, f"calibration sample {count}", names, examples)
        count += 1
    if count == 0:
        raise CompileError(f"calibration data {origin} is empty")


def _samples(origin: str, code: UserCode, names: Sequence[str], examples: Sample) -> Iterator[Sequence]:
    if ":" in origin:
        for item in code.iterate(code.run(code.function(origin))):
            yield item if isinstance(item, (tuple, list)) else (item,)
        return
    path = Path(origin)
    if not path.exists():
        raise CompileError(f"calibration data {origin} does not exist")
    if path.is_dir():
        for file in sorted(path.iterdir()):
            if file.suffix == ".npy":
                yield (_batched(_load(file), examples[0]),)
            elif file.suffix == ".npz":
                yield tuple(_batched(array, example) for array, example in zip(_arrays(file, names), examples))
    elif path.suffix == ".npz":
        arrays = _arrays(path, names)
        if len({len(array) for array in arrays}) > 1:
            raise CompileError(f"the arrays of {origin} hold different numbers of samples")
        for rows in zip(*arrays):
            yield tuple(_batched(row, example) for row, example in zip(rows, examples))
    else:
        raise CompileError(f"calibration data {origin} is neither a .npz nor a folder nor module:function")


def _load(file: Path) -> np.ndarray:
    try:
        return np.load(file, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise CompileError(f"cannot read {file}: {error}") from error


def _arrays(file: Path, names: Sequence[str]) -> list[np.ndarray]:
    archive = _load(file)
    if len(names) == 1 and len(archive.files) == 1:
        return [archive[archive.files[0]]]
    missing = [name for name in names if name not in archive.files]
    if missing:
        raise CompileError(f"{file} has no array {missing[0]}, only {', '.join(archive.files) or 'none'}")
    return [archive[name] for name in names]


def _batched(array: np.ndarray, example: torch.Tensor) -> np.ndarray:
    return array[None] if example.shape[:1] == (1,) and array.shape == example.shape[1:] else array


def _checked(sample: Sequence, which: str, names: Sequence[str], examples: Sample) -> Sample:
    if len(sample) != len(examples):
        raise CompileError(f"{which} has {len(sample)} inputs; the model takes {len(examples)}")
    return tuple(_tensor(value, which, name, example) for value, name, example in zip(sample, names, examples))


def _tensor(value: object, which: str, name: str, example: torch.Tensor) -> torch.Tensor:
    try:
        tensor = torch.as_tensor(value).to(example.dtype)
    except (TypeError, ValueError, RuntimeError) as error:
        raise CompileError(f"{which}: input {name} is no array of numbers") from error
    if tensor.shape != example.shape:
        raise CompileError(f"{which}: input {name} has shape {list(tensor.shape)}; the model takes {list(example.shape)}")
    if not torch.isfinite(tensor).all():
        raise CompileError(f"{which}: input {name} holds NaN or infinity")
    return tensor
