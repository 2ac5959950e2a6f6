"""The answer to a call: its first line, notes and body, and what the pane remembers of it."""

import time

from .answer import Answer, Word, counted
from .line import adjoining, continues, glued, split
from .state import Sent, draft_of
from .told import Telling, tell, telling
from .transcript import draws, news
from .turn import Turn
from .verdict import PATTERN, SHELL
from .watch import Watch

_NOTICED = 1.0  # seconds in which tmux notices that a program has ended


class Report:
    """What one call answers. `action`: its name; `notes`: of the call so far."""

    def __init__(self, action: str, watch: Watch, notes: list[str]):
        self.action, self.watch, self.notes = action, watch, notes
        self._began = time.monotonic()
        self.body: list[str] = []  # of earlier steps: lines typed one by one, a dialogue

    # notes

    def note_line(self, here: Turn) -> None:
        """Notes a line of which it cannot be told whether someone has typed it."""
        if here.unknown:
            self.notes.append(f"cannot determine whether someone has typed here: {here.unknown!r}")

    def keep_unseen(self, here: Turn) -> None:
        """Keeps what came since the last answer; `run` only notes it."""
        watch, seen, place = self.watch, here.reading.seen, self.watch.state.place
        if watch.first or not place or place.has_cursor(seen):
            return
        told = here.reading.full_screen or watch.state.screen  # the answer shows what changes there
        if told and draws(watch, here):
            return
        self._keep(here)
        if here.verdict:  # of the cursor's line only a question, which no answer has shown
            line = seen.line_left.rstrip()
            rest = self.body[:-1] if self.body[-1:] == [line] else self.body
            self.body = [*rest, line] if here.verdict.asks and line else rest
        if self.action == "run" and (count := sum(map(bool, self.body))):
            came = f"{counted(count, 'line')} came here since the last answer"
            self.notes.append(f"{came}; read shows them")
            self.body = []

    # answers

    def receipt(self, word: Word, said: str) -> Answer:
        """The answer where nothing was waited for."""
        tell(self.watch, word, Telling())
        return Answer(word=word, first=said, body=self.body)

    def keep(self, here: Turn) -> None:
        """Keeps the output of a step of this call, before the next is typed."""
        state = self.watch.state
        self._keep(here)
        self._learn(here)
        state.open = here.word if here.word is Word.UNFINISHED else ""
        state.sent = Sent()

    def _keep(self, here: Turn) -> None:
        rows, notes = news(self.watch, here)
        self.body += rows
        self.notes += notes

    def finish(self, here: Turn, asked: str = "") -> Answer:
        """The answer after a wait; notes what it shows, and what it leaves open. `asked`: the
        question that a person is to answer."""
        if here.word is Word.GONE:
            return self._gone(here)
        reading, verdict, state = here.reading, here.verdict, self.watch.state
        turn = telling(self.watch, here)
        shown, notes = news(self.watch, here)
        self._learn(here)
        status = self._status(here, shown)
        if here.own and not here.at_rest and self.action != "keys" and state.open != Word.SENT:
            rest = "what you send follows it, keys C-u empty it"
            self.notes.append(f"it proposes {here.own!r}; {rest}")
        elif here.typed:
            self.notes.append(here.typed)
        self.notes += notes
        answer = self._told(here, asked, status)
        if here.word is Word.TIMED_OUT:
            longer = max(20, 2 * int(reading.now - self._began))
            same = "hosts refuse the same call twice"
            self.notes.append(f"next: wait_ready, timeout {longer} ({same})")
        answer.body = self._body_of(here, answer.detail, shown)
        if here.word is Word.MATCHED:
            state.sent.place = None
        if verdict:
            state.sent, state.draft = Sent(), draft_of(here.own, here.nobodys)
        left = reading.seen.line_left
        behind = state.open and state.behind_question(left)  # perhaps a person's
        if not here.typed and (reading.untouched or not behind):
            state.ask(reading.seen)
        tell(self.watch, here.word, turn)
        return answer

    def _gone(self, here: Turn) -> Answer:
        seen = here.reading.seen
        end = time.monotonic() + _NOTICED
        while not seen.pane_dead_status and time.monotonic() < end:
            self.watch.nap(0.05)
            seen = self.watch.pane.look()
        status = seen.pane_dead_status or "unknown"
        again = f"tmux respawn-pane -t {seen.id} starts it anew"
        first = f"gone: its program ended (exit status {status}); {again}"
        return Answer(word=Word.GONE, first=first)

    def _body_of(self, here: Turn, quoted: str, shown: list[str]) -> list[str]:
        """The rows behind the first line, which may quote the last of them."""
        body = [*self.body, *shown]
        while body and not body[-1].strip():
            body.pop()
        if self.watch.state.screen:
            body = [row for row in body if row.strip() != quoted]
        quotes = here.word not in (Word.READY, Word.TIMED_OUT)
        typed = f"{quoted} {here.own or here.persons}"
        if quotes and body and " ".join(body[-1].split()) in (quoted, typed.rstrip()):
            body.pop()
        if body or quotes and self.action in ("run", "send"):
            return body
        return ["(no output)" if self.action == "run" else "(nothing new)"]

    def _status(self, here: Turn, shown: list[str]) -> int | None:
        """The exit status of the shell's last command; None if unknown, if nothing has run since
        Enter was pressed at its prompt (zsh with histverify puts the line there again), or if a
        person's command may have: the shell has run more than one, or their line is shown."""
        reading, editor, ran = here.reading, here.reading.editor, self.watch.state.ran
        count = 1
        if editor and ran and ran.shell == reading.kernel.subject:
            count = editor.runs - ran.runs
        lines = [split(row, reading.prompts) for row in shown]
        others = any(line and line.known and line.typed for line in lines)
        if not reading.untouched and (others or count > 1 and self.watch.state.sent):
            self.notes.append("somebody typed meanwhile: the last command may be theirs")
            return None
        shell = here.verdict is not None and here.verdict.evidence == SHELL
        if not (editor and shell and count) or editor.text and reading.untouched:
            return None
        return editor.status

    def _told(self, here: Turn, asked: str, status: int | None) -> Answer:
        """The answer's first line."""
        verdict, word = here.verdict, here.word
        name, seconds = str(word), max(here.reading.now - self._began, 0.0)
        took = f"{seconds:.2f}"
        detail, evidence = verdict.detail, verdict.evidence
        if word is Word.READY:
            name = f"ready ({evidence})"
        elif word is Word.TIMED_OUT:
            name, took = f"{self.action} timed out", f"{seconds:.1f}"
            detail = self._still(here, asked)
        first = f"{name} after {took}s"
        first += f", exit status {status}" if status is not None else ""
        first += f": {detail}" if detail else ""
        return Answer(
            word=word,
            first=first,
            evidence=evidence,
            detail=detail,
            seconds=seconds,
            exit_status=status,
        )

    def _still(self, here: Turn, asked: str) -> str:
        """What goes on at the limit of a wait."""
        reading = here.reading
        if asked:
            return f"still asked: {asked}"
        # tmux tells whole seconds, rounded down
        silent = max(reading.now - self.watch.changed, reading.seen.silent)
        going = f"still running {reading.program}, silent for {silent:.1f}s"
        return going if reading.taken else f"not read yet; {going}"

    def _learn(self, here: Turn) -> None:
        """A proven prompt is known from now on: the editor shows it, or it stands there again after
        a command, or nobody can have typed since Enter."""
        reading, verdict, state = here.reading, here.verdict, self.watch.state
        editor, left = reading.editor, reading.left.strip()
        if not verdict or not verdict.ready or reading.full_screen or here.text:
            return
        if editor:
            left = editor.prompt.strip()
            proven = not editor.text and not continues(left, sure=True)
        else:
            again = bool(state.sent.enter and reading.again)
            alone = not adjoining(reading.seen.right) and not glued(left, reading.prompts)
            prompt = left or reading.again and reading.traits.shell
            came = bool(state.sent.enter) or verdict.evidence == PATTERN
            proven = alone and bool(prompt) and (again or (came and reading.untouched))
        if proven:
            right = reading.seen.right.strip() if reading.untouched else ""
            state.learn(reading.program, left, right)
