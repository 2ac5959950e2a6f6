"""Every text arrives as it was asked for, whoever receives it, or is refused and nothing of it."""

from __future__ import annotations

import shutil

import pytest

from python.helpers.tmux import client
from tests.conftest import poll
from tests.support.reader import Reader, as_typed

TEXTS = {
    "a tab": "a\tb",
    "three lines": "one\n  two;\nthree",
    "wide": "漢字 é👍",
    "long": "x" * 5000,
    "hard": 'a;  b\\; -l #{x} $(id) "q" C-c Enter !! ~ *',
}
RECEIVERS = {  # the program, and a line that writes a text into a file
    "bash --norc": "printf %s '{text}' > {out}",
    "zsh -f": "printf %s '{text}' > {out}",
    "fish --no-config": "printf %s '{text}' > {out}",
    "dash": "printf %s '{text}' > {out}",
    "mksh": "printf %s '{text}' > {out}",
    "python3 -q": "_ = open('{out}', 'w').write('''{text}''')",
    "node": "require('fs').writeFileSync('{out}', String.raw`{text}`)",
}


@pytest.mark.parametrize("program", RECEIVERS)
def test_a_line_editor_gets_a_text_as_it_is_or_nothing(bare, tmp_path, program):
    if not shutil.which(program.split()[0]):
        pytest.skip(f"{program} is not installed")
    bare.start(f"env PS1='$ ' {program}")
    bare.ready()
    for name, text in TEXTS.items():
        out = tmp_path / name.replace(" ", "-")
        line = RECEIVERS[program].format(text=text, out=out)
        answer = bare.call("send", text=line, timeout=30)
        if answer.startswith("error: "):
            refused = "nothing was typed" in answer or "Enter was not pressed" in answer
            assert refused and not out.exists(), (name, answer)
            bare.call("interrupt")
        else:
            poll(out.exists, what=f"{name}: {answer}")
            assert out.read_text() == text, (name, answer)


@pytest.mark.parametrize("mode", ["copy-mode", "clock-mode"])
@pytest.mark.parametrize("brackets", [False, True])
def test_a_raw_program_gets_every_byte_whatever_tmux_shows_in_its_pane(
    bare, tmp_path, brackets, mode
):
    reader = Reader(bare, tmp_path / "typed", *["--brackets"] * brackets).start()
    bare.tmux(mode, "-t", "=shared:")
    for name, text in TEXTS.items():
        answer = bare.call("send", text=text, enter=False)
        block = brackets and set(text) & set("\t\n")
        if answer.startswith("error: "):  # before 3.7 tmux does not tell whether brackets are on
            assert set(text) & set("\t\n") and "nothing was typed" in answer, (name, answer)
            continue
        typed = as_typed(text)
        reader.expect(b"\x1b[200~" + typed + b"\x1b[201~" if block else typed, name)
    bare.tmux("copy-mode", "-q", "-t", "=shared:")
    reader.nothing_more()


def test_a_reply_that_a_program_left_at_the_prompt_is_nobodys_and_is_cleared(terminal):
    """The terminal's answer to a query of a program that has ended."""
    terminal.person("1;2c")
    terminal.see("1;2c")
    answer = terminal.call("run", text="echo mine")
    assert answer.startswith("error: the terminal's reply"), answer
    assert "interrupt clears it" in answer
    assert terminal.call("interrupt").startswith("ready")
    assert terminal.call("run", text="echo mine").body == "mine"


WORDS = {
    "plain": ("plain", "plain"),
    "a;": ("a\\;", "a\\;"),
    "#(touch x)": ("#(touch x)", "##(touch x)"),
    "#{pane_id};": ("#{pane_id}\\;", "##{pane_id}\\;"),
    "##[x]": ("##[x]", "##[x]"),
}


@pytest.mark.parametrize("text", WORDS)
def test_a_word_that_somebody_chose_is_no_command_and_no_format(text):
    plain, expanded = WORDS[text]
    assert client.word(text) == plain
    assert client.word(text, expanded=True) == expanded
