"""Commands for operators: serve, doctor, verify, adopt, migrate, embeddings."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, configured, note, opened, opened_database, request
from graph_memory.cli.output import as_mapping, progress, show, show_fields
from graph_memory.errors import InvalidArgumentError

if TYPE_CHECKING:
    from graph_memory.api.service import GraphMemory
    from graph_memory.api.types import GroupRename

app = typer.Typer()
migrate = typer.Typer(no_args_is_help=True, help="Migrate the schema of the database.")
embeddings = typer.Typer(no_args_is_help=True, help="Embed stored memories again.")

DryRun = Annotated[bool, typer.Option("--dry-run", help="Count, and change nothing.")]


@command(app, example="serve --port 8080")
async def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; default: the setting host.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; default: the setting port.")
    ] = None,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Use stdin and stdout instead of HTTP.")
    ] = False,
    insecure_no_auth: Annotated[
        bool,
        typer.Option(
            "--insecure-no-auth", help="Accept calls from other machines without a token."
        ),
    ] = False,
) -> None:
    """Serve MCP over streamable HTTP, or over stdin and stdout with --stdio."""
    given = {"host": host, "port": port}
    settings = configured(**{name: value for name, value in given.items() if value is not None})
    if stdio:
        from graph_memory.server import serve_stdio

        await serve_stdio(settings)
    else:
        from graph_memory.server import serve_http

        await serve_http(settings, insecure_no_auth=insecure_no_auth)


@command(app, example="doctor")
async def doctor() -> None:
    """Check the installation, the settings and the database. Print a remedy for each fault."""
    from graph_memory.api.database import examine

    checks = await examine(configured())
    well = all(check.status != "fail" for check in checks)
    rows = (list(as_mapping(check).values()) for check in checks)
    show({"ok": well, "checks": checks}, ("check", "status", "found", "remedy"), rows)
    if not well:
        raise typer.Exit(1)


@command(app, example="verify --repair")
async def verify(
    mend: Annotated[
        bool,
        typer.Option("--repair", help="First repair what another writer has erased or mistyped."),
    ] = False,
) -> None:
    """Check memories and relations against the schema, in all groups unless --group names one."""
    async with opened_database() as database:
        mended = await database.repair(request().group) if mend else []
        with progress("Checking") as advance:
            found = await database.verify(request().group, on_progress=advance)
    for done in mended:
        note(f"{done.group_id}: repaired {done.what} ({done.count})")
    columns = ("group", "problem", "count", "example")
    rows = ((group, *as_mapping(p).values()) for group, problems in found.items() for p in problems)
    answer = {"ok": not found, "problems": found}
    show(answer | {"mended": mended} if mend else answer, columns, rows)
    if found:
        raise typer.Exit(1)


@command(app, example="adopt --dry-run")
async def adopt(
    dry_run: DryRun = False,
    undo: Annotated[bool, typer.Option("--undo", help="Undo the adoption of --group.")] = False,
    labels: Annotated[
        list[str] | None,
        typer.Option("--label", help="Label of the entities; repeatable; default: all."),
    ] = None,
    rename: Annotated[
        list[str] | None,
        typer.Option(help="New id of a group, as OLD=NEW; OLD may be empty; repeatable."),
    ] = None,
) -> None:
    """Turn the entities of Graphiti into memories, in all groups unless --group names one.

    Relations keep their names, and Graphiti continues to work. With --dry-run, list the entities
    and their faults. `embeddings missing` or a maintenance run adds the vectors. A group needs a
    new id if its id has a hyphen or is empty; Graphiti's clients must use the new id. --undo
    restores the old id.
    """
    from graph_memory.api.types import is_tenant, remedy

    group = request().group
    if group is not None and not is_tenant(group):
        raise InvalidArgumentError("--group", group, remedy(group))
    groups = None if group is None else [group]
    renames = _renames(rename or [])
    async with opened() as memory:
        if dry_run:
            await _print_adoptable(memory, groups, renames)
            return
        if undo:
            if groups is None:
                raise InvalidArgumentError("--undo", undo, "name the --group to release")
            if renames:
                raise InvalidArgumentError("--rename", rename, "--undo restores the old id")
            done = await memory.adoption.release(groups)
        else:
            with progress("Adopting") as advance:
                done = await memory.adoption.adopt(
                    groups, labels or None, renames, on_progress=advance
                )
    show_fields(as_mapping(done))
    _note_renames(done.renamed, "is now")
    _note_skipped(set(done.left))
    _note_misplaced((each.group_id, each.server) for each in done.misplaced)


async def _print_adoptable(
    memory: "GraphMemory", groups: list[str] | None, renames: dict[str, str]
) -> None:
    moved = await memory.adoption.plan_renames(renames)
    found = await memory.adoption.count(None if groups is None else [*groups, *renames])
    left = {
        group
        for row in found
        if row.placed
        and not row.adoptable
        and (group := row.group_id) is not None
        and group not in renames
    }
    rows = (
        [*as_mapping(row).values(), row.placed and row.group_id not in {None, *left}]
        for row in found
    )
    columns = (
        "group",
        "labels",
        "entities",
        "unusable",
        "no summary",
        "no vector",
        "other width",
        "ours",
        "server",
        "placed",
        "adoptable",
    )
    show({"groups": found, "renames": moved}, columns, rows)
    _note_renames(moved, "would become")
    _note_skipped(left)
    _note_misplaced((row.group_id or "", row.server) for row in found if not row.placed)


def _renames(given: list[str]) -> dict[str, str]:
    """Return the new ids by the old ones."""
    renames: dict[str, str] = {}
    for each in given:
        old, sign, new = each.rpartition("=")
        if not sign or old in renames:
            raise InvalidArgumentError("--rename", each, "write OLD=NEW, each OLD once")
        renames[old] = new
    return renames


def _note_renames(renames: "list[GroupRename]", verb: str) -> None:
    for each in [] if request().as_json else renames:
        note(
            f"Group '{each.old}' {verb} '{each.new}': {each.entities} entities, {each.facts} "
            f"facts, {each.episodes} episodes, {each.communities} communities, {each.sagas} sagas. "
            f"Graphiti's clients need group_id='{each.new}'."
        )


def _note_skipped(groups: set[str]) -> None:
    from graph_memory.api.types import remedy

    for group in [] if request().as_json else sorted(groups):
        note(f"Group '{group}' was skipped: {remedy(group)}.")


def _note_misplaced(groups: Iterable[tuple[str, str]]) -> None:
    for group, server in [] if request().as_json else sorted(set(groups)):
        note(
            f"Group '{group}' was skipped on server '{server}', because the placement file places "
            f"it on another one. Add a rule that places it on '{server}', restart, and repeat."
        )


@command(migrate, example="migrate up")
async def up() -> None:
    """Apply missing migrations, and create missing indexes."""
    async with opened_database() as database:
        applied = await database.migrate()
        remade = await database.repair_indexes()
        show_fields({"applied": applied, "remade": remade})


@command(migrate, example="migrate down --to 10 --dry-run")
async def down(
    to: Annotated[int, typer.Option(help="Version to keep as the last.")],
    dry_run: DryRun = False,
    confirm: Annotated[
        str, typer.Option(help="Text DELETE, as a confirmation if something is lost permanently.")
    ] = "",
) -> None:
    """Revert the migrations above a version. Memories and relations stay.

    It refuses to delete what no later upgrade brings back, unless --confirm allows it:
    waiting writes, tombstones, decisions, and what an undo needs. With --dry-run, count it.
    """
    async with opened_database() as database:
        if dry_run:
            lost = await database.losses(to)
            rows = (list(as_mapping(loss).values()) for loss in lost)
            show({"lost": lost}, ("migration", "lost", "count"), rows)
        else:
            show_fields({"removed": await database.migrate_down(to, confirm=confirm)})


@command(migrate, example="migrate reindex")
async def reindex() -> None:
    """Rebuild search indexes that were made by other settings. Searches fail until it ends."""
    async with opened_database() as database:
        show_fields({"remade": await database.reindex()})


@command(migrate, example="migrate status")
async def status() -> None:
    """List the migrations and the time of each."""
    async with opened_database() as database:
        steps = await database.migrations()
    columns = ("version", "summary", "applied")
    show({"migrations": steps}, columns, (list(as_mapping(step).values()) for step in steps))


@command(embeddings, example="embeddings rebuild --dry-run")
async def rebuild(dry_run: DryRun = False) -> None:
    """Embed every memory again, in all groups unless --group names one."""
    await _embed(only_missing=False, dry_run=dry_run)


@command(embeddings, example="embeddings missing")
async def missing(dry_run: DryRun = False) -> None:
    """Embed the memories without a vector of the configured model."""
    await _embed(only_missing=True, dry_run=dry_run)


async def _embed(*, only_missing: bool, dry_run: bool) -> None:
    async with opened() as memory:
        with progress("Embedding") as advance:
            report = await memory.embeddings.rebuild(
                only_missing=only_missing,
                dry_run=dry_run,
                on_progress=advance,
                group_id=request().group,
            )
    show_fields(as_mapping(report))
    if report.failed:
        raise typer.Exit(1)
