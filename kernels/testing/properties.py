"""How hypothesis runs here: the same examples every time, without a clock."""

from hypothesis import settings

PROPERTY = settings(max_examples=100, deadline=None, derandomize=True, database=None)
SLOW_PROPERTY = settings(PROPERTY, max_examples=25)
