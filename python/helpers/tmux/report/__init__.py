"""What an answer says: the first line, notes, and what no earlier answer has shown.

    report        the whole answer; `remember` leaves on the pane up to where it has shown it
    dialog        a call that types several pieces, or answers questions that were expected
    ending        where output ends: the prompt behind it, with its upper rows
    reading       what `read` shows; `full_screen`: a full screen without its filler
    exit_status   whose status it is; `notes`: what else happened, or cannot be determined

Decided here: wording, and which lines belong to the answer. Not decided here: whose turn it is
(turn/), and where output begins (transcript/).
"""
