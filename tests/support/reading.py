"""How hard Python code is to read: figures of a set of files, each with what is allowed at most."""

import ast
import io
import tokenize
from collections.abc import Iterable
from pathlib import Path

COUNTED = {tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING}
BRANCHES = (ast.If, ast.For, ast.While, ast.IfExp, ast.ExceptHandler, ast.comprehension, ast.match_case)
LIMITS = {  # code that people hold up as a model (h11, httpcore, anyio, click, attrs) has 2.7 to 4.4 tokens a line
    "tokens a line": 5.5,
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
        branches[-1], max((node.end_lineno or 0) - node.lineno + 1 for node in functions),
    ]
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
