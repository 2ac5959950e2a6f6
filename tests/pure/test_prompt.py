"""Prompts: every form splits, no split loses text, a half-typed line is never taken for an empty
prompt; continuations by program; which prompts are the same; what a pane remembers of them."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from python.helpers.tmux.evidence.screen.book import Book
from python.helpers.tmux.evidence.screen.prompts import (
    CONTINUED,
    LONGEST,
    Split,
    contains_prompt,
    continuation,
    directory_names,
    foreign_continuation,
    glued,
    has_form,
    is_repl,
    same,
    split,
)
from python.helpers.tmux.evidence.screen.upper_rows import (
    common_rows,
    is_alike,
    seen_rows,
    without_rows,
)
from python.helpers.tmux.output import squeezed

FUZZ = int(os.environ.get("FUZZ", "1"))  # FUZZ=50: as many times more examples, new in each run
RANDOM = settings(deadline=None, derandomize=FUZZ == 1, database=None, max_examples=200 * FUZZ)
AT_ONCE = 0.1  # seconds any question about any line may take

# Prompts as they are seen, with the blank behind them: of shells, of themes, of REPLs.
FORMS = [
    "$ ",
    "# ",
    "% ",
    "> ",
    "bash-5.2$ ",
    "sh-5.2# ",
    "user@host:~$ ",
    "root@vm:/etc/apt# ",
    "[me@there src]$ ",
    "host% ",
    "user % ",
    "me@host ~/src> ",
    "(venv) me@host:~$ ",
    "❯ ",
    "~/src ❯ ",
    "λ ",
    "(venv) λ ",
    "➜ ",
    "➜  src ",
    "➜  src git:(main) ",
    "➜  src git:(main) ✗ ",
    "» ",
    "⚡ ",
    "└─▶ ",
    "└─$ ",
    "src on  main ❯ ",
    "[14:32:07] ~ % ",
    "PS C:\\> ",
    ">>> ",
    "(gdb) ",
    "(Pdb) ",
    "(Pdb++) ",
    "In [3]: ",
    "sqlite> ",
    "postgres=# ",
    "postgres=*# ",
    "mysql> ",
    "scheme@(guile-user)> ",
]
# Such a line ends like output: `src`, `(main)`.
ENDS_LIKE_OUTPUT = {"➜  src ", "➜  src git:(main) "}
# What no sign follows: the words behind them are found by the sign in front.
PLAIN = ["rm -rf precious", "git push --force", "x", "make -j4 all", "sudo apt-get purge bash"]
SIGNED = [
    "echo hi > file",
    "echo $HOME",
    "echo 5 >",
    "cat <<EOF >",
    "awk '{ print $",
    "ls | grep 100%",
    "printf '%s # %d",
    "git log --format=%h HEAD..main # why",
    "echo → done",
    "echo '❯'",
]


@pytest.mark.parametrize("prompt", FORMS)
def test_a_prompt_has_the_form_of_one(prompt):
    assert has_form(prompt) is (prompt not in ENDS_LIKE_OUTPUT)
    assert has_form(prompt.rstrip()) is has_form(prompt)


OUTPUT = (
    """57% 100% done done. Name: Continue?[y/N] --More-- (END) ... 12:30 gdb price€ λx""".split()
)


@pytest.mark.parametrize(
    "line", ["", "  ", "a word", "In [3]", "[1] 4711", "λ is a letter", *OUTPUT]
)
def test_output_has_not_the_form_of_a_prompt(line):
    assert not has_form(line)


@pytest.mark.parametrize("prompt", FORMS)
def test_an_empty_prompt_is_empty(prompt):
    assert split(prompt, [prompt]) == Split(prompt.strip(), "")
    assert split(prompt.rstrip(), [prompt]) == Split(prompt.strip(), "")
    if prompt not in ENDS_LIKE_OUTPUT:
        assert split(prompt) == split(prompt.rstrip()) == Split(prompt.strip(), "")


@pytest.mark.parametrize("typed", PLAIN)
@pytest.mark.parametrize("prompt", [form for form in FORMS if form not in ENDS_LIKE_OUTPUT])
def test_a_half_typed_line_is_split_from_a_prompt_that_was_never_seen(prompt, typed):
    assert split(prompt + typed) == Split(prompt.strip(), typed)


@pytest.mark.parametrize("typed", SIGNED + PLAIN)
@pytest.mark.parametrize("prompt", FORMS)
def test_a_half_typed_line_is_never_taken_for_an_empty_prompt(prompt, typed):
    """Not even one that ends in a sign itself: it would be run."""
    result = split(prompt + typed)
    assert result is None or result.typed, result


@pytest.mark.parametrize("typed", SIGNED + PLAIN)
@pytest.mark.parametrize("prompt", [form for form in FORMS if len(form.strip()) > 3])
def test_a_half_typed_line_is_split_from_a_known_prompt(prompt, typed):
    assert split(prompt + typed, [prompt]) == Split(prompt.strip(), typed)


DIRECTORY = directory_names("/home/me/src", "/home/me")


def test_the_names_of_a_directory():
    assert DIRECTORY == ("/home/me/src", "~/src", "src")
    assert directory_names("/home/me", "/home/me") == ("/home/me", "me", "~")
    assert directory_names("/home/meadow", "/home/me") == ("/home/meadow", "meadow")
    assert directory_names("/", "/home/me") == ("/",) and directory_names("", "/home/me") == ()


def test_an_environment_before_a_known_prompt_is_part_of_it():
    assert split("(venv) me@host:~$ ls", ["me@host:~$"]) == Split("(venv) me@host:~$", "ls")
    assert split("x(venv) me@host:~$ ls", ["me@host:~$"]) == Split("me@host:~$", "ls")


@pytest.mark.parametrize(
    ("text", "contains"),
    [
        ("printf 'me@host:~$ '; sleep 4", True),
        ("printf 'me@host:/etc$ '", True),
        ("print('>>> ')", True),
        ("echo $HOME", False),
    ],
)
def test_whether_a_text_would_print_a_known_prompt(text, contains):
    assert contains_prompt(text, ["me@host:~$ ", ">>> ", "$ ", ""]) is contains


@pytest.mark.parametrize("typed", ["", "make -j4 all", "./src x", "a && b"])
@pytest.mark.parametrize(
    "prompt",
    [
        "➜  src ",
        "➜  ~/src ",
        "➜  src git:(main) ",
        "(venv) ➜  src git:(main) ✗ ",
        "λ /home/me/src (main) ",
        "❯ src ❯ ",
        "🚀 src ",
        "(venv) 🚀 ",
        " me@host \ue0b0 ~/src \ue0b0 \ue0a0 main ± \ue0b0 ",
    ],
)
def test_a_themes_prompt_that_shows_the_directory(prompt, typed):
    assert split(prompt + typed, directory=DIRECTORY) == Split(prompt.strip(), typed)


@pytest.mark.parametrize("typed", ["src", "echo a →", "echo ❯", "~/bin/deploy", "git push ✓"])
@pytest.mark.parametrize("prompt", ["$ ", "me@host:~/lib$ ", "> "])
def test_a_command_that_looks_like_what_a_theme_shows_is_none(prompt, typed):
    assert split(prompt + typed, directory=DIRECTORY) == Split(prompt.strip(), typed)


@pytest.mark.parametrize(
    "line, known, expected",
    [
        ("me@host:/etc$ rm -rf x", ["me@host:~$ "], "rm -rf x"),  # the directory has changed
        ("[14:32:07] % ls", ["[09:00:00] % "], "ls"),  # the clock goes on
        ("In [13]: x = 1", ["In [12]: "], "x = 1"),
        ("go! rm", ["go! "], "rm"),
        ("some outputgo! rm", ["go! "], "rm"),  # output without a line break
        ("go! rm", [], None),  # no sign, never seen
        ("user@host:~$x", [], None),  # a command follows after a blank
        ("plain output", [], None),
        ("", [], None),
        ("   ", ["   "], None),
        ("a.b*c? rm", ["a.b*c? "], "rm"),  # no pattern of the prompt's own
    ],
)
def test_what_is_behind_a_prompt(line, known, expected):
    result = split(line, known)
    assert (result.typed if result else None) == expected


@pytest.mark.parametrize(
    "line, rows, expected",
    [
        ("me: src rm", ["me: src make", "done"], "rm"),
        ("me: src make all", ["me: src make", "done"], None),  # alike as far as it can be seen
        ("me: src rm", ["other text"], None),
        ("rm", ["rather"], None),
        ("me: src", ["me: src make"], ""),
    ],
)
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
def test_text_behind_any_sign_is_found(before, sign, typed):
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
def test_what_is_behind_a_known_prompt_is_what_was_typed(prompt, typed):
    assert split(prompt + typed, [prompt]) == Split(prompt.strip(), typed.strip())


HOSTILE = {
    "slashes": "/" * 400,
    "paths": "/a~" * 200,
    "tildes": "~" * 400,
    "digits": "1" * 400,
    "dollars": "$ " * 300,
    "arrows": ">" * 400,
    "dots": "." * 399 + ">",
    "words": "word " * 200 + ">",
    "zsh": "quote " * 100 + ">",
    "brackets": "(" * 400,
    "very long": "x" * 100_000 + "$",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_line_is_judged_quickly(name):
    line = HOSTILE[name]
    began = time.process_time()
    has_form(line), is_repl(line), foreign_continuation(line), continuation(line, "zsh", True)
    split(line), split(line, ["$ ", "~/a 12$ "], [line[:200]] * 30)
    same(line[:LONGEST], line[1:LONGEST]), glued(line[:LONGEST], ["~/a 12$ ", line[:LONGEST]])
    assert time.process_time() - began < AT_ONCE


# REPLs and continuations


@pytest.mark.parametrize(
    "line, expected",
    [
        (">>> ", True),
        ("sqlite> ", True),
        ("scheme@(guile-user)> ", True),
        ("(gdb)", True),
        ("In [3]: ", True),
        ("pry(main)> ", True),
        ("Enter your choice > ", False),
        ("Name: ", False),
        ("", False),
        ("$ ", False),
    ],
)
def test_a_line_that_is_a_repls_prompt_as_a_whole(line, expected):
    assert is_repl(line) is expected


@pytest.mark.parametrize(
    "line, program, shell, expected",
    [
        ("> ", "bash", True, True),
        ("> ", "dash", True, True),
        ("> ", "fish", True, False),
        ("quote> ", "zsh", True, True),
        ("for then> ", "zsh", True, True),
        ("heredoc> ", "zsh", True, True),
        ("cmdsubst> ", "zsh", True, True),
        ("quote> ", "bash", True, False),
        ("mac> ", "zsh", True, False),
        ("... ", "python3", False, True),
        ("... ", "bash", True, False),
        ("   ...> ", "sqlite3", False, True),
        ("   ...: ", "ipython", False, True),
        ("    -> ", "mysql", False, True),
        ("    '> ", "mysql", False, True),
        ("db-# ", "psql", False, True),
        ("db'# ", "psql", False, True),
        ("db(# ", "psql", False, True),
        ("db=# ", "psql", False, False),
        ("irb(main):002:1* ", "irb", False, True),
        ("irb(main):002:0> ", "irb", False, False),
        ("...(2)> ", "iex", False, True),
        (">> ", "lua", False, True),
        (">> ", "php", False, False),
        ("> ", "lua", False, False),
        (">", "gdb", False, True),
        (">>", "gdb", False, True),
        ("(gdb) ", "gdb", False, False),
        ("| ", "node", False, True),
        ("> ", "node", False, False),
        ("php { ", "php", False, True),
        ("php > ", "php", False, False),
        ("+ ", "R", False, True),
        ("> ", "octave", False, True),
        (">>> ", "python3", False, False),
        ("", "python3", False, False),
    ],
)  # fmt: skip
def test_a_continuation_by_its_program(line, program, shell, expected):
    assert continuation(line, program, shell) is expected


@pytest.mark.parametrize(
    "line, expected",
    [
        ("> ", True),
        ("quote> ", True),
        ("... ", True),
        ("   ...: ", True),
        ("db-# ", True),
        ("$ ", False),
        (">>> ", False),
        ("sqlite> ", False),
        ("", False),
    ],
)
def test_a_continuation_of_a_program_that_nobody_sees(line, expected):
    assert foreign_continuation(line) is expected


@pytest.mark.parametrize(
    "row, rest",
    [
        ("> echo", "echo"),
        ("for then> done", "done"),
        ("... pass", "pass"),
        ("...(2)> x", "x"),
        ("db-# select", "select"),
        ("irb(main):002:1* x", "x"),
        ("php { x", "x"),
        (">> x", "x"),
        ("| x", "x"),
        ("   ...> x", "x"),
        ("plain", "plain"),
        (">>> 6*7", ">>> 6*7"),  # a prompt
    ],
)
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


@pytest.mark.parametrize(
    "a, b",
    [
        ("$ ", "# "),
        ("> ", ">> "),
        ("me@host:~$ ", "you@host:~$ "),
        (">>> ", "... "),
        ("$ ", "$ ls"),
        ("5$ ", "$ "),
        ("Name: ", "Nome: "),
    ],
)
def test_another_prompt_is_not_the_same(a, b):
    assert not same(a, b)


@pytest.mark.parametrize(
    "left, known, at",
    [
        ("$ ", ["$ "], 0),
        ("ok$ ", ["$ "], 2),
        ('{"ok": true}me@host:~$ ', ["me@host:~$ "], 12),
        ('{"ok": true}me@host:/etc$ ', ["me@host:~$ "], 12),
        ("ok", ["$ "], None),
        ("$ ls", ["$ "], None),
        ("ok", [], None),
        ("ok", [""], None),
        ("x>> ", ["> ", ">> "], 1),  # the longest
    ],
)
def test_where_a_known_prompt_begins_behind_output(left, known, at):
    assert glued(left, known) == at


# Rows above a prompt's last one


@pytest.mark.parametrize(
    "one, other, expected",
    [
        ("┌ ~/src", "┌ /etc", True),
        ("[12:01] me", "[12:02] me", True),
        ("┌ main", "┌ other", False),
        ("", "", True),
        ("", "x", False),
    ],
)
def test_upper_rows_are_the_same_but_for_directories_and_numbers(one, other, expected):
    assert is_alike(one, other) is expected


@pytest.mark.parametrize(
    "above, expected",
    [
        (["┌ ~/a", "❯ true", "text", "┌ ~/b"], ["┌ ~/b"]),
        (["", "┌ ~", "❯ true", "text", "", "┌ ~/a"], ["", "┌ ~/a"]),
        (["┌ ~", "❯ true", "┌ ~"], ["┌ ~"]),
        (["❯ echo same", "same", "❯ echo same", "same"], []),  # the first prompt had none above it
        (["┌ ~", "❯ echo same", "same"], []),
        (["1", "2", "❯ seq 2", "1", "2"], []),  # a number is no prompt's row
        (["same", "❯ echo same", "same"], ["same"]),  # nothing on the pane tells
        (["97", "98", "99"], None),  # no earlier prompt to compare with
        ([], None),
    ],
)
def test_the_rows_above_a_prompt_are_those_above_every_prompt(above, expected):
    assert seen_rows(above, ["❯"]) == expected


@pytest.mark.parametrize(
    "above, upper",
    [
        (["[~/a] (main)", "❯ git switch x", "[~/a] (x)"], ["[·"]),
        (["a on main", "❯ git switch x", "a on x took 3s"], ["·"]),
        (["[~/b] (main)", "❯ cd ../a", "[~/a] (x)"], []),
        (["[~/a] (main)", "❯ ls", "failed in ~/a"], []),
        (["[~/a] (main)", "❯ ls", "[…/ba] (main)"], []),
        (["[…/b/a] (main)", "❯ git switch x", "[…/b/a] (x)"], ["[·"]),
        (["[~/a] (main)", "❯ ls", "[~/ab] (main)", "x"], []),
    ],
)
def test_what_follows_the_directory_in_an_upper_row_varies(above, upper):
    names = ("/home/me/a", "~/a", "a")
    assert seen_rows(above, ["❯"], names) == upper


@pytest.mark.parametrize(
    "row, rest",
    [
        ("[~/a] (main)", []),
        ("no line break[a", ["no line break"]),
        ("[~/b] (main)", ["[~/b] (main)"]),
        ("~/a", ["~/a"]),
    ],
)
def test_a_body_without_an_upper_row_that_changes(row, rest):
    names = ("/home/me/a", "~/a", "a")
    assert without_rows([row], ["[·"], names) == rest


@pytest.mark.parametrize(
    "row, rest",
    [
        ("~/a on main", []),
        ("a on main", []),
        ("no line breaka on main", ["no line breaka on main"]),
        ("no line break a", ["no line break a"]),
        ("no line break~/a", ["no line break"]),
    ],
)
def test_a_body_without_an_upper_row_that_begins_with_the_directory(row, rest):
    names = ("/home/me/a", "~/a", "a")
    assert without_rows([row], ["·"], names) == rest


def test_prompts_of_another_kind_tell_nothing_about_the_rows_above_one():
    above = ["$ . theme", "┌ ~", "❯ true", "┌ ~"]
    assert seen_rows(above, ["❯", "$"]) == ["┌ ~"]
    assert seen_rows(["$ . theme", "┌ ~"], ["❯", "$"]) is None


@pytest.mark.parametrize(
    "above, earlier, expected",
    [
        (["hi", "", "┌ ~/b"], ["", "┌ ~"], ["", "┌ ~/b"]),
        (["no line break", "┌ ~/b"], ["", "┌ ~"], ["┌ ~/b"]),
        (["hi", "text"], ["┌ ~"], []),
        (["┌ ~"], ["", "┌ ~"], ["┌ ~"]),  # the screen begins there
        (["text"], [], []),
        (list("abcdef"), list("abcdef"), list("cdef")),  # no prompt is taller
    ],
)
def test_the_rows_that_two_prompts_have_in_common(above, earlier, expected):
    assert common_rows(above, earlier) == expected


@pytest.mark.parametrize(
    "body, upper, expected",
    [
        (["hi", "┌ ~"], ["┌ ~"], ["hi"]),
        (["hi", "", "┌ ~/x"], ["", "┌ ~"], ["hi"]),
        (["no line break┌ ~"], ["┌ ~"], ["no line break"]),
        (["no line break[12:01]"], ["[12:00]"], ["no line break"]),
        (["total 12"], ["~/src"], ["total 12"]),
        (["no line break", "┌ ~"], ["", "┌ ~"], ["no line break"]),
        (["hi"], ["┌ ~"], ["hi"]),
        (["hi"], [], ["hi"]),
        ([], ["┌ ~"], []),
    ],
)
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
def test_what_is_no_book_is_an_empty_one(stored):
    assert Book(stored).of(7) == () and Book(stored).dumps() == ""
