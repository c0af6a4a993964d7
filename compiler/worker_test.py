import io
import json
import subprocess
import sys

from compiler.worker import answer_all


def test_each_request_gets_its_answer_in_order():
    requests = io.StringIO('{"arguments": ["a"], "requestId": 7}\n\n{"arguments": ["b", "c"]}\n')
    answers = io.StringIO()
    answer_all(requests, answers, lambda arguments: (len(arguments) - 1, " ".join(arguments)))
    assert [json.loads(line) for line in answers.getvalue().splitlines()] == [
        {"exitCode": 0, "output": "a\n", "requestId": 7},
        {"exitCode": 1, "output": "b c\n", "requestId": 0},
    ]


def test_what_requests_print_and_read_does_not_reach_the_protocol():
    program = """
import os, sys
from compiler.worker import serve_requests
def serve(arguments):
    print("printed")
    os.write(1, b"written\\n")
    assert sys.stdin.read() == "" and os.read(0, 9) == b""
    return 0, "answer"
serve_requests(serve)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        input='{"arguments": []}\n' * 2,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [{"exitCode": 0, "output": "answer\n", "requestId": 0}] * 2
    assert "printed" in done.stderr and "written" in done.stderr
