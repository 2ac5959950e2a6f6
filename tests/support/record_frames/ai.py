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
SCENARIOS = (
    Scenario(name="claude-code", command="claude-on-loopback", steps=CLAUDE),
    Scenario(name="codex-cli", command="codex-on-loopback", steps=CODEX),
    Scenario(name="gemini-cli", command="gemini-on-loopback", steps=GEMINI),
)
