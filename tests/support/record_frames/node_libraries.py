"""The prompt libraries of node."""

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
from .steps import INPUT, KEY, PASSWORD, Frame, Keys, Moving, Scenario, See

PROMPTS = (
    question(
        "ask-node prompts",
        "text",
        INPUT,
        f"? {NAME}",
        *refused(INPUT, f"? {NAME}"),
        *typed("Jo", INPUT, f"? {NAME} › Jo"),
        *ANSWERED,
        see=NAME,
    ),
    question(
        "ask-node prompts",
        "initial",
        INPUT,
        "? Project name › my-app",
        *typed("x", INPUT, "? Project name › x"),
        see="my-app",
    ),
    question(
        "ask-node prompts",
        "password",
        PASSWORD,
        f"? {SECRET}",
        *typed("abc", PASSWORD, f"? {SECRET}"),
    ),
    question("ask-node prompts", "invisible", PASSWORD, f"? {SECRET}"),
    question(
        "ask-node prompts",
        "number",
        INPUT,
        "? How old are you?",
        *typed("7", INPUT, "? How old are you? › 7"),
    ),
    question("ask-node prompts", "confirm", KEY, f"? {SURE} › (y/N)", see=SURE),
    question("ask-node prompts", "toggle", KEY, "? Use it? › no / yes", see="Use it?"),
    question("ask-node prompts", "list", INPUT, "? Keywords"),
    question(
        "ask-node prompts",
        "select",
        KEY,
        f"? {COLOUR} › - Use arrow-keys. Return to submit.",
        Keys("Down"),
        Frame("moved", KEY, f"? {COLOUR} › - Use arrow-keys. Return to submit."),
        see="blue",
    ),
    question("ask-node prompts", "multiselect", KEY, f"? {COLOURS}", see="blue"),
    question(
        "ask-node prompts",
        "autocomplete",
        KEY,
        "? Find a colour",
        *typed("gr", KEY, "? Find a colour › gr"),
        see="blue",
    ),
    question("ask-node prompts", "date", KEY, "? When is it? › 2024-01-02 03:04:05", see="When"),
)

ENQUIRER = (
    question(
        "ask-node enquirer",
        "input",
        INPUT,
        f"? {NAME}",
        *refused(INPUT, f"? {NAME}"),
        *typed("Jo", INPUT, f"? {NAME} ‣ Jo"),
        *ANSWERED,
        see=NAME,
    ),
    question(
        "ask-node enquirer",
        "initial",
        INPUT,
        "? Project name ‣ my-app",
        *typed("x", INPUT, "? Project name ‣ x"),
        see="my-app",
    ),
    question(
        "ask-node enquirer",
        "password",
        PASSWORD,
        f"? {SECRET}",
        *typed("abc", PASSWORD, f"? {SECRET}"),
    ),
    question("ask-node enquirer", "invisible", PASSWORD, f"? {SECRET}"),
    question("ask-node enquirer", "numeral", INPUT, "? How old are you?"),
    question("ask-node enquirer", "confirm", KEY, f"? {SURE} (y/N) ‣ false", see=SURE),
    question("ask-node enquirer", "toggle", KEY, "? Use it? ‣ No / Yes", see="Use it?"),
    question("ask-node enquirer", "list", INPUT, "? Keywords"),
    question("ask-node enquirer", "select", KEY, f"? {COLOUR}", see="blue"),
    question("ask-node enquirer", "multiselect", KEY, f"? {COLOURS}", see="blue"),
    question(
        "ask-node enquirer",
        "autocomplete",
        KEY,
        "? Find a colour",
        *typed("gr", KEY, "? Find a colour … gr"),
        see="blue",
    ),
    question("ask-node enquirer", "form", KEY, "? About you", see="Last name"),
)
INQUIRER = (
    question(
        "ask-node inquirer",
        "input",
        INPUT,
        f"? {NAME}",
        *refused(INPUT, f"? {NAME}"),
        *typed("Jo", INPUT, f"? {NAME} Jo"),
        *ANSWERED,
        see=NAME,
    ),
    question(
        "ask-node inquirer",
        "password",
        PASSWORD,
        f"? {SECRET}",
        *typed("abc", PASSWORD, f"? {SECRET}"),
    ),
    question("ask-node inquirer", "confirm", KEY, f"? {SURE} (Y/n)"),
    question("ask-node inquirer", "select", KEY, f"? {COLOUR}", see="blue"),
    question("ask-node inquirer", "checkbox", KEY, f"? {COLOURS}", see="blue"),
    question(
        "ask-node inquirer2",
        "input",
        INPUT,
        "? Project name (my-app)",
        *typed("x", INPUT, "? Project name x"),
    ),
    question("ask-node inquirer2", "number", INPUT, "? How old are you?"),
    question(
        "ask-node inquirer2",
        "password",
        PASSWORD,
        f"? {SECRET}",
        *typed("abc", PASSWORD, f"? {SECRET}"),
    ),
    question(
        "ask-node inquirer2",
        "silent",
        PASSWORD,
        f"? {SECRET}",
        *typed("abc", PASSWORD, f"? {SECRET}"),
    ),
    question(
        "ask-node inquirer2",
        "confirm",
        KEY,
        f"? {SURE} (Y/n)",
        *typed("n", KEY, f"? {SURE} (Y/n) n"),
    ),
    question("ask-node inquirer2", "select", KEY, f"? {COLOUR}", see="blue"),
    question("ask-node inquirer2", "checkbox", KEY, f"? {COLOURS}", see="blue"),
    question("ask-node inquirer2", "rawlist", INPUT, f"? {COLOUR}", see="blue"),
    question("ask-node inquirer2", "expand", INPUT, f"? {COLOUR} (rgbH)", see=COLOUR),
    question(
        "ask-node inquirer2",
        "search",
        KEY,
        "? Find a colour",
        *typed("gr", KEY, "? Find a colour gr"),
        see="blue",
    ),
    question(
        "ask-node inquirer2",
        "editor",
        KEY,
        "? Tell a story Press <enter> to launch your preferred editor.",
        see="Tell a story",
    ),
)
CLACK = (
    question(
        "ask-node clack",
        "text",
        INPUT,
        NAME,
        *refused(INPUT, NAME),
        *typed("Jo", INPUT, NAME),
        *ANSWERED,
    ),
    question("ask-node clack", "placeholder", INPUT, "Project name", see="my-app"),
    question("ask-node clack", "initial", INPUT, "Project name", see="my-app"),
    question("ask-node clack", "password", PASSWORD, SECRET, *typed("abc", PASSWORD, SECRET)),
    question("ask-node clack", "confirm", KEY, SURE),
    question("ask-node clack", "select", KEY, COLOUR, see="blue"),
    question("ask-node clack", "multiselect", KEY, COLOURS, see="blue"),
    question(
        "ask-node clack",
        "autocomplete",
        KEY,
        "Find a colour",
        *typed("gr", KEY, "Find a colour"),
        see="blue",
    ),
    question(
        "ask-node clack", "multiline", INPUT, "Tell a story", *typed("Once", INPUT, "Tell a story")
    ),
    Scenario(
        name="clack-spinner",
        command="ask-node clack spinner",
        steps=(See("Installing"), Moving("working"), DONE, Frame("done")),
    ),
)
READLINE = (
    question("ask-node readline", "npm", INPUT, "Ok to proceed? (y)"),
    question(
        "ask-node readline", "plain", INPUT, NAME, *typed("Jo", INPUT, f"{NAME} Jo"), *ANSWERED
    ),
    question("ask-node readline", "angle", INPUT, "Value>"),
    question("ask-node key", "press", KEY, "Press any key to continue..."),
)


NARROW = (
    wrapped("ask-node prompts", INPUT, f"? {LONG}"),
    wrapped("ask-node inquirer", INPUT, f"? {LONG}"),
    wrapped("ask-node clack", INPUT, LONG),
    wrapped("ask-node readline", INPUT, LONG),
)
SCENARIOS = (*PROMPTS, *ENQUIRER, *INQUIRER, *CLACK, *READLINE, *NARROW)
