"""The pages of the documentation, and what they contain."""

import re
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Block:
    """A fenced block of code on a page."""

    page: str
    language: str
    text: str


#: Folders of docs/ that hold no pages: what was built, and beginnings of generated pages.
APART = ("docs/_build/", "docs/_intro/")


def page_names() -> list[str]:
    """Return the README and every page of docs/, by path from the top of the repository."""
    found = (REPOSITORY / "docs").rglob("*.md")
    pages = sorted(page.relative_to(REPOSITORY).as_posix() for page in found)
    return ["README.md", *(page for page in pages if not page.startswith(APART))]


def read(page: str) -> str:
    """Return the text of a page."""
    return (REPOSITORY / page).read_text(encoding="utf-8")


def blocks(page: str, *languages: str) -> list[Block]:
    """Return the fenced blocks of a page in these languages, in their order."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", read(page), re.MULTILINE | re.DOTALL)
    return [Block(page, language, text) for language, text in found if language in languages]


def all_blocks(*languages: str) -> list[Block]:
    """Return the fenced blocks of all pages in these languages."""
    return [block for page in page_names() for block in blocks(page, *languages)]
