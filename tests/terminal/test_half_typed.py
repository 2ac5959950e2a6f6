"""A person's half-typed line is never run, cleared or appended to: cold, on the first call in a
fresh pane, and warm; at any prompt, wherever the cursor is; whoever types. And one's own may be
continued."""

from __future__ import annotations

import shutil
import subprocess
import time

import pytest

from tests.support.house import (
    LIMIT,
    MEMORY_IS_CLOSED,
    PY311,
    Room,
    alone,
    house,
    in_rooms,
    is_verdict,
    poll,
)
from tests.support.tables import Tables

TABLES = Tables(__file__)

__all__ = ["house"]
REFUSAL = "error: a half-typed line is at the prompt: "
EDITORS = ["bash", "zsh", "fish"]
LINE = "echo persons-half-line"


def settle(room: Room) -> None:
    """The screen does not change any more."""
    seen: list[str] = []

    def still() -> bool:
        time.sleep(0.05)
        seen.append(room.screen() + room.fact("cursor_x") + room.fact("cursor_y"))
        return len(seen) > 4 and len(set(seen[-5:])) == 1

    poll(still, what="a screen that stands still")


def fresh(room: Room, setting: str = "", shows: str = "") -> None:
    """Its prompt is there, and only the person has typed yet."""
    room.in_front(room.shell)
    poll(lambda: room.screen().strip(), what="a prompt")
    if setting:
        room.person(setting, "Enter")
        room.person("clear", "Enter")
        poll(lambda: setting not in room.screen() and shows in room.screen(), what=shows)
    settle(room)


def half_typed(room: Room, text: str, *keys: str) -> str:
    """The person types and stops; the screen then."""
    room.person(text)
    room.see(text[-16:])
    if keys:
        room.person("", *keys)
    settle(room)
    return room.screen()


TYPES = TABLES["TYPES"]


def nobody_touches(room: Room, refusal: str, quoted: str = "") -> None:
    """`run`, `send` and `interrupt` are refused, and leave the screen as it is."""
    before = room.screen()
    for name in ("run", "send", "interrupt"):
        answer = room.call(**TYPES[name])
        assert answer.startswith(refusal) and quoted in answer, answer
    assert room.screen() == before


@in_rooms(
    ["echo 5 >", "cat <<EOF >", "echo $", "make 100%", "git log #"],
    EDITORS,
    turns=True,
    ready=False,
)
def test_cold_a_persons_half_line_that_ends_like_a_prompt(room, typed):
    fresh(room)
    before = half_typed(room, typed)
    assert room.call("run", text="x", timeout=2).startswith("error: "), room.screen()
    assert room.screen() == before


@in_rooms(shells=["bash", "zsh"])
def test_prompt_whose_terminal_was_put_into_canonical_mode(room):
    """By a program that ended late, in the background. The line editor has not seen what is typed
    then."""
    if MEMORY_IS_CLOSED:
        pytest.skip("only the line editor's memory tells it")
    subprocess.run(["stty", "-F", room.fact("pane_tty"), "sane"], check=True)
    assert room.wait().startswith("ready (shell) after ")
    before = half_typed(room, "touch precious")
    assert room.run("echo oops").startswith(f"{REFUSAL}'touch precious'")
    assert room.screen() == before
    room.person("", "C-u")
    assert room.run("echo mine").startswith("ready (shell) after ")  # the terminal echoed it too
    assert room.run("echo mine").body == "mine"


PASTED = {  # several rows of one command, without a sign before the further ones
    "bash": (["\x1b[200~echo precious\recho two\x1b[201~"], "two"),
    "zsh": (["\x1b[200~echo precious\recho two\x1b[201~"], "two"),
    "fish": (["if true", "Enter", "echo precious", "Enter", "ls"], "ls"),
}


@in_rooms(shells=PASTED)
def test_a_persons_half_typed_rows_are_not_run(room):
    room.run("true")
    typed, last = PASTED[room.shell]
    for text in typed:
        room.person(*(("", text) if text == "Enter" else (text,)))
    poll(lambda: room.screen().rstrip().endswith(last), what=last)
    settle(room)
    nobody_touches(room, REFUSAL, "echo precious")


@in_rooms(shells=["bash", "zsh", "fish"])
def test_a_new_prompt_without_a_sign_is_no_half_typed_line(room):
    """It is where a further row of what was sent could be."""
    fish = "function fish_prompt; echo -n xx; end"
    room.ask({"bash": "PS1=xx", "zsh": "PROMPT=xx", "fish": fish}[room.shell])
    assert room.ask("echo fine").body == "fine"


REPLS = {  # what the agent starts, and a command that the person begins there
    "python": ("python3 -q", "def f():"),
    "node": ("node", "function f() {"),
    "sqlite3": ("sqlite3", "select"),
}


@in_rooms(REPLS, ["bash"])
def test_a_further_row_of_a_persons_command_is_not_continued_in_a_repl(room, case):
    start, begun = case
    room.ask(start)
    room.ask(".help quit" if start == "sqlite3" else "1")
    room.person(begun, "Enter")
    room.see(begun)
    before = half_typed(room, "  precious")
    for call in ({"action": "send", "text": "x"}, TYPES["interrupt"]):
        answer = room.call(**call)
        assert answer.startswith("error: a half-typed line is at the prompt: "), answer
        assert "precious" in answer, answer
    assert room.screen() == before
    room.person("", "C-c")


@alone
def test_a_further_row_of_the_agents_own_may_be_continued_in_a_repl(room):
    room.ask("node")
    room.ask("1")
    is_verdict(room.ask("[1,"), "unfinished", "...")
    room.send("  40", enter=False)
    room.see("40")
    answer = room.ask("+2][1]")
    is_verdict(answer, "ready (prompt matched)")
    assert answer.body == "42", answer


def test_what_a_person_types_into_fishs_search_is_theirs(house):
    with house.room("fish") as room:
        room.run("echo precious")
        room.person("", "C-r")
        room.see("search:")
        before = half_typed(room, "preci")
        answer = room.call("run", text="x")
        assert answer.startswith(f"{REFUSAL}'search: preci'"), answer
        assert room.screen() == before


SEARCHES = {  # in the history: the program, and a row of its search before anything is typed
    "node": ("node", "1+1", "bck-i-search: _"),
    "irb": ("irb", "1+1", "(reverse-i-search)`':"),
    "python": (f"{PY311} -q", "1+1", "(reverse-i-search)`':"),
    "mksh": ("mksh", "echo a", "I-search:"),
    "fish": ("fish --no-config", "echo a", "search:"),
}


@in_rooms(SEARCHES, ["bash"])
def test_a_persons_search_in_a_history_is_not_typed_into(room, case):
    program, text, row = case
    if not shutil.which(program.split()[0]):
        pytest.skip(f"{program} is not here")
    room.run(program)
    room.run(text)
    room.person("", "C-r")
    room.see(row)
    settle(room)
    before = room.screen()
    for call in ({"action": "run", "text": "2+3"}, {"action": "send", "text": "2+3"}):
        answer = room.call(**call)
        assert answer.startswith("error: "), answer
        assert room.screen() == before
    assert row in answer, answer
    answer = room.call("interrupt")
    assert answer.startswith("error: a half-typed line is at the "), answer
    assert room.screen() == before


@alone
def test_nothing_is_sent_into_a_full_screen_that_a_person_has_opened(room):
    """After an answer that told of a prompt; once it has been read, the agent knows it."""
    room.run("true")
    room.person("vim -u NONE -N draft", "Enter")
    poll(lambda: room.fact("alternate_on") == "1", what="vim")
    room.person("i")
    before = half_typed(room, "my draft")
    answer = room.call("send", text=":q!")
    assert answer.startswith("error: vim fills the screen: someone has opened it"), answer
    assert room.call("interrupt").startswith("error: vim fills the screen")
    assert room.screen() == before
    room.call("read")
    assert room.call("send", text=" goes on", enter=False).startswith("sent")
    room.see("my draft goes on")


@in_rooms(
    {"send": TYPES["send without Enter"], "interrupt": TYPES["interrupt"]}, ["bash"], ready=False
)
def test_cold_what_is_sent_to_a_full_screen_that_nobody_has_shown_is_noted(room, call):
    room.person("vim -u NONE -N draft", "Enter")
    poll(lambda: room.fact("alternate_on") == "1", what="vim")
    room.person("i")
    half_typed(room, "my draft")
    note = "cannot determine whether someone has typed here: vim fills the screen, and no answer"
    answer = room.call(**call)
    assert any(note in one for one in answer.notes) or f"note: {note}" in answer, answer


@alone
def test_what_a_person_types_into_a_dialogs_field_is_not_appended_to(room):
    if not shutil.which("dialog"):
        pytest.skip("dialog is not here")
    is_verdict(room.run("dialog --stdout --inputbox Name 8 40"), "needs input", "Name")
    before = half_typed(room, "persons")
    for _ in range(2):
        answer = room.call("send", text="agents")
        assert answer.startswith("error: a half-typed line is at the question: 'persons'"), answer
        assert room.screen() == before
        assert "not yours: 'persons'" in room.wait()


FULL_SCREENS = TABLES["FULL_SCREENS"]


@in_rooms(FULL_SCREENS, ["bash"])
def test_what_a_person_types_on_a_full_screen_of_the_agents_is_not_appended_to(room, case):
    program, typed, shown = case
    is_verdict(room.run(program), "needs key")
    room.person(typed)
    room.see(shown)
    settle(room)
    before = room.screen()
    answer = room.call("send", text="agents")
    name = program.split("|")[-1].split()[0]
    assert answer.startswith(f"error: someone types in {name}: {shown!r}; ask the person"), answer
    assert room.call("interrupt").startswith(f"error: someone types in {name}: {shown!r}")
    assert room.screen() == before
    room.call("read")
    assert room.call("send", text=" agents", enter=False).startswith("sent"), "it was read"
    room.see(f"{shown} agents")


@alone
def test_a_full_screen_that_the_agent_types_into_step_by_step_is_its_own(room):
    room.run("vim -u NONE -N draft")
    for keys in (["i"], ["a"], ["b"], ["Escape"], [":"], ["w"]):
        room.call("keys", keys=keys)
    assert room.call("send", text="q").startswith("ready")


@in_rooms(shells=EDITORS)
def test_what_the_agent_has_just_run_is_a_half_typed_line_when_a_person_has_it_again(room):
    """Got back from the history, or typed anew as far as that."""
    for typed, keys in (("", ["Up"]), ("echo pre", [])):
        room.run("echo precious")
        before = half_typed(room, typed, *keys)
        answer = room.call("run", text="x", timeout=2)
        assert answer.startswith(f"{REFUSAL}'{typed or 'echo precious'}"), answer  # fish suggests
        assert room.screen() == before
        room.person("", "C-c")
        settle(room)


@pytest.mark.skipif(MEMORY_IS_CLOSED, reason="nothing else tells the mode")
@alone
def test_a_single_letter_is_a_command_in_vis_command_mode_too(room):
    room.run("set -o vi")
    half_typed(room, "echo precious", "Escape")
    room.person("dd")
    poll(lambda: "precious" not in room.screen(), what="an empty line")
    answer = room.call("send", text="u", enter=False)
    assert answer.startswith("error: the line editor of bash is in vi's command mode"), answer
    assert "precious" not in room.screen()


IN_A_KEY = TABLES["IN_A_KEY"]


@pytest.mark.skipif(MEMORY_IS_CLOSED, reason="nothing else tells that a key is not finished")
@in_rooms(IN_A_KEY)
def test_a_half_line_behind_which_the_line_editor_waits_for_a_key_is_not_run(room, keys):
    """The next letter would be the rest of the key, and then the line would be run."""
    if keys[-1] == "d":
        room.run("set -o vi")
    elif room.shell == "zsh":
        room.run("bindkey -e")
    before = half_typed(room, "ls /usr/bin/", *keys)
    for action in ("run", "send"):
        answer = room.call(action, text="echo oops")
        assert answer.startswith(f"{REFUSAL}'ls /usr/bin/'"), answer
    assert room.screen() == before


@pytest.mark.skipif(MEMORY_IS_CLOSED, reason="nothing else tells that a key is not finished")
@in_rooms(["Escape", "C-x"], ["bash", "zsh"], turns=True)
def test_a_line_editor_that_waits_for_the_rest_of_a_key_takes_no_text(room, key):
    if room.shell == "zsh":
        room.run("bindkey -e")
    room.person("", key)
    settle(room)
    for action in ("run", "send"):
        answer = room.call(action, text="echo oops")
        assert answer.startswith("error: the line editor of ") and "keys C-g" in answer, answer
    assert "oops" not in room.screen()


@in_rooms(shells=["fish"], ready=False)
def test_letters_are_no_commands_in_fishs_vi_mode(room):
    fresh(room, "function fish_prompt; printf '[N] ~> '; end", "[N]")
    answer = room.call("run", text="echo oops")
    assert answer.startswith("error: the line editor of fish is in vi's command mode"), answer
    assert "oops" not in room.screen()


@pytest.mark.skipif(not shutil.which("mksh"), reason="mksh is not installed")
@in_rooms(["mksh", "bash --norc"], ["bash"])
def test_a_half_line_that_is_scrolled_sideways_is_not_run(room, shell):
    room.person(shell, "Enter")
    room.in_front(shell.split()[0])
    if shell != "mksh":
        room.run("bind 'set horizontal-scroll-mode on'")
    room.run("true")
    before = half_typed(room, LINE + " persons-half-line" * 15)
    for action in ("run", "send"):
        answer = room.call(action, text="echo oops")
        assert answer.startswith(REFUSAL) and "persons-half-line" in answer, answer
    assert room.screen() == before


@in_rooms(shells=EDITORS, ready=False)
def test_a_line_that_the_person_sends_off_at_that_moment_is_none(room):
    """It stands there at the first look and is gone at the second."""
    fresh(room)
    room.person("true", "Enter")
    answer = room.run("echo mine")
    assert answer.startswith("ready (shell)") and answer.body == "mine", answer


@in_rooms(shells=["bash"])
def test_a_persons_unfinished_command_at_a_remote_prompt_is_not_continued(room):
    """After C-c, too, which tells nothing of what came since."""
    is_verdict(room.ask("ssh host"), "ready (prompt matched)")
    room.ask("echo hi")
    room.call("run", text="sleep 9", timeout=0.3)
    is_verdict(room.interrupt(), "ready (prompt matched)")
    room.person("echo 'precious", "Enter")
    poll(lambda: room.screen().rstrip().endswith(">"), what="the sign for a further row")
    nobody_touches(room, f'{REFUSAL}"echo \'precious"')


# One's own


@in_rooms(["C-z", "C-q"], ["bash", "zsh"], turns=True)
def test_a_half_line_as_long_as_the_echo_of_the_agents_keys_is_the_persons(room, key):
    room.run("sleep 30", timeout=0.2)
    room.keys("C-z")
    if key != "C-z":
        room.keys(key, timeout=0)
    before = half_typed(room, "fg")
    for call in ({"action": "run", "text": "x"}, TYPES["interrupt"]):
        answer = room.call(**call)
        assert answer.startswith(f"{REFUSAL}'fg'") and "not yours" in answer, answer
    assert room.screen() == before


@in_rooms(
    {"sent": ("send", {"text": "12", "enter": False}), "pressed": ("keys", {"keys": "1 2"})},
    ["bash"],
)
def test_cold_the_agents_own_half_line_at_a_prompt_that_hides_its_state(room, case):
    """node's; the first call finds it there, and has seen nothing stand still."""
    action, arguments = case
    room.person("node", "Enter")
    room.see("\n>")
    room.call(action, **arguments)
    room.see("> 12")
    answer = room.call("run", text="7")
    assert answer.startswith("error: a half-typed line, your own, is at the prompt: '12'"), answer


@in_rooms(shells=EDITORS)
def test_the_agents_own_half_line_may_be_continued(room):
    room.send("echo one", enter=False)
    room.see("echo one")
    room.send(" two", enter=False)
    room.see("echo one two")
    answer = room.ask(" three")
    assert answer.startswith("ready (shell)") and answer.body == "one two three", answer


@in_rooms(shells=EDITORS)
def test_the_agents_half_line_that_a_person_went_on_with_is_the_persons(room):
    room.send("echo mine", enter=False)
    room.see("echo mine")
    half_typed(room, " and yours")
    assert room.call("send", text="!").startswith(f"{REFUSAL}'echo mine and yours'")


@in_rooms(["C-l", "x BSpace", "C-u"], ["bash", "zsh"], turns=True)
def test_a_half_line_typed_after_the_agents_keys_is_the_persons(room, keys):
    answer = room.keys(keys)
    assert answer.startswith("ready (shell)"), answer
    before = half_typed(room, " precious words")
    assert room.call("send", text="!").startswith("error: ")
    assert room.screen() == before


@in_rooms(shells=EDITORS)
def test_the_agents_line_made_with_keys_may_be_continued(room):
    room.run("echo learn")
    room.keys("Up")
    poll(lambda: room.screen().count("echo learn") == 2, what="the last command")
    answer = room.ask("ed")
    assert answer.startswith("ready (shell)") and answer.body == "learned", answer


@in_rooms(shells=EDITORS)
def test_after_a_persons_line_is_gone_typing_goes_on(room):
    half_typed(room, "half")
    assert room.call("send", text="x").startswith("error: ")
    room.person("", "C-u")
    settle(room)
    assert room.run("echo free", timeout=LIMIT).startswith("ready")
