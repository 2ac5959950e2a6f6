"""What a line editor has in its memory: readline (bash, python, gdb, sqlite3 ...) and zsh's.

    elf           where a program's exported variables are, and their values
    line_editor   what these mean: prompt, text, cursor, meaning of the next key, exit status
    modes         what its terminal modes show instead if its memory is closed

Decided here: what the editor shows and reads, if two readings agree. Not decided here: whether that
is still on the screen; the caller compares. If memory is closed (Yama, another user, fish,
dash, a remote shell) the answer is None, and the kernel and the screen must suffice.
Nothing is typed into the program, nothing in it is stopped or changed.
"""
