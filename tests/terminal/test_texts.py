"""Every text arrives as it was asked for, whoever receives it, or is refused and nothing of it."""

from __future__ import annotations

import shutil

import pytest

from tests.conftest import poll

TEXTS = {
    "a tab": "a\tb",
    "three lines": "one\n  two;\nthree",
    "wide": "漢字 é👍",
    "long": "x" * 5000,
    "hard": 'a;  b\\; -l #{x} $(id) "q" C-c Enter !! ~ *',
}
RECEIVERS = {  # the program, and a line that writes a text into a file
    "bash --norc": "printf %s '{text}' > {out}",
    "zsh -f": "printf %s '{text}' > {out}",
    "fish --no-config": "printf %s '{text}' > {out}",
    "dash": "printf %s '{text}' > {out}",
    "mksh": "printf %s '{text}' > {out}",
    "python3 -q": "_ = open('{out}', 'w').write('''{text}''')",
    "node": "require('fs').writeFileSync('{out}', String.raw`{text}`)",
}


@pytest.mark.parametrize("program", RECEIVERS)
def test_a_line_editor_gets_a_text_as_it_is_or_nothing(bare, tmp_path, program):
    if not shutil.which(program.split()[0]):
        pytest.skip(f"{program} is not installed")
    bare.start(f"env PS1='$ ' {program}")
    bare.ready()
    for name, text in TEXTS.items():
        out = tmp_path / name.replace(" ", "-")
        line = RECEIVERS[program].format(text=text, out=out)
        answer = bare.call("send", text=line, timeout=30)
        if answer.startswith("error: "):
            refused = "nothing was typed" in answer or "Enter was not pressed" in answer
            assert refused and not out.exists(), (name, answer)
            bare.call("interrupt")
        else:
            poll(out.exists, what=f"{name}: {answer}")
            assert out.read_text() == text, (name, answer)
