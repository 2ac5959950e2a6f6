"""A scripted OpenAI-compatible model on loopback, so that OpenCode can be tested and shown without
a provider. What arrives is kept, so "exact" is checked at the model's end.

What the last prompt says decides what happens:

    FAKE:say TEXT              answers TEXT and nothing else
    FAKE:markdown              an answer with Markdown in it
    FAKE:slow n=30 delay=0.1   streams w1 w2 … then SLOW-DONE
    FAKE:pause 7               a word, 7 silent seconds, a word
    FAKE:bash COMMAND          calls the bash tool, then says TOOL SAID
    FAKE:commands ONE | TWO    calls it for each, at once
    FAKE:tool NAME JSON        calls any tool
    FAKE:question              asks Alpha or Beta with the question tool
    FAKE:error 429 [TIMES]     that status, for ever or so many times, then RECOVERED
    FAKE:cut [TIMES]           a stream cut in mid-answer
    FAKE:hang                  never answers
    FAKE:nonsense              no JSON
    FAKE:length                an answer cut by the limit
    FAKE:empty                 an answer without text

Anything else is small talk with a memory: it keeps the numbers it is told to remember in this
conversation, else it echoes.
"""

import json
import re
import threading
import time
from contextlib import ExitStack

from tests.support.fake_apis import Handler, serving

MARKDOWN = (
    "# Title\n\nSome **bold** and `code`.\n\n- one\n- two\n\n```python\nprint('[x]  y')\n```\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |"
)
OPTIONS = [
    {"label": "Alpha", "description": "first"},
    {"label": "Beta", "description": "second"},
]
QUESTION = {"question": "Which one?", "header": "Pick", "options": OPTIONS}
CHUNK = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "fake-1"}


def text_of(message):
    """The text of one chat message, whether it came as a string or as parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def prompt_of(request):
    """The last text of the user's."""
    return next((text_of(m) for m in reversed(request["messages"]) if m["role"] == "user"), "")


class FakeModel:
    """`.url`: the base URL; `.requests`: what came, requests for a title apart."""

    def __enter__(self):
        self.requests, self.counts = [], {}
        self.release = threading.Event()  # ends every hanging answer
        self._served = ExitStack()
        handler = type("Served", (Answers,), {"model": self})
        self.url = self._served.enter_context(serving(handler)) + "/v1"
        return self

    def __exit__(self, *_):
        self.release.set()
        self._served.close()

    def prompts(self):
        return list(map(prompt_of, self.requests))

    def times(self, prompt, limit):
        """True while `prompt` came at most `limit` times; "" is for ever."""
        self.counts[prompt] = self.counts.get(prompt, 0) + 1
        return not limit or self.counts[prompt] <= int(limit)


class Answers(Handler):
    model: FakeModel

    def speak(self, request):
        messages, prompt = request["messages"], prompt_of(request)
        if "title generator" in text_of(messages[0]):
            return self.say(["Fake title"])
        self.model.requests.append(request)
        if messages[-1]["role"] == "tool":
            return self.say([f"TOOL SAID: {text_of(messages[-1])}"])
        if script := re.match(r'"?FAKE:(\w+) ?(.*)', prompt, re.DOTALL):
            name, rest = script[1], script[2]
            return getattr(self, f"play_{name}")(rest if name == "say" else rest.strip(), prompt)
        return self.say([self.small_talk(messages, prompt)])

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
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        self.event("", **CHUNK, choices=[choice], **more)

    def first(self):
        self.stream()
        self.chunk({"role": "assistant", "content": ""})

    def last(self, finish):
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        self.chunk({}, finish, usage=usage)
        self.wfile.write(b"data: [DONE]\n\n")

    def say(self, words, finish="stop", delay=0.0):
        self.first()
        for word in words:
            self.chunk({"content": word})
            if delay and self.model.release.wait(delay):
                return
        self.last(finish)

    def call(self, name, *all_arguments):
        self.first()
        for number, arguments in enumerate(all_arguments):
            function = {"name": name, "arguments": arguments}
            id = f"call_{time.monotonic_ns()}"
            call = {"index": number, "id": id, "type": "function", "function": function}
            self.chunk({"tool_calls": [call]})
        self.last("tool_calls")

    # the scripts

    def play_say(self, rest, prompt):
        self.say([rest])

    def play_markdown(self, rest, prompt):
        self.say([MARKDOWN[i : i + 7] for i in range(0, len(MARKDOWN), 7)])

    def play_slow(self, rest, prompt):
        options = dict(pair.split("=") for pair in rest.split())
        words = [f"w{i + 1} " for i in range(int(options.get("n", 30)))]
        self.say([*words, "SLOW-DONE"], delay=float(options.get("delay", 0.1)))

    def play_pause(self, rest, prompt):
        self.first()
        self.chunk({"content": "BEFORE "})
        if not self.model.release.wait(float(rest or 7)):
            self.chunk({"content": "AFTER"})
            self.last("stop")

    def play_bash(self, rest, prompt):
        self.run(rest)

    def run(self, *commands):
        about = {"description": "Runs the scripted command"}
        self.call("bash", *(json.dumps({"command": one} | about) for one in commands))

    def play_commands(self, rest, prompt):
        self.run(*rest.split(" | "))

    def play_tool(self, rest, prompt):
        name, _, arguments = rest.partition(" ")
        self.call(name, arguments)

    def play_question(self, rest, prompt):
        self.call("question", json.dumps({"questions": [QUESTION]}))

    def play_error(self, rest, prompt):
        status, _, times = rest.partition(" ")
        if not self.model.times(prompt, times):
            return self.say(["RECOVERED"])
        error = {"message": f"fake provider says {status}", "type": "fake_error", "code": status}
        retry = {"Retry_After": "1"} if status == "429" else {}
        return self.answer(int(status), {"error": error}, **retry)

    def play_cut(self, rest, prompt):
        if not self.model.times(prompt, rest):
            return self.say(["RECOVERED"])
        self.first()
        self.chunk({"content": "half an ans"})
        self.connection.close()

    def play_hang(self, rest, prompt):
        self.model.release.wait(600)

    def play_nonsense(self, rest, prompt):
        self.stream()
        self.wfile.write(b"data: {not json\n\ndata: [DONE]\n\n")

    def play_length(self, rest, prompt):
        self.say(["as far as it went"], finish="length")

    def play_empty(self, rest, prompt):
        self.say([])
