"""Programs that put the terminal into raw mode and ask: the prompt libraries of Node and Python, fzf."""

from ..table import Case, press, run, send

INQUIRER = """import inquirer from 'inquirer';
const a = await inquirer.prompt([
  {type: 'input', name: 'name', message: 'What is your name?', default: 'anonymous'},
  {type: 'confirm', name: 'ok', message: 'Use TypeScript?'},
  {type: 'select', name: 'colour', message: 'Which colour?', choices: ['red', 'green', 'blue']},
  {type: 'checkbox', name: 'parts', message: 'Which parts?', choices: ['door', 'roof', 'wall']},
  {type: 'password', name: 'secret', message: 'Secret word', mask: '*'},
]);
console.log(JSON.stringify(a.name), a.ok, a.colour, a.parts.join('+'), a.secret.length);
"""
ENQUIRER = """import enquirer from 'enquirer';
const { prompt } = enquirer;
const a = await prompt([
  {type: 'input', name: 'name', message: 'What is your name?'},
  {type: 'select', name: 'colour', message: 'Pick a colour', choices: ['red', 'green', 'blue']},
  {type: 'confirm', name: 'ok', message: 'Really continue?'},
  {type: 'password', name: 'secret', message: 'Secret word'},
]);
console.log(a.name, a.colour, a.ok, a.secret.length);
"""
PROMPTS = """import prompts from 'prompts';
const a = await prompts([
  {type: 'text', name: 'name', message: 'Project directory'},
  {type: 'number', name: 'port', message: 'Which port?', initial: 80},
  {type: 'toggle', name: 'ok', message: 'Add tests?', active: 'yes', inactive: 'no'},
  {type: 'select', name: 'colour', message: 'Pick a colour', choices: [{title: 'red', value: 'r'}, {title: 'green', value: 'g'}]},
  {type: 'password', name: 'secret', message: 'Secret word'},
]);
console.log(a.name, a.port, a.ok, a.colour, a.secret.length);
"""
CLACK = """import * as p from '@clack/prompts';
p.intro('Make a project');
const name = await p.text({message: 'Where should it go?', placeholder: './sparkling'});
const kind = await p.select({message: 'Pick a kind', options: [{value: 'ts', label: 'TypeScript'}, {value: 'js', label: 'JavaScript'}]});
const secret = await p.password({message: 'Your API key'});
const ok = await p.confirm({message: 'Install now?'});
const s = p.spinner(); s.start('Installing via npm');
await new Promise(r => setTimeout(r, 4000));
s.stop('Installed');
p.outro('Done ' + name + ' ' + kind + ' ' + secret.length + ' ' + ok);
"""
READLINE = """import readline from 'readline/promises';
const r = readline.createInterface({input: process.stdin, output: process.stdout});
const a = await r.question('Ok to proceed? (y) ');
await new Promise(f => setTimeout(f, 2500));
const b = await r.question('Package name: (demo) ');
console.log('result', a, b);
r.close();
"""
QUESTIONARY = """import questionary as q
name = q.text('What is your name?').ask()
kind = q.select('Which kind?', choices=['library', 'program']).ask()
ok = q.confirm('Are you sure?').ask()
secret = q.password('Your password:').ask()
parts = q.checkbox('Which parts?', choices=['door', 'roof']).ask()
print('result', name, kind, ok, len(secret), parts)
"""
INQUIRERPY = """from InquirerPy import inquirer as i
name = i.text(message='Project name:').execute()
kind = i.select(message='Pick a kind:', choices=['library', 'program']).execute()
ok = i.confirm(message='Continue?').execute()
secret = i.secret(message='Token:').execute()
print('result', name, kind, ok, len(secret))
"""
BOX = """import sys, termios, tty, time
before = termios.tcgetattr(0); tty.setraw(0)
sys.stdout.write('+' + '-' * 40 + '+\\r\\n| > ' + ' ' * 37 + '|\\r\\n+' + '-' * 40 + '+\\r\\n  ? for shortcuts\\x1b[2A\\r\\x1b[4C')
sys.stdout.flush()
import os
line = b''
while not line.endswith(b'\\r'):
    c = os.read(0, 100); line += c; os.write(1, c.strip(b'\\r'))
os.write(1, b'\\x1b[3B\\r\\nworking\\r\\n'); time.sleep(2)
termios.tcsetattr(0, termios.TCSADRAIN, before); print('sent', line.strip().decode())
"""
KEY = "needs key: …"

CASES = [
    Case(
        name="inquirer",
        files={"a.mjs": INQUIRER},
        steps=[
            run("node a.mjs", "needs input: …What is your name?…"),
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
        files={"a.mjs": ENQUIRER},
        steps=[
            run("node a.mjs", "needs input: …What is your name?…"),
            send("Ann", KEY, has=("Pick a colour", "green")),
            press("Down Enter", "needs input: …Really continue?… | needs key: …Really continue?…"),
            press("y", "needs password: …Secret word…"),
            send("geheim", "ready", has="Ann green true 6", lacks="geheim"),
        ],
    ),
    Case(
        name="prompts",
        files={"a.mjs": PROMPTS},
        steps=[
            run("node a.mjs", "needs input: …Project directory…"),
            send("demo", "needs input: …Which port?…"),
            send("8080", "needs key: … | needs input: …Add tests?…", has="Add tests?"),
            press("Right Enter", KEY, has=("Pick a colour", "green")),
            press("Down Enter", "needs password: …Secret word…"),
            send("geheim", "ready", has="demo 8080", lacks="geheim"),
        ],
    ),
    Case(
        name="clack",
        files={"a.mjs": CLACK},
        steps=[
            run("node a.mjs", "needs input: …", has="Where should it go?"),
            send("here", KEY, has=("Pick a kind", "JavaScript")),
            press("Down Enter", "needs password: …", has="Your API key"),
            send("geheim", "needs key: … | needs input: …", has="Install now?", lacks="geheim"),
            press("Enter", "ready", takes=4, has="Done here js 6 true"),
        ],
    ),
    Case(
        name="node readline",
        tools=("node",),
        files={"a.mjs": READLINE},
        core=True,
        steps=[
            run("node a.mjs", "needs input: Ok to proceed? (y)", body=""),
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
        files={"a.py": QUESTIONARY},
        steps=[
            run("python3 a.py", "needs input: …What is your name?"),
            send("Ann", KEY, has=("Which kind?", "program")),
            press("Down Enter", "needs input: …Are you sure?… | needs key: …Are you sure?…"),
            press("y", "needs password: …Your password:"),
            send("geheim", KEY, has=("Which parts?", "roof"), lacks="geheim"),
            press("Space Enter", "ready", has="result Ann program True 6 ['door']"),
        ],
    ),
    Case(
        name="InquirerPy",
        files={"a.py": INQUIRERPY},
        steps=[
            run("python3 a.py", "needs input: …Project name:"),
            send("demo", KEY, has=("Pick a kind:", "program")),
            press("Down Enter", "needs input: …Continue?… | needs key: …Continue?…"),
            press("y", "needs password: …Token:"),
            send("geheim", "ready", has="result demo program True 6", lacks="geheim"),
        ],
    ),
    Case(
        name="box with an input line",
        files={"box.py": BOX},
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
        files={
            "installer.sh": "echo 'Press any key to continue...'; read -n 1 -s -r; echo; echo going on\n",
            "more.sh": "stty -icanon -echo; echo 'Hit RETURN to continue'; dd bs=1 count=1 2>/dev/null >/dev/null; "
            "stty icanon echo; echo ok\n",
        },
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
