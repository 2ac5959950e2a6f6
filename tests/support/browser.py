"""Debian's headless Chromium, driven by its DevTools protocol over two pipes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.terminal import poll

BINARY = shutil.which("chromium")
_CODES = {  # of keys
    "Enter": 13, "Tab": 9, "Escape": 27, "Backspace": 8, "Delete": 46, "PageUp": 33, "PageDown": 34,
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "F5": 116, "Home": 36,
    "End": 35, "Insert": 45, "F1": 112, "F12": 123, "F13": 124}
_TEXTS = {"Enter": "\r", "Tab": "\t"}
_QUIET = """
    --headless=new --disable-gpu --disable-dev-shm-usage --no-first-run
    --remote-debugging-pipe --disable-background-networking --disable-component-update
""".split()
# It never runs as root.
_NOBODY = "setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all --no-new-privs"
_AS = _NOBODY.split() if os.geteuid() == 0 else []
ALT, CTRL, META, SHIFT = 1, 2, 4, 8


def _sandbox() -> list[str]:
    """Its own sandbox needs user namespaces, which few containers allow."""
    has = subprocess.run([*_AS, "unshare", "--user", "--pid", "--fork", "true"], capture_output=True)
    return ["--no-sandbox"] if has.returncode else []


class Browser:
    """One page of a browser of its own, as an ordinary user."""
    binary = BINARY

    def __init__(self, width: int = 1440, height: int = 900):
        assert BINARY
        self._folder = Path(tempfile.mkdtemp(prefix="chromium-"))
        if _AS:
            shutil.chown(self._folder, "nobody")
        (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
        start = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        place = [f"--window-size={width},{height}", f"--user-data-dir={self._folder}"]
        self._process = subprocess.Popen(
            [*_AS, "bash", "-c", start, BINARY, *_QUIET, *_sandbox(), *place, "about:blank"], cwd=self._folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "HOME": str(self._folder)}, pass_fds=(theirs_in, theirs_out))
        os.close(theirs_in), os.close(theirs_out)
        self._out, self._in = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")
        self.pid = self._process.pid
        self._number, self._session, self._rest = 0, {}, b""
        self.events: list[dict] = []
        pages = self.call("Target.getTargets")["targetInfos"]
        [page] = [one["targetId"] for one in pages if one["type"] == "page"]
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def _receive(self) -> dict:
        while b"\0" not in self._rest:
            more = self._in.read1()
            assert more, "the browser has ended"
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def call(self, method: str, **params: Any) -> dict:
        self._number += 1
        command = {"id": self._number, "method": method, "params": params, **self._session}
        self._out.write(json.dumps(command).encode() + b"\0")
        self._out.flush()
        while True:
            message = self._receive()
            if message.get("id") == self._number:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self.events.append(message)

    def run(self, script: str) -> Any:
        """The value of an expression; a promise is awaited."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.until(lambda: self.run("document.readyState") == "complete", url)

    def until(self, condition: Callable[[], Any], what: str | Callable[[], str] = "") -> Any:
        return poll(condition, 30.0, what)

    def key(self, key: str, modifiers: int = 0, types: bool = False) -> None:
        """A key of the keyboard: a letter, or a name of the DOM's. `types`: it types its letter
        whatever is held, as a Mac's Option does."""
        letter = len(key) == 1
        code = ord(key.upper()) if letter and key.isalnum() else _CODES.get(key, 0)
        text = key if letter else _TEXTS.get(key, "")
        if modifiers & (ALT | CTRL | META) and not types:
            text = ""
        facts = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        facts["code"] = "" if letter else key
        typed = {"text": text, "unmodifiedText": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **facts, **typed)
        self.call("Input.dispatchKeyEvent", type="keyUp", **facts)

    def type(self, text: str) -> None:
        for letter in text:
            self.key(letter)

    def problems(self) -> list[str]:
        """What the page wrote to the console as an error."""
        self.run("0")
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded")
        found = [one["params"] for one in self.events if one.get("method") in kinds]
        pairs = zip(found, [one.get("entry", {}).get("level", "error") for one in found], strict=True)
        return [json.dumps(one)[:400] for one, level in pairs if level == "error"]

    def close(self) -> None:
        self._out.close()
        os.killpg(self._process.pid, 9)
        self._process.wait()
        self._in.close()
        shutil.rmtree(self._folder, ignore_errors=True)
