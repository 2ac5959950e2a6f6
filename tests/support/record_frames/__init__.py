"""Records what real programs show in a real tmux, with the truth about each picture."""
