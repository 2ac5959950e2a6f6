"""Nothing to do here. Of a plugin's code Agent Zero's watchdog sees only a file of this name:
`tmux-tool install` writes it last, so that a running host sees a new or updated plugin at once."""
