"""What is drawn: runs made from tmux's rows, the difference between frames, what may be typed."""

import random

import pytest

from python.helpers.tmux.facts.look import PERSON
from python.helpers.tmux_view.drawn.keys import call
from python.helpers.tmux_view.drawn.screen import difference, framed
from python.helpers.tmux_view.drawn.styles import drawn
from tests.support.tables import Tables

TABLES = Tables(__file__)

RED = "--ink:var(--c1);"


@TABLES.rows("row, runs", of="ROWS")
def test_a_row(row, runs):
    assert drawn(row, "") == [runs]


@TABLES.rows("row, runs", of="FROM_3_5")
def test_a_row_of_a_newer_tmux(row, runs):
    assert drawn(row, "1") == [runs]


def test_colours_go_on_in_the_next_row():
    assert drawn("\x1b[31ma\nb\x1b[39mc", "") == [[["a", RED]], [["b", RED], ["c", ""]]]
    assert drawn("\x0eq\nq\x0fq", "") == [[["─", ""]], [["─", ""], ["q", ""]]]


def test_each_screen_of_tmuxs_is_drawn_as_its_text():
    """Any mixture of its sequences; none of them is in a run's text, and none breaks it."""
    chance = random.Random(7)
    kinds = [f"\x1b[{one}m" for one in "0;1;4 38;5;17 48;2;1;2;3 58;5;3 39".split()]
    kinds += ["ab ", "日", "\x0e", "\x0f", "e\u0301"]
    for _ in range(500):
        parts = chance.choices(kinds, k=12)
        runs = drawn("".join(parts) + "|", "")[0]
        shown = "".join(part for part in [*parts, "|"] if not part[0] < " ")
        assert len("".join(text for text, _ in runs)) == len(shown)


# frames

FIELDS = TABLES["FIELDS"]


def frame(rows: list[str], **fields) -> dict:
    facts = FIELDS | fields
    head = "\t".join(map(str, facts.values()))
    rows = rows + [""] * (facts["height"] - len(rows))
    return framed("\n".join([head, "%1\tshared:0 bash", "%2\tshared:1 a\tb", "", *rows, ""]))


def test_a_page_without_a_frame_gets_all_then_what_has_changed_and_after_a_message_everything():
    fields = {name: str(value) for name, value in FIELDS.items()}
    panes = {"panes": [["%1", "shared:0 bash"], ["%2", "shared:1 a"]]}
    assert difference(frame(["a", "b"]), {}) == fields | panes | {0: [["a", ""]], 1: [["b", ""]], 2: []}
    assert difference(frame(["$ x", "b"], x=3), frame(["$ ", "b"], x=2)) == {"x": "3", 0: ["$ x"]}
    assert difference(frame(["a"]), frame(["a"])) == {}
    assert difference(frame(["a"], height=4), frame(["a"])) == {"height": "4", 3: []}
    assert difference(frame(["a"]), {"say": "gone"}).keys() == frame([]).keys()


def test_of_a_run_whose_style_stays_comes_the_text_and_rows_that_have_moved_up_do_not():
    red, blue = "--ink:var(--c1);", "--ink:var(--c4);"
    before = {0: [["a", ""], ["b", red], ["c", blue]], 1: [["d", ""]], "history": "5", "height": "2"}
    after = {0: [["a", ""], ["B", red], ["c", red], ["e", ""]], 1: [["d", ""]], "history": "5", "height": "2"}
    assert difference(after, before) == {0: ["a", "B", ["c", red], ["e", ""]]}
    assert difference({0: [["d", ""]], 1: [["e", ""]], "history": "6"}, before) == {"history": "6", 1: ["e"]}
    assert difference({0: [], 1: [["d", ""]], "history": "5"}, before) == {0: []}


# keys

PANE = "%1"


def typed(kind: str, value: str) -> tuple[list[str], bytes]:
    command, stdin = call(PANE, kind, value, 5)
    begin = ["copy-mode", "-q", "-t", PANE, ";", "set-option", "-pt", PANE, PERSON, "5", ";"]
    assert command[: len(begin)] == begin
    return command[len(begin) :], stdin


def test_a_key_goes_by_its_name_and_a_paste_cannot_press_keys():
    for key in "Enter C-Left BTab M-F12 C-M-S-PageUp BSpace C-c C-M-x C-Space".split():
        assert typed("key", key) == (["send-keys", "-t", PANE, key], b"")
    assert typed("key", "M-;")[0][-1] == "M-\\;"  # else it would end the command
    assert typed("paste", "a\n\tb\x1b[201~\x00c'")[1] == b"a\n\tb[201~c'"


def test_only_a_text_with_control_characters_needs_the_hook_and_none_if_shell_which_loses_memory():
    texts = ("text", "é; ~", False), ("paste", "a b", False), ("text", "\x1b[M", True), ("paste", "\n", True)
    for kind, text, hooks in texts:
        command, _ = typed(kind, text)
        assert ("set-hook" in command, "if-shell" in command) == (hooks, False), text


@pytest.mark.parametrize("key", ["Enter; kill-server", "a", "F", "F13", "-X", "", "C-", "C-é", "Enter\n"])
def test_a_key_that_is_not_on_the_list_is_refused(key):
    with pytest.raises(ValueError):
        typed("key", key)


@pytest.mark.parametrize("pane", ["", "%", "shared", "%1; kill-server", "%1\n", "-t"])
def test_only_ids_of_panes_are_typed_into(pane):
    with pytest.raises(ValueError):
        call(pane, "text", "a", 5)
