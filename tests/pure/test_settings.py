"""What a person may set: where it comes from, what is refused, and in which words."""

import os

import pytest

from python.helpers.tmux.settings import PREFIX, BadSetting, Settings


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)


def test_nothing_need_be_set():
    assert Settings.load() == Settings.load({}) == Settings()
    assert Settings().session == "shared"


@pytest.mark.parametrize(
    "name, text, value",
    [
        ("session", " work ", "work"),
        ("width", "120", 120),
        ("height", "40", 40),
        ("directory", "/tmp", "/tmp"),
        ("run_timeout", "2.5", 2.5),
        ("wait_timeout", "0", 0.0),
        ("line_editor", "False", False),
        ("line_editor", "1", True),
        ("view", "Look", "look"),
    ],
)
def test_each_setting_from_the_environment_and_from_a_hosts_configuration(
    name, text, value, monkeypatch
):
    assert getattr(Settings.load({name: text}), name) == value
    assert getattr(Settings.load({name: value}), name) == value
    monkeypatch.setenv(PREFIX + name.upper(), text)
    assert getattr(Settings.load(), name) == value


def test_the_hosts_configuration_comes_before_the_environment_and_empty_means_not_set(monkeypatch):
    monkeypatch.setenv("TMUX_TOOL_SESSION", "mine")
    monkeypatch.setenv("TMUX_TOOL_WIDTH", "")
    assert Settings.load({"session": "theirs"}).session == "theirs"
    for empty in (None, "", "  "):
        assert Settings.load({"session": empty}).session == "mine"
    assert Settings.load().width == 160


@pytest.mark.parametrize(
    "name, value, allowed",
    [
        ("session", "a:b", "letters, digits"),
        ("session", 5, "letters, digits"),
        ("width", "wide", "whole number from 10 to 10000"),
        ("width", 9, "whole number"),
        ("width", 10_001, "whole number"),
        ("height", 20.5, "whole number"),
        ("height", True, "whole number"),
        ("height", [50], "whole number"),
        ("directory", "/no/such/directory", "directory that exists"),
        ("directory", "relative", "absolute path"),
        ("directory", 5, "absolute path"),
        ("run_timeout", -1, "number of seconds"),
        ("run_timeout", "soon", "number of seconds"),
        ("wait_timeout", "nan", "number of seconds"),
        ("wait_timeout", "9" * 400, "number of seconds"),
        ("line_editor", "perhaps", "true or false"),
        ("view", "some", "type, look, off"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_wrong_value_is_an_error_that_names_it(name, value, allowed, monkeypatch):
    with pytest.raises(BadSetting) as raised:
        Settings.load({name: value})
    assert str(raised.value).startswith(f"setting {name}: got ")
    assert allowed in str(raised.value) and len(str(raised.value)) < 200
    if isinstance(value, str):
        monkeypatch.setenv(PREFIX + name.upper(), value)
        with pytest.raises(BadSetting, match=PREFIX + name.upper()):
            Settings.load()


def test_a_home_may_be_written_with_a_tilde(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Settings.load({"directory": "~"}).directory == str(tmp_path)


def test_an_unknown_setting_is_an_error_that_lists_those_there_are():
    with pytest.raises(BadSetting, match=r"'sesion' is unknown; there are session, width"):
        Settings.load({"sesion": "x"})


def test_yaml_reads_off_as_false():
    assert Settings.load({"view": False}).view == "off"
