"""Weights and biases of layers that depend on the model's inputs."""

import pytest

from compiler.frontend.end_to_end_test import check_program

MODELS = {
    "weights and bias of a linear layer": (
        (5, 4),
        "self.l = nn.Linear(4, 4)",
        "y = self.l(x); return F.linear(y, x, y.mean(1))",
        ["conv2d_1x1_s8", "sum_s8", "matmul_s8", "add_s8"],
    ),
    "bias of a linear layer": (
        (1, 4),
        "self.l = nn.Linear(4, 4)",
        "return F.linear(x, self.l.weight, x.view(4) * 2)",
        ["table_s8", "linear_s8", "add_s8"],
    ),
    "bias of a convolution": (
        (1, 3, 6, 6),
        "self.c = nn.Conv2d(3, 3, 1)",
        "return F.conv2d(x, self.c.weight, x.mean((0, 2, 3)))",
        ["sum_s8", "copy_s8", "conv2d_1x1_s8", "add_s8"],
    ),
}


@pytest.fixture(autouse=True)
def in_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", MODELS)
def test_the_program_computes_what_the_quantised_model_says(name, tmp_path):
    check_program(tmp_path, *MODELS[name])
