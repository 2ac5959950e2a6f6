"""Debian's headless Chromium, driven by its DevTools protocol over a WebSocket of our own."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

BINARY = shutil.which("chromium")
_START = 60.0  # seconds until the browser says where it listens
_REPLY = 30.0  # seconds for one command
_KEYS = {
    "Enter": (13, "\r"), "Tab": (9, "\t"), "Escape": (27, ""), "Backspace": (8, ""), "Delete": (46, ""), "PageUp": (33, ""), "PageDown": (34, ""),
    "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""), "ArrowDown": (40, ""), "F5": (116, ""), "Home": (36, ""), "End": (35, ""),
}  # fmt: skip
ALT, CTRL, META, SHIFT = 1, 2, 4, 8


class WebSocket:
    """A client without extensions: text messages only."""

    def __init__(self, url: str, headers: str = ""):
        place = urlsplit(url)
        self._socket = socket.create_connection((place.hostname, place.port), _REPLY)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET {place.path}{'?' + place.query if place.query else ''} HTTP/1.1\r\nHost: {place.netloc}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\n{headers}\r\n".encode()
        )
        self._file = self._socket.makefile("rb")
        status = self._file.readline()
        while self._file.readline().strip():
            pass
        assert b" 101 " in status, status

    def send(self, text: str) -> None:
        self._frame(1, text.encode())

    def receive(self) -> str:
        data = b""
        while True:
            first, second = self._file.read(2)
            size = second & 127
            if size > 125:
                size = int.from_bytes(self._file.read(2 if size == 126 else 8))
            part = self._file.read(size)
            if first & 15 == 9:
                self._frame(10, part)
            elif first & 15 == 8:
                raise ConnectionError("closed")
            else:
                data += part
                if first & 128:
                    return data.decode()

    def close(self) -> None:
        self._socket.close()

    def _frame(self, kind: int, data: bytes) -> None:
        mask = os.urandom(4)
        size = bytes([128 | len(data)]) if len(data) < 126 else struct.pack("!BQ", 255, len(data))
        self._socket.sendall(
            bytes([128 | kind]) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data))
        )


class Browser:
    """One page of a browser of its own. With `quiet`, nothing of it is kept."""

    def __init__(self, width: int = 1440, height: int = 900):
        assert BINARY
        self._folder = Path(tempfile.mkdtemp(prefix="chromium-"))
        self._process = subprocess.Popen(
            [BINARY, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-port=0",
             "--disable-background-networking", "--disable-component-update", f"--window-size={width},{height}", f"--user-data-dir={self._folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env={**os.environ, "HOME": str(self._folder)},
        )  # fmt: skip
        self._number = 0
        self.events: list[dict] = []
        port = self._port()
        with urlopen(f"http://127.0.0.1:{port}/json/list", timeout=_REPLY) as reply:
            target = next(one for one in json.load(reply) if one["type"] == "page")
        self._socket = WebSocket(target["webSocketDebuggerUrl"])
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def _port(self) -> int:
        file, end = self._folder / "DevToolsActivePort", time.monotonic() + _START
        while not (file.exists() and file.read_text().strip()):
            assert time.monotonic() < end and self._process.poll() is None, (
                "the browser does not start"
            )
            time.sleep(0.05)
        return int(file.read_text().split()[0])

    def call(self, method: str, **params: Any) -> dict:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.receive())
            if message.get("id") == self._number:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self.events.append(message)

    def run(self, script: str) -> Any:
        """The value of an expression; a promise is awaited."""
        result = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.until(lambda: self.run("document.readyState") == "complete", url)

    def until(self, condition: Callable[[], Any], what: object = "", seconds: float = 30.0) -> Any:
        end = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < end, f"not within {seconds:g}s: {what}"
            time.sleep(0.01)
        return value

    def key(self, key: str, modifiers: int = 0) -> None:
        """A key of the keyboard: a letter, or a name of the DOM's."""
        code, text = _KEYS.get(
            key,
            (
                ord(key.upper()) if len(key) == 1 and key.isalnum() else 0,
                key if len(key) == 1 else "",
            ),
        )
        if modifiers & (ALT | CTRL | META):
            text = ""
        facts = {
            "key": key,
            "code": key if len(key) > 1 else "",
            "windowsVirtualKeyCode": code,
            "modifiers": modifiers,
        }
        self.call(
            "Input.dispatchKeyEvent",
            type="keyDown" if text else "rawKeyDown",
            **facts,
            **({"text": text, "unmodifiedText": text} if text else {}),
        )
        self.call("Input.dispatchKeyEvent", type="keyUp", **facts)

    def type(self, text: str) -> None:
        for letter in text:
            self.key(letter)

    def answer_dialog(self, accept: bool) -> str:
        """What a dialog of the page's asks, once there is one."""
        opened = "Page.javascriptDialogOpening"
        asked = self.until(
            lambda: (
                self.call("Page.getNavigationHistory")
                and [one for one in self.events if one.get("method") == opened]
            ),
            "a dialog",
        )
        self.call("Page.handleJavaScriptDialog", accept=accept)
        self.events = [one for one in self.events if one.get("method") != opened]
        return asked[-1]["params"]["message"]

    def problems(self) -> list[str]:
        """What the page wrote to the console as an error."""
        self.run("0")
        found = [
            event["params"]
            for event in self.events
            if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")
        ]
        return [
            json.dumps(one)[:400]
            for one in found
            if one.get("entry", {}).get("level", "error") == "error"
        ]

    def picture(self, path: Path | str) -> None:
        data = self.call("Page.captureScreenshot", format="png")["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def close(self) -> None:
        self._socket.close()
        os.killpg(self._process.pid, 9)
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
