"""What is not worth remembering is left out of a turn, and the rest stays as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.domain.noise import DUMP_CHARACTERS, without_noise

PROSE = "We chose Postgres because the harbour office already runs it.\n"
CODE = "".join(f"row_{n} = parse(line, {n})\n" for n in range(100))
LOG = "".join(f"2026-11-25 12:00:{n % 60:02} INFO server: request {n}\n" for n in range(100))


@pytest.mark.parametrize("role", ["tool", "system"])
def test_output_of_tools_and_system_messages_are_left_out(role: str):
    assert without_noise(PROSE, role).text is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "ok",
        "yes",
        "no",
        "thanks",
        "...",
        "👍",
        "好的",
        "1",
        "Please do that.",
        "Go on, please!",
    ],
)
def test_a_text_without_a_statement_is_left_out(text: str):
    assert without_noise(text, "user").reason == "no statement"


@pytest.mark.parametrize(
    "text", ["Use Redis", "Bitte auf Deutsch", "使用红色", PROSE, "`make test`"]
)
def test_a_short_statement_is_kept_unchanged(text: str):
    kept = without_noise(text, "user")
    assert (kept.text, kept.reason) == (text, None)


@pytest.mark.parametrize(
    "text",
    [CODE, LOG, f"```py\n{CODE}```", f"[{', '.join(map(str, range(900)))}]", f"```\n{CODE}"],
    ids=["code", "log", "block", "json", "open block"],
)
def test_a_dump_is_left_out(text: str):
    kept = without_noise(text, "assistant")
    assert (kept.text, kept.reason) == (None, "dump of code or data")


def test_a_long_block_in_prose_is_replaced_by_a_note():
    kept = without_noise(f"{PROSE}```py\n{CODE}```\nIt works.", "assistant")
    assert kept.text == f"{PROSE}[102 lines of code left out]\nIt works."
    assert kept.reason == "102 lines of code left out"


def test_a_short_block_stays():
    text = f"{PROSE}```sh\nmake test\n```\nRun this."
    assert without_noise(text, "assistant").text == text


def test_long_prose_stays():
    text = PROSE * (DUMP_CHARACTERS // len(PROSE) + 5)
    assert without_noise(text, "user").text == text


@pytest.mark.parametrize(
    "text", ["<command-name>/clear</command-name>", "[Request interrupted by user]"]
)
def test_messages_of_a_harness_are_left_out(text: str):
    assert without_noise(text, "user").reason == "message of the harness"


@given(st.text(max_size=500), st.sampled_from(["user", "assistant"]))
def test_a_text_shorter_than_a_dump_is_kept_whole_or_not_at_all(text: str, role: str):
    assert without_noise(text, role).text in (text, None)
