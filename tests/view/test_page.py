"""The page of `tmux-tool view` in a browser: what a person sees there, and what keys do."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import zlib
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

from tests.conftest import Terminal, poll
from tests.support.browser import ALT, CTRL, META, SHIFT, Browser
from tests.support.firefox import Firefox
from tests.support.run import ROOT, TMUX_TOOL, run
from tests.support.tables import Tables
from tests.support.terminal import SIGN
from tests.view.test_feed import LOOK

TABLES = Tables(__file__)

HELD = {"ALT": ALT, "CTRL": CTRL, "META": META, "SHIFT": SHIFT}
LEAVE = "Ctrl+F6 leaves the terminal"
COLUMNS = "root.querySelector('.screen').style.getPropertyValue('--columns')"
ROWS = "[...root.querySelectorAll('.rows > div:not(.kept)')]"
thorough = pytest.mark.thorough  # 45 s, and a browser to install


class View:
    """`tmux-tool view`, as a person starts it."""
    def __init__(self, *options: str):
        command = [sys.executable, str(TMUX_TOOL), "view", *options]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip()
        self.port = int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/[\w-]{32}/", self.address)[1])

    @property
    def post(self) -> str:
        """The head of a page's request, without a length and the end."""
        origin = "HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
        return f"POST /{self.address.split('/')[3]}/tmux_look {origin}"

    def close(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


@pytest.fixture
def view(terminal):
    started = View()
    yield started
    started.close()


@pytest.fixture(scope="module", params=[Browser, Firefox], ids=["chromium", "firefox"])
def browser(request):
    if not request.param.binary:
        pytest.skip("not installed")
    started = request.param(1300, 800)
    yield started
    started.close()


class Page:
    def __init__(self, browser: Browser, terminal: Terminal, address: str, fits: bool = True):
        self.browser, self.terminal = browser, terminal
        self.address = address
        browser.events.clear()
        browser.open(address)
        browser.run("localStorage.clear()")
        self.see("bash-")
        if fits:
            self.has_its_size()
            browser.until(lambda: self.run(COLUMNS).strip() == self.width, "a screen of that size")

    def has_its_size(self) -> None:
        """The window: not 120 columns."""
        self.browser.until(lambda: self.width != "120", "the page's size")

    @property
    def width(self) -> str:
        return self.terminal.fact("window_width")

    @property
    def chosen(self) -> str:
        return self.run("root.querySelector('select').selectedOptions[0]?.text ?? ''")

    def run(self, script: str):
        """With `root` the page's shadow root."""
        root = "document.querySelector('tmux-terminal')?.shadowRoot"
        return self.browser.run(f"((root) => {script})({root})")

    @property
    def text(self) -> str:
        rows = f"{ROWS}.map((row) => row.textContent.trimEnd())"
        return self.run(f"root ? {rows}.join('\\n') : ''")

    @property
    def note(self) -> str:
        return self.run("root.querySelector('.note').textContent")

    @property
    def card(self) -> str:
        return self.run("root.querySelector('.card').textContent")

    def see(self, text: str) -> None:
        self.browser.until(lambda: text in self.text, f"{text!r} in the page")

    def type(self, text: str, *keys: str) -> None:
        self.browser.type(text)
        for key in keys:
            self.browser.key(key)

    def shows(self, command: str, text: str) -> None:
        self.type(command, "Enter")
        self.see(text)

    def paste(self, text: str) -> None:
        """As the browser does it: the text is in the input, then the event comes."""
        event = "new InputEvent('input', { inputType: 'insertFromPaste' })"
        self.run(
            "{ const input = root.querySelector('textarea');"
            f"input.value += {json.dumps(text)}; input.dispatchEvent({event}) }}"
        )

    def turn(self, pixels: int) -> None:
        box = "root.querySelector('.box').getBoundingClientRect()"
        x, y = self.run(f"{{ const at = {box}; return [at.left + 50, at.top + 50] }}")
        turn = {"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": pixels}
        self.browser.call("Input.dispatchMouseEvent", **turn)

    def copied(self) -> str:
        """What a copy of the selection puts into the clipboard."""
        return self.run(
            "{ const event = new Event('copy', { bubbles: true, cancelable: true }); let copied = '';"
            "event.clipboardData = { setData: (kind, text) => { copied = text } };"  # Firefox lets nobody read its own
            "root.querySelector('.rows').dispatchEvent(event);"
            "return copied }"
        )

    def place(self, text: str) -> list[float]:
        """Left edge of the run that is `text`, in columns."""
        return self.run(
            "{ const screen = root.querySelector('.screen');"
            "const { left, width } = screen.getBoundingClientRect();"
            "const unit = width / screen.style.getPropertyValue('--columns');"
            "const runs = [...root.querySelectorAll('.rows span')];"
            f"return runs.filter((one) => one.textContent === {json.dumps(text)})"
            ".map((one) => (one.getBoundingClientRect().left - left) / unit) }"
        )


@pytest.fixture
def page(browser, terminal, view):
    yield Page(browser, terminal, view.address)
    assert browser.problems() == []
    browser.open("about:blank")


@thorough
class TestPage:
    def came(self, page, tmp_path, rows: list) -> None:
        """Presses the keys of a table; each gives what the table says."""
        file = tmp_path / "came"
        page.type(f"stty raw -echo; cat > {file}", "Enter")
        poll(lambda: page.terminal.fact("pane_current_command") == "cat")
        wanted = b""
        for key, held, data in rows:
            page.browser.key(key, sum(HELD[name] for name in held.split()), types=data == key)
            page.type("." if not data else "")  # what comes behind nothing
            wanted += (data or ".").encode()
            came = lambda wanted=wanted: file.exists() and file.read_bytes() == wanted  # noqa: E731
            poll(came, what=f"{held} {key}: {wanted!r}")

    def test_keys_of_all_kinds(self, page, tmp_path):
        self.came(page, tmp_path, TABLES["KEYS"])

    def test_on_a_mac_option_types_signs(self, page, tmp_path):
        agent = page.run("navigator.userAgent")
        override = "Emulation.setUserAgentOverride"
        page.browser.call(override, userAgent=agent, platform="MacIntel")
        try:
            self.came(page, tmp_path, TABLES["MAC"])
        finally:
            page.browser.call(override, userAgent=agent, platform="Linux x86_64")

    def test_the_focus_is_there_at_once_and_ctrl_v_is_a_full_screens_and_pastes_elsewhere(self, page, tmp_path):
        """Where a frame takes a second, too: what is typed may be a password."""
        shown = "(root.activeElement.blur(), root.host.show(''), root.activeElement?.className)"
        assert page.run(shown) == "cursor"
        (tmp_path / "file").write_text("abc\n")
        page.shows(f"vim -Nu NONE -n {tmp_path / 'file'}", "abc\n~")
        page.browser.key("v", CTRL)
        page.browser.until(lambda: "Ctrl+Shift+V pastes" in page.note, "the note")
        page.see("-- VISUAL BLOCK --")

    def test_an_input_method_emoji_a_phones_keyboard_and_a_paste_of_three_lines(self, page):
        """A phone reports text and deletions, but no keys."""
        page.type("echo ")
        for kana in ("に", "にほ", "日本"):
            end = {"selectionStart": len(kana), "selectionEnd": len(kana)}
            page.browser.call("Input.imeSetComposition", text=kana, **end)
        assert "日" not in page.terminal.screen()
        page.browser.call("Input.insertText", text="日本")
        page.browser.call("Input.insertText", text="👍é")
        page.shows("", "\n日本👍é\n")
        page.browser.call("Input.insertText", text="echo abx")
        for kind in ("deleteContentBackward", "insertLineBreak"):
            event = f"new InputEvent('input', {{ inputType: '{kind}' }})"
            page.run(f"root.querySelector('textarea').dispatchEvent({event})")
        page.see("\nab\n")
        page.paste("echo 'a;b' $((1+1))\n\techo \"two\"\necho three")
        page.see("echo three")
        assert "\nthree" not in page.text  # in brackets it waits for Enter
        page.browser.key("Enter")
        page.see("a;b 2\ntwo\nthree\n")

    def test_colours_and_that_nothing_on_the_screen_becomes_html(self, page):
        page.type(r"printf '\e[31mred\e[0m \e[1;44mbold\e[0m\n'", "Enter")
        for text, name, value in (
            ("red", "color", "rgb(179, 38, 30)"), ("bold", "backgroundColor", "rgb(31, 95, 174)"),
            ("bold", "fontWeight", "700"),
        ):
            runs = "[...root.querySelectorAll('.rows span')]"
            find = f"{runs}.find((one) => one.textContent === '{text}')"
            script = f"{{ const one = {find}; if (one) return getComputedStyle(one).{name} }}"
            page.browser.until(lambda script=script: page.run(script), text)
            assert page.run(script) == value
        page.shows("echo '<img src=x onerror=alert(1)><b>&amp;'", "\n<img src=x onerror=alert(1)><b>&amp;\n")
        assert page.run("root.querySelectorAll('.rows img, .rows b').length") == 0

    @pytest.mark.parametrize("left", TABLES["WIDE"])
    def test_columns_are_exact(self, page, left):
        page.paste(f"clear; printf '{left}\\e[31m|\\e[0m'; sleep 30")
        page.type("", "Enter")
        page.terminal.see("|")
        poll(lambda: page.terminal.fact("pane_current_command") == "sleep")
        column = int(page.terminal.fact("cursor_x")) - 1
        assert page.browser.until(lambda: page.place("|"), "the bar")[-1] == pytest.approx(column, abs=0.01)

    def test_the_cursor_is_where_tmuxs_is(self, page):
        page.type("日本x")
        poll(lambda: "日本x" in page.text)
        x, y = (int(page.terminal.fact(name)) for name in ("cursor_x", "cursor_y"))
        at = "const at = (one) => root.querySelector(one).getBoundingClientRect();"
        left, top = (f"at('.cursor').{side} - at('.screen').{side}" for side in ("left", "top"))
        column = f"{{ {at} return ({left}) / (at('.screen').width / {COLUMNS}) }}"
        page.browser.until(lambda: page.run(column) == pytest.approx(x, abs=0.01), "the column")
        assert page.run(f"{{ {at} return ({top}) / at('.rows > div').height }}") == pytest.approx(y, abs=0.01)

    def test_what_is_typed_goes_to_the_pane_that_was_seen(self, page):
        """Also where another one is chosen before the line lets it through."""
        page.terminal.tmux("new-window", "-d", "-t", "=shared:", "-n", "build", "cat")
        windows = "root.querySelectorAll('option').length"
        page.browser.until(lambda: page.run(windows) == 3, "two windows, and a new one")
        page.run(
            "{ const element = root.host, ask = element.ask; let first = true;"
            "element.ask = async (event, data) => {"
            "if (event === 'tmux_type' && first) { first = false;"
            "await new Promise((resolve) => { globalThis.go = resolve }) }"
            "return ask(event, data) } }"
        )
        page.type("ab")
        page.run("{ const it = root.querySelector('select'); it.selectedIndex = 1; it.onchange() }")
        page.browser.until(lambda: "bash-" not in page.text, "the other window")
        page.type("cd")
        page.run("globalThis.go()")
        poll(lambda: "cd" in page.terminal.screen("shared:build"))
        assert f"{SIGN} ab" in page.terminal.screen() and "ab" not in page.terminal.screen("shared:build")

    def test_the_history_is_scrolled_by_keys_bar_and_wheel_and_searched_and_a_key_returns(self, page):
        """A cleared one leads back to the screen."""
        page.shows("seq 200", "\n200\n")
        page.browser.key("Home", SHIFT)
        page.see("\n9\n")
        page.terminal.tmux("send-keys", "-t", "=shared:", "clear; printf '\\e[3J'", "Enter")
        page.browser.until(lambda: "back" not in page.note, "the screen")
        page.shows("seq 200", "\n200\n")
        page.browser.key("PageUp", SHIFT)
        height = int(page.terminal.fact("pane_height"))
        page.browser.until(lambda: f"{height - 1} rows back" in page.note, "the history")
        page.browser.key("PageDown", SHIFT)
        page.browser.until(lambda: "back" not in page.note, "the screen")
        page.browser.key("Home", SHIFT)
        page.see("\n9\n")
        page.browser.key("End", SHIFT)
        page.see("\n200\n")
        page.run("root.querySelector('.scroll').scrollTop = 0")
        page.see("\n9\n")
        page.run("{ const it = root.querySelector('.scroll'); it.scrollTop = it.scrollHeight }")
        page.see("\n200\n")
        page.browser.until(lambda: page.note == LEAVE, "the screen")
        page.browser.key("F", CTRL | SHIFT)
        found = "root.querySelector('.found')?.textContent.trim()"
        for text, held, row in (("77", 0, "177"), ("", 0, "77"), ("", SHIFT, "177")):  # upwards; Shift: downwards
            page.type(text)
            page.browser.key("Enter", held)
            page.browser.until(lambda row=row: page.run(found) == row, row)
        page.type("x", "Enter")
        page.browser.until(lambda: page.note == "not found", "what was not found")
        page.browser.key("Escape")
        page.shows("echo o''k", "\nok\n")
        for _ in range(60):
            page.turn(-120)
            if "\n3\n" in page.text:
                break
        page.see("\n3\n")
        assert page.note.endswith("rows back")
        assert page.terminal.fact("pane_in_mode") == "0"
        page.type("x")
        page.see(f"{SIGN} x")
        page.browser.until(lambda: page.note == LEAVE, "the screen")
        page.browser.key("Escape", CTRL | SHIFT)
        assert page.run("root.activeElement.className") == "fit"

    def test_the_wheel_in_a_full_screen_moves_what_it_shows(self, page):
        page.shows("seq 200 | less", "\n28\n")
        for _ in range(9):
            page.turn(120)
        # 11 to 45 rows further, as the browser joins the turns
        page.browser.until(lambda: any(f"\n{n}\n" in page.text for n in (40, 60)), "the next rows")
        page.type("q")

    def test_typing_goes_on_after_selecting_and_a_wrapped_line_is_copied_as_one(self, page):
        page.shows("clear; printf '=%.0s' {1..150}; echo", "=" * 120)
        page.run(
            "{ const range = document.createRange(); const rows = root.querySelector('.rows');"
            "const [first, second] = [...rows.children].filter((one) => /^=/.test(one.textContent));"
            "range.setStart(first, 0); range.setEnd(second, second.childNodes.length);"
            "const it = root.getSelection?.() ?? getSelection();"
            "it.removeAllRanges(); it.addRange(range); root.querySelector('.box').focus() }"
        )
        assert page.copied() == "=" * 150
        page.type("after")
        page.see(f"{SIGN} after")

    def test_the_window_gets_the_pages_size_until_fit_is_off_or_a_terminal_is_attached(self, page):
        page.has_its_size()
        fits = "const it = root.querySelector('.box'); return it.scrollHeight <= it.clientHeight"
        page.browser.until(lambda: page.run(f"{{ {fits} }}"), "all rows are visible")
        page.run("root.querySelector('.fit').click()")
        page.browser.until(lambda: page.width == "120", "the size before")
        assert page.run("root.querySelector('.fit').ariaPressed") == "false"
        page.run("root.querySelector('.fit').click()")
        page.terminal.attach((100, 30))
        says = "an attached terminal has another size"
        page.browser.until(lambda: page.note == says, "why it does not fit")
        assert page.run("root.querySelector('.fit').ariaPressed") == "false"

    def test_of_two_pages_the_one_in_which_somebody_types_has_the_size(self, page, view):
        """vim in front would be drawn anew by each change."""
        page.has_its_size()
        first = page.width
        other = Browser(800, 500)
        try:
            second = Page(other, page.terminal, view.address, fits=False)
            says = "another page has another size: Fit"
            other.until(lambda: second.note == says, "why it does not fit")
            assert page.width == first
            second.type("x")
            other.until(lambda: page.width not in (first, "120"), "the size of the other one")
            page.browser.until(lambda: page.note == says, "why it does not fit")
            page.run("root.querySelector('.fit').click()")
            page.browser.until(lambda: page.width == first, "its size")
            page.browser.until(lambda: page.note == LEAVE, "nothing to say")
        finally:
            other.close()

    def test_an_address_over_rows_is_one_link(self, page):
        where = "https://example.org/" + "a" * 300 + "?code=7"
        page.type(f"clear; printf '\\e[31m%s\\e[0m and (http://b.org/A_(c)).\\n' {where}", "Enter")
        links = "[...root.querySelectorAll('.rows a')].map((one) => one.href)"
        each = lambda: [*dict.fromkeys(page.run(links))]  # noqa: E731
        page.browser.until(lambda: each() == [where, "http://b.org/A_(c)"], lambda: f"{each()}\n{page.text}")
        assert len(page.run(links)) == 4  # the first in three rows

    def mouse(self, page, kind: str, column: float, row: int, times: int = 1, **more) -> None:
        cell = (
            "{ const it = root.querySelector('.screen').getBoundingClientRect();"
            f"const columns = {page.terminal.fact('pane_width')};"
            f"const rows = {page.terminal.fact('pane_height')};"
            f"return [it.left + it.width / columns * ({column} - 0.5),"
            f"it.top + it.height / rows * ({row} - 0.5)] }}"
        )
        x, y = page.run(cell)
        page.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, clickCount=times, **more)

    @TABLES.rows("modes, wanted", of="MOUSE")
    def test_a_program_gets_of_the_mouse_what_it_asks_for(self, page, tmp_path, modes, wanted):
        file = tmp_path / "came"
        page.has_its_size()
        page.shows(f"printf '{modes}on\\n'; stty raw -echo; cat > {file}", "\non\n")
        poll(lambda: page.terminal.fact("pane_current_command") == "cat")
        page.type("<")
        poll(lambda: file.read_bytes() == b"<")
        self.mouse(page, "mouseMoved", 3, 2)
        self.mouse(page, "mousePressed", 3, 2, button="left", buttons=1)
        self.mouse(page, "mouseMoved", 5, 2, button="left", buttons=1)
        self.mouse(page, "mouseReleased", 5, 2, button="left")
        page.type(">")
        poll(lambda: file.read_bytes().endswith(b">"))
        assert file.read_bytes().decode() == f"<{wanted}>"

    def test_a_full_history_does_not_slide(self, page):
        page.terminal.tmux("set-option", "-g", "history-limit", "100")
        page.terminal.tmux("new-window", "-d", "-t", "=shared:", "-n", "small", "bash --norc")
        page.run("root.host.show('shared:small')")
        page.browser.until(lambda: page.chosen.endswith("small"), lambda: page.chosen + page.card + page.text)
        wide = lambda: page.terminal.fact("window_width", "shared:small")  # noqa: E731
        page.browser.until(lambda: wide() not in ("80", "120"), "its size")
        page.see("bash-")
        page.shows("seq 160", "\n160\nbash-")
        page.browser.key("PageUp", SHIFT)
        page.browser.until(lambda: "rows back" in page.note, "the history")
        height = int(page.terminal.fact("pane_height", "shared:small"))
        first = lambda: page.text.split("\n")[0]  # noqa: E731
        page.browser.until(lambda: first() == str(163 - 2 * height), page.text)
        for _ in range(8):  # the oldest tenth is dropped twice
            page.terminal.tmux("send-keys", "-t", "=shared:small", "echo; echo", "Enter")
            page.terminal.see("bash", "shared:small")
            page.browser.until(lambda: first() == str(163 - 2 * height), lambda: page.text)
        assert "rows back" in page.note

    def row(self, page, text: str) -> int:
        """The row of the screen, from 1 on, that is `text`."""
        at = f"{ROWS}.findIndex((one) => one.textContent.trim() === '{text}')"
        return page.browser.until(lambda: page.run(at) + 1, f"the row {text}")

    def row_at_rest(self, page, text: str) -> int:
        """The same, once it stays there: a frame may be on its way."""
        def stays() -> int:
            before = self.row(page, text)
            time.sleep(0.1)
            return before if self.row(page, text) == before else 0

        return page.browser.until(stays, f"the row {text}, and that it stays")

    def click(self, page, column: float, row: int, **more) -> None:
        self.mouse(page, "mousePressed", column, row, button="left", buttons=1, **more)
        self.mouse(page, "mouseReleased", column, row, button="left", **more)

    def click_twice(self, page, row: int) -> None:
        for times in (1, 2):
            self.click(page, 2, row, times=times)

    def numbered(self, page) -> None:
        page.shows("clear; seq 1 300", "\n300\n")

    def test_a_selection_beyond_the_edge_goes_on_in_the_history_and_is_copied_whole(self, page):
        self.numbered(page)
        edge = page.run("root.querySelector('.box').getBoundingClientRect().top")
        self.mouse(page, "mousePressed", 2.6, self.row(page, "299"), button="left", buttons=1)
        self.mouse(page, "mouseMoved", 1, 3, button="left", buttons=1)
        beyond = {"x": 100, "y": edge - 40, "button": "left", "buttons": 1}
        page.browser.call("Input.dispatchMouseEvent", type="mouseMoved", **beyond)
        self.row(page, "200")
        self.mouse(page, "mouseMoved", 0.6, 3, button="left", buttons=1)
        self.mouse(page, "mouseReleased", 0.6, 3, button="left")
        copied = page.copied().split("\n")
        assert copied[-1] == "29"  # up to the letter where it began
        numbers = [int(one) for one in copied[:-1]]
        assert numbers == list(range(numbers[0], 299))
        assert numbers[0] <= 202

    def test_a_selection_stays_while_the_history_is_scrolled_and_goes_on_where_shift_is_clicked(self, page):
        self.numbered(page)
        self.click_twice(page, self.row(page, "300"))
        page.run("root.querySelector('.scroll').scrollTop = 0")
        self.click(page, 0.6, self.row_at_rest(page, "20"), modifiers=SHIFT)
        assert page.copied() == "\n".join(map(str, range(20, 301)))

    def test_what_is_selected_moves_with_its_text(self, page):
        self.numbered(page)
        self.click_twice(page, self.row(page, "300"))
        page.terminal.tmux("send-keys", "-t", "=shared:", "seq 301 320", "Enter")
        page.see("\n320\n")
        assert page.copied() == "300"
        self.numbered(page)
        kept = "root.querySelectorAll('.kept').length"
        page.browser.until(lambda: page.run(kept) == 0, "no more rows than are shown")

    def test_what_is_selected_is_no_longer_when_rows_are_missing(self, page):
        """Copied it would be another text."""
        self.numbered(page)
        self.click_twice(page, self.row(page, "300"))
        selects = "!(root.getSelection?.() ?? getSelection()).isCollapsed"
        assert page.run(selects)
        page.terminal.tmux("send-keys", "-t", "=shared:", "clear; printf '\\e[3J'", "Enter")
        page.browser.until(lambda: not page.run(selects), "nothing selected")

    def test_a_finger_that_rests_is_offered_to_paste(self, page):
        page.browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
        try:
            page.browser.open(page.address)  # now it is a phone
            page.see("bash-")
            page.run("{ navigator.clipboard.readText = async () => `echo o''k` }")
            finger = {"touchPoints": [{"x": 200, "y": 200}]}
            offered = "root.querySelector('.paste').checkVisibility()"
            page.browser.call("Input.dispatchTouchEvent", type="touchStart", **finger)
            page.browser.until(lambda: page.run(offered), "the button")
            page.browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            page.run("root.querySelector('.paste').click()")
            page.see("echo o''k")
            assert not page.run(offered)
            page.browser.key("Enter")
            page.see("\nok\n")
        finally:
            page.browser.call("Emulation.setTouchEmulationEnabled", enabled=False)

    def test_a_new_window_is_opened_beside_the_others(self, page):
        page.run("{ const it = root.querySelector('select'); it.value = 'new';it.dispatchEvent(new Event('change')) }")
        poll(lambda: len(page.terminal.tmux("list-windows", "-t", "=shared:").splitlines()) == 2)
        page.browser.until(lambda: page.chosen.startswith("shared:1"), "the new one")
        assert page.terminal.fact("window_index") == "0"  # of an attached terminal's view

    def test_a_right_click_leads_to_the_input_which_can_be_pasted_into(self, page):
        self.mouse(page, "mousePressed", 30, 10, button="right", buttons=2)
        under = (
            "{ const it = root.querySelector('.cursor').getBoundingClientRect();"
            "return root.elementFromPoint(it.left + 10, it.top + 10).className }"
        )
        page.browser.until(lambda: page.run(under) == "cursor menu", "the input at the pointer")
        self.mouse(page, "mouseReleased", 30, 10, button="right")
        page.paste("echo o''k")
        page.shows("", "\nok\n")
        assert page.run("root.querySelector('.cursor').className") == "cursor"

    def test_the_pages_colours_letters_and_what_is_read_out(self, page):
        """What comes is read out, and what is typed is not."""
        paper = "getComputedStyle(root.host).backgroundColor"
        page.browser.until(lambda: page.run(paper) == "rgb(252, 252, 250)", "a light ground")
        page.run("document.body.classList.add('dark-mode')")
        page.browser.until(lambda: page.run(paper) == "rgb(22, 24, 26)", "a dark ground")
        page.has_its_size()
        before = int(page.width)
        page.run("root.querySelector('button[aria-label^=Larger]').click()")
        page.browser.until(lambda: int(page.width) < before, "fewer columns")
        page.type("echo o''k")
        live = "root.querySelector('.live').textContent"
        page.browser.key("Enter")
        page.browser.until(lambda: "ok" in page.run(live).split("\n"), "what came")
        roles = "[...root.querySelectorAll('.rows, .rows > div')].map((one) => one.role)"
        assert set(page.run(roles)) == {"list", "listitem"}

    @pytest.mark.parametrize("width", [390, 647, 768, 1024, 1440])
    def test_the_bars_words_are_seen_whole_and_take_no_row_from_the_screen(self, page, width):
        page.has_its_size()
        size = {"width": width, "height": 700, "deviceScaleFactor": 1, "mobile": False}
        page.browser.call("Emulation.setDeviceMetricsOverride", **size)
        try:
            page.browser.until(lambda: page.run("innerWidth") == width, "the width")
            high = "root.querySelector('.box').clientHeight"
            page.browser.until(lambda: page.run("root.querySelector('.note').clientWidth") > 150, "its place")
            before = page.run(high)
            says = "The terminal asks for a password. The agent does not see what you type there."
            page.run(f"(document.body.dataset.tmuxAsked = {json.dumps(says)}, root.host.say())")
            assert page.note == says and page.run(high) == before
            seen = (
                "{ const it = root.querySelector('.note'), bar = root.querySelector('.bar');"
                "const inside = [...bar.children].every((one) => one.offsetLeft + one.offsetWidth <= bar.clientWidth);"
                "return inside && it.scrollWidth <= it.clientWidth && it.scrollHeight <= it.clientHeight }"
            )
            assert page.run(seen), page.run("root.querySelector('.note').getBoundingClientRect().toJSON()")
        finally:
            page.browser.call("Emulation.clearDeviceMetricsOverride")

    def test_keys_of_before_the_first_frame_are_typed(self, page):
        page.run(
            "{ const it = document.createElement('tmux-terminal'), ask = root.host.ask;"
            "it.ask = async (...all) => { await globalThis.shows; return ask(...all) };"
            "globalThis.shows = new Promise((done) => (globalThis.go = done));"
            "it.style.height = '50vh'; root.host.replaceWith(it) }"
        )
        page.browser.until(lambda: page.run("document.activeElement.localName") == "tmux-terminal", "the focus")
        page.type("echo $((6*7))", "Enter")
        page.run("globalThis.go()")
        page.terminal.see("\n42\n")

    def test_a_slow_line_keeps_the_order(self, page):
        line = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
        page.browser.call("Network.emulateNetworkConditions", latency=150, **line)
        try:
            page.type("echo abcdefghijklmnopqrstuvwxyz0123456789", "Enter")
            page.terminal.see("\nabcdefghijklmnopqrstuvwxyz0123456789\n")
        finally:
            page.browser.call("Network.emulateNetworkConditions", latency=0, **line)

    def test_the_first_press_starts_the_session_and_a_key_starts_the_next(self, page):
        page.terminal.tmux("kill-server")
        page.browser.until(lambda: page.card.endswith("Any key starts it."), "the sentence")
        page.browser.key("Enter")
        page.type("echo what is 'typed mean'while", "Enter")
        page.see("\nwhat is typed meanwhile\n")
        page.terminal.tmux("kill-server")
        page.browser.until(lambda: page.card, "the sentence")
        page.browser.open(page.address)
        page.browser.until(lambda: page.text.strip(), "a prompt")

    def test_it_connects_again(self, page, view):
        view.close()
        page.browser.until(lambda: page.card == "reconnecting …", "the sentence")
        page.browser.events.clear()  # of the failed requests

    def test_rows_of_a_higher_window_do_not_come_back(self, page):
        """It was made lower, and the page scrolled back and to the end: the next frame is whole."""
        page.has_its_size()
        page.run("root.querySelector('.fit').click()")
        page.browser.until(lambda: page.width == "120", "the size before")
        for height in (50, 20):
            page.terminal.tmux("resize-window", "-t", "=shared:", "-y", str(height))
            page.browser.until(lambda height=height: page.run(f"{ROWS}.length") == height, "the size")
            page.shows("seq -f 'stale %g' 60", "\nstale 60\n")
        for key, note in (("Home", True), ("End", False)):
            page.browser.key(key, SHIFT)
            page.browser.until(lambda note=note: ("back" in page.note) is note, key)
        page.type("clear; for i in $(seq 30); do echo new $i; sleep 0.05; done; sleep 60", "Enter")
        page.see("\nnew 30\n")
        assert "stale" not in page.text
        page.browser.key("c", CTRL)

    def test_without_fit_a_larger_window_is_followed_never_changed(self, page):
        page.has_its_size()
        page.run("root.querySelector('.fit').click()")
        page.browser.until(lambda: page.width == "120", "the size before")
        page.terminal.tmux("resize-window", "-t", "=shared:", "-x", "160", "-y", "50")
        rows = "root.querySelectorAll('.rows > div').length"
        page.browser.until(lambda: page.run(rows) == 50, "50 rows")
        page.shows("clear; printf %160s END", "  END")
        fits = "{ const it = root.querySelector('.box'); return it.scrollWidth <= it.clientWidth }"
        try:
            for width in (1190, 1133, 999):  # by these the letters' size would be rounded up
                size = {"width": width, "height": 310, "deviceScaleFactor": 1, "mobile": False}
                page.browser.call("Emulation.setDeviceMetricsOverride", **size)
                page.browser.until(lambda width=width: page.run("innerWidth") == width, "the new width")
                page.browser.until(lambda: page.run(fits), "smaller letters")
        finally:
            page.browser.call("Emulation.clearDeviceMetricsOverride")
        assert page.width == "160"


@thorough
def test_only_looking(browser, terminal):
    view = View("--look")
    try:
        page = Page(browser, terminal, view.address, fits=False)
        page.type("x")
        refusal = "not typed: this page only shows the terminal"
        browser.until(lambda: page.note == refusal, "the refusal")
        assert f"{SIGN} x" not in terminal.screen()
    finally:
        view.close()
        browser.open("about:blank")


# what is refused, without a browser


BODY = json.dumps(LOOK)


def asked(view: View, method: str, path: str, headers: dict | None = None, body: str = BODY) -> int:
    connection = HTTPConnection("127.0.0.1", view.port, timeout=20)
    connection.request(method, path, body if method == "POST" else None, headers or {})
    reply = connection.getresponse()
    reply.read()
    return reply.status


def is_served(view: View) -> bool:
    with suppress(OSError, HTTPException):
        return asked(view, "GET", f"/{view.address.split('/')[3]}/") == 200
    return False


REFUSED = TABLES["REFUSED"]


class TestServed:
    def test_the_pages_requests_are_answered_and_any_other_is_refused_and_none_can_frame_it(self, view):
        token = "/" + view.address.split("/")[3]
        for name, (method, path, headers) in REFUSED.items():
            path = path.replace("TOKEN/", f"{token}/").replace("TOKEN", f"{token}/")
            here = f"http://127.0.0.1:{view.port}"
            headers = {key: value.replace("HERE", here) for key, value in headers.items()}
            assert asked(view, method, path, headers) == 403, name
        for name in ("serve.py", "/etc/passwd", "../plugin.yaml", "..%2fplugin.yaml"):
            assert asked(view, "GET", f"{token}/{name}") == 404, name
        for host in (f"127.0.0.1:{view.port}", "localhost:9000"):  # the second: through ssh -L
            headers = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json"}
            assert asked(view, "POST", f"{token}/tmux_look", headers) == 200
        for name in ("", "view.js", "view.css", "terminal.js", "terminal.html", "keys.js", "terminal.css"):
            assert asked(view, "GET", f"{token}/{name}") == 200
        connection = HTTPConnection("127.0.0.1", view.port, timeout=20)
        connection.request("GET", f"{token}/")
        headers = connection.getresponse().headers
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Referrer-Policy"] == "no-referrer"

    def test_a_screen_is_sent_compressed(self, view):
        connection = HTTPConnection("127.0.0.1", view.port, timeout=20)
        asks = {"Origin": f"http://127.0.0.1:{view.port}"}
        connection.request("POST", f"/{view.address.split('/')[3]}/tmux_look", BODY, asks)
        reply = connection.getresponse()
        assert reply.headers["Content-Encoding"] == "deflate"
        assert reply.headers["Content-Type"] == "application/json"
        assert "pane" in json.loads(zlib.decompress(reply.read()))

    def test_a_page_that_is_closed_leaves_no_trace_and_c_c_ends_the_server(self, terminal):
        view = View()
        token = view.address.split("/")[3]
        for request in (b"", b"POST", f"{view.post}Content-Length: {len(BODY)}\r\n\r\n{BODY}".encode()):
            connection = socket.create_connection(("127.0.0.1", view.port))
            connection.sendall(request)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()  # with a reset
        headers = {"Origin": f"http://127.0.0.1:{view.port}", "Content-Type": "application/json"}
        assert asked(view, "POST", f"/{token}/tmux_look", headers) == 200
        assert view.close() == 0
        assert view.process.stderr.read() == ""
        assert terminal.tmux("list-clients") == ""

    @thorough
    def test_who_sends_nothing_or_a_wrong_length_does_not_stop_it(self, view):
        """Whoever is on this machine may connect."""
        all = []
        for length in ("-1", "x", "1000001", "99", "", "99999"):
            all.append(socket.create_connection(("127.0.0.1", view.port), 5))
            named = f"Content-Length: {length}\r\n" if length else ""
            all[-1].sendall(f"{view.post}{named}\r\n{'[' * 99}".encode())
        assert [one.recv(1) for one in all[:-1]] == [b""] * 5  # at once
        threads = lambda: len(os.listdir(f"/proc/{view.process.pid}/task"))  # noqa: E731
        for count in range(3, 111):  # one is left of those above, and the main thread
            all.append(socket.create_connection(("127.0.0.1", view.port), 20))
            poll(lambda count=count: threads() == min(count, 100), what="a thread, up to a limit")
        assert not is_served(view)
        poll(lambda: is_served(view), what="room for one more")
        assert {one.recv(1) for one in all} == {b""}
        assert view.close() == 0 and view.process.stderr.read() == ""

    @thorough
    def test_a_request_that_drips_ends(self, view, monkeypatch):
        """Each byte in time, the whole never: it would hold one of the threads."""
        drips = socket.create_connection(("127.0.0.1", view.port), 30)
        drips.sendall(b"GET / HTTP/1.1\r\n")

        def ended() -> bool:
            with suppress(ConnectionError):
                drips.sendall(b"X: y\r\n")
                drips.settimeout(0.2)
                with suppress(TimeoutError):
                    return drips.recv(1) == b""
                return False
            return True

        poll(ended, 60)
        assert view.close() == 0 and view.process.stderr.read() == ""

    def test_json_that_is_nested_too_deeply_ends_its_request_alone(self, view):
        body = "[" * 200_000
        with socket.create_connection(("127.0.0.1", view.port), 30) as deep:
            deep.sendall(f"{view.post}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            assert deep.recv(1) == b""
        assert is_served(view)
        assert view.close() == 0 and view.process.stderr.read() == ""

    def test_a_port_that_is_taken_and_a_bad_setting_are_errors(self, view, terminal, monkeypatch):
        done = run(sys.executable, TMUX_TOOL, "view", "--port", view.port)
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.startswith(f"error: port {view.port} cannot be used")
        assert "--port" in done.stdout
        monkeypatch.setenv("TMUX_TOOL_VIEW", "loud")
        done = run(sys.executable, TMUX_TOOL, "view")
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout == "error: setting view (TMUX_TOOL_VIEW): got 'loud', allowed: type, look, off\n"

    def test_the_page_loads_nothing_from_elsewhere(self):
        for file in Path(ROOT / "python/helpers/tmux_cli/plugin/webui").iterdir():
            code = re.sub(r"(^|\s)//.*", "", file.read_text(), flags=re.M)
            assert "//" not in code.replace("http://127", ""), file.name
