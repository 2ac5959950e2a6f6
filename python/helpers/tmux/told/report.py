"""The answer to a call: its first line, notes and body, and what the pane remembers of it.

A first line says whose turn it is, and quotes what is asked; notes say what a reader would not
expect; the body is what no answer has shown. What a person may have done is never told as the
result of the agent's command: then there is no exit status, and a note.

An answer is put together from what is there and changes nothing (`_told`, `_status`, `_body_of`);
then the record is written in one place: `_remember` after a wait, `store` for all answers.
"""

import time

from ..base.answer import Answer, counted, quoted
from ..base.cells import in_one_line
from ..base.process import descends
from ..base.words import Word
from ..facts.editor import Editor
from ..facts.line import adjoining, continues, glued, split
from ..facts.state import Sent, draft_of
from ..turn.reading import Reading
from ..turn.turn import Turn
from ..turn.verdict import PATTERN, SHELL, Verdict
from ..turn.watch import Watch
from .news import News, news, remember, tells_a_screen
from .told import Telling, tell, telling

_NOTICED = 1.0  # seconds in which tmux notices that a program has ended
_LEAST_LONGER = 20  # seconds that the call after a time-out may take at least
_THEIRS = "somebody typed meanwhile: this may be theirs"


class Report:
    """What one call answers. `action`: its name; `notes`: of the call so far."""

    def __init__(self, action: str, watch: Watch, notes: list[str]):
        self.action = action
        self.watch = watch
        self.notes = notes
        self._began = time.monotonic()
        self.body: list[str] = []  # of earlier steps: lines typed one by one, a dialogue

    # notes

    def note_line(self, here: Turn) -> None:
        """Notes a line of which it cannot be told whether someone has typed it."""
        if here.unknown:
            what = "cannot determine whether someone has typed here"
            self.notes.append(f"{what}: {quoted(here.unknown)}")

    def note_beside(self, here: Turn) -> None:
        """Notes who reads the terminal beside whoever is in front."""
        self.watch.seek_beside(here.kernel)
        if self.watch.beside:
            self.notes.append(f"{self.watch.beside} reads this terminal too: type nothing here")

    # earlier steps

    def keep_unseen(self, here: Turn) -> None:
        """Keeps what came since the last answer; `run` only notes it."""
        state = self.watch.state
        seen = here.seen
        if self.watch.first_call or not state.place:
            return
        if state.place.has_cursor(seen):
            return

        full_screen = here.full_screen or bool(state.screen)
        if full_screen and tells_a_screen(state, here):  # the answer shows what changes there
            return

        self._keep(here)
        if here.verdict:
            self._keep_question(here)

        count = len([row for row in self.body if row])
        if self.action == "run":
            self.body = []
            if count:
                came = f"{counted(count, 'line')} came here since the last answer"
                self.notes.append(f"{came}; read shows them")

    def _keep_question(self, here: Turn) -> None:
        """Of the cursor's line only a question is kept, which no answer has shown."""
        line = here.seen.line_left.rstrip()
        if self.body[-1:] == [line]:
            self.body.pop()
        if here.verdict.asks and line:
            self.body.append(line)

    def keep(self, here: Turn) -> None:
        """Keeps the output of a step of this call, before the next is typed."""
        state = self.watch.state
        self._keep(here)
        self._learn(here)
        state.open = here.word if here.word is Word.UNFINISHED else ""
        state.sent = Sent()

    def _keep(self, here: Turn) -> None:
        """Keeps what is new, and notes that it is told."""
        found = news(self.watch, here)
        remember(self.watch.state, found)
        self.body += found.body
        self.notes += found.notes

    # answers

    def receipt(self, word: Word, said: str) -> Answer:
        """The answer where nothing was waited for."""
        tell(self.watch, word, Telling())
        return Answer(word=word, first=said, body=self.body)

    def finish(self, here: Turn, still_asked: str = "") -> Answer:
        """The answer after a wait; the pane remembers what it shows, and what it leaves open.
        `still_asked`: the question that a person is to answer."""
        if here.word is Word.GONE:
            return self._gone(here)

        found = news(self.watch, here)
        if here.seen.pid != self.watch.pane.seen.pid:
            self.notes.append("its first program was started anew meanwhile (tmux respawn-pane)")

        self._learn(here)
        self._meet(here, found.body)
        theirs = self._may_be_theirs(here, found)
        status = None if theirs else self._status(here)
        answer = self._told(here, still_asked, status)
        answer.body = self._body_of(here, answer.detail, found)
        if theirs:
            self.notes.append(_THEIRS)

        if here.line_note:
            self.notes.append(here.line_note)

        self.notes += found.notes
        self.note_beside(here)
        if here.word is Word.TIMED_OUT:
            self.notes.append(self._next_call(here))

        self._remember(here, found)
        return answer

    def _gone(self, here: Turn) -> Answer:
        """The answer where the pane's program has ended, and tmux keeps the pane."""
        seen = here.seen
        end = time.monotonic() + _NOTICED
        while not seen.pane_dead_status and time.monotonic() < end:
            self.watch.pane.reap()
            self.watch.nap(0.05)
            seen = self.watch.pane.look()

        status = seen.pane_dead_status or "unknown"
        again = f"tmux respawn-pane -t {seen.id} starts it anew"
        ended = f"gone: its program ended (exit status {status})"
        return Answer(word=Word.GONE, first=f"{ended}; {again}")

    def _told(self, here: Turn, still_asked: str, status: int | None) -> Answer:
        """The answer's first line."""
        verdict = here.verdict
        word = here.word
        seconds = max(here.reading.now - self._began, 0.0)
        head = f"{word} after {seconds:.2f}s"
        detail = verdict.detail

        if word is Word.READY:
            head = f"ready ({verdict.evidence}) after {seconds:.2f}s"
        elif word is Word.TIMED_OUT:
            head = f"{self.action} timed out after {seconds:.1f}s"
            detail = self._still(here)
            if still_asked:
                detail = f"still asked: {still_asked}"

        if status is not None:
            head += f", exit status {status}"

        first = head
        if detail:
            first += f": {detail}"
        return Answer(
            word=word,
            first=first,
            evidence=verdict.evidence,
            rule=verdict.rule,
            detail=detail,
            seconds=seconds,
            exit_status=status,
        )

    def _still(self, here: Turn) -> str:
        """What goes on at the limit of a wait."""
        reading = here.reading
        # The last output came in the second that tmux tells, in the middle of it on average.
        last = reading.seen.window_activity + 0.5
        silent = max(reading.now - self.watch.changed, time.time() - last)
        going = f"still running {reading.program}, silent for {silent:.1f}s"
        if stopped := reading.kernel.stopped:
            going += f"; {stopped}, in its background, wants to read and is stopped by the terminal"

        if not reading.taken:
            return f"not read yet; {going}"
        if reading.at_known_prompt:  # `until` was waited for, or what comes after `quiet`
            return f"{reading.program} is at its prompt, silent for {silent:.1f}s"
        return going

    def _next_call(self, here: Turn) -> str:
        """What to call after a time-out."""
        longer = max(_LEAST_LONGER, 2 * int(here.reading.now - self._began))
        following = f"next: wait_ready, timeout {longer} (hosts refuse the same call twice)"
        asked = here.reading.question
        if asked and not here.reading.echo:  # ansible's pause naps between two looks for a key
            following += f"; if {quoted(asked.text)} waits for an answer, send gives it"
        return following

    # the exit status

    def _runs(self, here: Turn) -> int:
        """How many commands the shell has run since Enter was pressed; 1 if that is not known."""
        editor = here.reading.editor
        ran = self.watch.state.ran
        if not editor or not ran or ran.shell != here.kernel.subject:
            return 1
        return editor.runs - ran.runs

    def _may_be_theirs(self, here: Turn, found: News) -> bool:
        """Whether a person may have run the last command, or typed what `until` has matched.

        The shell has run more than one, or a line with a known prompt and a text stands in the
        output. What is typed while a program runs is echoed among what that prints; a window of the
        agent's own is beside what they look at.
        """
        reading = here.reading
        if reading.no_key:
            return False
        if here.word is Word.MATCHED:
            return not here.seen.opened
        if self._runs(here) > 1 and self.watch.state.sent:
            return True

        prompts = self.watch.state.prompt_texts  # above vim the shell's
        lines = [split(row, prompts) for row in found.body]
        return any(line and line.known and line.typed for line in lines)

    def _status(self, here: Turn) -> int | None:
        """The exit status of the shell's last command; None if unknown, or if nothing has run since
        Enter was pressed at its prompt (zsh with histverify puts the line there again), or since
        its last command (C-u)."""
        editor = here.reading.editor
        if not editor or here.verdict.evidence != SHELL:
            return None

        runs = self._runs(here)
        if not runs:
            return None
        if runs == 1 and self.watch.state.sent.ends_no_line:
            return None
        if editor.text and here.no_key:
            return None
        return editor.status

    # the body

    def _body_of(self, here: Turn, quote: str, found: News) -> list[str]:
        """The rows behind the first line, which may quote the last of them.

        `Sure? [y/N] ` at the end of what `rm -i` has printed is in the first line already.
        """
        body = [*self.body, *found.body]
        while body and not body[-1].strip():
            body.pop()

        if found.screen:
            body = [row for row in body if row.strip() != quote]

        quotes = here.word not in (Word.READY, Word.TIMED_OUT)
        if quotes and body:
            typed = f"{quote} {here.own or here.persons}".rstrip()
            if in_one_line(body[-1]) in (quote, typed):
                body.pop()
                # the row is one that an earlier step of this call has kept
                if len(body) < len(self.body) and self.watch.search.answers(quote):
                    self.notes.append("answers: it was answered once, and is asked again")

        if body:
            return body
        if quotes and self.action in ("run", "send"):
            return []
        if self.action == "run":
            return ["(no output)"]
        return ["(nothing new)"]

    # what the pane remembers

    def _remember(self, here: Turn, found: News) -> None:
        """Notes on the pane what this answer has shown and leaves open."""
        state = self.watch.state
        turn = telling(self.watch, here)
        remember(state, found)
        if here.word is Word.MATCHED:
            state.sent.place = None

        if here.verdict:
            state.sent = Sent()
            state.draft = draft_of(here.own, here.nobodys)

        self._remember_question(here)
        tell(self.watch, here.word, turn)

    def _remember_question(self, here: Turn) -> None:
        """Notes the cursor's line as a question, unless a person may have typed on it."""
        state = self.watch.state
        left = here.seen.line_left
        if here.line_note:
            return
        behind = state.open and state.behind_question(left)
        if here.no_key or not behind:
            state.ask(here.seen, here.no_key)

    def _meet(self, here: Turn, came: list[str]) -> None:
        """Notes the rows above the first prompt of a program that the agent's own input has
        started (ssh, a shell): a part of that, or its welcome; or what a prompt's hook prints."""
        state = self.watch.state
        shell = here.kernel.foreground
        if not (here.no_key and here.at_shell_prompt):
            return

        group = state.sent.reader.group
        new = came and shell not in (state.shell, group) and descends(shell, group)
        if new or state.sent.silent:
            state.note_above(here.seen, shell, welcome=True)

    def _learn(self, here: Turn) -> None:
        """A proven prompt is known from now on."""
        prompt = proven_prompt(here)
        if prompt is not None:
            right = here.seen.right if here.no_key else ""
            self.watch.state.learn(here.program, prompt, right)


def proven_prompt(here: Turn) -> str | None:
    """A prompt that is proven, None if none is."""
    reading = here.reading
    verdict = here.verdict
    if not verdict or not verdict.ready:
        return None
    if reading.full_screen or here.text:
        return None
    if reading.editor:
        return _shown_by(reading.editor)
    return _seen_again(reading, verdict)


def _shown_by(editor: Editor) -> str | None:
    """The line editor's memory shows its prompt, and nothing behind it."""
    if editor.text or continues(editor.prompt, sure=True):
        return None
    return editor.prompt


def _seen_again(reading: Reading, verdict: Verdict) -> str | None:
    """It stands there again after a command, or nobody can have typed since Enter, or a caller's
    pattern has matched it; alone on its line. `PS1=` is empty."""
    left = reading.left.strip()
    if adjoining(reading.seen.right) or glued(left, reading.prompts):
        return None
    if not left and not (reading.again and reading.traits.shell):
        return None
    if reading.state.sent.enter and reading.again:
        return left

    came = bool(reading.state.sent.enter) or verdict.evidence == PATTERN
    if came and reading.no_key:
        return left
    return None
