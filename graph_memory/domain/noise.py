"""Rules that leave out what is not worth remembering in a conversation. No I/O.

Left out are the output of tools, the messages of a harness, dumps of code, logs and data, and texts
without a statement, such as "ok". A long block of code in a text is replaced by a note.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

#: Characters of a code block, a log or a JSON text from which it is a dump.
DUMP_CHARACTERS = 1500

#: Letters and digits that a statement has at least. Scripts without spaces need a third.
_FEWEST_LETTERS = 8
_DENSE_LETTER = 3

#: Words that state nothing on their own, and the characters of a text in which they are sought.
_EMPTY_TEXT = """
a again ahead all also alright an and any anyway as at back be but by can continue cool could
course did do does done else fine for from further get give go good got great ha has have here
hey hi how i if in is it just keep know let like ll look lot make may me mine more much my next
nice no not now of off oh ok okay on one or other our out over perfect please proceed really
right s see should show so some something start still stop such sure take than thank thanks that
the them then there these they thing this those to too try up us very wait want was way we well
what when which why will with work works would wow yeah yep yes yet you your
"""
_EMPTY_WORDS = frozenset(_EMPTY_TEXT.split())
_EMPTY_CHARACTERS = 200

#: Share of the lines of a dump that look like code or a log.
_DUMP_SHARE = 0.6

_ROLES = {"tool": "tool output", "system": "system message"}

#: What a harness writes into a conversation under the name of the user.
_HARNESS = re.compile(
    r"\s*(?:<(?:command-name|command-message|local-command-\w+|bash-\w+|system-reminder"
    r"|task-notification|environment_context|user_instructions)\b"
    r"|\[Request interrupted by user|Caveat: The messages below were generated)"
)

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")

#: A line of code, of a log, of a diff or of a table of numbers.
_CODE_LINE = re.compile(
    r"""\s{4,}\S | \t | [+-]\s*\S+[({;=] | [@{}\[\]()<>/#]
    | .*[;{}]\s*$ | .*\)\s*:?\s*$ | \S+\s*[=:]\s*\S+,?\s*$
    | (?:import|from|def|class|return|if|for|while|const|let|var|func|fn|public|private|async)\b
    | \[?\d{4}-\d\d-\d\d[T ]\d\d: | (?:DEBUG|INFO|WARN(?:ING)?|ERROR|TRACE|FATAL)\b | at\s\S+\(
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Kept:
    """A text without noise; None if nothing remains."""

    text: str | None
    reason: str | None = None  #: what was left out, as a phrase


def without_noise(text: str, role: str) -> Kept:
    """Return the part of a turn that is worth remembering, unchanged, and what was left out.

    Args:
        text: The turn.
        role: `user`, `assistant`, `tool` or `system`.
    """
    if role in _ROLES:
        return Kept(None, _ROLES[role])
    if _HARNESS.match(text):
        return Kept(None, "message of the harness")
    cut, prose, lines = _without_blocks(text)
    if len(prose) > DUMP_CHARACTERS and _is_dump(prose):
        return Kept(None, "dump of code or data")
    if not is_statement(prose if lines else text):
        return Kept(None, "dump of code or data" if lines else "no statement")
    return Kept(cut, f"{lines} lines of code left out" if lines else None)


def _without_blocks(text: str) -> tuple[str, str, int]:
    """Replace the long code blocks of a text by notes.

    Returns:
        The text with the notes, its prose without any block, and the number of lines left out.
    """
    kept: list[str] = []
    prose: list[str] = []
    left_out = 0
    for block, lines in _blocks(text):
        if not block:
            prose += lines
        elif sum(map(len, lines)) > DUMP_CHARACTERS:
            left_out += len(lines)
            lines = [f"[{len(lines)} lines of code left out]"]
        kept += lines
    return "\n".join(kept), "\n".join(prose), left_out


def _blocks(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield the lines of a text in runs, each with whether it is a fenced block of code.

    Source: CommonMark 4.5; a fence that is not closed lasts to the end of the text.
    """
    lines: list[str] = []
    closes: re.Pattern[str] | None = None
    for line in text.split("\n"):
        opens = _FENCE.match(line) if closes is None else None
        if opens:
            yield False, lines
            mark = opens[1]
            lines, closes = [line], re.compile(rf" {{0,3}}{mark[0]}{{{len(mark)},}}\s*")
            continue
        lines.append(line)
        if closes and closes.fullmatch(line):
            yield True, lines
            lines, closes = [], None
    yield closes is not None, lines


def _is_dump(text: str) -> bool:
    """Return True for a long text that is JSON, or whose lines look like code or a log."""
    if _is_json(text):
        return True
    lines = [line for line in text.splitlines() if line.strip()]
    code = sum(bool(_CODE_LINE.match(line)) for line in lines)
    return len(lines) >= 10 and code >= _DUMP_SHARE * len(lines)


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_statement(text: str) -> bool:
    """Return True for a text with enough letters, and not only words such as "please do that"."""
    letters = sum(
        (_DENSE_LETTER if "\u2e80" <= character <= "\uffef" else 1)
        for character in text
        if character.isalnum()
    )
    words = re.findall(r"[^\W_]+", text[:_EMPTY_CHARACTERS].lower())
    return letters >= _FEWEST_LETTERS and not _EMPTY_WORDS.issuperset(words)
