"""What a caller answers, as OpenCode takes it: a permission, questions, a form's fields."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from .reply import OpenCodeError
from .turn import Facts

Choices = Sequence[Any]  # what a caller answers
NONE = "-"  # leaves a field of a form out
_TEXTS = ("string", "multiselect")  # the types of a form's field that take words
# Others take what JSON calls true, 3 or 0.5.
_JSON: dict[str, tuple[type, ...]] = {"boolean": (bool,), "integer": (int,), "number": (int, float)}
_OPTIONS = {"boolean": [{"label": "true"}, {"label": "false"}]}


def permission_of(choices: Choices) -> str:
    """ "once", "always" or "reject" """
    if list(choices) in (["once"], ["always"], ["reject"]):
        return str(choices[0])
    raise OpenCodeError(f"{choices!r} answers no permission", '"once", "always" or "reject" do')


def labels_of(choices: Choices, request: Facts) -> list[list[str]]:
    """A list of labels for each of its questions."""
    labels = [choice if isinstance(choice, list) else [choice] for choice in choices]
    given = [label for several in labels for label in several or [""]]
    count = len(request["questions"])
    if count == 1 and given:
        labels = [given]
    fit = all(isinstance(one, str) and one.strip() for one in given)
    if len(labels) != count or not fit:
        asked = "1 question" if count == 1 else f"{count} questions"
        reason = f"{choices!r} does not answer {asked}"
        raise OpenCodeError(reason, 'each takes a label or words, or a list; "reject" declines')
    return labels


def questions_of(form: Facts) -> list[Facts]:
    """A form of line 2 as questions of line 1. One without fields is a page to go to."""
    page = {"key": "", "type": "page", "title": form.get("title"), "url": form.get("url")}
    return [_question(field) for field in form.get("fields") or [page]]


def _question(field: Facts) -> Facts:
    words = [field.get("description") or field.get("title") or field["key"]]
    if field["type"] not in _TEXTS:
        words.append(f"({field['type']})")
    if field.get("url"):
        words.append(field["url"])
    if when := field.get("when"):
        words.append(f"({NONE!r} unless {when['key']} {when['op']} {when['value']!r})")
    options = field.get("options") or _OPTIONS.get(field["type"]) or []
    return {**field, "question": " ".join(words), "options": options}


def form_of(request: Facts, labels: list[list[str]]) -> Facts:
    """What a form's fields take for these labels, by their keys."""
    both = zip(request["questions"], labels, strict=True)
    return {field["key"]: _value(field, chosen) for field, chosen in both if chosen != [NONE]}


def _value(field: Facts, labels: list[str]) -> Any:
    values = {one["label"]: one.get("value", one["label"]) for one in field["options"]}
    chosen = [values.get(label, label) for label in labels]
    kind = field["type"]
    if kind == "multiselect":
        return chosen
    if kind == "string":
        return ", ".join(chosen)
    if kind not in _JSON:
        reason = f"{field['question']!r} cannot be answered from here"
        raise OpenCodeError(reason, 'ask the user to do it on the screen; "reject" declines')
    with suppress(ValueError):
        value = json.loads(chosen[0])
        if type(value) in _JSON[kind]:
            return value
    raise OpenCodeError(f"{chosen[0]!r} is no {kind}", f"{field['question']!r} takes one")
