"""Keys that leave no trace on the screen: what somebody has begun at a hidden question is never continued,
whoever pressed them and however soon."""

import subprocess

from tests.support.terminal import Terminal, poll

ASKS = "read -s -p 'Password: ' x; echo; echo \"<$x>\""
ROUNDS = 3  # tmux stamps keys by the second: at least one falls into that of the call before


def asked(terminal: Terminal) -> None:
    answer = terminal.run(ASKS)
    assert answer.startswith("needs password"), answer


def refused(terminal: Terminal) -> None:
    answer = terminal.call("send", text="agents", timeout=3)
    assert answer.startswith("error: someone typed before bash asked"), answer
    terminal.person("", "Enter")
    terminal.see("<abc>")


def test_keys_of_a_client_in_control_mode_are_somebodys(terminal):
    """They leave no stamp that tells when."""
    words = [*terminal.server.words, "-C", "attach", "-t", f"={terminal.name}"]
    quiet = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    with subprocess.Popen(words, **quiet, text=True) as program:
        poll(lambda: terminal.tmux("list-clients"), what="a client")
        asked(terminal)
        print(f"send-keys -t ={terminal.name}: abc", file=program.stdin, flush=True)
        print("set-buffer typed", file=program.stdin, flush=True)
        poll(terminal.buffers, what="what was typed")
        refused(terminal)
        program.kill()


def test_a_key_in_the_second_of_the_question_is_somebodys(terminal):
    """They have answered the question before: the stamp of that key is the next one's too."""
    terminal.attach()
    for _ in range(ROUNDS):
        answer = terminal.run(f"read -s -p 'First: ' x; echo; {ASKS}")
        assert answer.startswith("needs password"), answer
        terminal.person("one", "Enter")
        answer = terminal.wait()
        assert answer.startswith("needs password") and "Password:" in answer.first, answer
        terminal.person("abc")
        refused(terminal)
        terminal.run("clear")
