"""The settings: where they come from, which are refused, and with what error."""

import os

import pytest

from python.helpers.tmux.settings import PREFIX, BadValue, Settings
from tests.support.tables import Tables

TABLES = Tables(__file__)


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)


def test_no_setting_is_required():
    assert Settings.load() == Settings.load({}) == Settings()
    assert Settings().session == "shared"


@TABLES.rows("name, text, value")
def test_each_setting_from_the_environment_and_from_a_hosts_configuration(name, text, value, monkeypatch):
    assert getattr(Settings.load({name: text}), name) == value
    assert getattr(Settings.load({name: value}), name) == value
    monkeypatch.setenv(PREFIX + name.upper(), text)
    assert getattr(Settings.load(), name) == value


def test_the_hosts_configuration_comes_before_the_environment_and_empty_means_not_set(monkeypatch):
    monkeypatch.setenv("TMUX_TOOL_SESSION", "mine")
    monkeypatch.setenv("TMUX_TOOL_WIDTH", "")
    assert Settings.load({"session": "theirs"}).session == "theirs"
    for empty in (None, ""):
        assert Settings.load({"session": empty}).session == "mine"
    assert Settings.load({"view": False}).view == "off"  # as YAML reads it
    assert Settings.load().width == 160


@TABLES.rows("name, value, allowed")
def test_a_wrong_value_is_an_error_that_names_it(name, value, allowed, monkeypatch):
    with pytest.raises(BadValue) as raised:
        Settings.load({name: value})
    assert str(raised.value).startswith(f"setting {name} ({PREFIX}{name.upper()}): got ")
    assert allowed in str(raised.value) and len(str(raised.value)) < 200
    if isinstance(value, str):
        monkeypatch.setenv(PREFIX + name.upper(), value)
        with pytest.raises(BadValue, match=PREFIX + name.upper()):
            Settings.load()


def test_a_home_may_be_written_with_a_tilde(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Settings.load({"directory": "~"}).directory == str(tmp_path)


def test_an_unknown_setting_is_an_error_that_lists_the_known_ones():
    with pytest.raises(BadValue, match=r"'sesion' is unknown; there are session, width"):
        Settings.load({"sesion": "x"})
