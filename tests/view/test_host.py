"""The view in the newer host: its handler with a stand-in for the host's loader, its parts of the
page with stand-ins for the host's modules. They behave as the host's v1.7 does."""

import asyncio
import importlib
import importlib.util
import inspect
import json
import re
import sys
import threading
import types
from pathlib import Path

import pytest
import yaml

from python.helpers.tmux.base.settings import Settings
from python.helpers.tmux_view.served import feed
from tests.conftest import DEADLINE, ROOT
from tests.support.browser import BINARY, Browser
from tests.support.fake_model import Handler, Served
from tests.support.terminal import SIGN
from tests.view.test_feed import LOOK

PLUGIN = ROOT / "python/helpers/tmux_cli/plugin"
HANDLER = "python.helpers.tmux_cli.plugin.api.ws_view"


class WsHandler:
    """As the host's: the flags say which guards it has at connect and at every event."""
    def __init__(self, socketio_server=None, lock=None, *, manager=None, namespace="/ws"):
        self.namespace, self.socketio = namespace, socketio_server

    @classmethod
    def requires_auth(cls):
        return True

    @classmethod
    def requires_csrf(cls):
        return cls.requires_auth()


class Host:
    """What the handler asks the host."""
    def __init__(self):
        self.enabled = ["tmux_tool"]
        self.config = yaml.safe_load((PLUGIN / "default_config.yaml").read_text())
        self.chats = {}  # id -> its project
        self.named, self.login = "localhost:5000", False
        self.workdir = ""

    def get_enabled_plugins(self, agent):
        return self.enabled

    def get_plugin_config(self, name, agent=None):
        return self.config

    def is_login_required(self):
        return self.login

    def get_environ(self, sid, namespace):
        return {"HTTP_HOST": self.named}

    def get_settings(self):
        return {"workdir_path": self.workdir}

    def modules(self) -> dict[str, dict]:
        projects = types.SimpleNamespace(
            get_context_project_name=lambda chat: self.chats[chat], get_project_folder=lambda name: name
        )
        helpers = {"login": self, "plugins": self, "projects": projects, "secrets": None, "settings": self}
        known = lambda chat: chat if chat in self.chats else None  # noqa: E731
        return {
            "agent": {"AgentContext": types.SimpleNamespace(get=known)}, "helpers": helpers,
            "helpers.tool": {"Tool": object, "Response": object}, "helpers.ws": {"WsHandler": WsHandler}}


@pytest.fixture
def host(monkeypatch):
    made = Host()
    for name, members in made.modules().items():
        module = types.ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, HANDLER, raising=False)
    monkeypatch.delitem(sys.modules, "python.tools.tmux_tool", raising=False)
    monkeypatch.setattr(feed, "_pages", {})
    yield made
    sys.modules.pop(HANDLER, None)


def loaded(tmp_path) -> type:
    """The class that the host finds in the file which the installer places: executed anew, without
    an entry in sys.modules, the last name that is a subclass."""
    file = tmp_path / "ws_view.py"
    file.write_text(f"from {HANDLER} import *\n")
    spec = importlib.util.spec_from_file_location("ws_view", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    classes = [one for _, one in inspect.getmembers(module, inspect.isclass)]
    return [one for one in classes if issubclass(one, WsHandler) and one is not WsHandler][-1]


@pytest.fixture
def handler(host, tmp_path):
    return loaded(tmp_path)(host)


class TestHandler:
    def test_the_host_finds_it_with_all_guards_on_and_the_plugins_settings(self, handler, host):
        kind = type(handler)
        assert kind.__name__ == "WsView"
        assert (kind.requires_auth(), kind.requires_csrf()) == (True, True)
        assert not {name for name in vars(kind) if name.startswith("requires_")}
        assert Settings.load(host.config) == Settings()
        page = (PLUGIN / "webui/config.html").read_text()
        assert set(re.findall(r"^ *\['(\w+)'", page, flags=re.M)) == host.config.keys()

    async def test_looking_and_typing(self, terminal, handler):
        frame = await handler.process("tmux_look", {"correlationId": "x"} | LOOK, "sid")
        assert (frame["width"], frame["height"]) == ("120", "30")
        keys = {"pane": frame["pane"], "items": [["text", "echo $((6*7))"], ["key", "Enter"]]}
        assert await handler.process("tmux_type", keys, "sid") == {}
        terminal.see("\n42\n")
        json.dumps(frame)

    @pytest.mark.parametrize("chat", ["in a project", "without one", "none"])
    async def test_a_session_starts_where_the_chats_agent_works(self, bare, host, handler, tmp_path, chat):
        """Not in the host's own folder, whoever starts it."""
        project, host.workdir = str(tmp_path / "project"), str(tmp_path / "work")
        (tmp_path / "project").mkdir(), (tmp_path / "work").mkdir()
        host.chats = {"in a project": project, "without one": None}
        await handler.process("tmux_look", LOOK | {"start": True, "chat": chat}, "sid")
        where = bare.tmux("display-message", "-p", "-t", "=shared:", "#{session_path}").strip()
        assert where == (project if chat == "in a project" else host.workdir)

    async def test_another_event_is_not_ours_and_switched_off_it_refuses_each(self, host, handler):
        assert await handler.process("state_request", {}, "sid") is None
        host.enabled = []
        for event in ("tmux_look", "tmux_type"):
            refused = await handler.process(event, {}, "sid")
            assert refused == {"refused": "the plugin is switched off or removed"}

    @pytest.mark.parametrize("named, known", [
        ("127.0.0.1:5000", True), ("localhost", True), ("[::1]:5000", True), ("192.168.1.5", True),
        ("rebound.example:5000", False), ("127.0.0.1.example", False), ("", False), ("nas.example", "names"),
        ("rebound.example", "login")])
    async def test_without_a_login_another_sites_name_does_not_lead_to_the_terminal(
        self, terminal, host, handler, named, known
    ):
        host.named, host.login = named, known == "login"
        if known == "names":
            host.config["names"] = "other, nas.example"
        frame = await handler.process("tmux_look", LOOK, "sid")
        assert ("pane" in frame) is bool(known)
        assert known or "set a login" in frame["refused"]

    @pytest.mark.parametrize("off", ["off", False])
    async def test_the_setting_is_asked_at_every_event(self, terminal, host, handler, off):
        assert "pane" in await handler.process("tmux_look", LOOK, "sid")
        host.config["view"] = off
        assert "switched off" in (await handler.process("tmux_look", {}, "sid"))["refused"]

    async def test_the_loop_is_never_blocked(self, terminal, handler, monkeypatch):
        # tmux renames a window on its own while its program starts: that is news, too.
        terminal.tmux("rename-window", "-t", "=shared:", "work")
        monkeypatch.setattr(feed, "_LONGEST_WAIT", DEADLINE)
        looks = [LOOK | {"page": page} for page in range(40)]
        frames = [await handler.process("tmux_look", look, "sid") for look in looks]
        waits = []
        for look, frame in zip(looks, frames, strict=True):
            known = look | {"have": frame["number"]}
            waits.append(asyncio.create_task(handler.process("tmux_look", known, "sid")))
            await asyncio.sleep(0.01)
            assert not any(wait.done() for wait in waits)
        await handler.process("tmux_type", {"pane": frames[0]["pane"], "items": [["text", "x"]]}, "sid")
        for wait in waits:
            assert 0 in await wait


# the page

STANDINS = Path(__file__).parent / "host_page"  # for the modules that the host has there
LOADS = threading.Event()  # set: the terminal's script arrives at once


class Site(Handler):
    def do_GET(self):
        path = self.path.partition("?")[0]
        file = STANDINS / (path[1:] or "index.html")
        if path == "/extensions":
            found = (PLUGIN / "extensions/webui" / self.path.partition("?")[2]).glob("*.js")
            return self.answer(200, [f"/plugins/tmux_tool/{one.relative_to(PLUGIN)}" for one in found])
        if path.startswith("/plugins/tmux_tool/"):
            file = PLUGIN / path.removeprefix("/plugins/tmux_tool/")
        if file.name == "host.js":
            LOADS.wait(DEADLINE)
        body = file.read_text() if file.is_file() else ""
        kind = {"js": "text/javascript", "css": "text/css"}.get(path.rpartition(".")[2], "text/html")
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body.encode())

    def do_POST(self):
        event, data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(200, feed.answer(None, event, data))


@pytest.fixture(scope="module")
def browser():
    started = Browser()
    yield started
    started.close()


@pytest.fixture
def site(browser, terminal, monkeypatch):
    monkeypatch.setattr(feed, "_pages", {})
    served = Served(Site)
    browser.events.clear()
    LOADS.set()
    browser.open(f"{served.address}/")
    yield f"{served.address}/"
    LOADS.set()
    browser.open("about:blank")
    served.end()


HOST = "import('/plugins/tmux_tool/webui/host.js')"
ROOT_OF_IT = "document.querySelector('tmux-terminal').shadowRoot"
ROWS = f"[...({ROOT_OF_IT}?.querySelectorAll('.rows > div') ?? [])]"
TEXT = f"{ROWS}.map((row) => row.textContent).join('\\n')"
BUTTON = PLUGIN / "extensions/webui/chat-input-bottom-actions-end/terminal-button.html"
SURFACE = "/plugins/tmux_tool/extensions/webui/right_canvas_register_surfaces/register-terminal.js"
MESSAGES = "/plugins/tmux_tool/extensions/webui/get_tool_message_handler/tmux-tool-handler.js"
TAB = f"import('{SURFACE}').then(async (module) => {{ let tab;" \
    "await module.default({ registerSurface: (it) => (tab = it) }); await tab.%s })"
STEP = """import('%s').then(async (module) => {
    const data = { tool_name: 'tmux_tool' };
    await module.default(data);
    data.handler({ id: %s, content: %s, heading: %s, kvps: %s });
})"""


def opens(browser: Browser) -> None:
    browser.run(f"{HOST}.then((host) => host.openTerminal())")
    browser.until(lambda: "bash-" in browser.run(TEXT), "the prompt")


def step(browser: Browser, id: str, content: str, heading: str = "run", **kvps: object) -> None:
    browser.run(STEP % (MESSAGES, *map(json.dumps, (id, content, heading, kvps))))


def callouts(browser: Browser, text: str = "textContent") -> list[str]:
    """Their `innerText` is without what is hidden in them."""
    all = "[...document.querySelectorAll('.tmux-callout')]"
    return browser.run(f"{all}.map((one) => one.{text}.replace(/\\s+/g, ' ').trim())")


@pytest.mark.thorough
@pytest.mark.skipif(not BINARY, reason="no chromium")
class TestPage:
    def test_the_button_opens_the_dock_and_closes_it(self, browser, site):
        click = re.search(r'@click="(.*?)"', BUTTON.read_text())[1]
        browser.run(click)
        browser.until(lambda: "bash-" in browser.run(TEXT), "the prompt")
        children = "[...document.querySelector('#right-panel').children]"
        order = f"{children}.map((one) => one.id || one.className).join()"
        assert browser.run(order) == "chat-area-wrapper,tmux-dock,chat-input"
        assert browser.run("globalThis.handlers.join()") == "/ws,plugins/tmux_tool/ws_view"
        browser.run(click)
        assert browser.run("document.querySelector('.tmux-dock')") is None

    @pytest.mark.parametrize("view", ["off", False, "look", "type", None])
    def test_switched_off_there_is_no_button_and_no_tab(self, browser, site, view):
        """Where the host does not say, they are there."""
        if view is not None:
            browser.run(f"globalThis.view = {json.dumps(view)}")
        assert 'x-show="allowed"' in BUTTON.read_text()
        asked = re.search(r'x-init="allowed = await (.*?)"', BUTTON.read_text())[1]
        tabs = (
            f"import('{SURFACE}').then(async (module) => {{ const ids = [];"
            "await module.default({ registerSurface: ({ id }) => ids.push(id) }); return ids })"
        )
        there = view not in ("off", False)
        assert browser.run(asked) is there
        assert browser.run(tabs) == ["tmux_tool"] * there

    def test_keys_do_not_reach_the_hosts_page(self, browser, site, terminal):
        opens(browser)
        browser.type("echo $((6*7))")
        browser.key("Enter")
        browser.key("Escape")
        terminal.see("\n42\n")
        assert browser.run("globalThis.reached ?? ''") == ""

    def test_a_hidden_terminal_is_not_typed_into_and_gives_the_focus_back(self, browser, site, terminal):
        """The host opens another tab of its canvas by itself, while a password is typed."""
        browser.run("document.querySelector('#chat-input').focus()")
        opens(browser)
        browser.type("ab")
        terminal.see(f"{SIGN} ab")
        browser.run("document.querySelector('.tmux-dock').style.opacity = 0")
        browser.type("hush")
        focused = "document.activeElement.id || document.activeElement.localName"
        browser.until(lambda: browser.run(focused) == "chat-input", "the focus where it was")
        assert browser.run("document.querySelector('#chat-input').value") == ""
        browser.run("document.querySelector('.tmux-dock').style.opacity = 1")
        browser.until(lambda: "ab" in browser.run(TEXT), "the screen")
        assert "hush" not in terminal.screen()
        note = f"{ROOT_OF_IT}.querySelector('.note').textContent"
        browser.until(lambda: browser.run(note).startswith("not typed"), "what was not typed")

    def canvas(self, browser) -> None:
        browser.run(
            "document.querySelector('#right-panel').insertAdjacentHTML('afterbegin', "
            '`<div class="right-canvas-surface-panel" data-surface-id="tmux_tool">'
            '<tmux-terminal style="height: 50vh"></tmux-terminal></div>`)'
        )

    @pytest.mark.parametrize("seen", [True, False])
    def test_a_canvas_that_zoom_has_closed_leaves_the_terminal_open(self, browser, site, seen):
        self.canvas(browser)
        browser.run(TAB % "open()")
        browser.until(lambda: "bash-" in browser.run(TEXT), "the prompt")
        browser.run("globalThis.Alpine = { store: () => ({ open: (id) => (globalThis.opened = id) }) }")
        hide = "document.querySelector('.right-canvas-surface-panel').style.display = 'none'"
        since = "Date.now() - document.querySelector('tmux-terminal').seenAt"
        browser.until(lambda: browser.run(since) < 1000, "the terminal has noticed that it is seen")
        if not seen:
            browser.run(hide)
            browser.until(lambda: browser.run(since) > 5000, "hidden for a while")
        browser.run(f"{hide}, " + TAB % "close({ reason: 'mobile' })")
        assert browser.run("globalThis.opened ?? ''") == ("tmux_tool" if seen else "")

    def test_an_icon_of_the_canvas_gives_the_focus(self, browser, site):
        """And the last place is kept: nothing but the focus changes."""
        self.canvas(browser)
        opened = TAB % "open()"
        focused = "document.activeElement.localName"
        for _ in range(2):
            browser.run("document.querySelector('#chat-input').focus()")
            browser.run(opened)
            browser.until(lambda: browser.run(focused) == "tmux-terminal", "the focus")
            browser.until(lambda: "bash-" in browser.run(TEXT), "the prompt")

    @pytest.mark.parametrize("view", ["off", "look"])
    def test_where_the_page_does_not_type_a_step_names_the_other_way(self, browser, site, view):
        browser.run(f"globalThis.view = {json.dumps(view)}")
        step(browser, "1", "needs password after 0.12s: Password:")
        told = "The terminal asks for a password. The agent does not see what you type there."
        other = f"{told} Answer it by: docker exec -it … tmux attach -t shared"
        browser.until(lambda: callouts(browser, "innerText") == [other], "the other way")
        opens = "document.querySelector('.action-terminal').checkVisibility()"
        browser.until(lambda: browser.run(opens) is (view == "look"), "no button to an empty card")

    def test_without_room_for_a_dock_it_is_a_dialog(self, browser, site):
        browser.run("document.querySelector('#chat-area-wrapper').remove()")
        browser.run(f"{HOST}.then((host) => host.openTerminal())")
        assert browser.run("globalThis.opened") == "/plugins/tmux_tool/webui/main.html"
        browser.open(f"{site}plugins/tmux_tool/webui/main.html")
        browser.until(lambda: "bash-" in browser.run(TEXT), "the prompt")

    def test_a_step_that_asks_leads_to_its_pane(self, browser, site, terminal):
        terminal.tmux("new-window", "-d", "-t", "=shared:", "-n", "build", "echo there; exec cat")
        step(browser, "1", "needs password after 0.12s: Password:", pane="shared:build")
        says = "The terminal asks for a password. The agent does not see what you type there. "
        assert callouts(browser) == [says + "Answer in the terminal"]
        browser.run("document.querySelector('.tmux-callout button').click()")
        shows = f"document.querySelector('tmux-terminal') && {TEXT}.startsWith('there')"
        browser.until(lambda: browser.run(shows), "its pane")
        browser.type("typed")
        terminal.see("typed", "shared:=build")

    @pytest.mark.parametrize("opens", [True, False])
    def test_what_is_typed_before_the_terminal_opens_is_not_in_the_chat(self, browser, site, opens):
        step(browser, "1", "needs password after 0.12s: Password:")
        focus = "document.querySelector('#chat-input').focus()"
        browser.run(focus)
        LOADS.clear()
        browser.run("document.querySelector('.tmux-callout button').click()")
        browser.type("secret")
        if opens:
            LOADS.set()
            focused = "document.activeElement.localName"
            browser.until(lambda: browser.run(focused) == "tmux-terminal", "the focus")
        browser.run(focus)
        browser.type("chat")
        assert browser.run("document.querySelector('#chat-input').value") == "chat"

    def test_the_first_password_of_a_page_is_offered_above_the_answer_on_a_slow_line_too(self, browser, site):
        """The host draws what comes as it comes: the answer does not wait for a step's handler."""
        line = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
        browser.call("Network.emulateNetworkConditions", latency=400, **line)
        try:
            browser.open(f"{site}?slow")
            browser.run(
                "import('/js/extensions.js').then(async ({ callJsExtensions }) => {"
                "await callJsExtensions('initFw_end');"
                "const draw = async (heading, content) => { const data = { tool_name: 'tmux_tool' };"
                "await callJsExtensions('get_tool_message_handler', data);"
                "data.handler({ id: '1', heading, content, kvps: {} }) };"
                "const steps = [draw('run: sudo x - waiting, 1s', 'Password:'),"
                "draw('run: sudo x -> needs password', 'needs password after 0.12s: Password:')];"
                "await new Promise((drawn) => setTimeout(drawn));"
                "const done = Object.assign(document.createElement('div'), { className: 'done' });"
                "document.querySelector('#chat-history').append(done);"
                "await Promise.all(steps) })"
            )
        finally:
            browser.call("Network.emulateNetworkConditions", latency=0, **line)
        order = "[...document.querySelector('#chat-history').children].map((one) => one.className).join()"
        assert browser.run(order) == "process-step,done"
        assert callouts(browser)[0].startswith("The terminal asks for a password.")

    def test_a_draw_that_is_older_than_what_is_shown_is_dropped(self, browser, site):
        step(browser, "1", "needs password after 0.12s: Password:", "run: sudo x -> needs password: Password:")
        step(browser, "1", "Password:", "run: sudo x - waiting, 1s")
        heading = "document.querySelector('.process-step-header').textContent"
        assert browser.run(heading).startswith("run: sudo x -> needs password")
        assert callouts(browser)[0].startswith("The terminal asks for a password.")

    def test_a_callout_goes_when_it_is_answered(self, browser, site):
        step(browser, "1", "needs input after 0.12s: Continue?")
        assert callouts(browser)[0].startswith("The terminal waits for you.")
        step(browser, "1", "needs input after 0.12s: Continue?")
        step(browser, "2", "the screen", "wait_ready - waiting", person=True)
        assert len(callouts(browser)) == 1
        step(browser, "2", "ready (shell) after 0.12s", "wait_ready -> ready (shell)", person=True)
        assert callouts(browser) == []
        assert browser.run("document.querySelectorAll('.action-terminal').length") == 2

    def test_a_step_is_drawn_as_the_hosts_own_code_execution_and_its_text_is_not_html(self, browser, site):
        for content, code in (
            ("ready (shell) after 0.12s\ndone", "EXE"), ("ready (shell) after 0.12s, exit status 2\nno", "WRN"),
            ("error: no pane", "ERR"),
        ):
            step(browser, "1", content, text="make")
            assert browser.run("document.querySelector('.process-step').dataset.stepCode") == code
            assert browser.run("document.querySelector('.terminal-output').textContent") == f"> make\n{content}"
        step(browser, "1", "needs key after 0.12s: <img src=x>")
        assert browser.run("document.querySelectorAll('.process-step img').length") == 0

    def test_a_lost_handler_is_connected_to_again_and_an_older_host_shows_what_to_do(self, browser, site):
        error = "{ code: 'NO_HANDLERS', error: 'none' }"
        browser.run(f"globalThis.failing = {{ ok: false, error: {error} }}")
        browser.run(f"{HOST}.then((host) => host.openTerminal())")
        browser.until(lambda: browser.run("globalThis.disconnected"), "a new connection")
        browser.run("globalThis.failing = undefined")
        browser.until(lambda: "bash-" in browser.run(TEXT), "the prompt")
        browser.open(f"{site}?old")
        browser.run(f"{HOST}.then((host) => host.openTerminal())")
        card = f"{ROOT_OF_IT}.querySelector('.card').textContent"
        browser.until(lambda: "tmux attach" in browser.run(card), "the sentence")
