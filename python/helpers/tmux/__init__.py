"""The shared terminal: what an LLM agent may do in a tmux session that a person sees too.

This folder holds the contract: `actions` (one method per action), `arguments` (input),
`answer` and `words` (output), `settings`. Below it, each importing only from those listed after it:

    report/       what an answer says
    typing/       type, see, Enter; keys
    turn/         whose turn it is, and whether text may be typed
    transcript/   what an answer has shown, and what is new since
    terminal/     the tmux binary: looking, typing, panes and windows
    evidence/     what kernel, line editor and screen say

Standard library only and host-independent: what only a host knows stays in its door.
"""
