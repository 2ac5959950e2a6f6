"""What the kernel says: read-only, in less than 0.3 ms, for every program.

    process   the only reader of /proc/PID, and the only place that ends processes
    waiter    how one process sleeps: in a read of the terminal, or until it has input
    relay     which terminal counts: sudo and script put another one inside the pane's
    probe     all of it in one reading of a pane; the other rooms import from here

Decided here: which process is in front, the terminal's modes, which one waits for input, and
whether that is proven (by the system call) or only likely (Yama denies that). Not decided here:
what a wait means. Files are opened only by os.open, so that a test can deny them.
"""
