"""Bazel's persistent worker protocol (JSON): one process serves many requests, so that torch is imported once.

Each request is a line of JSON on stdin, {"arguments": [...], "requestId": n}; each answer one on stdout,
{"exitCode": e, "output": text, "requestId": n}.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import IO

Serve = Callable[[list[str]], tuple[int, str]]


def serve_requests(serve: Serve) -> None:
    """Answers requests until stdin ends. Whatever else is written to stdout goes to stderr, Bazel's log of the worker; nothing else is on stdin."""
    with os.fdopen(os.dup(0)) as requests, os.fdopen(os.dup(1), "w") as answers, open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        answer_all(requests, answers, serve)


def answer_all(requests: IO[str], answers: IO[str], serve: Serve) -> None:
    for line in requests:
        if not line.strip():
            continue
        request = json.loads(line)
        exit_code, output = serve(request.get("arguments", []))
        if output and not output.endswith("\n"):
            output += "\n"
        json.dump({"exitCode": exit_code, "output": output, "requestId": request.get("requestId", 0)}, answers)
        answers.write("\n")
        answers.flush()
