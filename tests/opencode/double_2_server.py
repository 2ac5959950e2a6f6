"""The server of the stand-in for OpenCode 2: see double_2.py."""

import base64
import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

from tests.support import fake_model

DATA = Path(os.environ.get("XDG_DATA_HOME", "/tmp"), "opencode/double_2.json")
CONFIG = json.loads(Path(os.environ.get("OPENCODE_CONFIG", "/nowhere")).read_text())
FAKE = CONFIG["provider"]["fake"]
ACTIONS = {"bash": "shell", "write": "edit"}  # what line 2 calls them
USED = {"input": 100, "output": 10, "reasoning": 0, "cache": {"read": 0, "write": 0}}
ALL: dict[str, "Conversation"] = {}
ASKED: dict[str, dict] = {}  # open requests
LISTENERS: list[list] = []
ALWAYS: set[str] = set()  # what was allowed for good
CHANGED = threading.Condition()
LOADED: set[str] = set()  # what has been asked for once: the first answer is empty


def now():
    return int(time.time() * 1000)


def new_id(kind):
    return f"{kind}_{time.time_ns():026x}"


def tell(kind, **data):
    with CHANGED:
        event = {"id": new_id("evt"), "created": now(), "type": kind, "data": data}
        for queue in LISTENERS:
            queue.append(event)
        CHANGED.notify_all()


def save():
    with CHANGED:
        DATA.parent.mkdir(parents=True, exist_ok=True)
        kept = {id: [one.info, one.messages] for id, one in ALL.items()}
        (new := DATA.with_suffix(".new")).write_text(json.dumps(kept))
        new.replace(DATA)


class Ended(Exception):
    """A turn: (how, the error's type, its message)"""


class TooLong(Exception):
    """It is compacted, and the step is tried again."""


class Again(Exception):
    """The provider may answer the next time."""


class Conversation:
    def __init__(self, info, messages=()):
        self.info, self.messages, self.inbox = info, list(messages), []
        self.id, self.live, self.model = info["id"], "", None
        self.running = self.stopped = self.background = False
        self.changes = {}  # of files, by the prompt
        ALL[self.id] = self

    @classmethod
    def new(cls, location, **more):
        info = {"id": new_id("ses"), "title": "New session - now", "agent": "build", **more}
        one = cls({**info, "location": location, "time": {"created": now()}})
        save()
        return one

    @property
    def place(self):
        return self.info["location"]["directory"]

    def add(self, kind, **facts):
        message = {"id": new_id("msg"), "type": kind, "time": {"created": now()}, **facts}
        self.messages.append(message)
        return message

    def prompt(self, text, id="", delivery="steer", files=()):
        for path in [Path(each["uri"].removeprefix("file://")) for each in files]:
            text += "\n" + (str(os.listdir(path)) if path.is_dir() else path.read_text())
        item = {"id": id or new_id("msg"), "sessionID": self.id, "type": "user", "timeCreated": now()}
        self.inbox.append(item := {**item, "payload": {"text": text}, "delivery": delivery})
        if not self.running:
            self.begin()
        return item

    def begin(self):
        self.running = True
        threading.Thread(target=self.execute, daemon=True).start()

    def deliver(self, items):
        for item in items:
            self.inbox.remove(item)
            self.add("user", id=item["id"], text=item["payload"]["text"])
            self.prompted = item["id"]

    def execute(self):
        how, facts = "succeeded", {"reason": "user"}
        try:
            while self.inbox:
                self.deliver(self.inbox[:1])
                self.turn()
                self.info["title"] = f"About {self.messages[0]['text'][:60]}"
        except Ended as end:
            how, kind, said = end.args
            facts["error"] = {"type": kind, "message": said}
        with CHANGED:
            if how != "rejected":  # ASSUMED: such a turn has no end in the list
                error = {"error": facts["error"]} if how == "failed" else {}
                self.add("idle", outcome=how, **error)
            self.running = self.stopped = False
            if self.inbox and how == "succeeded":  # one came in this moment
                self.begin()
        save()
        kind = how.replace("rejected", "interrupted")
        tell(f"session.execution.{kind}", sessionID=self.id, **facts)

    def turn(self):
        model = self.info.get("model") or {"id": CONFIG["model"].partition("/")[2]}
        if model["id"] not in FAKE["models"]:  # no message of an assistant comes then
            raise Ended("failed", "unknown", f"Model unavailable: fake/{model['id']}")
        calls = True
        while calls:
            step = self.add("assistant", agent=self.info["agent"], model=model, content=[])
            try:
                finish, *calls = self.think(step)
                for call in calls:
                    said = str(self.tool(step, call))
                    call["state"]["content"] = [{"type": "text", "text": said}]
                    call["state"]["status"] = "completed"
            except Ended as end:
                error = {"type": end.args[1], "message": end.args[2]}
                if "retry" not in step:  # stopped in a retry it stays as it is
                    self.end(step, "error", error=error)
                for call in step["content"][1:]:
                    if call["state"]["status"] != "completed":
                        call["state"] |= {"status": "error", "error": error}
                raise
            self.end(step, "tool-calls" if calls else finish)
            self.deliver([one for one in self.inbox if calls and one["delivery"] == "steer"])

    def end(self, step, finish, **more):
        step |= {"finish": finish, "tokens": USED, "cost": 0, **more}
        step["time"]["completed"], self.live = now(), ""

    def go_on(self, seconds=0.0):
        """Waits so long; raises if the turn is interrupted."""
        end = time.monotonic() + seconds
        while not self.stopped and time.monotonic() < end:
            time.sleep(0.02)
        if self.stopped:
            raise Ended("interrupted", "aborted", "Tool execution interrupted")

    def think(self, step):
        """Asks the model, again where that may help; yields the finish, and the tool calls."""
        for attempt in range(2, 9):
            try:
                return [self.stream(step), *step["content"][1:]]
            except TooLong:
                self.messages.remove(step)
                self.add("compaction", status="completed", reason="auto", summary="SUMMARY")
                self.messages.append(step)
            except Again as problem:
                error = {"type": "provider.rate-limit", "message": str(problem)}
                step["retry"] = {"attempt": attempt, "at": now() + 3000, "error": error}
                self.go_on(3)  # whoever looks for it on a busy machine sees it
                del step["retry"]
        raise Ended("failed", "provider.unknown", "gave up")

    def stream(self, step):
        part, finish, self.live = {"type": "text", "text": ""}, "", ""
        about = {"sessionID": self.id, "ordinal": 0, "assistantMessageID": step["id"]}
        step["content"] = [part]  # the list has a text only when it is whole
        try:
            for chunk in self.chunks():
                choice = chunk["choices"][0]
                finish = choice["finish_reason"] or finish
                if word := choice["delta"].get("content"):
                    self.live += word
                    tell("session.text.delta", **about, delta=word)
                for call in choice["delta"].get("tool_calls") or []:
                    name, given = call["function"]["name"], call["function"]["arguments"]
                    state = {"status": "running", "input": json.loads(given)}
                    named = {"type": "tool", "id": call["id"], "name": ACTIONS.get(name, name)}
                    step["content"].append(named | {"state": state})
        finally:
            part["text"] = self.live
        return finish

    def chunks(self):
        address = urlsplit(FAKE["options"]["baseURL"])
        model = HTTPConnection(address.netloc)
        model.connect()
        self.model = model.sock
        self.go_on()
        body = json.dumps({"model": "fake-1", "stream": True, "messages": self.chat()})
        line = b""
        with suppress(OSError):  # it was cut, perhaps by stop()
            model.request("POST", f"{address.path}/chat/completions", body)
            with model.getresponse() as answer:
                if answer.status >= 400:
                    said = json.loads(answer.read())["error"]["message"]
                    if "too long" in said:
                        raise TooLong
                    raise Again(said) if answer.status == 429 else Ended("failed", "bad", said)
                for line in filter(bytes.strip, answer):
                    if line.startswith(b"data: {not"):
                        raise Ended("failed", "provider.invalid", "what came is no JSON")
                    if line.startswith(b"data: {"):
                        yield json.loads(line[5:])
        self.go_on()
        if not line.startswith(b"data: [DONE]"):
            raise Again("the stream was cut")

    def chat(self):
        """The conversation as a provider gets it."""
        said = [{"role": "system", "content": "A stand-in"}]
        for message in self.messages:
            if message["type"] == "user":
                said.append({"role": "user", "content": message["text"]})
            for part in message.get("content") or []:
                if part.get("text"):
                    said.append({"role": "assistant", "content": part["text"]})
                elif result := part.get("state", {}).get("content"):
                    said.append({"role": "tool", "content": result[0]["text"]})
        return said

    def stop(self):
        self.stopped = self.running
        if self.stopped and self.model:
            with suppress(OSError):
                self.model.shutdown(socket.SHUT_RDWR)

    def tool(self, step, call):
        given = call["state"]["input"]
        if call["name"] == "question":
            return self.question(step, call, given["questions"])
        if call["name"] == "form":
            with self.asked(step, call, "form", **given) as answer:
                return json.dumps(answer and answer["answer"])
        if call["name"] == "task":
            child = Conversation.new(self.info["location"], parentID=self.id)
            child.background = given.get("background", False)
            child.prompt(given["prompt"])
            if child.background:
                return "it works in the background"
            while child.running:
                self.go_on(0.05)
            said = [each["content"] for each in child.messages if each["type"] == "assistant"]
            return said[-1][0]["text"] or "Subagent failed"  # ASSUMED: as in 1.18
        old = "bash" if "command" in given else "edit"
        what = given.get("command") or given["filePath"]
        rules = CONFIG.get("permission", {}).get(old, "allow")
        rules = dict(rules) if isinstance(rules, dict) else {"*": rules}
        own = [one for one in self.info.get("permissions", []) if one["action"] == call["name"]]
        rules |= {one["resource"]: one["effect"] for one in own}
        if what not in ALWAYS and [r for p, r in rules.items() if fnmatch(what, p)][-1] == "ask":
            request = {"action": call["name"], "resources": [what], "save": [what]}
            with self.asked(step, call, "permission", **request) as answer:
                ALWAYS.update(request["save"] if answer["decision"] == "always" else ())
                if answer["decision"] == "reject" and "message" in answer:
                    return answer["message"]  # ASSUMED: an empty one counts too
                if answer["decision"] == "reject":  # ASSUMED: the words
                    raise Ended("rejected", "aborted", "The user declined this tool call")
        if old == "bash":
            return self.command(what)
        lines = given["content"].splitlines()
        change = {"file": what, "additions": len(lines), "deletions": 0, "status": "added"}
        change["patch"] = "".join(f"+{line}\n" for line in lines)
        self.changes.setdefault(self.prompted, []).append(change)
        return Path(what).write_text(given["content"])

    def question(self, step, call, questions):
        fields = []
        for i, each in enumerate(questions):
            options = [{"value": o["label"].lower(), "label": o["label"]} for o in each["options"]]
            about = {"key": f"q{i}", "title": each["header"], "description": each["question"]}
            fields.append({**about, "type": "string", "options": options, "custom": True})
        with self.asked(step, call, "form", title="Questions", fields=fields) as answer:
            if not answer:  # ASSUMED: the words
                raise Ended("rejected", "aborted", "The user dismissed this question")
            said = zip(questions, answer["answer"].values(), strict=True)
            return ", ".join(f'"{each["question"]}"="{value.capitalize()}"' for each, value in said)

    @contextmanager
    def asked(self, step, call, kind, **request):
        source = {"type": "tool", "messageID": step["id"], "id": call["id"]}
        request = {"sessionID": self.id, **request, "id": new_id(kind[:3]), "source": source}
        while self.background and ALL[self.info["parentID"]].running:
            self.go_on(0.02)  # what asks in the background asks after the turn that began it
        one = ASKED[request["id"]] = {"kind": kind, "request": request}
        told = request if kind == "permission" else {"form": request}
        tell("permission.asked" if kind == "permission" else "form.created", **told)
        try:
            while "answer" not in one:
                self.go_on(0.02)
        finally:
            del ASKED[request["id"]]
        yield one["answer"]

    def command(self, command):
        how = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        return subprocess.run(["sh", "-c", command], cwd=self.place, **how).stdout


NOBODY = SimpleNamespace(id="global")  # whose the forms of MCP servers are


class Handler(fake_model.Handler):
    token: str
    version: str

    def do_GET(self):
        address = urlsplit(self.path)
        self.path, self.query = address.path, {k: v[0] for k, v in parse_qs(address.query).items()}
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
        if self.headers.get("Authorization") != self.token:
            return self.answer(401, {"_tag": "UnauthorizedError"})
        if self.path == "/api/event":
            return self.listen()
        try:
            with CHANGED:
                said = self.said(body)
            self.answer(200 if said is not None else 204, said)
        except TypeError as problem:
            self.answer(400, {"_tag": "FormInvalidAnswerError", "message": str(problem)})
        except LookupError:
            self.answer(404, {"_tag": "NotFoundError", "message": f"{self.path} not found"})
    do_POST = do_DELETE = do_PATCH = do_GET

    def listen(self):
        LISTENERS.append(queue := [{"id": "evt_0", "type": "server.connected", "data": {}}])
        self.stream()
        with suppress(OSError):
            while True:
                with CHANGED:
                    CHANGED.wait_for(lambda: queue, 15)
                    events, queue[:] = queue[:], []
                for event in events:
                    self.event(**event)

    def said(self, body):
        match self.command, self.path.strip("/").split("/")[1:]:
            case "GET", ["info"]:
                return {"version": self.version, "pid": os.getpid(), "urls": [], "paths": {}}
            case "GET", [("model" | "agent") as what]:
                listed = {"model": [{"id": id, "providerID": "fake"} for id in FAKE["models"]]}
                listed["agent"] = [{"id": "build"}, {"id": "plan"}]
                found = listed[what] if what in LOADED else []
                LOADED.add(what)
                return {"location": {}, "data": found}
            case "POST", ["session"]:
                return {"data": Conversation.new(**body).info}
            case "GET", ["session", "active"]:
                ids = [id for id in ALL if ALL[id].running and not ALL[id].background]
                return {"data": {id: {"type": "running"} for id in ids}}
            case "GET", ["permission", "request"]:
                here = [one for one in ALL.values() if one.place == self.query["location[directory]"]]
                return {"data": [r for k, r in self.open(*here) if k == "permission"]}
            case _, ["session", "global", *rest] if self.query["location[directory]"]:
                return self.of(NOBODY, rest, body)
            case _, ["session", id, *rest] if id in ALL:
                return self.of(ALL[id], rest, body)
        raise LookupError

    def of(self, one, rest, body):
        match self.command, rest:
            case "GET", []:
                return {"data": one.info}
            case "PATCH", []:
                one.info |= body
                return None
            case "GET", ["double"]:  # for its own TUI: rows, and the request that is open
                return {"data": self.screen(one)}
            case "GET", ["inbox"]:
                return {"data": one.inbox}
            case "DELETE", ["inbox", id]:
                one.inbox = [each for each in one.inbox if each["id"] != id]
                return None
            case "GET", ["diff"]:
                return {"data": one.changes.get(self.query["from"], [])}
            case "GET", ["message"]:
                return self.page(one.messages)
            case "GET", ["message", id]:
                return {"data": next(each for each in one.messages if each["id"] == id)}
            case "GET", [("permission" | "form") as kind]:
                return {"data": [r for k, r in self.open(one) if k == kind]}
            case "POST", ["prompt"]:
                return {"data": one.prompt(**body)}
            case "POST", [("agent" | "model") as what]:
                one.info[what] = body[what]  # an unknown one is taken
                return None
            case "POST", ["move"]:
                one.info["location"] = body
                return None
            case "POST", ["interrupt"]:
                one.stop()
                return {"interrupted": one.stopped}
            case ("POST", [_, id, "reply"]) | ("DELETE", ["form", id]) if id in ASKED:
                for field in ASKED[id]["request"].get("fields", []):
                    must_fit(field, body.get("answer", {}))
                ASKED[id]["answer"] = body
                return None
        raise LookupError

    def open(self, *conversations):
        """Kind and request of what these conversations ask."""
        ids = [one.id for one in conversations]
        unanswered = [each for each in ASKED.values() if "answer" not in each]
        found = [(each["kind"], each["request"]) for each in unanswered]
        return [each for each in found if each[1]["sessionID"] in ids]

    def page(self, messages):
        """Newest first; the cursor is how many have come, and there is one even at the end."""
        limit, seen = self.query.get("cursor", self.query.get("limit", "50") + ":0").split(":")
        rows = messages[::-1][int(seen) : int(seen) + int(limit)]
        return {"data": rows, "cursor": {"next": f"{limit}:{int(seen) + len(rows)}"}}

    def screen(self, one):
        said = [part for each in one.messages for part in each.get("content") or [each]]
        rows = [row for part in said for row in part.get("text", "").splitlines()]
        rows += [one.live] * one.running + [f"QUEUED {each['payload']['text']}" for each in one.inbox]
        children = [each for each in ALL.values() if each.info.get("parentID") == one.id]
        for kind, request in self.open(one, *children):
            rows += ["△ Permission required", "Allow once   Allow always   Reject"]
            return rows, [request["sessionID"], kind, request["id"]]
        return rows, None


KINDS = {"string": str, "multiselect": list, "boolean": bool, "integer": int, "number": (int, float)}


def must_fit(field, answer):
    """ASSUMED: a field whose condition does not hold takes no answer."""
    when = field.get("when")
    counts = not when or (answer.get(when["key"]) == when["value"]) == (when["op"] == "eq")
    given = field["key"] in answer
    fits = isinstance(answer.get(field["key"]), KINDS[field["type"]])
    if given and not (counts and fits):
        raise TypeError(f"{field['key']} does not take {answer[field['key']]!r}")


def serve(version, words):
    for info, messages in (json.loads(DATA.read_text()) if DATA.exists() else {}).values():
        Conversation(info, messages)
    password = os.environ.pop("OPENCODE_PASSWORD")  # what it starts does not have it
    Handler.token = "Basic " + base64.b64encode(f"opencode:{password}".encode()).decode()
    Handler.version = version
    served = fake_model.Served(Handler, int(words[words.index("--port") + 1]))
    print(json.dumps({"url": served.address}), flush=True)
    sys.stdin.read()  # it ends with that
