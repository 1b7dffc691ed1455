"""The commands delete and verify-erasure, with the receipts of permanent deletions."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, note, opened, request, whole_ids
from graph_memory.cli.output import as_mapping, progress, show, show_fields
from graph_memory.cli.output_file import replacing, require_writable
from graph_memory.errors import NotFoundError

if TYPE_CHECKING:
    from graph_memory.api.service import GraphMemory
    from graph_memory.api.types import Deleted, Receipt

app = typer.Typer()

_COLUMNS = ("place", "found", "removed", "remaining", "ids only", "why", "until")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The choice of `delete`: one of ids, a conversation, a name, and everything."""

    memory_ids: Sequence[str]
    conversation_id: str | None
    name: str | None
    everything: bool
    copies: bool


@command(app, example="delete 7c0e4a52")
async def delete(
    memory_ids: Annotated[list[str] | None, typer.Argument(help="Ids of the memories.")] = None,
    permanent: Annotated[
        bool, typer.Option("--permanent", help="Delete without recovery.")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Delete all memories of the group.")
    ] = False,
    confirm: Annotated[
        str, typer.Option(help="Confirmation of --all: 'DELETE ALL'; of --name: see its list.")
    ] = "",
    receipt: Annotated[
        Path | None,
        typer.Option(help="File for the receipt of a deletion with --permanent."),
    ] = None,
    conversation_id: Annotated[
        str | None,
        typer.Option(
            "--conversation", help="Conversation to delete with --permanent and --receipt."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name whose memories to delete with --permanent and --receipt."),
    ] = None,
    copies: Annotated[
        bool,
        typer.Option(
            "--copies", help="With --receipt: delete copies by imports in all groups as well."
        ),
    ] = False,
) -> None:
    """Delete memories. They can be recovered unless --permanent.

    Without --receipt, --all makes a backup first.
    """
    selected = everything, bool(memory_ids), conversation_id is not None, name is not None
    if selected.count(True) != 1:
        raise typer.BadParameter("give ids, or --all, --conversation or --name.")
    if receipt or copies or conversation_id is not None or name is not None:
        chosen = Chosen(memory_ids or (), conversation_id, name, everything, copies)
        await erase(chosen, receipt, confirm, permanent=permanent)
        return
    async with opened() as memory:
        if everything:
            gone_all = await memory.delete_all(
                confirm=confirm, permanent=permanent, backed_up=memory.settings.backup_auto
            )
            show_fields({**as_mapping(gone_all), "permanent": permanent})
            return
        whole = await whole_ids(memory, memory_ids or ())
        gone, errors = await _deleted(memory, whole, permanent=permanent)
        unknown = [error.memory_id for error in errors]
        named = NotFoundError(", ".join(unknown), memory.group(None))
    missed = errors[0] if len(errors) == 1 else named
    if unknown and not gone:
        raise missed
    columns = ("id", "permanent", "recoverable until")
    rows = (list(as_mapping(one).values()) for one in gone)
    show({"deleted": gone, "unknown": unknown}, columns, rows)
    if unknown:
        note(str(missed))
        raise typer.Exit(1)


async def _deleted(
    memory: "GraphMemory", memory_ids: Sequence[str], *, permanent: bool
) -> tuple[list["Deleted"], list[NotFoundError]]:
    """Delete each existing memory, and return the errors of the others."""
    gone: list[Deleted] = []
    unknown: list[NotFoundError] = []
    for memory_id in dict.fromkeys(memory_ids):
        try:
            gone.append(await memory.delete(memory_id, permanent=permanent))
        except NotFoundError as error:
            unknown.append(error)
    return gone, unknown


async def erase(chosen: Chosen, receipt: Path | None, confirm: str, *, permanent: bool) -> None:
    """Erase memories, write the receipt to a file, and show it."""
    if not permanent or receipt is None:
        raise typer.BadParameter(
            "a deletion by --conversation or --name, or with --receipt or --copies, is permanent; "
            "add --permanent and --receipt FILE."
        )
    require_writable(receipt, "--receipt")
    async with opened("Erasing…") as memory:
        if chosen.name is not None and not confirm:
            await _list_named(memory, chosen.name)
        done = await _erased(memory, chosen, confirm)
    with replacing(receipt) as file:
        file.write_text(done.to_json(), encoding="utf-8")
    _show(done)
    for each in done.copies:
        note(f"Copies in group {each.group_id} were erased as well: {len(each.memory_ids):,}.")
    note(f"The receipt is in {receipt}; check it with `graph-memory verify-erasure {receipt}`.")


async def _list_named(memory: "GraphMemory", name: str) -> None:
    """Show the memories that a deletion by a name is about, before it is confirmed."""
    found = await memory.erasure.of_name(name)
    if not found.memories:
        return
    show(found, ("id", "content"), ((each.memory_id, each.lead) for each in found.memories))
    if request().as_json:  # the list is its one object; an error would be a second one
        note(f"Confirm with --confirm '{found.confirmation}'. Nothing was changed.")
        raise typer.Exit(2)
    if aliases := found.names[1:]:
        note(f"Accepted aliases count as well: {', '.join(aliases)}.")


async def _erased(memory: "GraphMemory", chosen: Chosen, confirm: str) -> "Receipt":
    if chosen.everything:
        with progress("Erasing") as advance:
            return await memory.erasure.erase_all(
                confirm=confirm, on_progress=advance, copies=chosen.copies
            )
    ids = await whole_ids(memory, chosen.memory_ids) if chosen.memory_ids else None
    return await memory.erasure.erase(
        ids,
        conversation_id=chosen.conversation_id,
        name=chosen.name,
        confirm=confirm,
        copies=chosen.copies,
    )


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
