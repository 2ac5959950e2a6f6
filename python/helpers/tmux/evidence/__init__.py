"""What can be known about a pane, from three sources of different strength.

    kernel/   processes, terminal modes, which process sleeps in a read of the terminal: proof
    editor/   the memory of a line editor (prompt, typed text, exit status): proof
    screen/   prompts, questions, typed text, by their form and by equality: likely at best
    programs  what is known about a program by its name: one row each

Decided here: what each source says, and how sure that is. A fact that cannot be read is None, never
guessed. Not decided here: whose turn it is (turn/), and what an answer shows (transcript/).
Nothing here types, waits, or changes anything outside the tool.
"""
