"""tmux: the only room that knows its commands, options and versions.

    client    the one place that starts the tmux binary; one error type, with a hint
    look      one look: state, visible rows and history of a pane, from one call
    pane      one pane by its id: type exactly, press keys, remember, lock
    windows   which pane is meant; the session; windows of the agent's own
    keys      names of keys, as models write them and as tmux takes them

Decided here: how a text arrives unchanged in one pane only, past copy mode and synchronised panes,
and which pane is the default. Not decided here: whether anything may be typed (turn/, typing/).
"""
