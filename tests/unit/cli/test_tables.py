"""Tables at any width: ids stay whole, texts are folded."""

import pytest

from graph_memory.cli.tables import print_table

ID = "0f54e895-1360-44da-a790-b079c0d31209"
LONG_ID = "a-place-of-its-own-" + "0123456789" * 8
COLUMNS = ("id", "type", "importance", "created", "content")


@pytest.fixture(params=[60, 80, 100, 200])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", str(request.param))
    return request.param


@pytest.mark.parametrize("memory_type", ["fact", "preference"])
@pytest.mark.parametrize("memory_id", [ID, LONG_ID], ids=["generated", "long"])
def test_ids_and_dates_are_whole_at_any_width(
    width: int, memory_id: str, memory_type: str, capsys: pytest.CaptureFixture[str]
) -> None:
    row = (memory_id, memory_type, "5", "2026-11-25 09:10", "Ada prefers green tea " * 9)
    print_table(COLUMNS, [row])
    lines = capsys.readouterr().out.splitlines()
    assert any(memory_id in line for line in lines)
    assert any("2026-11-25 09:10" in line for line in lines)
    words = " ".join(lines).split()
    assert words.count("Ada") == words.count("tea") == 9
    assert all(len(line) <= max(width, len(memory_id)) for line in lines)


def test_ids_in_the_values_of_fields_are_whole(
    width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = [("recoverable_until_soonest", "2026"), ("relation", f"{ID} relates_to {ID}")]
    print_table(("", ""), fields)
    assert " ".join(capsys.readouterr().out.split()).count(ID) == 2


def test_markup_in_a_memory_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("", ""), [("content", "[red]not red[/red]")])
    assert "[red]not red[/red]" in capsys.readouterr().out


def test_colours_can_be_switched_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    print_table(("id",), [("a",)])
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setenv("NO_COLOR", "1")
    print_table(("id",), [("a",)])
    assert "\x1b[" not in capsys.readouterr().out
