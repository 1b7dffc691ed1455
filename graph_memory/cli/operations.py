"""Commands for whoever runs the service: serve, doctor, verify, adopt, migrate, embeddings."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, configured, note, opened, opened_database, request
from graph_memory.cli.output import as_mapping, progress, show, show_fields
from graph_memory.errors import InvalidArgumentError

if TYPE_CHECKING:
    from graph_memory.api.service import GraphMemory
    from graph_memory.api.types import GroupRename

app = typer.Typer()
migrate = typer.Typer(no_args_is_help=True, help="Bring the database's schema up, or down.")
embeddings = typer.Typer(no_args_is_help=True, help="Embed stored memories anew.")

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count.")]


@command(app)
async def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    stdio: Annotated[bool, typer.Option("--stdio", help="Speak MCP on stdin and stdout.")] = False,
    insecure_no_auth: Annotated[
        bool, typer.Option("--insecure-no-auth", help="Let other machines in without a token.")
    ] = False,
) -> None:
    """Serve MCP over streamable HTTP, or over stdin and stdout."""
    from graph_memory.server import serve_http, serve_stdio

    given = {"host": host, "port": port}
    settings = configured(**{name: value for name, value in given.items() if value is not None})
    if stdio:
        await serve_stdio(settings)
    else:
        await serve_http(settings, insecure_no_auth=insecure_no_auth)


@command(app)
async def doctor() -> None:
    """Look whether everything needed is here; each fault comes with its remedy."""
    from graph_memory.api.database import examine

    checks = await examine(configured())
    well = all(check.status != "fail" for check in checks)
    rows = (list(as_mapping(check).values()) for check in checks)
    show({"ok": well, "checks": checks}, ("check", "status", "found", "remedy"), rows)
    if not well:
        raise typer.Exit(1)


@command(app)
async def verify(
    mend: Annotated[
        bool, typer.Option("--repair", help="First mend what another writer has erased.")
    ] = False,
) -> None:
    """Look at every memory and relation, and name what breaks a rule of the schema."""
    async with opened_database() as database:
        mended = await database.repair() if mend else []
        found = await database.verify()
    for done in mended:
        note(f"{done.group_id}: mended {done.what} ({done.count})")
    columns = ("group", "problem", "count", "example")
    rows = ((group, *as_mapping(p).values()) for group, problems in found.items() for p in problems)
    told = {"ok": not found, "problems": found}
    show(told | {"mended": mended} if mend else told, columns, rows)
    if found:
        raise typer.Exit(1)


@command(app)
async def adopt(
    dry_run: DryRun = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Give the entities of --group back as they were.")
    ] = False,
    labels: Annotated[
        list[str] | None, typer.Option("--label", help="Only entities with this label.")
    ] = None,
    rename: Annotated[
        list[str] | None,
        typer.Option(help="OLD=NEW: give a group another id; OLD may be empty."),
    ] = None,
) -> None:
    """Make memories of the entities that Graphiti made, of all groups unless --group names one.

    Relations keep their names, and Graphiti goes on as before. With --dry-run: what would be taken,
    and what is wrong with it. Vectors follow by `embeddings missing`, or by a maintenance run.
    A group with a hyphen in its id, or Graphiti's default one, whose id is empty, needs another id:
    Graphiti's clients must then be given that. With --undo it gets the old one back.
    """
    from graph_memory.api.types import is_tenant, remedy

    group = request().group
    if group is not None and not is_tenant(group):
        raise InvalidArgumentError("--group", group, remedy(group))
    groups = None if group is None else [group]
    renames = _renames(rename or [])
    async with opened() as memory:
        if dry_run:
            await _survey(memory, groups, renames)
            return
        if undo:
            if groups is None:
                raise InvalidArgumentError("--undo", undo, "name the --group to give back")
            if renames:
                raise InvalidArgumentError("--rename", rename, "--undo gives the old id back")
            done = await memory.adoption.release(groups)
        else:
            with progress("Adopting") as advance:
                done = await memory.adoption.adopt(
                    groups, labels or None, renames, on_progress=advance
                )
    show_fields(as_mapping(done))
    _tell_renames(done.renamed, "is now")
    _tell_left(set(done.left))


async def _survey(memory: "GraphMemory", groups: list[str] | None, renames: dict[str, str]) -> None:
    moved = await memory.adoption.plan_renames(renames)
    found = await memory.adoption.count(None if groups is None else [*groups, *renames])
    left = {
        group
        for row in found
        if not row.adoptable and (group := row.group_id) is not None and group not in renames
    }
    rows = ([*as_mapping(row).values(), row.group_id not in {None, *left}] for row in found)
    columns = (
        "group",
        "labels",
        "entities",
        "unusable",
        "no summary",
        "no vector",
        "other width",
        "ours",
        "adoptable",
    )
    show({"groups": found, "renames": moved}, columns, rows)
    _tell_renames(moved, "would become")
    _tell_left(left)


def _renames(given: list[str]) -> dict[str, str]:
    """Return the new ids by the old ones."""
    renames: dict[str, str] = {}
    for each in given:
        old, sign, new = each.rpartition("=")
        if not sign or old in renames:
            raise InvalidArgumentError("--rename", each, "write OLD=NEW, each OLD once")
        renames[old] = new
    return renames


def _tell_renames(renames: "list[GroupRename]", verb: str) -> None:
    for each in [] if request().as_json else renames:
        note(
            f"Group '{each.old}' {verb} '{each.new}': {each.entities} entities, {each.facts} "
            f"facts, {each.episodes} episodes, {each.communities} communities, {each.sagas} sagas. "
            f"Graphiti's clients need group_id='{each.new}' from then on."
        )


def _tell_left(groups: set[str]) -> None:
    from graph_memory.api.types import remedy

    for group in [] if request().as_json else sorted(groups):
        note(f"Group '{group}' is left as it is: {remedy(group)}.")


@command(migrate)
async def up() -> None:
    """Apply every migration that is missing, and make indexes again that are gone."""
    async with opened_database() as database:
        applied = await database.migrate()
        remade = await database.repair_indexes()
        show_fields({"applied": applied, "remade": remade})


@command(migrate)
async def down(
    to: Annotated[int, typer.Option(help="The last version to keep.")],
) -> None:
    """Take back the migrations above a version; memories and relations stay."""
    async with opened_database() as database:
        show_fields({"removed": await database.migrate_down(to)})


@command(migrate)
async def reindex() -> None:
    """Make the search indexes anew that other settings made; meanwhile searches fail."""
    async with opened_database() as database:
        show_fields({"remade": await database.reindex()})


@command(migrate)
async def status() -> None:
    """List the migrations, and when each was applied."""
    async with opened_database() as database:
        steps = await database.migrations()
    columns = ("version", "summary", "applied")
    show({"migrations": steps}, columns, (list(as_mapping(step).values()) for step in steps))


@command(embeddings)
async def rebuild(dry_run: DryRun = False) -> None:
    """Embed every memory anew, of all groups unless --group names one."""
    await _embed(only_missing=False, dry_run=dry_run)


@command(embeddings)
async def missing(dry_run: DryRun = False) -> None:
    """Embed the memories that have no vector of the configured model."""
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
