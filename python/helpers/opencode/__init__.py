"""A conversation with OpenCode in a pane: its server, its TUI as what the person sees, and callers.

The theory: a conversation is a list of messages. turn.py makes turns of them, pure: a turn is a
prompt, the prompts that OpenCode itself adds to it, the answers, whose it is, and its end. All that
callers are told, and all that they may do, is asked of a turn.

server.py finds the program, starts its server, and ends it with all else; pane.py is the program in
the pane, which shows its TUI. launch.py types the line that starts it, and finds it again;
record.py is what the pane says of it. waiting.py waits for the end of a turn; reply.py is what
callers get.

Each line of OpenCode is a wire of its own (wire_1.py, wire_2.py), listed in server.py; another
agent would be one more. A wire must offer:

 1. which versions it is for, and what their first start changes for good
 2. the words and variables that start its server, on loopback and locked, and its TUI
 3. how the TUI is ended, and whether it can be told which conversation to show
 4. to begin a conversation, and to go to an earlier one of the same directory
 5. to send a prompt exactly as it is, or a command, under an id that was made here, once all that
    it names is known: files, agent, model, the conversation's permissions (prompt.py)
 6. the messages, each with what it answers, its parts, end, tokens and cost, and the prompts that
    wait; the files changed
 7. whether the conversation idles, works, retries or asks, its subagents included
 8. to answer a permission or question by its id, and to end a turn
 9. news as they happen: look again, and why a turn has failed; text that grows
"""
