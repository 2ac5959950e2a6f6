"""Headless Firefox, driven by WebDriver BiDi: of the page what any browser must do."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from tests.support.browser import ALT, CTRL, META, SHIFT, Browser

_KEYS = {  # as WebDriver numbers them
    "Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "Backspace": "\ue003", "Delete": "\ue017",
    "PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Insert": "\ue016", "F1": "\ue031",
    "F5": "\ue035", "F12": "\ue03c"}
_HELD = {SHIFT: "\ue008", CTRL: "\ue009", ALT: "\ue00a", META: "\ue03d"}
_OF_CHROMIUM = {"Input.dispatchMouseEvent": "_mouse", "Emulation.setDeviceMetricsOverride": "_size",
                "Emulation.clearDeviceMetricsOverride": "_size"}
_BUTTONS = {"left": 0, "middle": 1, "right": 2}
_LISTENS = re.compile(r"WebDriver BiDi listening on (\S+)")


class Firefox(Browser):
    """One page of a browser of its own. What only Chromium's protocol can do is skipped."""
    binary = shutil.which("firefox-esr") or shutil.which("firefox")

    def __init__(self, width: int = 1440, height: int = 900):
        assert self.binary
        self._folder = Path(tempfile.mkdtemp(prefix="firefox-"))
        options = ["--headless", "--remote-debugging-port=0", "--profile", str(self._folder)]
        said = self._folder / "said"
        with said.open("w") as log:
            self._process = subprocess.Popen(
                [self.binary, *options, "about:blank"], cwd=self._folder, env={**os.environ, "HOME": str(self._folder)},
                stdout=log, stderr=log, start_new_session=True)
        ended = lambda: self._process.poll() is not None  # noqa: E731
        listens = self.until(lambda: _LISTENS.search(said.read_text()) or ended(), said.read_text)
        if listens is True:
            pytest.skip(f"Firefox does not start here: {said.read_text()[-200:]}")
        self._socket = connect(f"{listens[1]}/session", max_size=None, legacy=True)
        self.pid = self._process.pid
        self._number, self.events = 0, []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self._page = {"context": self.call("browsingContext.getTree")["contexts"][0]["context"]}
        self._own = width, height
        self._size()

    def _size(self, width: int = 0, height: int = 0, deviceScaleFactor: float = 0, **_: Any) -> dict:
        width, height = (width, height) if width else self._own
        return self.call("browsingContext.setViewport", **self._page, viewport={"width": width, "height": height},
                         devicePixelRatio=deviceScaleFactor or None)

    def _mouse(self, type: str, x: float, y: float, button: str = "left", modifiers: int = 0, **more: Any) -> dict:
        if min(x, y) < 0:
            pytest.skip("only Chromium moves the mouse out of its window")
        held = [sign for one, sign in _HELD.items() if modifiers & one]
        self._act("key", [{"type": "keyDown", "value": one} for one in held])
        place = {"x": round(x), "y": round(y)}
        if type == "mouseWheel":
            self._act("wheel", [{"type": "scroll", **place, **{by: round(more[by]) for by in ("deltaX", "deltaY")}}])
        else:
            down, up = ({"type": kind, "button": _BUTTONS[button]} for kind in ("pointerDown", "pointerUp"))
            # clicks are counted within one call
            pressed = [down, up] * (more.get("clickCount", 1) - 1) + [down]
            steps = {"mousePressed": pressed, "mouseReleased": [up]}.get(type, [])
            self._act("pointer", [{"type": "pointerMove", **place}, *steps])
        self._act("key", [{"type": "keyUp", "value": one} for one in held])
        return {}

    def _act(self, kind: str, steps: list[dict]) -> dict:
        actions = [{"type": kind, "id": kind, "actions": steps}]
        return self.call("input.performActions", **self._page, actions=actions) if steps else {}

    def call(self, method: str, **params: Any) -> dict:
        if method in _OF_CHROMIUM:
            return getattr(self, _OF_CHROMIUM[method])(**params)
        if method[0].isupper():
            pytest.skip(f"only Chromium has {method}")
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(60))
            if message.get("id") == self._number:
                assert message["type"] == "success", (method, message)
                return message["result"]
            self.events.append(message)

    def run(self, script: str) -> Any:
        whole = f"Promise.resolve({script}).then((value) => JSON.stringify(value))"
        said = self.call("script.evaluate", expression=whole, target=self._page, awaitPromise=True)
        assert said["type"] == "success", said
        return json.loads(said["result"].get("value", "null"))

    def open(self, url: str) -> None:
        self.call("browsingContext.navigate", **self._page, url=url, wait="complete")

    def key(self, key: str, modifiers: int = 0, types: bool = False) -> None:
        if types:
            pytest.skip("a Mac's Option cannot be pressed")
        held = [sign for one, sign in _HELD.items() if modifiers & one]
        keys = [*held, _KEYS.get(key, key)]
        down = [{"type": "keyDown", "value": one} for one in keys]
        up = [{"type": "keyUp", "value": one} for one in reversed(keys)]
        self._act("key", down + up)

    def problems(self) -> list[str]:
        self.run("0")
        entries = [one["params"] for one in self.events if one.get("method") == "log.entryAdded"]
        errors = [entry["text"] for entry in entries if entry["level"] == "error"]
        return [text for text in errors if "favicon.ico" not in text]  # it asks for one, whatever the page says

    def close(self) -> None:
        self._socket.close()
        os.killpg(self._process.pid, 9)
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
