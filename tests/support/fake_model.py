"""A scripted OpenAI-compatible model on loopback, so that OpenCode can be tested and shown without
a provider. What arrives is kept, so "exact" is checked at the model's end.

What the last prompt says decides what happens:

    FAKE:say TEXT              answers TEXT, which may be empty, and nothing else
    FAKE:slow n=30 delay=0.1   streams w1 w2 … then SLOW-DONE
    FAKE:bash ONE || TWO       calls the bash tool for each command, at once, then says TOOL SAID
    FAKE:tool NAME JSON        calls any tool
    FAKE:question              asks Alpha or Beta with the question tool
    FAKE:error 429 [TIMES]     that status, for ever or so many times, then RECOVERED
    FAKE:overflow              refuses once for length, then says AFTER OVERFLOW
    FAKE:cut [TIMES]           a stream cut in mid-answer
    FAKE:hang                  never answers
    FAKE:nonsense              no JSON
    FAKE:length                an answer cut by the limit

Anything else is small talk with a memory: it keeps the numbers it is told to remember in this
conversation, else it echoes.
"""

import json
import re
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OPTIONS = [{"label": "Alpha", "description": "first"}, {"label": "Beta", "description": "second"}]
QUESTION = {"question": "Which one?", "header": "Pick", "options": OPTIONS}
CHUNK = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "fake-1"}
PIECE = 40  # characters of a text that are streamed at once


def text_of(message):
    """The text of one chat message, whether it came as a string or as parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


# What OpenCode 1.2 and 1.3 make of a prompt that was queued, or is asked again.
WRAPPED = re.compile(r"<system-reminder>\nThe user sent the following message:\n(.*)\n\nPlease address this", re.DOTALL)


def prompt_of(request):
    """The last text of the user's."""
    text = next((text_of(m) for m in reversed(request["messages"]) if m["role"] == "user"), "")
    wrapped = WRAPPED.match(text)
    return wrapped[1] if wrapped else text


class Handler(BaseHTTPRequestHandler):
    """One connection."""
    def log_message(self, *_):
        pass

    def answer(self, status, body, **headers):
        data = json.dumps(body).encode()
        self.send_response(status)
        more = {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()

    def event(self, **body):
        self.wfile.write(f"data: {json.dumps(body)}\n\n".encode())


class Served:
    """A handler's server on loopback, at `.address`; port 0 is any free one."""
    def __init__(self, handler, port=0):
        self.server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()


class FakeModel:
    """`.url`: the base URL; `.requests`: what came, requests for a title apart."""
    def __enter__(self):
        self.requests, self.counts = [], {}
        self.release = threading.Event()  # ends every hanging answer
        self._served = Served(type("Mine", (Answers,), {"model": self}))
        self.url = self._served.address + "/v1"
        return self

    def __exit__(self, *_):
        self.release.set()
        self._served.end()

    def prompts(self):
        return list(map(prompt_of, self.requests))

    def times(self, prompt, limit):
        """True while `prompt` came at most `limit` times; "" is for ever."""
        self.counts[prompt] = self.counts.get(prompt, 0) + 1
        return not limit or self.counts[prompt] <= int(limit)


class Answers(Handler):
    model: FakeModel

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with suppress(BrokenPipeError, ConnectionResetError):  # the client hung up: an interrupt
            self.speak(request)

    def speak(self, request):
        messages, prompt = request["messages"], prompt_of(request)
        if "title generator" in text_of(messages[0]):
            return self.say("Fake title")
        self.model.requests.append(request)
        if messages[-1]["role"] == "tool":
            return self.say(f"TOOL SAID: {text_of(messages[-1])}")
        asked = prompt.partition("<system-reminder>")[0]  # the plan agent of OpenCode adds one
        if script := re.match(r'"?FAKE:(\w+) ?(.*)', asked, re.DOTALL):
            name, rest = script[1], script[2]
            return getattr(self, f"play_{name}")(rest if name == "say" else rest.strip(), prompt)
        return self.say(self.small_talk(messages, prompt))

    def small_talk(self, messages, prompt):
        said = [text_of(m) for m in messages if m["role"] == "user"]
        numbers = [n for text in said[:-1] for n in re.findall(r"remember .*?(\d+)", text)]
        if told := re.search(r"remember .*?(\d+)", prompt):
            return f"I will remember {told[1]}."
        if re.search(r"what number", prompt, re.IGNORECASE):
            return f"The number is {numbers[-1]}." if numbers else "I know no number."
        return f"ECHO[{len(prompt)}]: {prompt}"

    # an answer, part by part
    def chunk(self, delta, finish=None, **more):
        self.event(**CHUNK, choices=[{"index": 0, "delta": delta, "finish_reason": finish}], **more)

    def first(self):
        self.stream()
        self.chunk({"role": "assistant", "content": ""})

    def last(self, finish):
        self.chunk({}, finish, usage={"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110})
        self.wfile.write(b"data: [DONE]\n\n")

    def say(self, text, finish="stop"):
        size = max(PIECE, len(text) // 50)
        self.speaks([text[i : i + size] for i in range(0, len(text), size)], finish)

    def speaks(self, pieces, finish="stop", delay=0.0):
        self.first()
        for piece in pieces:
            self.chunk({"content": piece})
            if delay and self.model.release.wait(delay):
                return
        self.last(finish)

    # the scripts
    def play_say(self, rest, prompt):
        self.say(rest)

    def play_length(self, rest, prompt):
        self.say("as far as it went", "length")

    def play_slow(self, rest, prompt):
        options = dict(pair.split("=") for pair in rest.split())
        words = [f"w{i + 1} " for i in range(int(options.get("n", 30)))]
        self.speaks([*words, "SLOW-DONE"], delay=float(options.get("delay", 0.1)))

    def play_bash(self, rest, prompt):
        about = {"description": "Runs the scripted command"}
        commands = [{"command": one, **about} for one in rest.split(" || ")]
        self.call("bash", *map(json.dumps, commands))

    def play_tool(self, rest, prompt):
        name, _, arguments = rest.partition(" ")
        self.call(name, arguments)

    def play_question(self, rest, prompt):
        self.call("question", json.dumps({"questions": [QUESTION]}))

    def call(self, name, *all_arguments):
        self.first()
        for number, arguments in enumerate(all_arguments):
            function = {"name": name, "arguments": arguments}
            id = f"call_{time.monotonic_ns()}"
            self.chunk({"tool_calls": [{"index": number, "id": id, "type": "function", "function": function}]})
        self.last("tool_calls")

    def play_error(self, rest, prompt):
        status, _, times = rest.partition(" ")
        if not self.model.times(prompt, times):
            return self.say("RECOVERED")
        error = {"message": f"fake provider says {status}", "type": "fake_error", "code": status}
        retry = {"Retry_After": "1"} if status == "429" else {}
        return self.answer(int(status), {"error": error}, **retry)

    def play_overflow(self, rest, prompt):
        if not self.model.times(prompt, 1):
            return self.say("AFTER OVERFLOW")
        said = "prompt is too long: 300000 tokens > 200000 maximum"
        return self.answer(400, {"error": {"message": said, "code": "context_length_exceeded"}})

    def play_cut(self, rest, prompt):
        if not self.model.times(prompt, rest):
            return self.say("RECOVERED")
        self.first()
        self.chunk({"content": "half an ans"})
        self.connection.close()

    def play_hang(self, rest, prompt):
        self.model.release.wait(600)

    def play_nonsense(self, rest, prompt):
        self.stream()
        self.wfile.write(b"data: {not json\n\ndata: [DONE]\n\n")
