"""A conversation with OpenCode in a pane: its server, its TUI as what the person sees, and callers.

installed.py finds the program; server.py runs in the pane and owns both; launch.py types the line
that starts it, and finds it again; record.py is what the pane says of it; turn.py waits for an
answer and reads it; reply.py is what callers get. Each line of OpenCode is a wire of its own
(wire_1.py, wire_2.py), listed in installed.py; another agent would be one more. A wire must offer:

 1. which versions it is for, and what their first start changes for good
 2. the words and variables that start its server, on loopback and locked, and its TUI
 3. how the TUI is ended, and whether it can be told which conversation to show
 4. to begin a conversation, and to go to an earlier one of the same directory
 5. to name the models and agents that there are
 6. to send a prompt exactly as it is, under an id that was made here
 7. the messages from that prompt on, each with what it answers, its parts, end, tokens and cost
 8. whether the conversation idles, works, retries or asks, its subagents included
 9. to answer a permission or question by its id, and to end a turn
10. news as they happen: look again, idle, failed, text that grows
"""
