"""Finders and windows: fzf, whiptail, dialog."""

from __future__ import annotations

from .steps import INPUT, KEY, PASSWORD, Frame, Moving, Scenario, See, Step, Text

DONE = See("\n$\n")
TENS = "(for i in 10 20 30 40 50 60 70; do echo $i; sleep 0.4; done)"


def program(name: str, command: str, *steps: Step) -> Scenario:
    return Scenario(name=name, command=command, steps=steps)


FZF = (
    program(
        "fzf-full",
        "seq 100 | fzf",
        See("100/100"),
        Frame("asking", KEY, "> 100/100"),
        Text("42"),
        See("1/100"),
        Frame("typed", KEY, "> 42 1/100"),
    ),
    program(
        "fzf-height",
        "seq 100 | fzf --height 10",
        See("100/100"),
        Frame("asking", KEY, "> 100/100"),
        Text("42"),
        See("1/100"),
        Frame("typed", KEY, "> 42 1/100"),
    ),
    program(
        "fzf-reverse",
        "seq 100 | fzf --height 10 --reverse --prompt 'File: '",
        See("100/100"),
        Frame("asking", KEY, "File: 100/100"),
    ),
    program(
        "fzf-border",
        "seq 100 | fzf --height 12 --border --header 'Pick one'",
        See("100/100"),
        Frame("asking", KEY, "> 100/100"),
    ),
)
BOXES = (
    program(
        "whiptail-yesno",
        "whiptail --yesno 'Remove the old kernel?' 8 50",
        See("Remove the"),
        Frame("asking", KEY, "Remove the old kernel?"),
    ),
    program(
        "whiptail-msgbox",
        "whiptail --title Done --msgbox 'All packages are installed.' 8 50",
        See("All pack"),
        Frame("asking", KEY, "All packages are installed."),
    ),
    program(
        "whiptail-input",
        "whiptail --inputbox 'Name of the host:' 8 50",
        See("Name of"),
        Frame("asking", INPUT, "Name of the host:"),
        Text("alpha"),
        Frame("typed", INPUT, "Name of the host:"),
    ),
    program(
        "whiptail-password",
        "whiptail --passwordbox 'Password for root:' 8 50",
        See("Password"),
        Frame("asking", PASSWORD, "Password for root:"),
        Text("abc"),
        Frame("typed", PASSWORD, "Password for root:"),
    ),
    program(
        "whiptail-menu",
        "whiptail --title Colours --menu 'Pick a colour' 14 50 4 r red g green b blue",
        See("green"),
        Frame("asking", KEY, "Pick a colour"),
    ),
    program(
        "whiptail-checklist",
        "whiptail --checklist 'Pick colours' 14 50 4 r red on g green off",
        See("green"),
        Frame("asking", KEY, "Pick colours"),
    ),
    program(
        "whiptail-gauge",
        f"{TENS} | whiptail --gauge 'Installing the system' 8 50 0",
        See("Installing"),
        Moving("working"),
        DONE,
        Frame("done"),
    ),
    program(
        "dialog-yesno",
        "dialog --yesno 'Remove the old kernel?' 8 50",
        See("Remove the"),
        Frame("asking", KEY, "Remove the old kernel?"),
    ),
    program(
        "dialog-msgbox",
        "dialog --title Done --msgbox 'All packages are installed.' 8 50",
        See("All pack"),
        Frame("asking", KEY, "All packages are installed."),
    ),
    program(
        "dialog-input",
        "dialog --inputbox 'Name of the host:' 8 50",
        See("Name of"),
        Frame("asking", INPUT, "Name of the host:"),
        Text("alpha"),
        Frame("typed", INPUT, "Name of the host:"),
    ),
    program(
        "dialog-password",
        "dialog --passwordbox 'Password for root:' 8 50",
        See("Password"),
        Frame("asking", PASSWORD, "Password for root:"),
    ),
    program(
        "dialog-menu",
        "dialog --title Colours --menu 'Pick a colour' 14 50 4 r red g green b blue",
        See("green"),
        Frame("asking", KEY, "Pick a colour"),
    ),
    program(
        "dialog-checklist",
        "dialog --checklist 'Pick colours' 14 50 4 r red on g green off",
        See("green"),
        Frame("asking", KEY, "Pick colours"),
    ),
    program(
        "dialog-gauge",
        f"{TENS} | dialog --gauge 'Installing the system' 8 50 0",
        See("Installing"),
        Moving("working"),
        DONE,
        Frame("done"),
    ),
)
SCENARIOS = (*FZF, *BOXES)
