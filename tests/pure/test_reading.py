"""What follows from one reading: who reads, what stands at the cursor, what is typed there."""

from dataclasses import astuple, is_dataclass

from tests.support.readings import reading
from tests.support.tables import Tables

TABLES = Tables(__file__)


@TABLES.rows("screen, waits, right, more", of="readings")
def test_what_follows_from_a_reading(screen, waits, right, more):
    found = reading(screen, waits, more)
    assert {what: plain(getattr(found, what)) for what in right} == right


def plain(value):
    if value is None:
        return "none"
    return list(astuple(value)) if is_dataclass(value) else value
