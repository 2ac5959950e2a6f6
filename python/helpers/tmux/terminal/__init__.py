"""tmux: the only room that knows its commands, options and versions.

    client    the one place that starts the tmux binary; one error type, with a hint
    look      one look: state, visible rows and history of a pane, from one call
    pane      one pane by its id: type exactly, press keys, store, lock
    windows   which pane a target names; the session; windows of the agent's own
    keys      names of keys, as models write them and as tmux takes them

Decided here: how a text arrives unchanged in one pane only, past copy mode and synchronized panes,
and which pane is the default. Not decided here: whether anything may be typed (turn/, typing/).
"""
