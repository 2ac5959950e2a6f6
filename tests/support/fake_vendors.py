"""A scripted model on loopback in the words of four vendors: OpenAI's Responses and Chat Completions, Anthropic's
Messages, Gemini's streamGenerateContent. It calls one tool of the script after the other, and says DONE at the end.

What a client has sent is kept: the tools as it offers them, what it gives the model as answers, all other texts.
"""

import json
import re
import threading

from tests.support.fake_model import CHUNK, Handler, Served

SERVER = "shared"  # what our server is called in a client's configuration
TOOL = re.compile(rf"(?:mcp_*)?{SERVER}[_.-]+(\w+)")  # mcp__shared__run, mcp_shared_run, shared-run, shared_run


class FakeVendors:
    """`.url`: the address; `script`: (tool, arguments) of each call; `.answers`: what the model was given for them;
    `.tools`: our tools as they were offered, by our name; `.texts`: everything that was sent, as text."""

    def __init__(self, script):
        self.script, self.answers, self.tools, self.texts = script, [], {}, []
        self.done = threading.Event()
        self._served = Served(type("Mine", (_Vendor,), {"model": self}))
        self.url = self._served.address

    def end(self):
        self._served.end()

    def step(self, offered, answers):
        """The next call, (the client's name of the tool, arguments), or None; `offered`: name -> schema."""
        for name, about in offered.items():
            if ours := TOOL.fullmatch(name):
                self.tools[ours[1]] = (name, about)
        if not self.tools:
            return None
        self.answers = answers
        if len(answers) >= len(self.script):
            self.done.set()
            return None
        tool, arguments = self.script[len(answers)]
        name = self.tools[tool][0] if tool in self.tools else f"{SERVER}_{tool}"
        return name, arguments


class _Vendor(Handler):
    model: FakeVendors

    def do_GET(self):
        self.answer(200, {"object": "list", "data": [{"id": "fake-1", "object": "model"}], "models": []})

    def do_HEAD(self):
        self.answer(200, {})

    def do_POST(self):
        length = self.headers.get("Content-Length")
        request = json.loads(self.rfile.read(int(length or 0)) or b"{}")
        self.model.texts.append(json.dumps(request, ensure_ascii=False))
        path = self.path.partition("?")[0]
        if path.endswith("/responses"):
            self.as_responses(request)
        elif path.endswith("/chat/completions"):
            self.as_completions(request)
        elif path.endswith("/messages"):
            self.as_messages(request)
        elif path.endswith("GenerateContent") or path.endswith("generateContent"):
            self.as_contents(request, "stream" in path)
        elif path.endswith("count_tokens"):
            self.answer(200, {"input_tokens": 100})
        elif path.endswith("countTokens"):
            self.answer(200, {"totalTokens": 100})
        else:
            self.answer(404, {"error": {"message": f"no {path} here"}})

    def named(self, event, **body):
        self.wfile.write(f"event: {event}\ndata: {json.dumps({'type': event, **body})}\n\n".encode())

    # OpenAI's Responses

    def as_responses(self, request):
        offered = {}
        for tool in request.get("tools", []):
            inner = tool.get("tools", [])
            for one in inner:  # a namespace of tools
                offered[tool["name"] + "__" + one["name"]] = one | {"namespace": tool["name"]}
            offered |= {} if inner else {tool.get("name", ""): tool}
        answers = [item["output"] for item in request["input"] if item.get("type") == "function_call_output"]
        step = self.model.step(offered, [_texts(answer) for answer in answers])
        item = {"id": "m1", "type": "message", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "DONE", "annotations": []}]}
        if step:
            name, arguments = step
            item = {"id": f"f{len(answers)}", "type": "function_call", "status": "completed", "name": name,
                    "call_id": f"call_{len(answers)}", "arguments": json.dumps(arguments)}
            if space := offered.get(name, {}).get("namespace"):
                item |= {"namespace": space, "name": offered[name]["name"]}
        usage = {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18,
                 "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        self.stream()
        self.named("response.created", response={"id": "r1"})
        self.named("response.output_item.added", output_index=0, item=item)
        self.named("response.output_item.done", output_index=0, item=item)
        self.named("response.completed", response={"id": "r1", "usage": usage, "output": [item]})

    # OpenAI's Chat Completions

    def as_completions(self, request):
        offered = {tool["function"]["name"]: tool["function"] for tool in request.get("tools", [])}
        answers = [m["content"] for m in request["messages"] if m["role"] == "tool"]
        step = self.model.step(offered, [_texts(answer) for answer in answers])
        delta, finish = {"role": "assistant", "content": "DONE"}, "stop"
        if step:
            function = {"name": step[0], "arguments": json.dumps(step[1])}
            call = {"index": 0, "id": f"call_{len(answers)}", "type": "function", "function": function}
            delta, finish = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        if not request.get("stream"):
            delta.get("tool_calls", [{}])[0].pop("index", None)
            choice = {"index": 0, "message": delta, "finish_reason": finish}
            return self.answer(200, {**CHUNK, "object": "chat.completion", "choices": [choice], "usage": usage})
        self.stream()
        self.event(**CHUNK, choices=[{"index": 0, "delta": delta, "finish_reason": None}])
        self.event(**CHUNK, choices=[{"index": 0, "delta": {}, "finish_reason": finish}], usage=usage)
        self.wfile.write(b"data: [DONE]\n\n")

    # Anthropic's Messages

    def as_messages(self, request):
        offered = {tool["name"]: tool for tool in request.get("tools", [])}
        parts = [p for m in request["messages"] if isinstance(m["content"], list) for p in m["content"]]
        answers = [part.get("content", "") for part in parts if part["type"] == "tool_result"]
        step = self.model.step(offered, [_texts(answer) for answer in answers])
        block, delta, finish = {"type": "text", "text": ""}, {"type": "text_delta", "text": "DONE"}, "end_turn"
        if step:
            block = {"type": "tool_use", "id": f"toolu_{len(answers)}", "name": step[0], "input": {}}
            delta, finish = {"type": "input_json_delta", "partial_json": json.dumps(step[1])}, "tool_use"
        usage = {"input_tokens": 9, "output_tokens": 9}
        message = {"id": "m1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": usage}
        if not request.get("stream"):
            whole = block | ({"input": step[1]} if step else {"text": "DONE"})
            return self.answer(200, message | {"content": [whole], "stop_reason": finish})
        self.stream()
        self.named("message_start", message=message)
        self.named("content_block_start", index=0, content_block=block)
        self.named("content_block_delta", index=0, delta=delta)
        self.named("content_block_stop", index=0)
        self.named("message_delta", delta={"stop_reason": finish, "stop_sequence": None}, usage=usage)
        self.named("message_stop")

    # Gemini's streamGenerateContent

    def as_contents(self, request, stream):
        tools = [one for tool in request.get("tools", []) for one in tool.get("functionDeclarations", [])]
        parts = [part for content in request["contents"] for part in content.get("parts", [])]
        answers = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
        step = self.model.step({tool["name"]: tool for tool in tools}, [_texts(answer) for answer in answers])
        part = {"text": "DONE"}
        if step:
            part = {"functionCall": {"name": step[0], "args": step[1], "id": f"call_{len(answers)}"}}
        content = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18}
        reply = {"candidates": [content], "usageMetadata": usage, "modelVersion": "gemini-2.5-pro"}
        if not stream:
            return self.answer(200, reply)
        self.stream()
        self.event(**reply)


def _texts(value):
    """What the model reads of a tool's answer: its texts; of anything else the JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(_texts, value))
    if isinstance(value, dict):
        for key in ("text", "output", "content"):
            if isinstance(value.get(key), str | list):
                return _texts(value[key])
    return json.dumps(value)
