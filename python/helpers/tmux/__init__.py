"""The shared terminal: what an LLM agent may do in a tmux session that a person sees too.

This folder holds the contract: `actions` (one method per action), `arguments` (what may come),
`answer` and `words` (what goes out), `settings`. Below it, each importing only from those behind:

    turn/         whose turn it is, and whether text may be typed
    typing/       type, see, Enter; keys
    transcript/   what an answer has shown, and what is new since
    evidence/     what kernel, line editor and screen say
    terminal/     the tmux binary: looking, typing, panes and windows

Standard library only, and nothing of any host: what only a host knows stays in its door.
"""
