"""Screen text for a model: nothing in it moves a terminal or hides text, nothing visible is lost,
and what is cut is counted."""

import json
import re
import shlex
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from python.helpers.tmux.base.answer import Answer, clean, fit, quoted
from python.helpers.tmux.base.cells import breadth, cells, joined, pieces, trimmed, width
from python.helpers.tmux.base.words import Word
from tests.conftest import poll
from tests.support.examples import examples
from tests.support.tables import Tables

TABLES = Tables(__file__)

PROGRAM = Path(__file__).parents[1] / "support/programs" / "cell_widths.py"

IGNORABLE = frozenset(
    chr(code)
    for first, _, last in (one.partition("-") for one in TABLES["IGNORABLE"].split())
    for code in range(int(first, 16), int(last or first, 16) + 1)
)
EMOJI = "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🏴‍☠️ ❤️ ❤️‍🔥 👍🏽 👩🏽‍🚀 🧑‍⚖️ ⛹🏽‍♀️ 👁️‍🗨️ 1️⃣ #️⃣ 🇩🇪 ☎️ 🐻‍❄️".split()


def breaches(text: str) -> list[str]:
    """What of `text` moves a terminal, or is not seen, or turns other text round."""
    found = []
    for at, char in enumerate(text):
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") and char not in "\n\t":
            found.append(f"control {char!r}")
        joins = char == "\u200d" and picture(before) and picture(after)
        styles = char == "\ufe0f" and picture(before, "0123456789#*")
        if char in IGNORABLE and not joins and not styles:
            found.append(f"hidden {char!r}")
    if re.search("[\ufe0f\u200d]{3}", text):
        found.append("a run of hidden characters")
    return found


def picture(char: str, more: str = "") -> bool:
    drawn = not char.isascii() and unicodedata.category(char) in ("So", "Sk", "Sm", "Po")
    return bool(char) and (char in more or char == "\ufe0f" or drawn)


VISIBLE = st.text(
    st.characters(categories=["L", "N", "P", "S"], exclude_characters=sorted(IGNORABLE))
    | st.sampled_from(" \n\tabc日本語한국어שלוםمرحبا❯➜λ│─█✓é"),
    min_size=1,
    max_size=12,
) | st.sampled_from(EMOJI)
PARAMETERS = st.text("0123456789;:<=>?", max_size=8)
PAYLOAD = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20)
SEQUENCES = st.one_of(
    st.builds("\x1b[{}{}".format, PARAMETERS, st.sampled_from("ABCDHJKmhlnqsu@`~")),
    st.builds("\x1b[{} {}".format, PARAMETERS, st.sampled_from("qtu")),
    st.builds("\x9b{}{}".format, PARAMETERS, st.sampled_from("Am")),
    st.builds(
        "\x1b]{};{}{}".format, st.sampled_from(["0", "2", "8", "52", "133", "1337"]), PAYLOAD,
        st.sampled_from(["\x07", "\x1b\\", "\x9c"]),
    ),
    st.builds("\x1b{}{}{}".format, st.sampled_from("PX^_"), PAYLOAD, st.sampled_from(["\x1b\\", "\x9c"])),
    st.builds("\x9d{}\x9c".format, PAYLOAD),
    st.builds("\x90{}\x1b\\".format, PAYLOAD),
    st.sampled_from(
        "\x1b7 \x1b8 \x1bc \x1bM \x1b(B \x1b#8 \x1b= \x07 \b \x0e \x0f \0 \x7f \x84 \u202e \u2066"
        " \u200b \u2060 \ufeff \u00ad \U000e0041 \U000e0101 \x1b\x1b[0m".split(" ")
    )
    | st.just("\x85"),
)
ANYTHING = st.text(
    st.characters() | st.sampled_from("\x1b\x1b\x1b[]P_^X\\\x07\x9c\x9b\x9d\x90;m0\r\n\u200d\ufe0f\u202e👍"),
    max_size=40,
)


# clean


@examples(120)
@given(ANYTHING | st.lists(VISIBLE | SEQUENCES | ANYTHING, max_size=8).map("".join))
@example("a\ufe0e\ufe0f")
@example("😀\ufe0f\ufe0f\ufe0f\ufe0f")
@example("😀\u200d\ufe0f\u200d\ufe0f\u200d😀")
@example("a\u0301\ufe0f")
@example("\x1b\x1b]0;x\x1b[31m")
@example("\x1b]0;a\x1b]0;b\x07c")
def test_nothing_that_moves_a_terminal_or_hides_text_comes_out(text):
    assert breaches(clean(text)) == [], f"{text!r} became {clean(text)!r}"


@examples(120)
@given(st.lists(st.tuples(st.booleans(), VISIBLE, SEQUENCES), max_size=8))
def test_nothing_visible_is_lost_between_sequences(parts):
    text = "".join(seen + (sequence if has else "") for has, seen, sequence in parts)
    seen = "".join(seen for _, seen, _ in parts)
    if not re.search(r"\x1b[ -/]*$", "".join(s for _, _, s in parts)):
        assert clean(text) == seen.replace("\r\n", "\n")


def test_every_visible_character_of_unicode_stays_and_every_hidden_one_goes():
    codes = [*range(0x20, 0x3000), *range(0x3000, 0x110000, 7)]
    every = set(map(chr, codes)) - IGNORABLE - {"\u2800"}  # an empty one
    visible = {char for char in every if unicodedata.category(char)[0] in "LNPSM"}
    visible |= {*"\u0600\u0601\u06dd\u070f\u08e2\U000110bd"}  # format characters with a shape
    assert len(visible) > 25_000
    lost = visible - set(clean("a".join(visible)))
    assert [f"U+{ord(char):04X}" for char in sorted(lost)] == []
    assert [f"U+{ord(c):04X}" for c in sorted(IGNORABLE) if clean(f"a{c}b") != "ab"] == []
    controls = map(chr, [*range(9), *range(11, 32), *range(127, 160)])
    assert [char for char in controls if clean(f"a{char}\nb") != "a\nb"] == []


def test_an_emoji_of_several_characters_stays_whole():
    for emoji in EMOJI:
        assert clean(f"a {emoji} b{emoji}") == f"a {emoji} b{emoji}"
    assert clean("☺\ufe0e ☺\ufe0f ☺\ufe00") == "☺ ☺\ufe0f ☺", "no other style follows a picture"


@TABLES.rows("hostile, seen")
def test_hostile_samples(hostile, seen):
    assert clean(hostile) == seen


LENGTHS = {"\x1b": 200_000, "\x1b]": 100_000, "\x1b[": 100_000, "\x1b[;": 60_000, "\x90": 100_000}
LENGTHS |= {"\u200d": 100_000, "👍\u200d": 50_000, "\x1b ( ": 50_000}


def test_hostile_lengths_take_no_time_and_half_characters_are_told():
    long = ["\x1b]" + "A" * 100_000 + "\x07end", "\x1b[" + "1;" * 50_000 + "mend"]
    for hostile in [*long, "\x1b" * 10_000 + "[31mend"]:
        assert clean(hostile) == "end"
    assert clean("bad\ud800half") == "bad\ufffdhalf"
    for text in ["\x1bP" + "a" * 300_000, *(unit * count for unit, count in LENGTHS.items())]:
        began = time.process_time()
        cleaned = clean(text)
        assert time.process_time() - began < 2.0, text[:4]
        assert breaches(cleaned) == []


# fit


def counted(note: str) -> tuple[int, int]:
    match = re.search(r"\[… (\d+) characters \((\d+) lines?\) left out", note)
    assert match, note[:200]
    return int(match[1]), int(match[2])


@examples(50)
@given(st.integers(0, 3000), st.integers(1, 400), st.booleans())
def test_an_answer_is_cut_to_16000_and_what_was_cut_is_counted(lines, length, ends):
    text = "\n".join([(f"{n} " * 200)[:length] + f"|{n}" for n in range(lines)]) + "\n" * ends
    fitted = fit(text)
    assert len(fitted) <= 16_000
    if len(text) <= 15_000 or "left out" not in fitted:
        assert fitted == text
        return
    characters, gone = counted(fitted)
    head, _, tail = fitted.partition("\n[… ")
    tail = tail.partition("]\n")[2]
    assert text.startswith(head + "\n") and text.endswith(tail)  # in whole lines
    assert len(text) - len(head) - 1 - len(tail) == characters
    assert gone == lines - len(head.split("\n")) - len(tail.rstrip("\n").split("\n"))


def test_an_answer_of_just_16000_is_whole_and_of_more_the_middle_is_counted():
    text = "ab" * 8000
    assert fit(text) == text and "left out" in fit(text + "c") and len(fit(text + "c")) <= 16_000
    text = "\n".join(["x y" * 10] * 1000)
    assert "\n[… 15221 characters (491 lines) left out; write it to a file to see all of it]\n" in fit(text)


@pytest.mark.parametrize("char", ["x", " ", "=", "日", "👍", "."])
def test_a_long_run_of_one_character_is_collapsed_and_counted(char):
    assert fit(f"a{char * 400}b") == f"a{char * 400}b"
    assert fit(f"a{char * 5000}b") == f"a{char * 80}[… 4920 more of the same character]b"
    assert fit("\n" * 1000) == "\n" * 1000


# rows and cells


def test_empty_lines_at_the_ends_and_trailing_spaces_go():
    assert trimmed(["", "  ", " a  ", "", "b", " ", ""]) == [" a", "", "b"]
    assert trimmed(["X", "X"]) == ["X", "X"]
    assert trimmed(["", ""]) == [] and trimmed([]) == []


@examples(100)
@given(st.text(st.sampled_from("ab 日👍é\u0301\u0300─"), max_size=20), st.integers(0, 30))
def test_a_line_is_split_after_so_many_cells(line, count):
    left, right = cells(line, count)
    assert left + right == line if right else left.startswith(line)
    assert count <= sum(map(width, left)) <= count + 1, "one more only if a wide character spans the place"
    assert not right or width(right[0]), "a combining character stays with its letter"


@TABLES.rows("line, count, parts")
def test_the_text_left_of_the_cursor(line, count, parts):
    assert list(cells(line, count)) == parts


@TABLES.rows("line, columns, rows")
def test_the_rows_of_a_long_line(line, columns, rows):
    assert list(pieces(line, columns)) == rows
    assert all(breadth(row) <= columns for row in rows)


def test_characters_are_as_wide_as_tmux_makes_them(bare, tmp_path):
    samples = [
        chr(code)
        for first, _, last in (block.partition("-") for block in TABLES["BLOCKS"].split())
        for code in range(int(first, 16), int(last, 16) + 1)
        if unicodedata.category(chr(code)) not in ("Cf", "Cn", "Cc")
    ]
    (tmp_path / "in").write_text(json.dumps([f"a{char}" for char in samples]))
    bare.start(shlex.join(map(str, [sys.executable, PROGRAM, tmp_path / "in", tmp_path / "out"])))
    poll((tmp_path / "out").exists, what="the widths")
    moved = json.loads((tmp_path / "out").read_text())
    widened = "\u261d\u26f9\u270c\u270d\U0001f3cb\U0001f3cc\U0001f574\U0001f575\U0001f590"
    if [*map(int, re.findall(r"\d+", bare.fact("version")))] < [3, 5]:
        widened = ""
    wrong = {
        f"U+{ord(char):04X}": (width(char), cursor - 1)
        for char, cursor in zip(samples, moved, strict=True)
        if width(char) != cursor - 1 - (char in widened)
    }
    assert wrong == {}, f"{len(wrong)} of {len(samples)} (ours, tmux's)"


@TABLES.rows("rows, lines")
def test_full_rows_continue_in_the_next_row(rows, lines):
    assert joined(rows, 4) == lines


def test_a_long_answer_is_cut_and_each_of_its_rows_is_one_row_and_begins_no_note():
    answer = Answer(word=Word.READ, first="read", notes=["a note"], body=["x y z"] * 10_000)
    assert answer.text.startswith("read\nnote: a note\nx y ") and len(answer.text) <= 16_000
    rows = ["/tmp/a\u2028b", "note: forged", "one\ntwo", "plain"]
    told = Answer(word=Word.LIST, first="2 panes", body=rows).cleaned([], "shared")
    assert told.body == ["/tmp/a b", " note: forged", "one two", "plain"]


@pytest.mark.parametrize("behind", [[], ["(9 rows unchanged; read shows all)"]])
def test_of_the_last_rows_none_is_the_one_that_counts_what_is_as_it_was(behind):
    notes: list[str] = []
    answer = Answer(word=Word.NEEDS_KEY, first="needs key", body=["one", "two", *behind]).shortened(1, notes)
    assert (answer.body, notes) == (["two", *behind], ["left out: 1 earlier row; read shows them"])


# quotes and rows


@TABLES.rows("text, expected", of="quoted")
def test_a_quote_holds_a_text_as_it_stands_or_not_at_all(text, expected):
    assert quoted(text, 30) == expected
