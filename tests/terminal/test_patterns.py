"""The caller's own patterns: `until` is matched in new output and never in an echo, `prompt_pattern`
on the last line only, and no pattern hangs the tool."""

from __future__ import annotations

import time

from tests.support.house import LIMIT, alone, house, in_rooms, is_verdict

__all__ = ["house"]


@in_rooms(["Listening on", r"^Listening on \d+", r"on 80\d0$"])
def test_until_is_matched_in_output_and_not_in_the_echo(room, pattern):
    room.ends(
        "work silent 0.5; echo 'Listening on' 8080; sleep 30 # Listening on 9999; on 8080",
        "matched",
        "Listening on 8080",
        until=pattern,
    )


ROWS_MOVE = [
    "clear",
    r"printf '\033[H\033[2J\033[3J'",
    r"printf '\033c'",
    "seq 150",
    "seq 300",
    "seq 2500",
]


@in_rooms(ROWS_MOVE)
def test_until_is_matched_though_the_rows_moved_in_between(room, before):
    """A server that clears the screen first, and one whose terminal's history is just full."""
    room.run("seq 3000" if before.startswith("seq") else "seq 100")
    room.ends(
        f"{before}; work silent 0.3; echo Listen''ing on 8080; sleep 30",
        "matched",
        "Listening on 8080",
        until="Listening on",
        timeout=8,
    )


@in_rooms()
def test_until_does_not_match_what_was_there_before(room):
    room.ask("echo 'build ok'")
    text = "work silent 0.7; echo build ''ok; sleep 30"
    room.ends(text, "matched", "build ok", until="build ok")


@in_rooms()
def test_until_that_older_output_matches_hinders_nothing(room):
    room.run("echo up")
    text = "work silent 0.5; echo up; sleep 30"
    answer = room.run(text, until="^up")
    is_verdict(answer, "matched", "up")
    room.interrupt()
    assert room.run("echo down", until="^up").startswith("ready")


@in_rooms()
def test_until_is_matched_in_what_a_program_without_echo_prints_at_an_empty_line(room):
    room.ask("stty -echo; echo ready; cat > /dev/null", timeout=1)
    answer = room.ask("r", until="ready", timeout=1.5)
    assert not answer.startswith("matched"), answer
    room.keys("C-c")


@in_rooms()
def test_until_that_never_comes_ends_with_the_prompt(room):
    room.ends("work silent 0.5", "ready (shell)", until="never")


@in_rooms()
def test_until_matches_what_has_scrolled_away(room):
    text = "work silent 0.3; echo the wor''d; seq 200; sleep 30"
    room.ends(text, "matched", "the word", until="the word")


@in_rooms([200, 1500, 3600])
def test_until_in_a_long_command_that_wraps(room, length):
    text = f"true {'x' * length} needle; work silent 0.5; echo nee''dle; sleep 30 # needle"
    room.ends(text, "matched", "needle", until="needle")


# fish draws a command that is longer than its screen anew: a later call cannot tell that from output.
@in_rooms({"200": 200, "bash 3600": 3600, "zsh 3600": 3600, "dash 3600": 3600})
def test_until_at_the_end_of_a_long_command(room, length):
    """`run` in the same call, and a later call that knows of the text only what the pane keeps."""
    text = f"true {'word ' * (length // 5)}; work silent 0.7; echo EN''D; sleep 30; : END"
    answer = room.run(text, until="END")
    room.not_early(answer)
    is_verdict(answer, "matched", "END")
    room.interrupt()
    room.send(text)
    answer = room.wait(until="END")
    room.not_early(answer)
    is_verdict(answer, "matched", "END")


@in_rooms([r"cmd\]$", r"cmd\]", r"cmd\] $", r"^cmd\]\s*$"], ["bash"])
def test_prompt_pattern_of_a_program_with_its_own_prompt(room, pattern):
    for text in ("engine 'cmd] ' 0.8", "status", "again"):
        room.ends(text, "ready (pattern)", prompt_pattern=pattern)


@alone
def test_prompt_that_a_pattern_matched_is_known_from_then_on(room):
    room.ends("engine 'cmd] ' 0.3", "ready (pattern)", prompt_pattern=r"cmd\] $")
    room.ends("status", "ready (prompt matched)")
    is_verdict(room.run("again"), "ready (prompt matched)")


@in_rooms()
def test_prompt_pattern_is_looked_for_on_the_last_line_only(room):
    """In one write: for a moment between two it would be the last line."""
    text = "printf 'cmd] \\nnext\\n'; work silent 0.6"
    room.ends(text, "ready (shell)", prompt_pattern=r"^cmd\]")


@in_rooms(["until", "prompt_pattern"], ["bash"])
def test_catastrophic_pattern_is_an_error_and_no_hang(room, argument):
    room.send(f"printf '{'a' * 43}!'; sleep 30")
    room.see("aaaaa!")
    began = time.monotonic()
    answer = room.wait(**{argument: "(a+)+$"})
    assert answer.startswith(f"error: {argument} takes longer than "), answer
    assert time.monotonic() - began < LIMIT


@in_rooms(
    {"wait_ready": {"action": "wait_ready"}, "run": {"action": "run", "text": "stamp"}}, ["bash"]
)
def test_invalid_pattern_is_an_error_and_nothing_is_typed(room, action):
    for argument in ("until", "prompt_pattern"):
        before = room.screen()
        answer = room.call(**action, **{argument: "(unclosed"})
        assert answer.startswith(f"error: argument {argument!r}: not a regular expression: "), (
            answer
        )
        assert room.screen() == before
