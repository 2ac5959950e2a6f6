"""A scripted model on loopback: Anthropic's and OpenAI's API, for Claude Code and Codex.

`FAKE:tool NAME JSON` in a prompt calls a tool (`mcp__server__tool {"text": "x"}`); then, and at any
other prompt, it says DONE.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
REQUESTS: list[Json] = []  # the bodies that came
SCRIPT = re.compile(r"FAKE:tool (\S+) ([^\n<]*)")


def texts(value: Any) -> Iterator[str]:
    """Every string in a request's message, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        yield from texts(value.get("text", value.get("content", "")))


def asked_for(messages: list[Json]) -> tuple[str, str]:
    """The tool that the user's last script calls, and its arguments; "" for none."""
    users = [message for message in messages if message.get("role") == "user"]
    scripts = SCRIPT.findall("\n".join(texts(users)))
    return scripts[-1] if scripts else ("", "")


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
    content = request["messages"][-1]["content"]
    done = any(isinstance(part, dict) and part.get("type") == "tool_result" for part in content)
    name, arguments = asked_for(request["messages"])
    calls = not done and name in {tool["name"] for tool in request.get("tools", [])}
    text: Json = {"type": "text", "text": "DONE"}
    if not request.get("stream"):
        return handler.answer(200, anthropic_message([text], "end_turn"))
    handler.stream()
    handler.event("message_start", message=anthropic_message([], None))
    block = {**text, "text": ""}
    delta = {"type": "text_delta", "text": "DONE"}
    if calls:
        block = {"type": "tool_use", "id": f"toolu_{time.time_ns()}", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": arguments}
    handler.event("content_block_start", index=0, content_block=block)
    handler.event("content_block_delta", index=0, delta=delta)
    handler.event("content_block_stop", index=0)
    reason = "tool_use" if calls else "end_turn"
    handler.event("message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 9})
    handler.event("message_stop")
    return None


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
    handler.stream()
    response: Json = {"id": f"resp_{time.time_ns()}", "object": "response", "status": "in_progress"}
    handler.event("response.created", response=response)
    name, arguments = asked_for(items)
    if name and items[-1].get("type") != "function_call_output":
        namespace, _, name = name.rpartition("__")
        item: Json = {"type": "function_call", "id": "fc_1", "name": name, "namespace": namespace}
        item |= {"call_id": f"call_{time.time_ns()}", "arguments": arguments}
    else:
        text = {"type": "output_text", "text": "DONE", "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [text]}
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
