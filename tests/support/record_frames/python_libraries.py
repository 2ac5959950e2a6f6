"""The prompt libraries of Python."""

from __future__ import annotations

from .asking import (
    ANSWERED,
    COLOUR,
    COLOURS,
    DONE,
    LONG,
    NAME,
    SECRET,
    SURE,
    question,
    refused,
    typed,
    wrapped,
)
from .steps import INPUT, KEY, PASSWORD, Frame, Keys, Moving, Scenario, See, Text


def working(library: str, form: str, see: str) -> Scenario:
    """Something that moves for some seconds."""
    steps = (See(see), Moving("working"), DONE, Frame("done"))
    return Scenario(name=f"{library}-{form}", command=f"ask-python {library} {form}", steps=steps)


QUESTIONARY = (
    question(
        "ask-python questionary",
        "text",
        INPUT,
        f"? {NAME}",
        *refused(INPUT, f"? {NAME}"),
        *typed("Jo", INPUT, f"? {NAME} Jo"),
        *ANSWERED,
        see=NAME,
    ),
    question("ask-python questionary", "default", INPUT, "? Project name my-app", see="my-app"),
    question(
        "ask-python questionary",
        "multiline",
        INPUT,
        "? Tell a story (Finish with 'Alt+Enter' or 'Esc then Enter')",
        see="Tell a",
    ),
    question(
        "ask-python questionary",
        "password",
        PASSWORD,
        f"? {SECRET}",
        *typed("abc", PASSWORD, f"? {SECRET}"),
    ),
    question("ask-python questionary", "confirm", KEY, f"? {SURE} (Y/n)"),
    question("ask-python questionary", "select", KEY, f"? {COLOUR} (Use arrow keys)", see="blue"),
    question("ask-python questionary", "rawselect", KEY, f"? {COLOUR} (Use shortcuts)", see="blue"),
    question(
        "ask-python questionary",
        "checkbox",
        KEY,
        f"? {COLOURS} (Use arrow keys to move, <space> to select, <a> to toggle, <i> to invert)",
        see="blue",
    ),
    question(
        "ask-python questionary",
        "autocomplete",
        INPUT,
        "? Find a colour",
        *typed("g", INPUT, "? Find a colour g"),
    ),
    question("ask-python questionary", "path", INPUT, "? Which file?"),
    question("ask-python questionary", "press", KEY, "Press any key to continue..."),
)
INQUIRERPY = (
    question(
        "ask-python inquirerpy",
        "text",
        INPUT,
        f"? {NAME}",
        *typed("Jo", INPUT, f"? {NAME} Jo"),
        *ANSWERED,
    ),
    question(
        "ask-python inquirerpy",
        "secret",
        PASSWORD,
        f"? {SECRET}",
        *typed("abc", PASSWORD, f"? {SECRET}"),
    ),
    question("ask-python inquirerpy", "password", PASSWORD, "? Password:"),
    question("ask-python inquirerpy", "number", INPUT, "? How old are you? 0"),
    question("ask-python inquirerpy", "confirm", KEY, f"? {SURE} (y/N)"),
    question("ask-python inquirerpy", "select", KEY, f"? {COLOUR}:", see="blue"),
    question("ask-python inquirerpy", "checkbox", KEY, f"? {COLOURS}:", see="blue"),
    question(
        "ask-python inquirerpy",
        "fuzzy",
        KEY,
        "? Find a colour:",
        *typed("gr", KEY, "? Find a colour:"),
        see="blue",
    ),
    question("ask-python inquirerpy", "rawlist", INPUT, f"? {COLOUR}: 1", see="blue"),
    question("ask-python inquirerpy", "filepath", INPUT, "? Which file?"),
)
PYINQUIRER = (
    question(
        "ask-python pyinquirer",
        "text",
        INPUT,
        f"[?] {NAME}:",
        *typed("Jo", INPUT, f"[?] {NAME}: Jo"),
        see=NAME,
    ),
    question(
        "ask-python pyinquirer",
        "password",
        PASSWORD,
        f"[?] {SECRET}:",
        *typed("abc", PASSWORD, f"[?] {SECRET}:"),
        see=SECRET,
    ),
    question("ask-python pyinquirer", "confirm", KEY, f"[?] {SURE} (y/N):", see=SURE),
    question("ask-python pyinquirer", "list", KEY, f"[?] {COLOUR}:", see="blue"),
    question("ask-python pyinquirer", "checkbox", KEY, f"[?] {COLOURS}:", see="blue"),
    question("ask-python menu", "list", KEY, COLOUR, see="blue"),
)
PROMPT_TOOLKIT = (
    question(
        "ask-python prompt_toolkit",
        "plain",
        INPUT,
        NAME,
        *typed("Jo", INPUT, f"{NAME} Jo"),
        *ANSWERED,
    ),
    question("ask-python prompt_toolkit", "placeholder", INPUT, "Give a name:", see="Jane Doe"),
    question(
        "ask-python prompt_toolkit",
        "password",
        PASSWORD,
        "Enter password:",
        *typed("abc", PASSWORD, "Enter password:"),
    ),
    question("ask-python prompt_toolkit", "toolbar", INPUT, "Value:"),
    question("ask-python prompt_toolkit", "right", INPUT, "Value:"),
    question("ask-python prompt_toolkit", "multiline", INPUT, "Tell a story:"),
    question("ask-python prompt_toolkit", "confirm", KEY, f"{SURE} (y/n)"),
    question("ask-python prompt_toolkit", "dialog", KEY, SURE),
)
LINES = (
    question("ask-python rich", "text", INPUT, "What is your name (Jane):"),
    question("ask-python rich", "choices", INPUT, "Pick a colour [red/green/blue] (red):"),
    question("ask-python rich", "confirm", INPUT, f"{SURE} [y/n]:"),
    question("ask-python rich", "password", PASSWORD, f"{SECRET}:"),
    working("rich", "progress", "Installing"),
    working("rich", "status", "Working"),
    question("ask-python click", "text", INPUT, "Your name [Jane]:"),
    question(
        "ask-python click",
        "password",
        PASSWORD,
        "Password:",
        Text("abc"),
        Keys("Enter"),
        See("Repeat"),
        Frame("again", PASSWORD, "Repeat for confirmation:"),
    ),
    question("ask-python click", "confirm", INPUT, f"{SURE} [y/N]:"),
    question("ask-python click", "pause", KEY, "Press any key to continue..."),
    question("ask-python click", "choice", INPUT, "Colour (red, green, blue):"),
    question(
        "ask-python builtin", "input", INPUT, NAME, *typed("Jo", INPUT, f"{NAME} Jo"), *ANSWERED
    ),
    question("ask-python builtin", "getpass", PASSWORD, "Password:"),
    question("ask-python builtin", "token", PASSWORD, "Paste an authentication token:"),
    question(
        "ask-python builtin",
        "login",
        INPUT,
        "Username:",
        Text("jo"),
        Keys("Enter"),
        See("Password"),
        Frame("password", PASSWORD, "Password:"),
    ),
    question("ask-python builtin", "menu", INPUT, ">", see="3) Cancel"),
)
NARROW = (
    wrapped("ask-python questionary", INPUT, f"? {LONG}"),
    wrapped("ask-python builtin", INPUT, f"{LONG} [y/N]"),
)
SCENARIOS = (*QUESTIONARY, *INQUIRERPY, *PYINQUIRER, *PROMPT_TOOLKIT, *LINES, *NARROW)
