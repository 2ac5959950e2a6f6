"""Type, see, Enter: how a text or keys reach a program, and nothing of the person's is touched.

    typing    a text: may it be typed, then typed only where the pane is as it was seen
    enter     the text is seen drawn, and Enter pressed in the tmux call that saw it
    press     keys: the deliberate way
    receipt   what is said where nothing is waited for

Decided here: when Enter is pressed, and what is kept of an input. Not decided here: whether it may
be typed at all (turn/dialogue), and how tmux is told (terminal/pane).
"""
