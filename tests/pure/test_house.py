"""The house: few small files that import one way, each within its budget; programs named in one."""

import ast
import io
import subprocess
import sys
import tokenize
from collections.abc import Iterable
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from python.helpers.tmux.base import programs

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "python/helpers/tmux"
FILES = sorted(HOUSE.rglob("*.py"))
ALL = sorted((ROOT / "python").rglob("*.py"))
BUDGETS = {  # tokens at most; who adds a row or a rule finds room for it, or raises one and says why
    # The contract of 2026: places, readers, shells under Yama, what others reported, boxes: 6,300. That no
    # answer, and no secret, goes to a prompt, a job, a list or the next question came last: 1,880.
    "python/helpers/tmux/": 64_000,
    # Its door too; files, commands, permissions and what subagents did came last: 950.
    "python/helpers/opencode": 15_200,
    # Setting up six clients, and the page that a client offers a person, came last: 1,700.
    "python/helpers/tmux_cli/": 10_400,
    # Letter and look in one call, no memory lost for it, rests, rows of a higher window came last: 275.
    "python/helpers/tmux_view/": 4_540,
    "python/tools/": 1_200,
    "python/": 95_300,
}
FLOORS = ("base", "facts", "turn", "told", "typed")  # each above the one before; actions stand on all of them
MOST_COLUMNS = 100
MOST_TOKENS_A_LINE = 7.0  # of a file
MODULES_OF_A_RUN = 48  # folders too
TOP = {"python", "prompts", "usr", "tests", "requirements.txt", "README.md"}  # and dotfiles
TEXTS = {"README.md": 120, "tests/README.md": 66}  # lines at most
MOST_SCRIPT_LINES = 700  # of the page, without comments and empty ones
MOST_TEST_LINES, MOST_TEST_COLUMNS = 26_000, 120  # tables and the bench too; answers that go astray came last: 90


def test_nothing_else_lies_at_the_top():
    """In what git keeps: of a copy without it, nothing can be said."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    assert {name.partition("/")[0] for name in done.stdout.split() if not name.startswith(".")} <= TOP


@pytest.mark.parametrize("part", BUDGETS)
def test_each_part_keeps_its_budget(part):
    files = [path for path in ALL if path.relative_to(ROOT).as_posix().startswith(part)]
    spent = sum(map(tokens, files))
    over = f"{part}: {spent} of {BUDGETS[part]} tokens: say something plainer, or raise BUDGETS"
    assert files and spent <= BUDGETS[part], over


def test_files_are_plainly_written():
    wide = [
        f"{path}:{number}"
        for path in ALL
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > MOST_COLUMNS
    ]
    dense = [str(path) for path in ALL if tokens(path) / max(lines_of(path), 1) > MOST_TOKENS_A_LINE]
    assert not wide, f"more than {MOST_COLUMNS} columns: {wide}"
    assert not dense, f"more than {MOST_TOKENS_A_LINE} tokens a line: {dense}"


@pytest.mark.parametrize("folder", ["tmux", "opencode", "tmux_cli", "tmux_view", "../tools"])
def test_the_code_reads_plainly(folder):
    found = measured(sorted((ROOT / "python/helpers" / folder).rglob("*.py")))
    over = {name: figure for name, figure in found.items() if round(figure, 1) > LIMITS[name]}
    assert not over, over


def test_texts_and_tests_are_short():
    for name, most in TEXTS.items():
        assert len((ROOT / name).read_text().splitlines()) <= most, name
    scripts = (ROOT / "python").rglob("*.js")
    written = [line.strip() for path in scripts for line in path.read_text().splitlines()]
    code = [line for line in written if line and not line.startswith("//")]
    assert len(code) <= MOST_SCRIPT_LINES, len(code)
    tests = [path for kind in ("*.py", "*.toml") for path in (ROOT / "tests").rglob(kind)]
    spent = sum(map(lines_of, tests))
    assert spent <= MOST_TEST_LINES, spent
    wide = [
        f"{path.name}:{number}"
        for path in tests
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > MOST_TEST_COLUMNS
    ]
    assert not wide, wide


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def imported(path: Path) -> list[Path]:
    """The engine's files that it imports, by their level: `.x`, `..facts.x`, `. import x`."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            assert folder.is_relative_to(HOUSE), f"{path.name} imports from outside the engine"
            if folder.is_dir():
                found += [folder / f"{alias.name}.py" for alias in node.names]
            else:
                found.append(folder.with_suffix(".py"))
    return found


def floor(path: Path) -> int:
    folder = path.relative_to(HOUSE).parent.name
    return FLOORS.index(folder) if folder else len(FLOORS)


def test_no_floor_knows_one_above_it():
    back = [f"{path.name} -> {one.name}" for path in FILES for one in imported(path) if floor(one) > floor(path)]
    assert not back, back
    assert {path.name for path in HOUSE.iterdir() if path.is_dir()} - {"__pycache__"} == set(FLOORS)


def test_imports_point_one_way_and_the_engine_knows_nothing_of_a_host_and_needs_no_package():
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in names:
                top = name.partition(".")[0]
                assert top in sys.stdlib_module_names or top == "__future__", (path.name, name)
    TopologicalSorter({path: imported(path) for path in FILES}).prepare()  # or raises CycleError


def test_no_other_file_names_a_program():
    """In its code; a comment may say where a rule was measured."""
    names = {name for names in programs._ROWS for name in names.split() if len(name) > 2}
    named = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and node.value in names - {"tmux", "python"}:
                named.append(f"{path.name}: {node.value}")
    assert not [one for one in named if not one.startswith("programs.py")], named


def test_one_run_passes_few_modules_and_the_first_page_tells_how():
    code = "import sys; from python.helpers.tmux import actions; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    passed = [name for name in done.stdout.split() if name.startswith("python.helpers.tmux.")]
    assert 10 < len(passed) <= MODULES_OF_A_RUN, passed  # all that it loads
    assert 10 <= len((HOUSE / "__init__.py").read_text().splitlines()) <= 30


@pytest.mark.parametrize(
    "name, known_as", [("python3.11", "python"), (".opencode", "opencode"), ("tmux: client", "tmux:client")])
def test_a_program_is_known_by_the_name_that_the_kernel_gives_it(name, known_as):
    assert programs.of(name) == programs.of(known_as)


# how hard code is to read: figures of a set of files, each with what is allowed at most


COUNTED = {tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING}
BRANCHES = (ast.If, ast.For, ast.While, ast.IfExp, ast.ExceptHandler, ast.comprehension, ast.match_case)
LIMITS = {  # code that people hold up as a model (h11, httpcore, anyio, click, attrs) has 2.7 to 4.4 tokens a line
    "tokens a line": 5.7,  # a line that imports from another folder has seven to nine
    "and mixed with or, of 1,000 tokens": 0.8,
    "conditions of four operands, of 1,000 tokens": 0.4,
    "conditional expressions, of 1,000 tokens": 2.5,
    "branches of nine in ten functions": 8,
    "branches of the worst function": 15,
    "lines of the longest function": 40,
}


def tokens(path: Path) -> int:
    """Names, operators, numbers and strings; a docstring is one, and a string with fields in it, which Python takes
    apart from 3.12 on."""
    count = inside = 0
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        ends = tokenize.tok_name[token.type] == "FSTRING_END"
        inside -= ends
        count += not inside and (ends or token.type in COUNTED)
        inside += tokenize.tok_name[token.type] == "FSTRING_START"
    return count


def measured(paths: Iterable[Path]) -> dict[str, float]:
    paths = list(paths)
    nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text()))]
    spent = sum(map(tokens, paths))
    lines = sum(len(path.read_text().splitlines()) for path in paths)
    outer = conditions(nodes)
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    branches = sorted(map(branches_of, functions))
    found = [
        spent / lines, sum(len({type(part.op) for part in parts}) > 1 for parts in outer) * 1000 / spent,
        sum(sum(len(part.values) for part in parts) - len(parts) + 1 >= 4 for parts in outer) * 1000 / spent,
        sum(isinstance(node, ast.IfExp) for node in nodes) * 1000 / spent, branches[int(len(branches) * 0.9)],
        branches[-1], max((node.end_lineno or 0) - node.lineno + 1 for node in functions)]
    return dict(zip(LIMITS, found, strict=True))


def conditions(nodes: list[ast.AST]) -> list[list[ast.BoolOp]]:
    """The parts of each condition; operators inside others are a part of one."""
    inner: set[int] = set()
    found = []
    for node in nodes:
        if isinstance(node, ast.BoolOp) and id(node) not in inner:
            parts = [part for part in ast.walk(node) if isinstance(part, ast.BoolOp)]
            inner.update(map(id, parts))
            found.append(parts)
    return found


def branches_of(function: ast.AST) -> int:
    inside = list(ast.walk(function))
    operators = sum(len(node.values) - 1 for node in inside if isinstance(node, ast.BoolOp))
    return 1 + operators + sum(isinstance(node, BRANCHES) for node in inside)
