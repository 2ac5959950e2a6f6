"""Key names: every spelling that people and models use, nothing else, and the bytes of each key."""

import string

from hypothesis import example, given
from hypothesis import strategies as st

from python.helpers.tmux.base.keys import Typed, data_of, parse, shown
from tests.support.examples import examples
from tests.support.tables import Tables

TABLES = Tables(__file__)

SPELLINGS = dict(TABLES["SPELLINGS"])


NO_KEYS = [
    *"foo Entr C- Ctrl+ ^CC F0 F13 F99 0x41 ls yes Ctrl+Shift+C C-1 C-é C-; C-+ Shift+1 C-? plus".split(),
    *"Hyper+x Super+c Cmd+C MouseDown1 Any None -l -- -t ;; C-- Ctrl+Foo Foo+c S-ß".split(),
    *("Enter;", "C-c;", "", "  ", "C-c C-d", "Ctrl C", "\x03", "\x1b", "\n", "\x1b[A"),
    *("C-\n", "M-\t", "\u200b", "\ud800", "ab\0"),
]


def test_every_spelling_of_a_key_is_understood_and_anything_else_is_an_unknown_key():
    for name, spellings in SPELLINGS.items():
        for spelling in spellings.split():
            assert parse(spelling) == name, spelling
    assert [*map(parse, (" ", "Page Up", " Enter "))] == ["Space", "PPage", "Enter"]
    assert [name for name in NO_KEYS if parse(name) is not None] == []


def test_a_text_of_which_the_rest_is_not_typed_is_shown_as_a_whole():
    keys = [*map(Typed, "edge 7"), "Enter", "y", "n", Typed("it's"), "F7"]
    assert shown(keys) == "'edge 7' Enter y n \"it's\" F7"
    assert shown([]) == "" and shown(["C-c"]) == "C-c"


# the grammar

MODIFIERS = TABLES["MODIFIERS"]
BASES = "Up Down Left Right Home End PPage NPage IC DC".split()
BASES += [f"F{number}" for number in range(1, 13)]
WRITTEN = {base: [base, *SPELLINGS.get(base, "").split()] for base in BASES}


@examples(100)
@given(st.data())
def test_modifiers_come_in_any_order_and_spelling(data):
    wanted = data.draw(st.lists(st.sampled_from("CMS"), unique=True))
    base = data.draw(st.sampled_from(BASES))
    spelled = data.draw(st.sampled_from(WRITTEN[base]))
    written = "".join(data.draw(st.sampled_from(MODIFIERS[m])) for m in wanted) + spelled
    assert parse(written) == "".join(f"{m}-" for m in "CMS" if m in wanted) + base


@examples(200)
@given(st.text(max_size=12) | st.text("CMSctrlaltshif^+-_ ;\\x1", max_size=12))
@example("M-;")
@example("S-ŉ")
def test_any_text_is_a_key_or_an_unknown_key(written):
    name = key = parse(written)
    if name is None:
        return
    while key[:2] in ("C-", "M-", "S-") and len(key) > 2:
        key = key[2:]
    assert key in {*BASES, "Enter", "Escape", "Tab", "Space", "BSpace"} or len(key) == 1 and key.isprintable()
    assert parse(name) == name, "what tmux is given is understood again"


def test_an_arrow_has_another_form_where_the_program_asks_for_it():
    assert [data_of("Up", lambda form=form: form) for form in (0, 1)] == ["\x1b[A", "\x1bOA"]
    for name in "C-Up F1 Home y Enter".split():
        assert data_of(name, lambda: False) == data_of(name, lambda: True), name


# the bytes

FIXED = {
    **{f"C-{letter}": bytes([ord(letter) & 31]) for letter in string.ascii_lowercase},
    **{letter: letter.encode() for letter in string.punctuation + "azAZ09é漢👍ß"},
    **{f"M-{letter}": b"\x1b" + letter.encode() for letter in "azAZ09é;-\\"},
    **{key: sent.encode() for key, sent in TABLES["FIXED"]}}


def test_every_key_arrives_as_a_terminal_sends_it_in_order_and_once(bare, reader):
    answer = bare.call("keys", keys=list(FIXED), timeout=0)
    assert answer.startswith("pressed C-a C-b C-c C-d "), answer
    reader.expect(b"".join(FIXED.values()))
    answer = bare.call("keys", keys="y Enter C-c Up ; - Space", timeout=0)
    assert answer == "pressed y Enter C-c Up ; - Space in shared"
    reader.expect(b"y\r\x03\x1b[A;- ")
    reader.nothing_more()
