"""Imports torch: makes its arithmetic the same on every x86-64 machine, and keeps it quiet.

PyTorch chooses vector code by what the CPU offers, which changes the last bits of sums, hence of calibrated ranges, hence of files
that are to be equal wherever they are built. What a user has set wins.
"""

import logging
import os
import warnings

_SETTINGS = {
    "ATEN_CPU_CAPABILITY": "default",
    "DNNL_MAX_CPU_ISA": "SSE41",
    "MKL_CBWR": "COMPATIBLE",
    "OMP_NUM_THREADS": "1",
    "TORCH_CPP_LOG_LEVEL": "ERROR",
}

for _name, _value in _SETTINGS.items():
    os.environ.setdefault(_name, _value)

warnings.filterwarnings("ignore", module="torch.*")

import torch  # noqa: E402, F401  (sets up its own logging, which therefore comes after it)

for _logger in ("torch", "torch.utils._pytree", "torchao"):
    logging.getLogger(_logger).setLevel(logging.CRITICAL)  # what torch logs as an error it raises as well
