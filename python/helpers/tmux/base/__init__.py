"""The ground: cells, words, rules, processes, tmux itself. It knows nothing of a turn."""
