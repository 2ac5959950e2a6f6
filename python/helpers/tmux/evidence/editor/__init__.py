"""What a line editor has in its memory: readline (bash, python, gdb, sqlite3 ...) and zsh's.

    elf           where a program's exported variables are, and their values
    line_editor   what these mean: prompt, text, cursor, meaning of the next key, exit status
    modes         what the terminal's modes show instead if its memory cannot be read

Decided here: what the editor shows and reads, if two readings agree. Not decided here: whether that
is still on the screen; the caller compares. If the memory cannot be read (Yama, another user, fish,
dash, a remote shell) the result is None, and the kernel and the screen must suffice. Nothing is
typed into the program; it is neither stopped nor changed.
"""
