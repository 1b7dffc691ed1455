"""Prose is plain English; `tests/support/prose.py` has the rules."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import pages, prose

#: The pages, generated ones with the words of the code among them, and what agents read.
WRITTEN = ["config/SYSTEM_PROMPT.md", "CHANGELOG.md", *pages.page_names()]

CODE = [
    path.relative_to(pages.REPOSITORY).as_posix()
    for folder, ending in (("graph_memory", "py"), ("cypher", "cypher"))
    for path in sorted((pages.REPOSITORY / folder).rglob(f"*.{ending}"))
]


def passages(path: Path) -> Iterator[prose.Passage]:
    if path.suffix == ".cypher":
        yield from prose.headers(path)
    else:
        yield from prose.docstrings(path)
        yield from prose.descriptions(path)


@pytest.mark.parametrize("file", CODE)
def test_a_file_of_code_is_plain_english(file: str) -> None:
    assert prose.faults(passages(pages.REPOSITORY / file)) == []


@pytest.mark.parametrize("file", CODE)
def test_a_docstring_or_header_begins_with_a_verb_or_a_noun(file: str) -> None:
    found = prose.first_lines(pages.REPOSITORY / file)
    assert [each for each in found if prose.OPENINGS.match(each.text)] == []


@pytest.mark.parametrize("page", WRITTEN)
def test_a_page_is_plain_english(page: str) -> None:
    assert prose.faults(prose.markdown(page, pages.read(page))) == []


def test_the_rules_find_what_they_are_for() -> None:
    bad = "A page is no book. Whoever reads it is told of it. " + "word " * 36 + "."
    found = prose.faults([prose.Passage("here", bad)])
    assert len(found) == 4
    assert all(fault.startswith("here: ") for fault in found)
    good = "People who read a page find what it has. The page is no longer than a book."
    assert prose.faults([prose.Passage("here", good)]) == []


def test_markdown_is_read_as_prose() -> None:
    text = "# A title\n\nOne [link](who.md) and `who` it is.\n\n- first\n- second\n\n| a | b |\n"
    found = [(each.where, each.text) for each in prose.markdown("p", text)]
    expected = ["A title", "One link and CODE it is.", "first", "second", "a", "b"]
    assert [words for _, words in found] == expected
    assert found[2][0] == "p:5"
