"""There is nothing to do here. Agent Zero's watchdog sees only this file of a plugin's code, so
`tmux-tool install` writes it last: a running host then sees a new or updated plugin at once."""
