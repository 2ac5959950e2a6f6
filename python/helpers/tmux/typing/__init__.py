"""Type, see, Enter: how text and keys reach a program without touching anything of the person's.

    typing    a text is typed if it may be, and only if the pane is still as it was seen
    enter     the text is seen drawn, and Enter pressed in the tmux call that saw it
    press     keys: the deliberate way
    receipt   the answer if nothing is waited for

Decided here: when Enter is pressed, and what is kept of an input. Not decided here: whether it may
be typed at all (turn/dialogue), and how tmux types it (terminal/pane).
"""
