"""The command verify-erasure, and permanent deletion with a receipt."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, note, opened, whole_ids
from graph_memory.cli.output import as_mapping, show
from graph_memory.cli.output_file import replacing, require_writable

if TYPE_CHECKING:
    from graph_memory.api.types import Receipt

app = typer.Typer()

_COLUMNS = ("place", "found", "removed", "remaining", "ids only", "why", "until")


async def erase(
    memory_ids: Sequence[str], conversation_id: str | None, receipt: Path | None, *, permanent: bool
) -> None:
    """Erase memories or a conversation, write the receipt to a file, and show it."""
    if not permanent or receipt is None:
        raise typer.BadParameter(
            "a receipt is of ids or a --conversation; add --permanent and --receipt FILE"
        )
    require_writable(receipt, "--receipt")
    async with opened("Erasing…") as memory:
        ids = await whole_ids(memory, memory_ids) if memory_ids else None
        done = await memory.erasure.erase(ids, conversation_id=conversation_id)
    with replacing(receipt) as file:
        file.write_text(done.to_json(), encoding="utf-8")
    _show(done)
    note(f"The receipt is in {receipt}; check it with `graph-memory verify-erasure {receipt}`.")


def _show(done: "Receipt") -> None:
    rows = (
        (
            each.place,
            each.found,
            each.removed,
            each.remaining,
            each.references,
            each.why,
            each.until,
        )
        for each in done.places
        if each.found or each.why
    )
    show(as_mapping(done), _COLUMNS, rows)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read: {error.strerror}") from error


@command(app, name="verify-erasure", example="verify-erasure receipt.json --text words.txt")
async def verify_erasure(
    receipt: Annotated[Path, typer.Argument(help="File of the receipt.")],
    text: Annotated[
        Path | None,
        typer.Option(help="File with erased words, one a line, to search for."),
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="Folder of database files to search for these words.")
    ] = None,
) -> None:
    """Check a receipt, and search the graph and the backups. Exit with 1 if something is found."""
    words = _read(text).split() if text else []
    async with opened("Searching…") as memory:
        found = await memory.erasure.verify(_read(receipt), words=words, store=store)
    columns = ("place", "id", "what", "on the receipt")
    answer = {"ok": found.clean, **as_mapping(found)}
    show(answer, columns, (list(as_mapping(each).values()) for each in found.findings))
    if not found.signed:
        note("The signature is not of this database, or the receipt was changed.")
    if not found.clean:
        raise typer.Exit(1)
