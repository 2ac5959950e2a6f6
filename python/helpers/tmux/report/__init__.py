"""What an answer says: the first line, notes, and what no earlier answer has shown.

    report        the whole answer; `remember` stores on the pane how far it has been shown
    dialog        a call that types several pieces, or answers expected questions
    ending        where output ends: the prompt after it, with its upper rows
    reading       what `read` shows; `full_screen`: a full screen without its empty rows
    exit_status   which command the status belongs to
    notes         what else happened, or is uncertain

Decided here: wording, and which lines belong to the answer. Not decided here: whose turn it is
(turn/), and where output begins (transcript/).
"""
