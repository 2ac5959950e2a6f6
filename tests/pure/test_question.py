"""What a question looks like: recorded screens of real programs, and lines."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python.helpers.tmux.evidence.screen.question_line import Kind, is_key, on_line
from python.helpers.tmux.evidence.screen.question_screen import on_screen
from python.helpers.tmux.evidence.screen.question_window import at_work
from tests.support.tables import Tables

TABLES = Tables(__file__)

FRAMES = sorted((Path(__file__).parent / "frames").glob("*.json"))
SECONDS = 0.25  # for a row of 100 KB, where a quadratic pattern needs minutes
LONG = 100_000

LIMITS = TABLES["LIMITS"]

STRONG = {
    Kind.INPUT: """
        Continue? [y/N]
        Do you want to continue? [Y/n]
        Proceed (Y/n)?
        Proceed ([y]/n)?
        Is this ok [y/d/N]:
        Overwrite? (yes/no)
        Quit anyway? (y or n)
        Make breakpoint pending on future shared library load? (y or [n])
        Are you sure you want to continue connecting (yes/no/[fingerprint])?
        *** thing.conf (Y/I/N/O/D/Z) [default=N] ?
        (1/1) Stage this hunk [y,n,q,a,d,e,?]?
        Pick a colour [red/green/blue] (red):
        Colour (red, green, blue):
        replace a.txt? [y]es, [n]o, [A]ll, [N]one, [r]ename:
        rm: remove regular empty file 'f'? (y/n)
        Reset the password [y/N]:
        Ok to proceed? (y)
        Country Name (2 letter code) [AU]:
        Locality Name (eg, city) []:
        Full Name []:
        AWS Access Key ID [None]:
        Your name [Jane]:
        Enter the value:
        Please select a number:
        Username:
        Username for 'https://github.com':
        host login:
        Email address:
        read>
        #?
        ?#
        Passwort zurücksetzen? (j/n)
        """,
    Kind.PASSWORD: """
        Password:
        [sudo] password for jo:
        root@host's password:
        (jo@host) Password:
        Password for user postgres:
        Password for 'https://jo@github.com':
        Enter passphrase for key '/root/.ssh/id_ed25519':
        Enter passphrase (empty for no passphrase):
        Enter PEM pass phrase:
        (current) UNIX password:
        Retype new password:
        Enter PIN for 'token':
        Verification code:
        One-time password (OATH) for `jo':
        Paste your authentication token:
        Your API key:
        Secret:
        Passwort:
        Mot de passe :
        Contraseña:
        """,
    Kind.KEY: """
        Press any key to continue...
        Press any key to continue . . .
        Press ENTER or type command to continue
        Press [ENTER] to continue or Ctrl-c to cancel adding it.
        Press RETURN/ENTER to continue or any other key to abort:
        Please press Enter to activate this console.
        -- Press any key --
        Hit any key to stop autoboot
        --More--
        --More--(26%)
        -- More --
        -- More -- SPACE/d/j: screen/page/line down
        (END)
        lines 1-20
        lines 1-20/35 (END)
        :
        Manual page ls(1) line 1 (press h for help or q to quit)
        Pattern not found  (press RETURN)
        --Type <RET> for more, q to quit, c to continue without paging--
        [Press space to continue, 'q' to quit.]
        """,
}
WEAK = """
    Did it work?
    What is your name?
    Value:
    description:
    package name: (p)
    What is your name (Jane):
    rm: remove regular empty file 'f'?
    名前？
    名前：
    Installing packages:
    Loading:
    Checking for updates:
    Creating secret foo:
    Overall progress (3 of 5):
    """
NO_QUESTION = """
    100%
    57%
    $
    #
    >
    >>>
    ...
    ...:
    In [1]:
    (gdb)
    (Pdb)
    sqlite>
    postgres=#
    user@host:~$
    root@host:/srv#
    ➜  src git:(main) ✗
    Building (3/10)
    Downloading numpy (12.3 MB, 45%)
    Progress [3/10]
    Compiling thing v1.0 (a/b)
    Compiling thing (/srv/a, release)
    Fetched 12 kB in 0s (34 kB/s)
    [#####     ] 45%:
    http://localhost:
    https://example.org/?q=1&r=a?
    Listening on http://127.0.0.1:8080
    2026-01-02 03:04:05 INFO starting:
    [12:30:59] connecting to host:
    WARNING: no such file:
    error: could not compile:
    Traceback (most recent call last):
    Please type a name
    total 12
    $ read -s -n1 -p 'Press any key ' x
    -rw-r--r-- 1 root root 0 Jan  2 03:04 a
    """


def lines(text: str) -> list[str]:
    """One line a row; a program leaves a blank between a question and the cursor."""
    return [line.strip() + " " for line in text.strip().splitlines()]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.stem)
def test_a_recorded_screen_is_judged_as_its_program_meant_it(frame: Path) -> None:
    picture = json.loads(frame.read_text(encoding="utf-8"))
    rows = picture["rows"] + [""] * (picture["height"] - len(picture["rows"]))
    place = picture["x"], picture["y"], picture["cursor_visible"], picture["alternate"]
    question = on_screen(rows, *place, columns=picture["width"])
    judged = (question.kind, question.text) if question else (None, "")
    truth = (picture["kind"] and Kind(picture["kind"]), picture["text"])
    assert (judged == truth) is (frame.stem not in LIMITS), (judged, truth)


def test_each_known_limit_is_a_recorded_screen() -> None:
    assert LIMITS.keys() <= {frame.stem for frame in FRAMES}


@pytest.mark.parametrize(
    ("kind", "line"), [(kind, line) for kind, text in STRONG.items() for line in lines(text)]
)
def test_a_line_that_only_a_question_has_is_strong(kind: Kind, line: str) -> None:
    question = on_line(line)
    assert question is not None and question.strong
    assert question.kind is kind
    assert question.text == " ".join(line.split())


@pytest.mark.parametrize("line", lines(WEAK))
def test_a_line_that_may_be_output_is_a_weak_question(line: str) -> None:
    question = on_line(line)
    assert question is not None and not question.strong
    assert question.kind is Kind.INPUT


@pytest.mark.parametrize("line", ["", "   ", *lines(NO_QUESTION)])
def test_a_prompt_and_plain_output_are_no_question(line: str) -> None:
    assert on_line(line) is None


def test_is_key_goes_by_the_line() -> None:
    assert is_key("--More--") and not is_key("Password: ")


def test_an_old_answer_above_new_output_is_no_question() -> None:
    rows = ["? What is your name? Jo", "Installing packages", "", "", ""]
    assert on_screen(rows, 0, 2, True, False) is None


def test_a_window_that_was_left_on_the_screen_asks_no_more() -> None:
    window = ["┌──────────┐", "│ Sure?    │", "│ < Yes >  │", "└──────────┘"]
    assert on_screen([*window, "", ""], 0, 5, True, False) is None
    question = on_screen([*window, "", ""], 4, 2, True, False)
    assert question is not None and question.text == "Sure?"


def test_a_question_in_the_text_of_an_editor_is_none() -> None:
    rows = ["Sure? [y/N] ", "Password: ", *[""] * 8]
    assert on_screen(rows, 10, 1, True, True) is None


def test_a_wide_character_left_of_the_cursor_takes_two_cells() -> None:
    question = on_screen(["名前？ typed behind"], 7, 0, True, False)
    assert question is not None and question.text == "名前？"


def test_a_conversation_that_quotes_the_sign_of_work_far_above_does_not_work() -> None:
    assert not at_work(["(esc to interrupt)", *[""] * 20, "> "], 21)


def test_the_cursor_outside_the_rows_is_no_question() -> None:
    assert on_screen([], 0, 0, True, False) is None
    assert on_screen(["Sure? "], 6, 1, True, False) is None


PIECES = st.sampled_from(
    [*"?:[]()/,. >›❯◆│┌└─●*", "y/N", "or ", "Password", "press ", "esc to ", "1. ", "a", "é", "漢"]
)
ROWS = st.lists(st.one_of(st.text(max_size=40), st.lists(PIECES).map("".join)), max_size=12)


@given(ROWS, st.integers(0, 60), st.integers(-1, 13), st.booleans(), st.booleans())
@settings(max_examples=300, deadline=None)
def test_a_question_on_any_screen_has_words_of_its_rows(
    rows: list[str], x: int, y: int, visible: bool, alternate: bool
) -> None:
    question = on_screen(rows, x, y, visible, alternate, columns=20)
    shown = "".join("".join(rows).split())
    assert question is None or all(word in shown for word in question.text.split())


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
@settings(max_examples=300, deadline=None)
def test_a_question_on_any_line_is_words_of_the_line(line: str) -> None:
    question = on_line(line)
    assert question is None or question.text in " ".join(line.split())


UNITS = TABLES["UNITS"]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("visible", [True, False], ids=["cursor", "no-cursor"])
def test_rows_of_100_kilobytes_take_a_bounded_time(unit: str, visible: bool) -> None:
    row = (unit * LONG)[:LONG]
    rows = [f"? {row}", f"◆ {row}", row, f"│ {row}", row]
    began = time.process_time()
    on_line(row)
    for y in range(len(rows)):
        on_screen(rows, LONG, y, visible, False)
        on_screen(rows, 3, y, visible, True)
    assert time.process_time() - began < SECONDS * len(rows)
