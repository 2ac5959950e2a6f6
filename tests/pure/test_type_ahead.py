"""The least number of bytes that draw what is on the screen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from python.helpers.tmux.typing.type_ahead import least_bytes


@pytest.mark.parametrize(
    ("lines", "left", "count"),
    [
        ([], "", 0),
        ([""], "", 0),
        (["abc"], "abc", 3),
        (["Name:"], "Name: ", 6),  # the blank behind it was written too
        (["  abc"], "  abc", 3),  # a tab, or one sequence, may be all that is before it
        (["a      b"], "a      b", 3),
        (["one", "two"], "two", 7),
        (["one", "", "", "two"], "two", 7),
        (["one", ""], "", 3),
        (["", "one"], "one", 3),
        ([""], "   ", 0),
        (["日本"], "日本", 2),
    ],
)
def test_the_least_bytes(lines, left, count):
    assert least_bytes(lines, left) == count


@given(st.lists(st.text("ab \té", max_size=20), max_size=6))
def test_it_is_never_more_than_was_written(written):
    text = "\n".join(written)
    rows = text.expandtabs().split("\n")
    assert least_bytes([row.rstrip() for row in rows], rows[-1]) <= len(text.encode())
