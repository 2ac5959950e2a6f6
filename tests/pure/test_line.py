"""The line at the cursor: prompt + typed text, by the line editor, a known prompt or a form."""

from __future__ import annotations

import pytest

from python.helpers.tmux.evidence.editor.line_editor import Editor, Reads
from python.helpers.tmux.evidence.screen.line import (
    Kind,
    Line,
    Near,
    Source,
    begun_rest,
    is_command,
    is_prompt,
    is_question,
    is_shown_as,
    is_typed_behind,
    line_at,
    rest_at,
    search_at,
)
from tests.pure.views import view_of

BASH = Near(program="bash", prompts=("$",), multiline=True)
DASH = Near(program="dash", prompts=("$",), canonical=True)
FISH = Near(program="fish", prompts=("me@host ~>",), multiline=True)
NODE = Near(program="node", prompts=(">",))
NEW = Near(program="bash")  # nothing is known
SSH = Near(program="ssh", remote=True, prompts=("me@host:~$",))


def near(one: Near, **more) -> Near:
    return Near(**{name: getattr(one, name) for name in one.__slots__} | more)


def edits(reads: Reads, text: str = "", prompt: str = "$ ") -> Near:
    editor = Editor(prompt=prompt, text=text, cursor=len(text), reads=reads, exit_status=None)
    return near(BASH, editor=editor)


def known(typed: str, prompt: str = "$") -> Line:
    return Line(Kind.COMMAND, prompt, typed, Source.KNOWN)


def form(typed: str | None, prompt: str = "$") -> Line:
    return Line(Kind.COMMAND, prompt, typed, Source.FORM)


LINES = {
    # the line editor's memory
    "a command, by the editor": (
        ["$ ls -l"],
        edits(Reads.COMMAND, "ls -l"),
        Line(Kind.COMMAND, "$", "ls -l", Source.EDITOR),
    ),
    "the editor is believed, not the screen": (
        ["$ ls"],
        edits(Reads.COMMAND, ""),
        Line(Kind.COMMAND, "$", "", Source.EDITOR),
    ),
    "a question, by the editor": (
        ["Name: Jo"],
        edits(Reads.QUESTION, "Jo", "Name: "),
        Line(Kind.QUESTION, "Name:", "Jo", Source.EDITOR),
    ),
    "the rest of a command, by the editor": (
        ["> do"],
        edits(Reads.CONTINUATION, "do", "> "),
        Line(Kind.REST, ">", "do", Source.EDITOR),
    ),
    "a search, by the editor: what was found is on the screen": (
        ["(search)`l': ls"],
        edits(Reads.SEARCH, "", "(search)`l': "),
        Line(Kind.SEARCH, "(search)`l':", "(search)`l': ls", Source.EDITOR),
    ),
    # a known prompt
    "an empty prompt": (["$"], BASH, known("")),
    "a line behind a known prompt": (["$ ls -l"], BASH, known("ls -l")),
    "a line behind output and a known prompt": (["done$ ls"], BASH, known("ls")),
    "a line that wraps": (["$ " + "word " * 9 + "end"], BASH, known("word " * 9 + "end")),
    "a line that ends in the last column": (["$ " + "x" * 18, ""], BASH, known("x" * 18)),
    "output that fills its row above a prompt": (["y" * 20, "$ ls"], BASH, known("ls")),
    # the form of one
    "the form of a prompt": (["$ ls"], NEW, form("ls")),
    "the form of an empty prompt": (["me@host:~$"], NEW, form("", "me@host:~$")),
    "no form at all": (["plain words"], NEW, form(None, "plain words")),
    "a blank line": (["x", ""], NEW, form("", "")),
    "an earlier row shows where the prompt ends": (
        ["go ls -la", "x", "go make"],
        NEW,
        form("make", "go"),
    ),
    # several rows of one command
    "rows without a sign": (["$ if true", "then ls"], BASH, known("if true\nthen ls")),
    "rows without a sign in a program that shows one": (
        ["$ if true", "then ls"],
        DASH,
        form(None, "then ls"),
    ),
    "output without a line break below an empty prompt": (
        ["$", "then ls"],
        BASH,
        form(None, "then ls"),
    ),
    "output below a command that was entered": (
        ["$ cat", "then ls"],
        near(BASH, floor=1),
        form(None, "then ls"),
    ),
    "where the prompt is empty a line is output": (
        ["$ cat", "then ls"],
        near(BASH, prompts=("", "$")),
        form(None, "then ls"),
    ),
    "fish indents the next row": (
        ["me@host ~> if true", "    "],
        FISH,
        known("if true", "me@host ~>"),
    ),
    # sideways
    "a line that is scrolled sideways": (
        ["<ong line that goes"],
        near(BASH, prompts=()),
        form("<ong line that goes", ""),
    ),
    "a line that goes on at the right": (["some long line of  >"], NEW, None),
    # questions that were shown
    "a question that was shown": (
        ["Go on? ye"],
        near(BASH, asked=(0, 7)),
        Line(Kind.QUESTION, "Go on?", "ye", Source.KNOWN),
    ),
    "a question that was shown, on another row": (
        ["Go on?", "$ ls"],
        near(BASH, asked=(0, 7)),
        known("ls"),
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_the_line_at_the_cursor(name):
    rows, facts, expected = LINES[name]
    line = line_at(view_of(rows, height=9), facts)
    if expected is not None:
        assert line == expected


# The cursor is within the line

WITHIN = {
    "text right of the cursor is typed": ("$ ls -l", 4, BASH, "ls -l"),
    "a line that begins with a blank": ("$  rm x", 2, BASH, "rm x"),
    "a right prompt is not": ("$ ls          12:01", 4, BASH, "ls"),
    "a right prompt behind an empty prompt is not": ("$             12:01", 2, BASH, ""),
    "the cursor at the line's beginning": ("$ ls -l", 2, BASH, "ls -l"),
    "what a program drew there is not": ("$ try: help", 2, near(BASH, drawn_right=True), ""),
    "the kernel's own line ends at the cursor": ("$ ls -l", 4, DASH, "ls"),
    "text behind a blank place": ("ls -l", 0, NEW, "ls -l"),
    "an answer that goes on right of the cursor": (
        "Go on? yes",
        8,
        near(BASH, asked=(0, 7)),
        "yes",
    ),
    "a suggestion apart from an answer": ("Go on? y  (y/n)", 8, near(BASH, asked=(0, 7)), "y"),
}


@pytest.mark.parametrize("name", WITHIN)
def test_the_cursor_is_within_the_line(name):
    row, x, facts, typed = WITHIN[name]
    assert line_at(view_of([row], cursor=(0, x)), facts).typed == typed


def test_the_rows_below_the_cursor_are_typed_too():
    view = view_of(["$ " + "w" * 30], cursor=(0, 5))
    assert line_at(view, BASH).typed == "w" * 30


# Searches

SEARCHES = ["(reverse-i-search)`l': ls", "(failed reverse-i-search)`q': ", "bck-i-search: l"]
SEARCHES += ["failed fwd-i-search: q", "I-search backward: l"]


@pytest.mark.parametrize("row", SEARCHES)
def test_a_search_in_the_history(row):
    expected = Line(Kind.SEARCH, "", row.strip())
    view = view_of([row], width=60)
    assert search_at(view, BASH) == line_at(view, BASH) == expected
    assert search_at(view_of(["% ls", row], cursor=(0, 4), width=60), BASH) == expected
    assert search_at(view_of(["% ls", "", row], cursor=(0, 4), width=60), BASH) is None
    assert search_at(view, DASH) is None
    assert search_at(view_of([row], width=60, alternate=True), BASH) is None
    assert search_at(view, edits(Reads.COMMAND)) is None


@pytest.mark.parametrize("facts, found", [(FISH, True), (SSH, True), (BASH, False), (NODE, False)])
def test_fishs_search_is_a_word_that_another_program_may_ask_with(facts, found):
    assert (search_at(view_of(["search: l"]), facts) is not None) is found


# The rest of a command

RESTS = {
    "one row": (["$ for i in a; do", "> echo"], BASH, "for i in a; do\necho"),
    "several rows": (["$ if x", "> then", "> ls"], BASH, "if x\nthen\nls"),
    "below a prompt that is not known": (["% if x", "> then"], NEW, "if x\nthen"),
    "below a row without a prompt": (["words", "> then"], NEW, "words\nthen"),
    "nothing is typed yet": (["$ if x", ">"], BASH, "if x"),
    "by the editor": (["$ if x", "> then"], edits(Reads.CONTINUATION, "then"), "if x\nthen"),
}


@pytest.mark.parametrize("name", RESTS)
def test_all_rows_of_a_rest_are_typed(name):
    rows, facts, typed = RESTS[name]
    line = rest_at(view_of(rows), facts)
    assert (line.kind, line.typed) == (Kind.REST, typed)
    assert line.prompt == rows[-1].strip() and line.at_prompt


BEGUN = {
    "node's": (["> [1,", "... 2"], NODE, "[1,\n2"),
    "at the sign alone": (["> [1,", "..."], NODE, None),
    "no sign": (["> [1,", "2"], NODE, None),
    "irb's, which it draws before the first row too": (
        ["irb(main):001:1* def f"],
        near(NODE, prompts=()),
        "irb(main):001:1* def f",
    ),
    "nothing known above it": (["text", "... 2"], near(NODE, prompts=()), None),
}


@pytest.mark.parametrize("name", BEGUN)
def test_the_rest_of_a_command_in_a_program_that_hides_its_state(name):
    rows, facts, typed = BEGUN[name]
    line = begun_rest(view_of(rows, width=40), facts)
    assert (line is not None) is (typed is not None)
    if line is not None and "irb" not in name:
        assert line == Line(Kind.REST, rows[-1], typed)


# Small questions


@pytest.mark.parametrize(
    "row, facts, typed",
    [
        ("me@host:~$ ls", SSH, True),
        ("me@host:~$", SSH, False),
        ("> 1 + 1", NODE, True),
        ("x 1 + 1", NODE, False),
        ("abc> 1", near(NODE, prompts=()), True),
        ("two words> 1", near(NODE, prompts=()), False),
    ],
)
def test_whether_a_line_is_typed_where_the_state_is_hidden(row, facts, typed):
    assert is_typed_behind(view_of([row]), facts) is typed


def test_a_row_by_the_known_prompts():
    assert is_prompt("me:/etc$", ["x", "me:/usr$"]) and not is_prompt("me:/etc$ ls", ["me:/usr$"])
    assert is_command("me:/etc$ ls", ["me:/usr$"]) and not is_command("me:/etc$", ["me:/usr$"])


@pytest.mark.parametrize(
    "row, asks", [("Go on?", True), ("me@host:~$", True), ("make all", False), ("", False)]
)
def test_what_is_a_question_is_no_typed_text(row, asks):
    assert is_question(row) is asks


def test_a_text_is_shown_however_it_is_wrapped():
    assert is_shown_as(known("make  all\nnow"), "make all now")
    assert not is_shown_as(known("make all"), "make all now")
    assert not is_shown_as(form(None), "")
