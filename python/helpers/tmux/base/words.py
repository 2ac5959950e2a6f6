"""The words with which an answer begins. One word, one meaning. Pure."""

from enum import StrEnum


class Word(StrEnum):
    """How an answer begins: the verdicts, then the receipts and reports."""

    READY = "ready"
    NEEDS_INPUT = "needs input"
    NEEDS_PASSWORD = "needs password"
    NEEDS_KEY = "needs key"
    UNFINISHED = "unfinished"
    MATCHED = "matched"
    QUIET = "quiet"
    TIMED_OUT = "timed out"
    GONE = "gone"
    SENT = "sent"
    PRESSED = "pressed"
    READ = "read"
    LIST = "list"
    OPENED = "opened"
    CLOSED = "closed"
    ERROR = "error"


CLOSED = (Word.READY, Word.GONE)  # after the other words a turn is open
MAY_RUN = (Word.TIMED_OUT, Word.MATCHED, Word.QUIET)  # the program may go on
ASKS_LINE = (Word.NEEDS_INPUT, Word.NEEDS_PASSWORD)
ASKS = (*ASKS_LINE, Word.NEEDS_KEY)
SURE = ("", *ASKS, Word.UNFINISHED)  # of what an answer leaves open: somebody waits there
