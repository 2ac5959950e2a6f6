"""The prompt libraries of node and Python."""

from __future__ import annotations

from .steps import INPUT, KEY, PASSWORD, Frame, Keys, Moving, Scenario, See, Step, Text, asked

NODE = "ask-node"
PYTHON = "ask-python"
NAME = "What is your name?"
COLOUR = "Pick a colour"
COLOURS = "Pick colours"
SECRET = "Secret word"
SURE = "Shall we go on?"
DONE = See("\n$\n")


def question(
    library: str, form: str, kind: str, text: str, *more: Step, see: str = "", run: str = NODE
) -> Scenario:
    """One library's one question: asked, then `more`."""
    steps = (*asked(kind, text, see), *more)
    return Scenario(name=f"{library}-{form}", command=f"{run} {library} {form}", steps=steps)


def typed(text: str, kind: str, quote: str, state: str = "typed") -> tuple[Step, ...]:
    """Something is typed and not sent yet."""
    return (Text(text), Frame(state, kind, quote))


def refused(kind: str, quote: str) -> tuple[Step, ...]:
    """An empty answer is refused with an error message."""
    return (Keys("Enter"), See("Please say"), Frame("error", kind, quote))


ANSWERED = (Keys("Enter"), DONE, Frame("done"))

PROMPTS = (
    question(
        "prompts",
        "text",
        INPUT,
        f"? {NAME}",
        *refused(INPUT, f"? {NAME}"),
        *typed("Jo", INPUT, f"? {NAME} › Jo"),
        *ANSWERED,
        see=NAME,
    ),
    question(
        "prompts",
        "initial",
        INPUT,
        "? Project name › my-app",
        *typed("x", INPUT, "? Project name › x"),
        see="my-app",
    ),
    question(
        "prompts", "password", PASSWORD, f"? {SECRET}", *typed("abc", PASSWORD, f"? {SECRET}")
    ),
    question("prompts", "invisible", PASSWORD, f"? {SECRET}"),
    question(
        "prompts",
        "number",
        INPUT,
        "? How old are you?",
        *typed("7", INPUT, "? How old are you? › 7"),
    ),
    question("prompts", "confirm", KEY, f"? {SURE} › (y/N)", see=SURE),
    question("prompts", "toggle", KEY, "? Use it? › no / yes", see="Use it?"),
    question("prompts", "list", INPUT, "? Keywords"),
    question(
        "prompts",
        "select",
        KEY,
        f"? {COLOUR} › - Use arrow-keys. Return to submit.",
        Keys("Down"),
        Frame("moved", KEY, f"? {COLOUR} › - Use arrow-keys. Return to submit."),
        see="blue",
    ),
    question("prompts", "multiselect", KEY, f"? {COLOURS}", see="blue"),
    question(
        "prompts",
        "autocomplete",
        KEY,
        "? Find a colour",
        *typed("gr", KEY, "? Find a colour › gr"),
        see="blue",
    ),
    question("prompts", "date", KEY, "? When is it? › 2024-01-02 03:04:05", see="When"),
)

ENQUIRER = (
    question(
        "enquirer",
        "input",
        INPUT,
        f"? {NAME}",
        *refused(INPUT, f"? {NAME}"),
        *typed("Jo", INPUT, f"? {NAME} ‣ Jo"),
        *ANSWERED,
        see=NAME,
    ),
    question(
        "enquirer",
        "initial",
        INPUT,
        "? Project name ‣ my-app",
        *typed("x", INPUT, "? Project name ‣ x"),
        see="my-app",
    ),
    question(
        "enquirer", "password", PASSWORD, f"? {SECRET}", *typed("abc", PASSWORD, f"? {SECRET}")
    ),
    question("enquirer", "invisible", PASSWORD, f"? {SECRET}"),
    question("enquirer", "numeral", INPUT, "? How old are you?"),
    question("enquirer", "confirm", KEY, f"? {SURE} (y/N) ‣ false", see=SURE),
    question("enquirer", "toggle", KEY, "? Use it? ‣ No / Yes", see="Use it?"),
    question("enquirer", "list", INPUT, "? Keywords"),
    question("enquirer", "select", KEY, f"? {COLOUR}", see="blue"),
    question("enquirer", "multiselect", KEY, f"? {COLOURS}", see="blue"),
    question(
        "enquirer",
        "autocomplete",
        KEY,
        "? Find a colour",
        *typed("gr", KEY, "? Find a colour … gr"),
        see="blue",
    ),
    question("enquirer", "form", KEY, "? About you", see="Last name"),
)
INQUIRER = (
    question(
        "inquirer",
        "input",
        INPUT,
        f"? {NAME}",
        *refused(INPUT, f"? {NAME}"),
        *typed("Jo", INPUT, f"? {NAME} Jo"),
        *ANSWERED,
        see=NAME,
    ),
    question(
        "inquirer", "password", PASSWORD, f"? {SECRET}", *typed("abc", PASSWORD, f"? {SECRET}")
    ),
    question("inquirer", "confirm", KEY, f"? {SURE} (Y/n)"),
    question("inquirer", "select", KEY, f"? {COLOUR}", see="blue"),
    question("inquirer", "checkbox", KEY, f"? {COLOURS}", see="blue"),
    question(
        "inquirer2",
        "input",
        INPUT,
        "? Project name (my-app)",
        *typed("x", INPUT, "? Project name x"),
    ),
    question("inquirer2", "number", INPUT, "? How old are you?"),
    question(
        "inquirer2", "password", PASSWORD, f"? {SECRET}", *typed("abc", PASSWORD, f"? {SECRET}")
    ),
    question(
        "inquirer2", "silent", PASSWORD, f"? {SECRET}", *typed("abc", PASSWORD, f"? {SECRET}")
    ),
    question("inquirer2", "confirm", KEY, f"? {SURE} (Y/n)", *typed("n", KEY, f"? {SURE} (Y/n) n")),
    question("inquirer2", "select", KEY, f"? {COLOUR}", see="blue"),
    question("inquirer2", "checkbox", KEY, f"? {COLOURS}", see="blue"),
    question("inquirer2", "rawlist", INPUT, f"? {COLOUR}", see="blue"),
    question("inquirer2", "expand", INPUT, f"? {COLOUR} (rgbH)", see=COLOUR),
    question(
        "inquirer2",
        "search",
        KEY,
        "? Find a colour",
        *typed("gr", KEY, "? Find a colour gr"),
        see="blue",
    ),
    question(
        "inquirer2",
        "editor",
        KEY,
        "? Tell a story Press <enter> to launch your preferred editor.",
        see="Tell a story",
    ),
)
CLACK = (
    question(
        "clack", "text", INPUT, NAME, *refused(INPUT, NAME), *typed("Jo", INPUT, NAME), *ANSWERED
    ),
    question("clack", "placeholder", INPUT, "Project name", see="my-app"),
    question("clack", "initial", INPUT, "Project name", see="my-app"),
    question("clack", "password", PASSWORD, SECRET, *typed("abc", PASSWORD, SECRET)),
    question("clack", "confirm", KEY, SURE),
    question("clack", "select", KEY, COLOUR, see="blue"),
    question("clack", "multiselect", KEY, COLOURS, see="blue"),
    question(
        "clack",
        "autocomplete",
        KEY,
        "Find a colour",
        *typed("gr", KEY, "Find a colour"),
        see="blue",
    ),
    question("clack", "multiline", INPUT, "Tell a story", *typed("Once", INPUT, "Tell a story")),
    Scenario(
        name="clack-spinner",
        command=f"{NODE} clack spinner",
        steps=(See("Installing"), Moving("working"), DONE, Frame("done")),
    ),
)
READLINE = (
    question("readline", "npm", INPUT, "Ok to proceed? (y)"),
    question("readline", "plain", INPUT, NAME, *typed("Jo", INPUT, f"{NAME} Jo"), *ANSWERED),
    question("readline", "angle", INPUT, "Value>"),
    question("key", "press", KEY, "Press any key to continue..."),
)


def python(library: str, form: str, kind: str, text: str, *more: Step, see: str = "") -> Scenario:
    return question(library, form, kind, text, *more, see=see, run=PYTHON)


def working(library: str, form: str, see: str) -> Scenario:
    steps = (See(see), Moving("working"), DONE, Frame("done"))
    return Scenario(name=f"{library}-{form}", command=f"{PYTHON} {library} {form}", steps=steps)


QUESTIONARY = (
    python(
        "questionary",
        "text",
        INPUT,
        f"? {NAME}",
        *refused(INPUT, f"? {NAME}"),
        *typed("Jo", INPUT, f"? {NAME} Jo"),
        *ANSWERED,
        see=NAME,
    ),
    python("questionary", "default", INPUT, "? Project name my-app", see="my-app"),
    python(
        "questionary",
        "multiline",
        INPUT,
        "? Tell a story (Finish with 'Alt+Enter' or 'Esc then Enter')",
        see="Tell a",
    ),
    python(
        "questionary", "password", PASSWORD, f"? {SECRET}", *typed("abc", PASSWORD, f"? {SECRET}")
    ),
    python("questionary", "confirm", KEY, f"? {SURE} (Y/n)"),
    python("questionary", "select", KEY, f"? {COLOUR} (Use arrow keys)", see="blue"),
    python("questionary", "rawselect", KEY, f"? {COLOUR} (Use shortcuts)", see="blue"),
    python(
        "questionary",
        "checkbox",
        KEY,
        f"? {COLOURS} (Use arrow keys to move, <space> to select, <a> to toggle, <i> to invert)",
        see="blue",
    ),
    python(
        "questionary",
        "autocomplete",
        INPUT,
        "? Find a colour",
        *typed("g", INPUT, "? Find a colour g"),
    ),
    python("questionary", "path", INPUT, "? Which file?"),
    python("questionary", "press", KEY, "Press any key to continue..."),
)
INQUIRERPY = (
    python(
        "inquirerpy", "text", INPUT, f"? {NAME}", *typed("Jo", INPUT, f"? {NAME} Jo"), *ANSWERED
    ),
    python("inquirerpy", "secret", PASSWORD, f"? {SECRET}", *typed("abc", PASSWORD, f"? {SECRET}")),
    python("inquirerpy", "password", PASSWORD, "? Password:"),
    python("inquirerpy", "number", INPUT, "? How old are you? 0"),
    python("inquirerpy", "confirm", KEY, f"? {SURE} (y/N)"),
    python("inquirerpy", "select", KEY, f"? {COLOUR}:", see="blue"),
    python("inquirerpy", "checkbox", KEY, f"? {COLOURS}:", see="blue"),
    python(
        "inquirerpy",
        "fuzzy",
        KEY,
        "? Find a colour:",
        *typed("gr", KEY, "? Find a colour:"),
        see="blue",
    ),
    python("inquirerpy", "rawlist", INPUT, f"? {COLOUR}: 1", see="blue"),
    python("inquirerpy", "filepath", INPUT, "? Which file?"),
)
PROMPT_TOOLKIT = (
    python("prompt_toolkit", "plain", INPUT, NAME, *typed("Jo", INPUT, f"{NAME} Jo"), *ANSWERED),
    python("prompt_toolkit", "placeholder", INPUT, "Give a name:", see="Jane Doe"),
    python(
        "prompt_toolkit",
        "password",
        PASSWORD,
        "Enter password:",
        *typed("abc", PASSWORD, "Enter password:"),
    ),
    python("prompt_toolkit", "toolbar", INPUT, "Value:"),
    python("prompt_toolkit", "right", INPUT, "Value:"),
    python("prompt_toolkit", "multiline", INPUT, "Tell a story:"),
    python("prompt_toolkit", "confirm", KEY, f"{SURE} (y/n)"),
    python("prompt_toolkit", "dialog", KEY, SURE),
)
LINES = (
    python("rich", "text", INPUT, "What is your name (Jane):"),
    python("rich", "choices", INPUT, "Pick a colour [red/green/blue] (red):"),
    python("rich", "confirm", INPUT, f"{SURE} [y/n]:"),
    python("rich", "password", PASSWORD, f"{SECRET}:"),
    working("rich", "progress", "Installing"),
    working("rich", "status", "Working"),
    python("click", "text", INPUT, "Your name [Jane]:"),
    python(
        "click",
        "password",
        PASSWORD,
        "Password:",
        Text("abc"),
        Keys("Enter"),
        See("Repeat"),
        Frame("again", PASSWORD, "Repeat for confirmation:"),
    ),
    python("click", "confirm", INPUT, f"{SURE} [y/N]:"),
    python("click", "pause", KEY, "Press any key to continue..."),
    python("click", "choice", INPUT, "Colour (red, green, blue):"),
    python("builtin", "input", INPUT, NAME, *typed("Jo", INPUT, f"{NAME} Jo"), *ANSWERED),
    python("builtin", "getpass", PASSWORD, "Password:"),
    python("builtin", "token", PASSWORD, "Paste an authentication token:"),
    python(
        "builtin",
        "login",
        INPUT,
        "Username:",
        Text("jo"),
        Keys("Enter"),
        See("Password"),
        Frame("password", PASSWORD, "Password:"),
    ),
    python("builtin", "menu", INPUT, ">", see="3) Cancel"),
)
LONG = "Which of the many possible names do you want to give to it?"
NARROW = tuple(
    Scenario(
        name=f"narrow-{library}",
        command=f"{program} {library} long",
        steps=(See("it?"), Frame("asking", INPUT, text)),
        width=44,
    )
    for program, library, text in (
        (NODE, "prompts", f"? {LONG}"),
        (NODE, "inquirer", f"? {LONG}"),
        (PYTHON, "questionary", f"? {LONG}"),
        (NODE, "clack", LONG),
        (NODE, "readline", LONG),
        (PYTHON, "builtin", f"{LONG} [y/N]"),
    )
)
SCENARIOS = (
    *NARROW,
    *PROMPTS,
    *ENQUIRER,
    *INQUIRER,
    *CLACK,
    *READLINE,
    *QUESTIONARY,
    *INQUIRERPY,
    *PROMPT_TOOLKIT,
    *LINES,
)
