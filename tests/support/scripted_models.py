"""The APIs of two model providers on loopback, scripted: call one tool, then say "done".

Anthropic's Messages as Claude Code speaks it, OpenAI's Responses as Codex does. Both as event
streams. `requests` are the bodies that came.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ScriptedModel:
    """Calls `tool` with `arguments` in the first turn of each conversation."""

    def __init__(self, tool: str, arguments: dict, namespace: str = ""):
        self.requests: list[dict] = []
        self._call = {"name": tool, "arguments": arguments, "namespace": namespace}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ScriptedModel:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self.send_response(200)
                self.end_headers()

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.requests.append(body)
                events = model.responses(body) if "input" in body else model.messages(body)
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                for event in events:
                    text = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                    self.wfile.write(text.encode())

        return Handler

    def messages(self, body: dict) -> list[dict]:
        last = body["messages"][-1]["content"]
        over = isinstance(last, list) and any(part["type"] == "tool_result" for part in last)
        offered = {tool["name"] for tool in body.get("tools", [])}
        if self._call["name"] in offered and not over:
            part = {"type": "tool_use", "id": "toolu_1", "name": self._call["name"], "input": {}}
            arguments = json.dumps(self._call["arguments"])
            delta = {"type": "input_json_delta", "partial_json": arguments}
            reason = "tool_use"
        else:
            part = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": "done"}
            reason = "end_turn"
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 5, "output_tokens": 1},
        }
        end = {"stop_reason": reason, "stop_sequence": None}
        return [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": part},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ]

    def responses(self, body: dict) -> list[dict]:
        if any(item.get("type") == "function_call_output" for item in body["input"]):
            text = {"type": "output_text", "text": "done", "annotations": []}
            item: dict = {"type": "message", "id": "msg_1", "role": "assistant", "content": [text]}
        else:
            item = {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "call_1",
                **self._call,
                "arguments": json.dumps(self._call["arguments"]),
            }
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        return [
            {"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
        ]
