"""A scripted OpenAI-compatible model on loopback, so that OpenCode can be tested and shown without
a provider.

What the last prompt says decides what happens; everything that arrives is logged, so "exact" is
checked at the model's end.

    FAKE:say TEXT              answers TEXT and nothing else             FAKE:markdown    an answer
    with Markdown in it FAKE:slow n=30 delay=0.1   streams w1 w2 … then SLOW-DONE
    FAKE:pause 7     a word, 7
    silent seconds, a word FAKE:bash COMMAND          calls the bash tool, then says TOOL SAID
    FAKE:commands ONE | TWO    calls it for each, at once
    FAKE:tool NAME JSON
    calls any tool FAKE:question              asks Alpha or Beta with the question tool
    FAKE:error 400|401|429|500 [TIMES]   that status, for ever or so many times, then RECOVERED
    FAKE:cut [TIMES]           a stream cut in mid-answer                FAKE:hang        never
    answers FAKE:nonsense  no JSON     FAKE:length  cut by the limit             FAKE:empty       an
    answer
    without text

Anything else is small talk with a memory: it keeps the numbers it is told to remember in this
conversation, else it echoes. As a program: `python3 fake_model.py [--port N] [--log FILE]` prints
its base URL and serves until
it is ended.
"""

import argparse
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MARKDOWN = (
    "# Title\n\nSome **bold** and `code`.\n\n- one\n- two\n\n```python\nprint('[x]  y')\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |"
)
QUESTION = {
    "questions": [
        {
            "question": "Which one?",
            "header": "Pick",
            "options": [
                {"label": "Alpha", "description": "first"},
                {"label": "Beta", "description": "second"},
            ],
        }
    ]
}


def text_of(message):
    """The text of one chat message, whether it came as a string or as parts."""
    content = message.get("content") or ""
    return (
        content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    )


class FakeModel:
    """Serves from the start. `.url`: the base URL; `.requests`: what came, titles apart; `.ended`:
    when each answer's last token left (time.time())."""

    def __init__(self, port=0, log=None):
        self.requests, self.ended, self.log, self.counts = [], [], log, {}
        self.release = (
            threading.Event()
        )  # ends every hanging answer, so that closing does not wait for them
        self.server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()

    def prompts(self):
        """The last user text of each request, titles left out."""
        return [self._prompt(request) for request in self.requests]

    @staticmethod
    def _prompt(request):
        return next((text_of(m) for m in reversed(request["messages"]) if m["role"] == "user"), "")

    def take(self, request):
        """Logs one request and says whether it is one of OpenCode's own title requests."""
        head = text_of(request["messages"][0])
        title = "title generator" in head
        if not title:
            self.requests.append(request)
            if self.log:
                with open(self.log, "a", encoding="utf-8") as file:
                    file.write(json.dumps(request) + "\n")
        return title

    def times(self, prompt, limit):
        """True while `prompt` came at most `limit` times; no limit is for ever."""
        self.counts[prompt] = self.counts.get(prompt, 0) + 1
        return limit is None or self.counts[prompt] <= limit

    def _handler(self):
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                self.reply(
                    200,
                    json.dumps({"object": "list", "data": [{"id": "fake-1", "object": "model"}]}),
                )

            def reply(self, status, body, kind="application/json", **headers):
                data = body.encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                for key, value in headers.items():
                    self.send_header(key.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(data)

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                try:
                    if model.take(request):
                        self.stream(["Fake title"])
                    else:
                        self.play(request)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # OpenCode hung up: an interrupt

            def chunk(self, delta, finish=None, **more):
                event = {
                    "id": "c1",
                    "object": "chat.completion.chunk",
                    "created": int(time.time()),
                    "model": "fake-1",
                    "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
                    **more,
                }
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
                self.wfile.flush()

            def begin(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.chunk({"role": "assistant", "content": ""})

            def stream(self, words, finish="stop", delay=0.0):
                self.begin()
                for word in words:
                    self.chunk({"content": word})
                    if delay and model.release.wait(delay):
                        return
                self.end(finish)

            def end(self, finish):
                usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
                self.chunk({}, finish, usage=usage)
                self.wfile.write(b"data: [DONE]\n\n")
                self.wfile.flush()
                model.ended.append(time.time())

            def call(self, name, arguments):
                self.begin()
                function = {"name": name, "arguments": arguments}
                call = {
                    "index": 0,
                    "id": f"call_{time.monotonic_ns()}",
                    "type": "function",
                    "function": function,
                }
                self.chunk({"tool_calls": [call]})
                self.end("tool_calls")

            def play(self, request):
                messages, prompt = request["messages"], model._prompt(request)
                found = re.match(r'"?FAKE:(\w+) ?(.*)', prompt, re.DOTALL)
                if messages[-1]["role"] == "tool":
                    return self.stream([f"TOOL SAID: {text_of(messages[-1])}"])
                if not found:
                    return self.stream([self.small_talk(messages, prompt)])
                script, rest = found.groups()
                getattr(self, "play_" + script)(rest.strip() if script != "say" else rest, prompt)

            def small_talk(self, messages, prompt):
                said = [text_of(m) for m in messages if m["role"] == "user"]
                numbers = [n for text in said[:-1] for n in re.findall(r"remember .*?(\d+)", text)]
                told = re.search(r"remember .*?(\d+)", prompt)
                if told:
                    return f"I will remember {told[1]}."
                if re.search(r"what number", prompt, re.IGNORECASE):
                    return f"The number is {numbers[-1]}." if numbers else "I know no number."
                return f"ECHO[{len(prompt)}]: {prompt}"

            def play_say(self, rest, prompt):
                self.stream([rest])

            def play_markdown(self, rest, prompt):
                self.stream([MARKDOWN[i : i + 7] for i in range(0, len(MARKDOWN), 7)])

            def play_slow(self, rest, prompt):
                options = dict(pair.split("=") for pair in rest.split())
                words = [f"w{i + 1} " for i in range(int(options.get("n", 30)))]
                self.stream([*words, "SLOW-DONE"], delay=float(options.get("delay", 0.1)))

            def play_pause(self, rest, prompt):
                self.begin()
                self.chunk({"content": "BEFORE "})
                if not model.release.wait(float(rest or 7)):
                    self.chunk({"content": "AFTER"})
                    self.end("stop")

            def play_bash(self, rest, prompt):
                self.call(
                    "bash",
                    json.dumps({"command": rest, "description": "Runs the scripted command"}),
                )

            def play_tool(self, rest, prompt):
                name, _, arguments = rest.partition(" ")
                self.call(name, arguments)

            def play_commands(self, rest, prompt):
                self.begin()
                for i, command in enumerate(rest.split(" | ")):
                    function = {"name": "bash", "arguments": json.dumps({"command": command})}
                    call = {"index": i, "id": f"call_{time.monotonic_ns()}", "type": "function"}
                    self.chunk({"tool_calls": [{**call, "function": function}]})
                self.end("tool_calls")

            def play_question(self, rest, prompt):
                self.call("question", json.dumps(QUESTION))

            def play_error(self, rest, prompt):
                status, _, times = rest.partition(" ")
                if model.times(prompt, int(times) if times else None):
                    error = {
                        "error": {
                            "message": f"fake provider says {status}",
                            "type": "fake_error",
                            "code": status,
                        }
                    }
                    return self.reply(
                        int(status),
                        json.dumps(error),
                        **({"Retry_After": "1"} if status == "429" else {}),
                    )
                self.stream(["RECOVERED"])

            def play_cut(self, rest, prompt):
                if not model.times(prompt, int(rest) if rest else None):
                    return self.stream(["RECOVERED"])
                self.begin()
                self.chunk({"content": "half an ans"})
                self.connection.close()

            def play_hang(self, rest, prompt):
                model.release.wait(600)

            def play_nonsense(self, rest, prompt):
                self.reply(200, "data: {not json\n\ndata: [DONE]\n\n", "text/event-stream")

            def play_length(self, rest, prompt):
                self.stream(["as far as it went"], finish="length")

            def play_empty(self, rest, prompt):
                self.stream([])

        return Handler


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible model on loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", help="append every request to this file, one JSON object a line")
    options = parser.parse_args()
    with FakeModel(options.port, options.log) as fake:
        print(fake.url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            pass
