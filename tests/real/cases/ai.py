"""AI command lines with a scripted model on loopback: idle, at work, asking, failing."""

from ..table import Case, Step, press, run, send

WAIT = 60.0  # seconds: they start slowly
KEY = "needs key: …"
HOME = "export HOME=$PWD; git init -q; "
ROOT = ("readable", "yama")  # what they are installed into is root's


def work(idle: str) -> list[Step]:
    """A slow first token, a streamed answer, an error of the provider."""
    return [
        send("FAKE:pause 4", idle, takes=4, moving=True, has="DONE", timeout=WAIT),
        send("FAKE:slow 40 0.1", idle, takes=4, moving=True, has="word39", timeout=WAIT),
        send("FAKE:error 400", idle, has="400", timeout=WAIT),
        send("FAKE:say all is well", idle, has="all is well", timeout=WAIT),
    ]


def stall(idle: str) -> Step:
    """An answer that pauses in the middle. Codex shows its idle box then, and nothing else."""
    return send("FAKE:stall 4", idle, takes=4, moving=True, timeout=WAIT)


CLAUDE = "needs input: ❯… | ready"
CODEX = "needs input: ›… | ready"
AIDER = "needs input: >… | ready"
GEMINI = "needs input: …Type your message… | ready"
CASES = [
    Case(
        name="Claude Code",
        needs=("ai",),
        tools=("claude",),
        worlds=ROOT,
        steps=[
            run(HOME + "claude-on-loopback", KEY, has="Choose the text style", timeout=WAIT),
            press("Enter", KEY, has="Security notes"),
            press("Enter", KEY, has="I trust this"),
            press("Enter", CLAUDE, has="for shortcuts"),
            *work(CLAUDE),
            stall(CLAUDE),
            send("FAKE:bash sleep 4; touch made", KEY, has="Do you want to proceed?"),
            press("Enter", CLAUDE, takes=4, has="DONE"),
            send("FAKE:question", KEY, has="Which colour is it to be?"),
            press("Enter", CLAUDE, has="DONE"),
            send("/exit", "ready (shell)"),
        ],
    ),
    Case(
        name="Codex",
        needs=("ai",),
        tools=("codex",),
        worlds=ROOT,
        steps=[
            run(HOME + "codex-on-loopback", KEY, has="Trust this folder", timeout=WAIT),
            press("Enter", CODEX, has="for shortcuts"),
            *work(CODEX),
            send("FAKE:bash sleep 4", CODEX, takes=4, has="DONE"),
            send("FAKE:ask touch made", KEY, has="Press enter to confirm"),
            press("Enter", CODEX, has="DONE"),
            send("/quit", "ready (shell)"),
        ],
    ),
    Case(
        name="aider",
        needs=("ai",),
        tools=("aider",),
        worlds=ROOT,
        steps=[
            run(
                HOME + "aider-on-loopback", "needs input: Add .aider* to .gitignore…", timeout=WAIT
            ),
            send(
                "", "needs input: Would you like to see what's new in this version?…", timeout=WAIT
            ),
            send("n", AIDER, timeout=WAIT),
            *work(AIDER),
            stall(AIDER),
            send("/add nofile", "needs input: …(Y)es/(N)o [Yes]:", has="No files matched"),
            send("n", AIDER),
            send("/exit", "ready (shell)"),
        ],
    ),
    Case(
        name="Gemini",
        needs=("ai",),
        tools=("gemini",),
        worlds=ROOT,
        steps=[
            run(HOME + "gemini-on-loopback", KEY, has="Do you trust", timeout=WAIT),
            press("Enter", KEY, has="How would you like to authenticate", timeout=WAIT),
            press("Enter", "needs password: …", has="Enter Gemini API Key", timeout=WAIT),
            press("Enter", GEMINI, timeout=WAIT),
            *work(GEMINI),
            stall(GEMINI),
            send("FAKE:bash touch made; sleep 3", KEY, has="Allow execution"),
            press("Enter", GEMINI, takes=3, has="DONE"),
            send("/quit", "ready (shell)", timeout=WAIT),
        ],
    ),
]
