"""Programs that put the terminal into raw mode and ask: prompt libraries, fzf."""

from ..table import Case, press, run, send

KEY = "needs key: …"

CASES = [
    Case(
        name="inquirer",
        programs=("inquirer.mjs",),
        steps=[
            run("node inquirer.mjs", "needs input: …What is your name?…"),
            send("Ann", "needs input: …Use TypeScript?… | needs key: …Use TypeScript?…"),
            send("y", KEY, has=("Which colour?", "green")),
            press("Down", KEY, has="green"),
            press("Enter", KEY, has=("Which parts?", "roof")),
            press("Space", KEY, has="door"),
            press("Enter", "needs password: …Secret word…"),
            send("geheim", "ready", has='"Ann" true green door 6', lacks="geheim"),
        ],
    ),
    Case(
        name="enquirer",
        programs=("enquirer.mjs",),
        steps=[
            run("node enquirer.mjs", "needs input: …What is your name?…"),
            send("Ann", KEY, has=("Pick a colour", "green")),
            press("Down Enter", "needs input: …Really continue?… | needs key: …Really continue?…"),
            press("y", "needs password: …Secret word…"),
            send("geheim", "ready", has="Ann green true 6", lacks="geheim"),
        ],
    ),
    Case(
        name="prompts",
        programs=("prompts.mjs",),
        steps=[
            run("node prompts.mjs", "needs input: …Project directory…"),
            send("demo", "needs input: …Which port?…"),
            send("8080", "needs key: … | needs input: …Add tests?…", has="Add tests?"),
            press("Right Enter", KEY, has=("Pick a colour", "green")),
            press("Down Enter", "needs password: …Secret word…"),
            send("geheim", "ready", has="demo 8080", lacks="geheim"),
        ],
    ),
    Case(
        name="clack",
        programs=("clack.mjs",),
        steps=[
            run("node clack.mjs", "needs input: …", has="Where should it go?"),
            send("here", KEY, has=("Pick a kind", "JavaScript")),
            press("Down Enter", "needs password: …", has="Your API key"),
            send("geheim", "needs key: … | needs input: …", has="Install now?", lacks="geheim"),
            press("Enter", "ready", takes=4, has="Done here js 6 true"),
        ],
    ),
    Case(
        name="node readline",
        tools=("node",),
        programs=("readline.mjs",),
        core=True,
        steps=[
            run("node readline.mjs", "needs input: Ok to proceed? (y)", body=""),
            send("y", "needs input: Package name: (demo)", takes=2.5),
            send("mine", "ready", body="result y mine"),
        ],
    ),
    Case(
        name="npm init",
        environment={"npm_config_init_license": "MIT"},
        steps=[
            run(
                "mkdir p && cd p && npm init",
                "needs input: package name: (p)",
                has="Press ^C at any time",
            ),
            send("demo", "needs input: version: (1.0.0)", body=""),
            send("", "needs input: description:", body=""),
            send("a test", "needs input: entry point: (index.js)", body=""),
            send("", "needs input: test command:", body=""),
            send("", "needs input: git repository:", body=""),
            send("", "needs input: keywords:", body=""),
            send("", "needs input: author:", body=""),
            send("", "needs input: license: (…)", body=""),
            send("", "needs input: type: (…) | needs input: Is this OK? (yes)", has=""),
            send("", "needs input: Is this OK? (yes) | ready"),
            send("", "ready"),
            run("ls", "ready", body="package.json"),
        ],
    ),
    Case(
        name="create-vite",
        steps=[
            run("create-vite", "needs input: …", has="Project name"),
            send("site", KEY, has=("Select a framework", "Vanilla")),
            press("Enter", KEY, has=("variant", "TypeScript")),
            press("C-c", "ready | needs key: …"),
            press("C-c", "ready", has=""),
            run("echo over", "ready", body="over"),
        ],
    ),
    Case(
        name="questionary",
        programs=("questionary_asks.py",),
        steps=[
            run("python3 questionary_asks.py", "needs input: …What is your name?"),
            send("Ann", KEY, has=("Which kind?", "program")),
            press("Down Enter", "needs input: …Are you sure?… | needs key: …Are you sure?…"),
            press("y", "needs password: …Your password:"),
            send("geheim", KEY, has=("Which parts?", "roof"), lacks="geheim"),
            press("Space Enter", "ready", has="result Ann program True 6 ['door']"),
        ],
    ),
    Case(
        name="InquirerPy",
        programs=("inquirerpy_asks.py",),
        steps=[
            run("python3 inquirerpy_asks.py", "needs input: …Project name:"),
            send("demo", KEY, has=("Pick a kind:", "program")),
            press("Down Enter", "needs input: …Continue?… | needs key: …Continue?…"),
            press("y", "needs password: …Token:"),
            send("geheim", "ready", has="result demo program True 6", lacks="geheim"),
        ],
    ),
    Case(
        name="box with an input line",
        programs=("box.py",),
        core=True,
        steps=[
            run("python3 box.py", "needs input: …>… | ready", has="? for shortcuts"),
            send("hello", "ready", takes=2, has="sent hello"),
        ],
    ),
    Case(
        name="fzf",
        files={"list": "apple\nbanana\ncherry\n"},
        steps=[
            run("fzf < list", KEY, has="banana"),
            press("c h", KEY, has="cherry", lacks="banana"),
            press("Enter", "ready", body="cherry"),
            run("fzf --height 10 < list", KEY, has="banana"),
            press("Down", KEY),
            press("Enter", "ready", has="apple"),
            run("cat list | fzf --height 5 --reverse", KEY, has="apple"),
            press("Escape", "ready"),
            run("echo over", "ready", body="over"),
        ],
    ),
    Case(
        name="press any key",
        core=True,
        programs=("installer.sh", "more.sh"),
        steps=[
            run("bash installer.sh", "needs key: Press any key to continue..."),
            press("x", "ready", body="going on"),
            run(
                "sh more.sh",
                "needs key: Hit RETURN to continue | needs input: Hit RETURN to continue",
            ),
            press("Enter", "ready", has="ok"),
        ],
    ),
]
