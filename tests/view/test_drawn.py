"""What is drawn: runs made from tmux's rows, the difference between frames, what may be typed."""

import random

import pytest

from python.helpers.tmux.look import PERSON
from python.helpers.tmux_view.drawn.keys import commands, written
from python.helpers.tmux_view.drawn.screen import difference, framed
from python.helpers.tmux_view.drawn.styles import drawn
from tests.support.tables import Tables

TABLES = Tables(__file__)

RED = "--ink:#cc4b4b;"


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


def test_a_page_without_a_frame_gets_all():
    fields = {name: str(value) for name, value in FIELDS.items()}
    panes = {"panes": [["%1", "shared:0 bash"], ["%2", "shared:1 a"]]}
    rows = {0: [["a", ""]], 1: [["b", ""]], 2: []}
    assert difference(frame(["a", "b"]), {}) == fields | panes | rows


def test_a_typed_letter_is_one_row_and_the_cursor():
    found = difference(frame(["$ x", "b"], x=3), frame(["$ ", "b"], x=2))
    assert found == {"x": "3", 0: [["$ x", ""]]}


def test_an_unchanged_screen_sends_nothing():
    assert difference(frame(["a"]), frame(["a"])) == {}


def test_a_larger_screen_brings_its_new_rows():
    assert difference(frame(["a"], height=4), frame(["a"])) == {"height": "4", 3: []}


def test_after_a_message_everything_is_sent_again():
    assert difference(frame(["a"]), {"say": "gone"}).keys() == frame([]).keys()


# keys


def typed(*items):
    leave, stamp, *rest = commands("%1", items, 5)
    assert leave == ["copy-mode", "-q", "-t", "%1"]
    assert stamp == ["set-option", "-pt", "%1", PERSON, "5"]
    return rest


def test_text_is_neither_a_key_nor_an_option():
    assert typed(("text", "-Enter")) == [["send-keys", "-t", "%1", "-l", "--", "-Enter"]]


def test_a_key_goes_by_its_name():
    for key in "Enter C-Left BTab M-F12 C-M-S-PageUp BSpace C-c M-; C-M-x C-Space".split():
        assert typed(("key", key)) == [["send-keys", "-t", "%1", key]]


def test_a_paste_goes_through_a_buffer_and_cannot_press_keys():
    load, paste = typed(("paste", "a\n\tb\x1b[201~\x00c'"))
    assert load == ["set-buffer", "-b", "tmux-tool-view", "--", "a\n\tb[201~c'"]
    assert paste == ["paste-buffer", "-p", "-d", "-b", "tmux-tool-view", "-t", "%1"]


@pytest.mark.parametrize("key", ["Enter; kill-server", "a", "F", "-X", "", "C-", "C-é", "Enter\n"])
def test_a_key_that_is_not_on_the_list_is_refused(key):
    with pytest.raises(ValueError):
        typed(("text", "a"), ("key", key))


@pytest.mark.parametrize("pane", ["", "%", "shared", "%1; kill-server", "%1\n", "-t"])
def test_only_ids_of_panes_are_typed_into(pane):
    with pytest.raises(ValueError):
        list(commands(pane, [("text", "a")], 5))


def test_no_word_means_anything_to_tmuxs_parser():
    assert written([["a", ";"], ["é\n'"]]) == """a ';' ; 'é'"\\n"''"'"''"""
