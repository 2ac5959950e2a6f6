"""One question of one Python library: ask.py LIBRARY KIND."""

from __future__ import annotations

import getpass
import sys
import time

LIBRARY, KIND = sys.argv[1:]
COLOURS = ["red", "green", "blue"]


LONG = "Which of the many possible names do you want to give to it?"


def not_empty(value: str) -> bool | str:
    return bool(value) or "Please say something"


def ask_questionary() -> object:
    import questionary

    forms = {
        "text": lambda: questionary.text("What is your name?", validate=not_empty),
        "long": lambda: questionary.text(LONG),
        "default": lambda: questionary.text("Project name", default="my-app"),
        "multiline": lambda: questionary.text("Tell a story", multiline=True),
        "password": lambda: questionary.password("Secret word"),
        "confirm": lambda: questionary.confirm("Shall we go on?"),
        "select": lambda: questionary.select("Pick a colour", choices=COLOURS),
        "rawselect": lambda: questionary.rawselect("Pick a colour", choices=COLOURS),
        "checkbox": lambda: questionary.checkbox("Pick colours", choices=COLOURS),
        "autocomplete": lambda: questionary.autocomplete("Find a colour", choices=COLOURS),
        "path": lambda: questionary.path("Which file?"),
        "press": lambda: questionary.press_any_key_to_continue(),
    }
    return forms[KIND]().ask()


def ask_inquirerpy() -> object:
    from InquirerPy import inquirer

    forms = {
        "text": lambda: inquirer.text(message="What is your name?"),
        "secret": lambda: inquirer.secret(message="Secret word"),
        "password": lambda: inquirer.secret(message="Password:"),
        "number": lambda: inquirer.number(message="How old are you?"),
        "confirm": lambda: inquirer.confirm(message="Shall we go on?"),
        "select": lambda: inquirer.select(message="Pick a colour:", choices=COLOURS),
        "checkbox": lambda: inquirer.checkbox(message="Pick colours:", choices=COLOURS),
        "fuzzy": lambda: inquirer.fuzzy(message="Find a colour:", choices=COLOURS),
        "rawlist": lambda: inquirer.rawlist(message="Pick a colour:", choices=COLOURS),
        "filepath": lambda: inquirer.filepath(message="Which file?"),
    }
    return forms[KIND]().execute()


def ask_pyinquirer() -> object:
    import inquirer

    forms = {
        "text": lambda: inquirer.text("What is your name?"),
        "password": lambda: inquirer.password("Secret word"),
        "confirm": lambda: inquirer.confirm("Shall we go on?"),
        "list": lambda: inquirer.list_input("Pick a colour", choices=COLOURS),
        "checkbox": lambda: inquirer.checkbox("Pick colours", choices=COLOURS),
    }
    return forms[KIND]()


def ask_menu() -> object:
    from simple_term_menu import TerminalMenu

    return TerminalMenu(COLOURS, title="Pick a colour").show()


def ask_prompt_toolkit() -> object:
    from prompt_toolkit import prompt
    from prompt_toolkit.shortcuts import confirm, yes_no_dialog

    forms = {
        "plain": lambda: prompt("What is your name? "),
        "placeholder": lambda: prompt("Give a name: ", placeholder="Jane Doe"),
        "password": lambda: prompt("Enter password: ", is_password=True),
        "toolbar": lambda: prompt("Value: ", bottom_toolbar="F1 help  F2 quit"),
        "right": lambda: prompt("Value: ", rprompt="[main]"),
        "multiline": lambda: prompt("Tell a story: ", multiline=True),
        "confirm": lambda: confirm("Shall we go on?"),
        "dialog": lambda: yes_no_dialog(title="Remove", text="Shall we go on?").run(),
    }
    return forms[KIND]()


def ask_rich() -> object:
    from rich.console import Console
    from rich.progress import track
    from rich.prompt import Confirm, Prompt

    def work() -> None:
        for _ in track(range(40), description="Installing packages:"):
            time.sleep(0.1)

    def spin() -> None:
        with Console().status("Working on it..."):
            time.sleep(4)

    forms = {
        "text": lambda: Prompt.ask("What is your name", default="Jane"),
        "choices": lambda: Prompt.ask("Pick a colour", choices=COLOURS, default="red"),
        "confirm": lambda: Confirm.ask("Shall we go on?"),
        "password": lambda: Prompt.ask("Secret word", password=True),
        "progress": work,
        "status": spin,
    }
    return forms[KIND]()


def ask_click() -> object:
    import click

    forms = {
        "text": lambda: click.prompt("Your name", default="Jane"),
        "password": lambda: click.prompt("Password", hide_input=True, confirmation_prompt=True),
        "confirm": lambda: click.confirm("Shall we go on?"),
        "pause": lambda: click.pause(),
        "choice": lambda: click.prompt("Colour", type=click.Choice(COLOURS)),
    }
    return forms[KIND]()


def ask_builtin() -> object:
    forms = {
        "input": lambda: input("What is your name? "),
        "long": lambda: input(f"{LONG} [y/N] "),
        "getpass": lambda: getpass.getpass(),
        "token": lambda: getpass.getpass("Paste an authentication token: "),
        "login": lambda: (input("Username: "), getpass.getpass("Password: ")),
        "menu": lambda: input("1) Proceed\n2) Customize\n3) Cancel installation\n>"),
    }
    return forms[KIND]()


print(globals()[f"ask_{LIBRARY}"]())
