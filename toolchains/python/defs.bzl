"""pytest_test: Python tests run by pytest."""

load("@rules_python//python:defs.bzl", "py_test")

def pytest_test(*, name, srcs, deps = [], data = [], args = [], visibility = None, tags = None, **kwargs):
    """Runs pytest on its sources.

    `--test_arg=-k --test_arg=word` and so on reach pytest; `--test_filter=word` is its -k.

    Args:
      name: name of the test.
      srcs: the test files, *_test.py.
      deps: what they import; pytest itself comes along.
      data: files they read at run time.
      args: arguments for pytest.
      visibility: as usual.
      tags: as usual.
      **kwargs: other attributes of py_test.
    """
    main = "//toolchains/python:pytest_main.py"
    py_test(
        name = name,
        srcs = srcs + [main],
        main = main,
        args = ["$(rootpath {})".format(src) for src in srcs] + args,
        data = data + srcs,
        deps = deps + ["@pypi//:pytest"],
        visibility = visibility,
        tags = tags,
        **kwargs
    )
