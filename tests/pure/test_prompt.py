"""Prompts: every form splits, no split loses text, a half-typed line is never taken for an empty
prompt; continuations by program; which prompts are the same; what a pane remembers of them."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from python.helpers.tmux.evidence import programs
from python.helpers.tmux.evidence.screen.book import Book
from python.helpers.tmux.evidence.screen.prompts import (
    CONTINUED,
    LONGEST,
    Split,
    contains_prompt,
    continuation,
    directory_names,
    edited,
    glued,
    has_form,
    is_repl,
    same,
    split,
)
from python.helpers.tmux.evidence.screen.upper_rows import (
    is_alike,
    seen_rows,
    without_rows,
)
from python.helpers.tmux.output import squeezed
from tests.support.examples import at_once, examples
from tests.support.tables import Tables

TABLES = Tables(__file__)

RANDOM = examples(200)

# Prompts as they are seen, with the blank behind them: of shells, of themes, of REPLs.
FORMS = TABLES["FORMS"]
# Such a line ends like output: `src`, `(main)`.
ENDS_LIKE_OUTPUT = {"➜  src ", "➜  src git:(main) "}
# What no sign follows: the words behind them are found by the sign in front.
PLAIN = ["rm -rf precious", "git push --force", "x", "make -j4 all", "sudo apt-get purge bash"]
SIGNED = TABLES["SIGNED"]


def test_a_prompt_has_the_form_of_one():
    for prompt in FORMS:
        assert has_form(prompt) is (prompt not in ENDS_LIKE_OUTPUT), prompt
        assert has_form(prompt.rstrip()) is has_form(prompt), prompt


OUTPUT = "57% 100% done done. Name: Continue?[y/N] --More-- (END) ... 12:30 gdb price€ λx".split()
OUTPUT += ["", "  ", "a word", "In [3]", "[1] 4711", "λ is a letter"]


def test_output_does_not_have_the_form_of_a_prompt():
    assert not [line for line in OUTPUT if has_form(line)]


def test_an_empty_prompt_is_empty():
    for prompt in FORMS:
        assert split(prompt, [prompt]) == Split(prompt.strip(), "")
        assert split(prompt.rstrip(), [prompt]) == Split(prompt.strip(), "")
        if prompt not in ENDS_LIKE_OUTPUT:
            assert split(prompt) == split(prompt.rstrip()) == Split(prompt.strip(), "")


def test_a_half_typed_line_is_split_from_a_prompt():
    """Where it was never seen: at least never taken for an empty one, not even a line that ends in
    a sign itself; it would be run."""
    for prompt, typed in product(FORMS, SIGNED + PLAIN):
        result, found = split(prompt + typed), Split(prompt.strip(), typed)
        assert result is None or result.typed, result
        if prompt not in ENDS_LIKE_OUTPUT and typed in PLAIN:
            assert result == found
        if len(prompt.strip()) > 3:
            assert split(prompt + typed, [prompt]) == found


DIRECTORY = directory_names("/home/me/src", "/home/me")


def test_the_names_of_a_directory():
    assert DIRECTORY == ("/home/me/src", "~/src", "src")
    assert directory_names("/home/me/src", "/home") == ("/home/me/src", "~/me/src", "src")
    assert directory_names("/home/me", "/home/me") == ("/home/me", "me", "~")
    assert directory_names("/home/meadow", "/home/me") == ("/home/meadow", "meadow")
    assert directory_names("/", "/home/me") == ("/",) and directory_names("", "/home/me") == ()


def test_an_environment_before_a_known_prompt_is_part_of_it():
    assert split("(venv) me@host:~$ ls", ["me@host:~$"]) == Split("(venv) me@host:~$", "ls")
    assert split("x(venv) me@host:~$ ls", ["me@host:~$"]) == Split("me@host:~$", "ls")


def test_whether_a_text_would_print_a_known_prompt():
    for text in ("printf 'me@host:~$ '; sleep 4", "printf 'me@host:/etc$ '", "print('>>> ')"):
        assert contains_prompt(text, ["me@host:~$ ", ">>> ", "$ ", ""])
    assert not contains_prompt("echo ~$HOME", ["me@host:~$ ", ">>> ", "~$ ", "$ ", ""])


def test_whether_a_line_is_typed_at_a_known_prompt():
    assert edited("  $ ls", ["$"]) and edited("$ ls", ["$"])
    assert not edited("ok$ ls", ["$"]) and not edited("$", ["$"]) and not edited("$ ls", [])


THEMES = TABLES["THEMES"]
BEHIND_THEMES = ["", "make -j4 all", "./src x", "a && b"]
LIKE_A_THEME = ["src", "echo a →", "echo ❯", "~/bin/deploy", "git push ✓"]


def test_what_a_theme_shows_of_the_directory_is_prompt_and_in_a_command_it_is_not():
    pairs = [*product(THEMES, BEHIND_THEMES)]
    for prompt, typed in [*pairs, *product(["$ ", "me@host:~/lib$ ", "> "], LIKE_A_THEME)]:
        assert split(prompt + typed, directory=DIRECTORY) == Split(prompt.strip(), typed)


@TABLES.rows("line, known, expected")
def test_the_text_after_a_prompt(line, known, expected):
    result = split(line, known)
    assert (result.typed if result else None) == expected


@pytest.mark.parametrize("untouched", [False, True])
def test_a_known_prompt_that_ends_with_another_is_taken_whole(untouched):
    known = ["#", ">>>", "root@host:~#"]
    assert split("root@host:~# ", known, untouched=untouched) == Split("root@host:~#", "", True)
    assert split("root@host:~# echo >>> 1", known).typed == "echo >>> 1"


@TABLES.rows("line, rows, expected")
def test_an_earlier_row_shows_where_an_unknown_prompt_ends(line, rows, expected):
    result = split(line, [], rows)
    typed = result.typed if result else None
    assert typed == expected or (expected is None and typed), result


# Every line there is

SIGNS = st.sampled_from(
    ["$", "#", ">", "%", "❯", "➜", "λ", "»", "→", "▶", "⟩", "›", "⚡", "⇒", ">>>"]
)
WORDS = st.text(st.sampled_from("abcxyz019./~@:-_()[]{}'\"\\ äλ漢│└─é"), max_size=30)
LINES = (
    st.builds("{}{} {}".format, WORDS, SIGNS, WORDS)
    | st.builds("{}{}".format, WORDS, SIGNS)
    | st.text(max_size=60)
    | st.sampled_from(FORMS)
)
BEHIND = st.text(st.sampled_from("abcdefgh -=/.,'\""), min_size=1, max_size=30).filter(str.strip)


@RANDOM
@given(LINES)
def test_every_line_with_the_form_of_a_prompt_splits(line):
    assume(has_form(line) and "\n" not in line)
    assert split(line) is not None


@RANDOM
@given(WORDS, SIGNS, BEHIND)
def test_text_after_any_sign_is_found(before, sign, typed):
    line = f"{before}{sign}"
    assume(has_form(line))
    result = split(f"{line} {typed}")
    assert result is not None and squeezed(result.typed).endswith(squeezed(typed)[-1:])
    assert result.typed


@RANDOM
@given(LINES, st.lists(st.sampled_from(FORMS) | WORDS, max_size=3), st.lists(LINES, max_size=3))
def test_a_split_loses_nothing_and_adds_nothing(line, known, rows):
    assume("\n" not in line)
    result = split(line, known, rows)
    if result is not None:
        both = squeezed(result.prompt + result.typed)
        assert squeezed(line).endswith(both)  # output may be glued before it
        assert both == squeezed(line) or any(prompt.strip() for prompt in known)


@RANDOM
@given(st.sampled_from(FORMS), BEHIND)
def test_the_text_after_a_known_prompt_is_the_typed_text(prompt, typed):
    assert split(prompt + typed, [prompt]) == Split(prompt.strip(), typed.strip())


HOSTILE = {
    name: "".join(text * count for text, count in parts)
    for name, parts in TABLES["HOSTILE"].items()
}


def test_a_hostile_line_is_judged_quickly():
    for name, line in HOSTILE.items():
        with at_once(name):
            has_form(line), is_repl(line), continuation(line, programs.FOREIGN)
            continuation(line, programs.of("zsh")), split(line)
            split(line, ["$ ", "~/a 12$ "], [line[:200]] * 30)
            same(line[:LONGEST], line[1:LONGEST])
            glued(line[:LONGEST], ["~/a 12$ ", line[:LONGEST]])


# REPLs and continuations


@TABLES.rows("line, expected")
def test_a_line_that_is_a_repls_prompt_as_a_whole(line, expected):
    assert is_repl(line) is expected


@TABLES.rows("line, program, expected")
def test_a_continuation_by_its_program(line, program, expected):
    assert continuation(line, programs.of(program)) is expected


@TABLES.rows("line, known, expected")
def test_a_continuation_is_a_known_prompt_but_for_its_signs(line, known, expected):
    assert continuation(line, programs.of("ghci"), [known]) is expected


@TABLES.rows("line, expected")
def test_a_continuation_of_an_unknown_program(line, expected):
    assert continuation(line, programs.FOREIGN) is expected


@TABLES.rows("row, rest")
def test_what_precedes_a_further_line_on_the_screen(row, rest):
    assert CONTINUED.sub("", row) == rest


# The same prompt again


@RANDOM
@given(LINES, LINES)
def test_the_same_prompt_is_the_same_either_way_round(a, b):
    assert same(a, b) == same(b, a)
    assert same(a, a) == bool(a.strip())
    assert not same("", a) and not same("  ", a)


@RANDOM
@given(
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.sampled_from(["~", "/", "/etc", "~/src/a-b", "/tmp/x.y"]),
    st.sampled_from(["~", "/", "/var/log", "~/other"]),
)
def test_a_prompt_is_the_same_with_another_directory_and_number(one, two, here, there):
    first, second = f"[{one}] me@host:{here}$ ", f"[{two}] me@host:{there}$"
    assert same(first, second)
    assert glued(f"no line break{second}", [first]) == len("no line break")


@TABLES.rows("a, b")
def test_another_prompt_is_not_the_same(a, b):
    assert not same(a, b)


@TABLES.rows("left, known, at")
def test_where_a_known_prompt_begins_after_output(left, known, at):
    assert glued(left, known) == at


# Rows above a prompt's last one

OF_A = directory_names("/home/me/a", "/home/me")


@TABLES.rows("one, other, expected")
def test_upper_rows_are_the_same_but_for_directories_and_numbers(one, other, expected):
    assert is_alike(one, other, OF_A) is expected


@TABLES.rows("above, expected")
def test_the_rows_above_a_prompt_are_those_above_every_prompt(above, expected):
    assert seen_rows(above, ["❯"]) == expected


@TABLES.rows("above, upper")
def test_what_follows_the_directory_in_an_upper_row_varies(above, upper):
    assert seen_rows(above, ["❯"], OF_A) == upper


@TABLES.rows("row, rest")
def test_a_body_without_an_upper_row_that_changes(row, rest):
    assert without_rows([row], ["[~/src] (main)"], OF_A) == rest


@TABLES.rows("row, rest")
def test_a_body_without_an_upper_row_that_begins_with_the_directory(row, rest):
    assert without_rows([row], ["~ on main"], OF_A) == rest


def test_prompts_of_another_kind_do_not_affect_the_rows_above_one():
    above = ["$ . theme", "┌ ~", "❯ true", "┌ ~"]
    assert seen_rows(above, ["❯", "$"]) == ["┌ ~"]
    assert seen_rows(["$ . theme", "┌ ~"], ["❯", "$"]) is None


@TABLES.rows("body, upper, expected")
def test_a_body_without_the_upper_rows_at_its_end(body, upper, expected):
    assert without_rows(body, upper) == expected


# The book


def test_the_newest_prompt_of_a_program_comes_first_and_the_oldest_is_forgotten():
    book = Book()
    for prompt in ("a$", "b$", "c$", "d$", "b$", "e$"):
        book.learn(7, prompt)
    assert book.of(7) == ("e$", "b$", "d$", "c$")
    assert book.of(8) == () and book.upper(7, "e$") is None


def test_the_programs_that_were_not_used_for_longest_are_forgotten():
    book = Book()
    for pid in (1, 2, 3, 4):
        book.learn(pid, f"{pid}$")
    book.learn(1, "again$")
    book.learn(5, "5$")
    assert book.of(2) == () and book.of(1) == ("again$", "1$")
    assert [pid for pid in range(1, 6) if book.of(pid)] == [1, 3, 4, 5]


def test_upper_rows_are_kept_beside_the_prompts():
    book = Book()
    book.learn(7, "me:~$")
    book.learn_upper(7, ["", "┌ ~"])
    book.learn(7, "me:/etc$")
    assert book.upper(7, "me:") == ["", "┌ ~"] and book.of(7) == ("me:/etc$", "me:~$")
    assert book.upper(7, "me:/usr$") == ["", "┌ ~"]
    assert book.upper(7, "λ") is None  # another kind of prompt
    book.learn(7, "λ")
    assert book.upper(7, "λ") is None
    book.learn_upper(7, [str(row) for row in range(9)])
    assert book.upper(7, "λ") == ["5", "6", "7", "8"]


def test_an_endless_prompt_is_not_learned():
    book = Book()
    book.learn(7, "x" * (LONGEST + 1))
    assert book.of(7) == ()
    book.learn(7, "x" * LONGEST)
    assert book.of(7) == ("x" * LONGEST,)


def test_the_empty_prompt_is_a_prompt_too():
    book = Book()
    book.learn(7, "")
    assert Book(book.dumps()).of(7) == ("",)


@RANDOM
@given(
    st.lists(
        st.tuples(
            st.integers(1, 9), st.text(max_size=20), st.lists(st.text(max_size=9), max_size=5)
        ),
        max_size=12,
    )
)
def test_a_book_is_the_same_after_it_was_stored(entries):
    book = Book()
    for pid, prompt, upper in entries:
        book.learn(pid, prompt)
        book.learn_upper(pid, upper)
    again = Book(book.dumps())
    assert again.dumps() == book.dumps()
    for pid in range(10):
        assert again.of(pid) == book.of(pid) and again.upper(pid, "$") == book.upper(pid, "$")


def test_an_empty_book_leaves_nothing_on_the_pane():
    assert Book().dumps() == ""


@pytest.mark.parametrize(
    "stored", ["", "{", "[]", "5", '{"7": 5}', '{"7": [1, 2]}', '{"7": ["$"]}', "null", "x" * 9999]
)
def test_an_invalid_book_is_an_empty_one(stored):
    assert Book(stored).of(7) == () and Book(stored).dumps() == ""
