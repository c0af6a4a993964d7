"""No kernel takes more than 2 % more instructions or bytes than figures.json says; whoever makes one better writes it down."""

import json
import pathlib

import pytest

from kernels.benchmark.benchmark import CORES, Figures, count
from kernels.benchmark.layers import MODELS
from kernels.operator import TIERS
from kernels.registry import KERNELS, OPERATORS

RECORDED: dict[str, Figures] = json.loads((pathlib.Path(__file__).absolute().parent / "figures.json").read_text())


@pytest.mark.parametrize("core", CORES)
def test_kernels_do_not_grow(core: str) -> None:
    figures, recorded = count(core, list(MODELS)), RECORDED[core]
    assert {group: list(group_figures) for group, group_figures in figures.items()} == {
        group: list(group_figures) for group, group_figures in recorded.items()
    }, "figures.json has other entries: run //kernels:benchmark -- --update"
    grown = [
        f"{group}, {name}: {figure}, was {recorded[group][name]}"
        for group, group_figures in figures.items()
        for name, figure in group_figures.items()
        if figure > 1.02 * recorded[group][name]
    ]
    assert grown == []


def test_every_kernel_is_counted() -> None:
    layers = [layer.call for layers in MODELS.values() for layer in layers]
    assert {OPERATORS[call.operator].kernel(call, tier) for call in layers for tier in TIERS} == KERNELS.keys()
