"""The shared terminal: what an LLM agent may do in a tmux session that a person also uses.

This folder holds the contract: `actions` (one method per action), `arguments` (input),
`answer` and `words` (output), `settings`. The folders below it import only from those listed later:

    report/       what an answer says
    typing/       type, see, Enter; keys
    turn/         whose turn it is, and whether text may be typed
    transcript/   what an answer has shown, and what is new since
    terminal/     the tmux binary: looking, typing, panes and windows
    evidence/     what the kernel, the line editor and the screen say

Standard library only, and independent of any host: what only a host knows stays in its door.
"""
