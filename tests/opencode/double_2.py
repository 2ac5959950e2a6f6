#!/usr/bin/env -S python3 -SE
"""A stand-in for an `opencode` of line 2: a server that speaks 2.0.4's API (double_2_server.py),
and a TUI that draws its conversation and takes a person's keys. It thinks with the scripted model.

Nothing of a real 2.x was run for it. Shapes and refusals are as public sources of 2.0.4 to 2.0.17
have them, and as a pre-release of 2.0 was seen to behave. ASSUMED marks what was only read.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import termios
import tty
from base64 import b64encode
from contextlib import suppress
from pathlib import Path

VERSION = os.environ.get("DOUBLE_VERSION", "2.9.9")
ON, OFF = "\033[?1049h\033[?25h", "\033[?1049l"


class Tui:
    """ASSUMED: that it takes the password from the environment when started with `--server`."""
    def __init__(self, url, _, session, directory):
        told = Path(os.environ["HOME"], "double")  # what a test wants of it
        if told.exists():
            exec(told.read_text())
        self.url, self.directory, self.draft = f"{url}/api/session", directory, ""
        self.session = session  # "" after /new: the home screen
        self.token = b64encode(f"opencode:{os.environ['OPENCODE_PASSWORD']}".encode()).decode()
        self.info = self.call(f"/{session}") if session else {"title": "", "id": ""}
        self.modes = termios.tcgetattr(0)
        ctypes.CDLL(None).prctl(15, b"opencode")  # the name of its process

    def call(self, path, body=None):
        from urllib.request import Request, urlopen  # not to say a version
        headers = {"Authorization": f"Basic {self.token}"}
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.url + path, data, headers)) as answer:
            said = answer.read()
        return json.loads(said or "{}").get("data")

    def run(self):
        signal.signal(signal.SIGHUP, lambda *_: self.leave())
        signal.signal(signal.SIGCONT, lambda *_: self.enter())
        self.enter()
        while True:
            self.draw()
            if select.select([0], [], [], 0.2)[0]:
                self.keys(os.read(0, 4096).decode(errors="replace"))

    def enter(self):
        tty.setraw(0)
        print(ON, end="", flush=True)

    def leave(self):
        termios.tcsetattr(0, termios.TCSANOW, self.modes)
        shown = [f"  Session   {self.info['title']}", f"  Continue  opencode -s {self.info['id']}"]
        print(OFF + "\n".join(shown), flush=True)
        os._exit(0)

    def draw(self):
        rows, self.asked = ["Ask anything"], None
        if self.session:
            self.info = self.call(f"/{self.session}")
            rows, self.asked = self.call(f"/{self.session}/double")
        shown = "\r\n".join([*rows[-40:], "", f"> {self.draft}"])
        print(f"\033[H\033[J{shown}", end="", flush=True)

    def keys(self, came):
        for key in [came] if came.startswith("\033") else came:
            match key:
                case "\r":
                    self.entered(self.draft)
                case "\033" if self.asked:
                    self.answer("reject")
                case "\033" if self.session:
                    self.call(f"/{self.session}/interrupt", {})
                case "\003" if not self.draft:
                    self.leave()
                case "\003" | "\025":
                    self.draft = ""
                case "\032":
                    termios.tcsetattr(0, termios.TCSANOW, self.modes)
                    print(OFF, end="", flush=True)
                    os.killpg(0, signal.SIGTSTP)
                case _ if key.isprintable():
                    self.draft += key

    def answer(self, word):
        session, kind, id = self.asked
        with suppress(OSError):  # it is answered already
            self.call(f"/{session}/{kind}/{id}/reply", {"decision": word})

    def entered(self, text):
        self.draft = ""
        if not text and self.asked:
            self.answer("once")
        elif text == "/exit":
            self.leave()
        elif text == "/new":
            self.session = ""
        elif text:
            if not self.session:
                body = {"location": {"directory": self.directory}}
                self.session = self.call("", body)["id"]
            self.call(f"/{self.session}/prompt", {"text": text})  # it steers: the default


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--version"]:
            print(f"opencode v{VERSION}")
        case ["serve", *words]:
            sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
            from double_2_server import serve
            serve(VERSION, words)
        case ["--server", url, "-s", session, directory]:
            Tui(url, "-s", session, directory).run()
        case [directory] if os.path.isdir(directory):  # by hand: with a server of its own
            os.environ["OPENCODE_PASSWORD"] = "by hand"
            words, pipe = [sys.argv[0], "serve", "--port", "0", "--stdio"], subprocess.PIPE
            with subprocess.Popen(words, stdin=pipe, stdout=pipe) as served:
                Tui(json.loads(served.stdout.readline())["url"], "-s", "", directory).run()
        case _:
            sys.exit("double: unknown words")
