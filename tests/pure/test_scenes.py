"""What must be true of every scene, whatever the table says about single situations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from python.helpers.tmux.evidence.editor.line_editor import Editor, Reads
from python.helpers.tmux.evidence.kernel.probe import How, Probe, Waiter
from python.helpers.tmux.evidence.screen import prompts as prompts_of
from python.helpers.tmux.turn import by_kernel
from python.helpers.tmux.turn.by_screen import STILL_BLANK
from python.helpers.tmux.turn.scene import SILENT, STILL_BLIND, STILL_DRAWN, Scene
from python.helpers.tmux.turn.verdict import decide
from python.helpers.tmux.words import Evidence, Word
from tests.support.examples import examples

RANDOM = examples(100)
NAMES = st.sampled_from("bash zsh fish dash sh python3 node ssh script less vim sleep rm".split())
HOW = st.sampled_from(How)
SIZES = st.sampled_from([0, 1, 1024, 4096, 8192])
WAITERS = st.builds(Waiter, pid=st.just(77), name=NAMES, how=HOW, size=SIZES)
BITS = st.none() | st.booleans()
PROMPT_ALIKES = st.sampled_from(
    "$ |# |% |> |>>> |❯ |➜  src |λ |user@host:~$ |bash-5.2# |100% |57%|total 5$|(gdb) |In [1]: |"
    "(Pdb) |sqlite> |mysql> |root@box:/etc# |[me@there ~]$ |PS C:\\> ".split("|")
)
OTHERS = (
    "|   |... |quote> |Continue? [y/N] |Password: |Name: |--More--|(END)|:|read> |日本語> |\u202e$ "
)
LINES = PROMPT_ALIKES | st.sampled_from([*OTHERS.split("|"), "x" * 500]) | st.text(max_size=30)
TIMES = st.sampled_from([0.0, 0.1, STILL_BLANK, STILL_BLIND, 1.9, SILENT, 3600.0]) | st.floats(
    0, 1e6
)
PROBES = st.builds(
    Probe,
    alive=st.just(True),
    foreground=st.sampled_from([None, 77]),
    name=NAMES,
    canonical=BITS,
    echo=BITS,
    unread=st.just(0),
    waiter=st.none() | WAITERS,
    hidden=st.booleans(),
)
EDITORS = st.builds(
    Editor,
    prompt=LINES,
    text=LINES,
    cursor=st.just(0),
    reads=st.sampled_from(Reads),
)


def _consistent(scene: Scene) -> Scene:
    """Where the foreground is unknown so are the modes; a line editor's memory is read only on a
    raw terminal that can be looked at."""
    if scene.kernel.foreground is None:
        scene = replace(scene, kernel=replace(scene.kernel, canonical=None, echo=None))
    raw = scene.kernel.canonical is False and not scene.kernel.remote
    return scene if raw else replace(scene, editor=None)


SCENES = st.builds(
    Scene,
    kernel=PROBES,
    editor=st.none() | EDITORS,
    rows=st.lists(LINES, max_size=3).map(tuple),
    left=LINES,
    x=st.integers(0, 200),
    y=st.integers(0, 3),
    asked=LINES,
    alternate=st.booleans(),
    cursor_visible=st.booleans(),
    dead=st.sampled_from(["", "", "", "ended"]),
    prompts=st.lists(LINES, max_size=3).map(tuple),
    expected=st.booleans(),
    taken=st.booleans(),
    still=TIMES,
    full=TIMES,
    pattern=st.none() | LINES,
).map(_consistent)
NEEDS = {Word.NEEDS_INPUT, Word.NEEDS_PASSWORD, Word.NEEDS_KEY}
WORDS = {Word.READY, *NEEDS, Word.UNFINISHED, Word.MATCHED, Word.QUIET, Word.GONE}


def word(scene: Scene) -> Word | None:
    decision = decide(scene)
    return decision.word if decision else None


def undecided(scene: Scene, **more) -> Scene:
    """The same, when neither its end, the caller's patterns nor a line editor's memory decide."""
    facts: dict[str, Any] = {"dead": "", "pattern": None, "editor": None}
    return replace(scene, **(facts | more))


@RANDOM
@given(SCENES)
def test_every_scene_has_one_of_the_contracts_words_or_none(scene):
    decision = decide(scene)
    assert decision is None or decision.word in WORDS
    assert decision is None or (decision.evidence is not None) == (decision.word is Word.READY)


@RANDOM
@given(SCENES)
def test_a_canonical_terminal_without_a_reader_gives_no_verdict(scene):
    """Whatever the screen shows and however long it has been silent."""
    facts: dict[str, Any] = {"canonical": True, "waiter": None, "hidden": False, "remote": ""}
    kernel = replace(scene.kernel, foreground=77, **facts)
    scene = replace(scene, kernel=kernel, editor=None, alternate=False)
    ends = [(Word.GONE, scene.dead or None), (Word.READY, scene.pattern), (None, "")]
    assert word(scene) == next(word for word, what in ends if what is not None)


OUTPUT = "done|Building the thing …||  |12 files|~/src/main.c|57%|a word.".split("|")


@RANDOM
@given(SCENES, st.sampled_from(OUTPUT))
def test_silence_alone_is_never_ready(scene, left):
    """No prompt at the cursor and no shell's line editor: not after any time."""
    scene = undecided(scene, left=left, prompts=())
    assume(not (scene.shell and scene.kernel.canonical is False))
    assume(not by_kernel.shell_reads_command(scene))
    for still in (0.0, SILENT, 60.0, 86_400.0):
        assert word(replace(scene, still=still, full=still)) is not Word.READY


@RANDOM
@given(SCENES)
def test_time_turns_nothing_into_ready_but_a_prompt_at_the_cursor(scene):
    scene = undecided(scene)
    now = decide(replace(scene, still=0.0, full=0.0))
    later = decide(replace(scene, still=86_400.0, full=86_400.0))
    if later and later.evidence is Evidence.SHELL and later != now:
        assert scene.shell or by_kernel.shell_reads_command(scene)
        assert decide(replace(scene, still=STILL_BLIND)) == later
    elif later and later.word is Word.READY and later != now:
        assert not scene.cooked and not scene.expected
        assert later.evidence is Evidence.PROMPT
        assert scene.end and not scene.alternate


@RANDOM
@given(
    SCENES,
    PROMPT_ALIKES,
    PROMPT_ALIKES,
    st.sampled_from(["node", "ssh", "script", "docker"]),
    st.sampled_from(["blind", "remote", "listens"]),
    TIMES,
)
def test_if_a_prompt_is_expected_no_other_one_is_ready_without_a_proven_wait(
    scene, known, printed, program, way, still
):
    """Inside ssh, or in node: `5$ ` at the cursor may be output, for as long as it likes."""
    assume(prompts_of.glued(printed, [known]) is None)
    blind = way == "blind"
    kernel = Probe(
        alive=True,
        foreground=None if blind else 77,
        name=program,
        canonical=None if blind else False,
        echo=None if blind else False,
        waiter=None if blind else Waiter(pid=77, name=program, how=How.LISTEN),
        remote=program if way == "remote" else "",
    )
    scene = undecided(
        scene, kernel=kernel, left=printed, prompts=(known,), expected=True, still=still
    )
    assert word(scene) is not Word.READY


@RANDOM
@given(SCENES, st.sampled_from(["$ ", "> ", "me@host:~$ "]), TIMES)
def test_the_prompt_that_was_there_before_counts_only_with_a_proven_wait(scene, prompt, still):
    scene = undecided(
        scene, left=prompt, prompts=(prompt,), taken=False, still=still, expected=True
    )
    assume(not scene.reads and not scene.shell)
    assert word(scene) is not Word.READY


@RANDOM
@given(SCENES, st.sampled_from(["vim", "python3", "ssh"]), HOW, TIMES)
def test_a_full_screen_of_another_program_needs_an_answer_or_proves_nothing(
    scene, program, how, still
):
    """Whatever text is left of its cursor, it is no prompt: an editor may show any."""
    waiter = Waiter(pid=77, name=program, how=how, size=1)
    kernel = replace(scene.kernel, name=program, canonical=False, waiter=waiter)
    scene = undecided(scene, kernel=kernel, alternate=True, still=still, full=still)
    assert word(scene) not in (Word.READY, Word.UNFINISHED)


@RANDOM
@given(SCENES)
def test_a_canonical_line_without_echo_is_only_ever_a_password(scene):
    """Nothing else may be said of it: what is sent now must be kept secret."""
    waiter = Waiter(pid=77, name="sudo", how=How.READ, size=4096)
    kernel = replace(scene.kernel, canonical=True, echo=False, waiter=waiter)
    assert word(undecided(scene, kernel=kernel)) is Word.NEEDS_PASSWORD


BY_EDITOR = {
    Reads.COMMAND: {Word.READY},
    Reads.SEARCH: {Word.READY},
    Reads.VI_COMMAND: {Word.READY},
    Reads.CONTINUATION: {Word.UNFINISHED},
    Reads.QUESTION: {Word.NEEDS_INPUT, Word.NEEDS_PASSWORD},
    Reads.KEY: {Word.NEEDS_KEY},
}


@RANDOM
@given(SCENES, EDITORS)
def test_no_screen_overrules_the_line_editor_of_a_shell(scene, editor):
    waiter = Waiter(pid=77, name="bash", how=How.SELECT)
    facts = {"name": "bash", "canonical": False, "echo": False, "remote": "", "foreground": 7}
    kernel = replace(scene.kernel, waiter=waiter, **facts)
    scene = undecided(scene, kernel=kernel, editor=editor, still=STILL_DRAWN, since_sent=9.0)
    assert word(scene) in BY_EDITOR[editor.reads]
