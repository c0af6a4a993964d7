"""pte_accuracy_test fails where int8 is worse than allowed, and only there, and always shows the report."""

import json

import pytest

from compiler.accuracy.accuracy_test_main import main


@pytest.mark.parametrize(
    ("float_right", "int8_right", "max_drop", "exit_code"),
    [(0.9, 0.89, "0.02", 0), (0.9, 0.89, "0.005", 1), (0.9, 0.95, "0", 0), (0.9, 0.9, "0", 0)],
)
def test_a_drop_beyond_the_limit_fails(tmp_path, capsys, float_right, int8_right, max_drop, exit_code):
    top1 = {"samples": 100, "float": float_right, "int8": int8_right, "agree": 0.9, "drop": float_right - int8_right}
    report, text = tmp_path / "m.report.json", tmp_path / "m.report.txt"
    report.write_text(json.dumps({"top1": top1}))
    text.write_text("the whole table\n")
    assert main([f"--max_drop={max_drop}", str(text), str(report)]) == exit_code
    printed = capsys.readouterr().out
    assert printed.startswith("the whole table\n")
    assert f"int8 is right in {int8_right:.2%} of 100 samples, float in {float_right:.2%}" in printed
    assert ("FAILED" in printed) == (exit_code == 1)
