"""What a line editor has in its memory: readline (bash, python, gdb, sqlite3 ...) and zsh's.

    elf           where a program's exported variables are, and their values
    line_editor   what these mean: prompt, text, cursor, what the next key is to it, exit status
    modes         what it tells through the terminal instead, where its memory is closed

Decided here: what the editor shows and reads, if two readings agree. Not decided here: whether that
is still on the screen; whoever asks compares. Where memory is closed (Yama, another user, fish,
dash, a remote shell) the answer is None, and the kernel and the screen must do.
Nothing is typed into the program, nothing in it is stopped or changed.
"""
