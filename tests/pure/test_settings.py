"""The settings: where they come from, which are refused, and with what error."""

import os

import pytest

from python.helpers.tmux.base.settings import PREFIX, BadValue, Settings
from tests.support.tables import Tables

TABLES = Tables(__file__)


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)


def test_no_setting_is_required_and_an_unknown_one_is_an_error_that_lists_the_known_ones():
    assert Settings.load() == Settings.load({}) == Settings()
    assert Settings().session == "shared"
    with pytest.raises(BadValue, match=r"'sesion' is unknown; there are session, width"):
        Settings.load({"sesion": "x"})


@TABLES.rows("name, text, value")
def test_each_setting_from_the_environment_and_from_a_hosts_configuration(name, text, value, monkeypatch):
    assert getattr(Settings.load({name: text}), name) == value
    assert getattr(Settings.load({name: value}), name) == value
    monkeypatch.setenv(PREFIX + name.upper(), text)
    assert getattr(Settings.load(), name) == value


def test_the_hosts_configuration_comes_first_empty_means_not_set_and_a_tilde_is_home(monkeypatch, tmp_path):
    monkeypatch.setenv("TMUX_TOOL_SESSION", "mine")
    monkeypatch.setenv("TMUX_TOOL_WIDTH", "")
    assert Settings.load({"session": "theirs"}).session == "theirs"
    for empty in (None, ""):
        assert Settings.load({"session": empty}).session == "mine"
    assert Settings.load({"view": False}).view == "off"  # as YAML reads it
    assert Settings.load().width == 160
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Settings.load({"directory": "~"}).directory == str(tmp_path)


@TABLES.rows("name, value, allowed")
def test_a_wrong_value_is_an_error_that_names_it(name, value, allowed, monkeypatch):
    value = "9" * 400 if value == "NINES" else value
    with pytest.raises(BadValue) as raised:
        Settings.load({name: value})
    assert str(raised.value).startswith(f"setting {name} ({PREFIX}{name.upper()}): got ")
    assert allowed in str(raised.value) and len(str(raised.value)) < 200
    if isinstance(value, str):
        monkeypatch.setenv(PREFIX + name.upper(), value)
        with pytest.raises(BadValue, match=PREFIX + name.upper()):
            Settings.load()
