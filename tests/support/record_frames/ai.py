"""AI command lines, with a scripted model on loopback (tests/support/fake_apis.py)."""

from __future__ import annotations

from .steps import INPUT, KEY, PASSWORD, Frame, Keys, Moving, Scenario, See, Step, Text


def says(prompt: str, see: str = "") -> tuple[Step, ...]:
    """A prompt is typed and, once it is drawn, sent."""
    return (Text(prompt), See(see or prompt), Keys("Enter"))


def works(state: str, prompt: str, see: str, done: str) -> tuple[Step, ...]:
    """Something that takes seconds: pictures of it, then its end."""
    return (
        *says(prompt),
        See(see),
        Moving(state, count=4, seconds=0.4),
        See(done),
        Frame(f"{state}-done", INPUT, "{box}"),
    )


def work(see: str, streaming: str) -> tuple[Step, ...]:
    """A slow first token, a streamed answer."""
    return (
        *works("thinking", "FAKE:pause 4", see, "DONE"),
        *works("streaming", "FAKE:slow 40 0.1", streaming, "word39"),
    )


def draft(quote: str) -> tuple[Step, ...]:
    """Two lines that are not sent."""
    typing = (Text("two"), Keys("C-j"), Text("lines"), See("lines"))
    return (*typing, Frame("draft", INPUT, quote), *[Keys("BSpace")] * 9)


def boxed(box: str, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """`steps` with the text of the idle box put in."""
    return tuple(
        Frame(step.state, step.kind, step.text.replace("{box}", box))
        if isinstance(step, Frame)
        else step
        for step in steps
    )


TRUST_CLAUDE = (
    "Quick safety check: Is this a project you created or one you trust? (Like your own code, a"
)
CLAUDE = boxed(
    "❯",
    (
        See("Choose the text"),
        Frame("theme", KEY, "Choose the text style that looks best with your terminal"),
        Keys("Enter"),
        See("Security notes"),
        Frame("notes", KEY, "Press Enter to continue…"),
        Keys("Enter"),
        See("I trust this"),
        Frame("trust", KEY, TRUST_CLAUDE),
        Keys("Enter"),
        See("for shortcuts"),
        Frame("idle", INPUT, "{box}"),
        Text("hello there"),
        Frame("typed", INPUT, "{box} hello there"),
        Keys("C-u"),
        *work("to interrupt", "word5"),
        *says("FAKE:bash sleep 4; touch made"),
        See("Do you want to proceed"),
        Frame("permission", KEY, "Do you want to proceed?"),
        Keys("Enter"),
        See("Running"),
        Moving("tool"),
        See("No output"),
        See("for shortcuts"),
        Frame("tool-done", INPUT, "{box}"),
        *says("FAKE:error 400"),
        See("API Error"),
        Frame("error", INPUT, "{box}"),
    ),
)
CODEX = boxed(
    "› Ask Codex to do anything",
    (
        See("? for shortcuts"),
        Frame("idle", INPUT, "{box}"),
        Text("hello there"),
        Frame("typed", INPUT, "› hello there"),
        Keys("C-u"),
        *work("to interrupt", "word5"),
        *says("FAKE:bash sleep 4"),
        See("Working"),
        Moving("tool"),
        See("Ran sleep"),
        See("? for shortcuts"),
        Frame("tool-done", INPUT, "{box}"),
        *says("FAKE:ask touch made"),
        See("Press enter to confirm"),
        Frame("permission", KEY, "Reason: May it be made?"),
        Keys("Enter"),
        See("Ran touch"),
        Frame("permission-done", INPUT, "{box}"),
        *says("FAKE:error 400"),
        See("says 400"),
        Frame("error", INPUT, "{box}"),
    ),
)
GEMINI = boxed(
    "> Type your message or @path/to/file",
    (
        See("Do you trust"),
        Frame("trust", KEY, "Do you trust the files in this folder?"),
        Keys("Enter"),
        See("How would you like"),
        Frame("account", KEY, "How would you like to authenticate for this project?"),
        Keys("Enter"),
        See("Enter Gemini API Key"),
        Frame(
            "key",
            PASSWORD,
            "Please enter your Gemini API key. It will be securely stored in your system keychain.",
        ),
        Keys("Enter"),
        See("Type your message"),
        Frame("idle", INPUT, "{box}"),
        Text("hello there"),
        Frame("typed", INPUT, "> hello there"),
        Keys("C-u"),
        *work("esc to cancel", "word5"),
        *says("FAKE:bash touch made; sleep 3"),
        See("Allow execution"),
        Frame("permission", KEY, "Allow execution of [Shell]?"),
        Keys("Enter"),
        See("Thinking"),
        Moving("tool"),
        See("DONE"),
        See("? for shortcuts"),
        Frame("tool-done", INPUT, "{box}"),
        *says("FAKE:error 400"),
        See("API Error"),
        Frame("error", INPUT, "{box}"),
    ),
)
AIDER = boxed(
    ">",
    (
        See("Add .aider"),
        Frame("gitignore", INPUT, "Add .aider* to .gitignore (recommended)? (Y)es/(N)o [Yes]:"),
        Keys("Enter"),
        See("what's new"),
        Frame("news", INPUT, "Would you like to see what's new in this version? (Y)es/(N)o [Yes]:"),
        Text("n"),
        Keys("Enter"),
        See("\n>\n"),
        Frame("idle", INPUT, "{box}"),
        Text("hello there"),
        Frame("typed", INPUT, "> hello there"),
        Keys("C-u"),
        *work("Waiting for", "word5"),
        *says("/add nofile"),
        See("(Y)es/(N)o"),
        Frame(
            "permission",
            INPUT,
            "No files matched 'nofile'. Do you want to create "
            "/tmp/frames/aider/p/nofile? (Y)es/(N)o [Yes]:",
        ),
        Text("n"),
        Keys("Enter"),
        *says("FAKE:error 400"),
        See("says 400"),
        Frame("error", INPUT, "{box}"),
    ),
)
CLAUDE_ASKS = (
    See("I trust this"),
    Keys("Enter"),
    See("API key"),
    Frame("key", KEY, "Do you want to use this API key?"),
    Keys("Up"),
    See("❯ 1. Yes"),
    Keys("Enter"),
    See("for shortcuts"),
    *says("FAKE:question"),
    See("Red"),
    Frame("question", KEY, "Which colour is it to be?"),
    Keys("Enter"),
    See("DONE"),
    *says("/model"),
    See("Select model"),
    Frame("model", KEY, "Select model"),
    Keys("Escape"),
    See("? for shortcuts"),
    *draft("❯ two"),
    *says("FAKE:stall 5"),
    See("to interrupt"),
    Moving("stalled"),
)
CODEX_ASKS = (
    See("Trust this folder"),
    Frame(
        "trust",
        KEY,
        "Trust this folder? Codex can read, edit, and run files here, subject to your permission",
    ),
    Keys("Enter"),
    See("? for shortcuts"),
    *says("FAKE:stall 5"),
    See("half an"),
    Frame("stalled"),
    See("Worked for"),
    Frame("stalled-done", INPUT, "› Ask Codex to do anything"),
    *draft("› two"),
    *says("/model"),
    See("Select"),
    Frame("model", KEY, "Select Model and Effort"),
)
CLAUDE_KEY = (
    """echo '{"hasCompletedOnboarding": true}' >~/.claude.json; """
    "ANTHROPIC_API_KEY=no-real-key-but-long-enough claude-on-loopback"
)
SCENARIOS = (
    Scenario(name="aider", command="git init -q; aider-on-loopback", steps=AIDER),
    Scenario(name="claude-asks", command=CLAUDE_KEY, steps=CLAUDE_ASKS),
    Scenario(name="codex-asks", command="git init -q; codex-on-loopback", steps=CODEX_ASKS),
    Scenario(name="claude-code", command="claude-on-loopback", steps=CLAUDE),
    Scenario(name="codex-cli", command="codex-on-loopback", steps=CODEX),
    Scenario(name="gemini-cli", command="gemini-on-loopback", steps=GEMINI),
)
