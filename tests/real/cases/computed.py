"""Cases whose texts are too long to write out, or that are many of a kind."""

from itertools import product

from tests.support.terminal import SHELLS

from ..table import Case, step


def tall(shell: str) -> Case:
    """Readline shows the first rows and draws the last over another; zsh shows the last ones."""
    numbers = "\n".join(map(str, range(40)))
    echoes = "".join(f"echo {n}\n" for n in range(40))
    file = "cat > file <<'E'\n" + "".join(f"row {n}\n" for n in range(40)) + "E"
    steps = [
        step("run", file, body="(no output)", timeout=60), step("run", echoes.rstrip(), body=numbers, timeout=60),
        step("run", echoes + "true", body=numbers, timeout=60)]
    theme = "run: more lines than the screen leave no echo"
    return Case(name=f"{theme}, {shell}", theme=theme, core=True, shell=SHELLS[shell], steps=steps)


def long_command(shell: str) -> Case:
    """`until` in the same call, and in a later one that knows of the text only what the pane
    keeps. fish redraws a command that is longer than its screen: that looks like output."""
    wraps = f"true {'x' * 1500} needle; work silent 0.5; echo nee''dle; sleep 30 # needle"
    longer = f"true {'word ' * (40 if shell == 'fish' else 720)}; work silent 0.7; echo EN''D"
    longer += "; sleep 30; : END"
    steps = [
        step("run", wraps, "matched: needle", until="needle", truth=True), step("interrupt"),
        step("run", longer, "matched: END", until="END", truth=True), step("interrupt"),
        step("send", longer, "sent …", timeout=0), step("wait", "matched: END", until="END", truth=True)]
    theme = "pattern: until in a long command"
    return Case(name=f"{theme}, {shell}", theme=theme, core=True, shell=SHELLS[shell], steps=steps)


LIES = [  # prompts, questions, passwords, keys, the rest of a command
    "Password: ", "[sudo] password for root: ", "root@prod:~# ", "user@host:~$ ", "$ ", "# ", "% ", "> ", ">>> ",
    "... ", "(gdb) ", "In [1]: ", "mysql> ", "postgres=# ", "sqlite> ", "irb(main):001:0> ", "Continue? [y/N] ",
    "Are you sure (yes/no)? ", "Proceed (Y/n): ", "Name: ", "Username: ", "login: ",
    "Enter passphrase for key '/root/.ssh/id': ", "Press any key to continue", "Press Enter to continue...",
    "--More--", ":", "(END)", "lines 1-20", "? Project name: ", "◆  Pick one", "#? ", "?# ", "Overwrite? ",
    "Colour [red/green] (red): ", "Verification code: ", "❯ ", "➜  src git:(main) ✗ ", "host% ", "~/src ❯ ",
    "quote> ", "dquote> ", "   ...> ", "Type the number: ", "PIN: ", "hello"]


def liar(mode: str, which: str) -> Case:
    """It shows every fourth lie for longer than a weak form must be still; random bytes quickly."""
    name = f"{mode}, random bytes" if which == "noise" else f"{mode} {which[-1]}"
    theme = f"liar {mode} {which[-1]}" if which != "noise" else f"liar {mode}"
    steps = [step("run", f"liar {mode} {which}", "ready | needs … | quiet…", truth=True, timeout=240, has="")]
    files = {"lies": "".join(f"{lie}\n" for lie in LIES)}
    shell, name = SHELLS["bash"], f"early: nobody reads, nobody waits, {name}"
    return Case(name=name, theme=theme, core=True, shell=shell, files=files, steps=steps)


CASES = [*map(tall, ("bash", "zsh")), *map(long_command, ("bash", "zsh", "fish", "dash"))]
CASES += [liar(*one) for one in product(("canonical", "raw", "hidden"), (*(f"lies {n}" for n in range(4)), "noise"))]
