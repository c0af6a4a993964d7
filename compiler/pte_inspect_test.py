import json

from compiler.pte.reader import read_pte
from compiler.pte.testing import SMALL
from compiler.pte.writer import pte_bytes
from compiler.pte_inspect import report, report_json


def test_the_report_shows_operators_tensors_memory_and_sizes():
    lines = report(read_pte(pte_bytes(SMALL))).splitlines()
    assert lines[0].startswith("file ") and lines[1] == f"  segment 0: 22 bytes at {len(pte_bytes(SMALL)) - 22}"
    assert lines[2:] == [
        "method forward: 1 instructions, planned memory 160 bytes",
        "  values: 4 (4 Tensor)",
        "  input char[1,8]@0+0",
        "  output float[1,2,3,4]@0+64",
        "     0 KernelCall kindling::convert_s8.out  char[1,8]@0+0 byte[5]#0 byte[20]@0+32 float[1,2,3,4]@0+64 float[1,2,3,4]@0+64",
    ]


def test_the_json_holds_the_same():
    document = json.loads(report_json(read_pte(pte_bytes(SMALL))))
    assert document["methods"][0]["memory_bytes"] == [160]
    assert document["methods"][0]["instructions"][0]["operator"] == "kindling::convert_s8.out"
