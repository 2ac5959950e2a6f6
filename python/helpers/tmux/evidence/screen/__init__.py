"""What the screen says: likely at best, and only once it is still. All pure.

    view      one look as data: cells, rows, lines, the stamp of the last key
    line      the line at the cursor, prompt + typed text; the only place that splits it
    prompts   forms of prompts and continuation prompts; `book`: those known here; `upper_rows`
    question_line, question_screen, question_window   the question on a line, a screen, a window
    screen    one screen as the table needs it: a `frame` and what it says; `title`: what an AI
              command line says in the terminal's title

Decided here: what a text looks like. Not decided here: whether that counts (turn/).
"""
