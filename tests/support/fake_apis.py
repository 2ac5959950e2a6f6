"""A scripted model on loopback: Anthropic's and OpenAI's API, for Claude Code and Codex.

What the last prompt says decides what happens:

    FAKE:say TEXT       answers TEXT
    FAKE:pause 3        three silent seconds, then a word
    FAKE:slow 30 0.1    streams 30 words, 0.1 s apart
    FAKE:stall 3        half an answer, three silent seconds, the rest
    FAKE:question       Claude Code asks with a menu
    FAKE:bash COMMAND   calls the shell tool, then says DONE
    FAKE:ask COMMAND    the same, and Codex asks first
    FAKE:tool NAME JSON calls any tool, then says DONE: mcp__server__tool {"text": "x"}
    FAKE:error 400      that status
    anything else       an echo

As a program: `python3 -m tests.support.fake_apis PORT` serves until it is ended.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
QUESTION: Json = {
    "question": "Which colour is it to be?",
    "header": "Colour",
    "multiSelect": False,
    "options": [
        {"label": "Red", "description": "A warm one"},
        {"label": "Blue", "description": "A cold one"},
    ],
}
REQUESTS: list[Json] = []  # the bodies that came
SCRIPT = re.compile(r"FAKE:(\w+) ?([^\n<]*)")


def texts(value: Any) -> Iterator[str]:
    """Every string in a request's message, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        yield from texts(value.get("text", value.get("content", "")))


class Play:
    """What a request leads to: `words` to stream, a shell `command`, or an error's `status`."""

    def __init__(self, prompt: str, tool_has_run: bool) -> None:
        scripts = SCRIPT.findall(prompt)
        name, rest = scripts[-1] if scripts else ("say", f"ECHO {prompt[-40:]}")
        self.status = int(rest) if name == "error" else 200
        self.silence = float(rest) if name == "pause" else 0.0
        self.command = rest if name in ("bash", "ask") and not tool_has_run else ""
        self.asks = name == "question" and not tool_has_run
        self.tool, _, self.arguments = (
            rest.partition(" ") if name == "tool" and not tool_has_run else ("", "", "")
        )
        self.escalated = name == "ask"  # a request to leave Codex's sandbox
        self.words, self.delay = [rest], 0.0
        if name == "slow":
            count, delay = rest.split()
            self.words = [f"word{number} " for number in range(int(count))]
            self.delay = float(delay)
        elif name == "stall":
            self.words, self.delay = ["half an", " answer"], float(rest)
        elif name != "say":
            self.words = ["DONE"]

    def stream(self) -> Iterator[str]:
        """The words, each after its pause."""
        time.sleep(self.silence)
        for word in self.words:
            yield word
            time.sleep(self.delay)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        models = [{"id": "fake-1", "object": "model", "type": "model", "display_name": "fake"}]
        self.answer(200, {"object": "list", "data": models})

    do_HEAD = do_GET

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        with suppress(BrokenPipeError, ConnectionResetError):  # the client hung up: an interrupt
            self.speak(request)

    def speak(self, request: Json) -> None:
        REQUESTS.append(request)
        speak = next((speak for ending, speak in DIALECTS if re.search(ending, self.path)), None)
        if speak is None:
            self.answer(404, {"error": {"message": f"no {self.path}"}})
        else:
            speak(self, request)

    def answer(self, status: int, body: Json, **headers: str) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        more |= {"Content-Type": "application/json", "Content-Length": str(len(data))}
        for name, value in more.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def begin(self, play: Play) -> bool:
        """The head of a stream, or the error that is scripted: False."""
        if play.status == 200:
            self.stream()
            return True
        error = {"type": "fake_error", "message": f"the fake model says {play.status}"}
        self.answer(play.status, {"type": "error", "error": error})
        return False

    def stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()

    def event(self, kind: str, **body: Any) -> None:
        data = json.dumps({"type": kind, **body} if kind else body)
        head = f"event: {kind}\n" if kind else ""
        self.wfile.write(f"{head}data: {data}\n\n".encode())
        self.wfile.flush()


def anthropic_count(handler: Handler, request: Json) -> None:
    handler.answer(200, {"input_tokens": 10})


def anthropic(handler: Handler, request: Json) -> None:
    last = request["messages"][-1]
    tools = [part for part in last["content"] if isinstance(part, dict)]
    play = Play(
        "\n".join(texts([message for message in request["messages"] if message["role"] == "user"])),
        any(part.get("type") == "tool_result" for part in tools),
    )
    if not request.get("stream"):
        text = "".join(play.words)
        return handler.answer(200, anthropic_message([{"type": "text", "text": text}], "end_turn"))
    if not handler.begin(play):
        return None
    handler.event("message_start", message=anthropic_message([], None))
    offered = {tool["name"] for tool in request.get("tools", [])}
    name, arguments = play.tool, play.arguments
    if play.asks:
        name, arguments = "AskUserQuestion", json.dumps({"questions": [QUESTION]})
    elif play.command:
        bash = {"command": play.command, "description": "Runs the command"}
        name, arguments = "Bash", json.dumps(bash)
    calls = name in offered
    if calls:
        block = {"type": "tool_use", "id": f"toolu_{time.time_ns()}", "name": name, "input": {}}
        handler.event("content_block_start", index=0, content_block=block)
        delta = {"type": "input_json_delta", "partial_json": arguments}
        handler.event("content_block_delta", index=0, delta=delta)
    else:
        block = {"type": "text", "text": ""}
        handler.event("content_block_start", index=0, content_block=block)
        for word in play.stream():
            delta = {"type": "text_delta", "text": word}
            handler.event("content_block_delta", index=0, delta=delta)
    handler.event("content_block_stop", index=0)
    reason = "tool_use" if calls else "end_turn"
    handler.event("message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 9})
    handler.event("message_stop")


def anthropic_message(content: list[Json], reason: str | None) -> Json:
    return {
        "id": f"msg_{time.time_ns()}",
        "type": "message",
        "role": "assistant",
        "model": "fake-1",
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 9},
    }


def responses(handler: Handler, request: Json) -> None:
    items = [item for item in request["input"] if isinstance(item, dict)]
    users = [item for item in items if item.get("role") == "user"]
    play = Play("\n".join(texts(users)), items[-1].get("type") == "function_call_output")
    if not handler.begin(play):
        return
    response: Json = {"id": f"resp_{time.time_ns()}", "object": "response", "status": "in_progress"}
    handler.event("response.created", response=response)
    names = {tool.get("name") for tool in request.get("tools", [])}
    if play.command and "exec_command" in names:
        arguments = {"cmd": play.command}
        if play.escalated:
            arguments |= {
                "sandbox_permissions": "require_escalated",
                "justification": "May it be made?",
            }
        item: Json = {"type": "function_call", "id": "fc_1", "name": "exec_command"}
        item |= {"call_id": f"call_{time.time_ns()}", "arguments": json.dumps(arguments)}
    elif play.tool:
        namespace, _, name = play.tool.rpartition("__")
        item = {"type": "function_call", "id": "fc_1", "name": name, "namespace": namespace}
        item |= {"call_id": f"call_{time.time_ns()}", "arguments": play.arguments}
    else:
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}
        handler.event("response.output_item.added", output_index=0, item=item)
        place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        for word in play.stream():
            handler.event("response.output_text.delta", delta=word, **place)
        text = "".join(play.words)
        item = {**item, "content": [{"type": "output_text", "text": text, "annotations": []}]}
    handler.event("response.output_item.done", output_index=0, item=item)
    usage: Json = {"input_tokens": 10, "output_tokens": 9, "total_tokens": 19}
    usage |= {"input_tokens_details": None, "output_tokens_details": None}
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    handler.event("response.completed", response=done)


DIALECTS = (
    (r"/messages/count_tokens", anthropic_count),
    (r"/messages\b", anthropic),
    (r"/responses\b", responses),
)


def serve(port: int, handler: type[Handler] = Handler) -> ThreadingHTTPServer:
    """The server on loopback; `serve_forever()` is the caller's. 0 is any free port."""
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    return server


@contextmanager
def serving(handler: type[Handler] = Handler) -> Iterator[str]:
    """Its address, while it is served in this process; `REQUESTS` begins empty."""
    REQUESTS.clear()
    with serve(0, handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


if __name__ == "__main__":
    serve(int(sys.argv[1])).serve_forever()
