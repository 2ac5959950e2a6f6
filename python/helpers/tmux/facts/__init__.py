"""What is there: the only files that ask tmux and the kernel, and the record on the pane."""
