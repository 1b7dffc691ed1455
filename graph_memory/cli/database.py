"""Commands for the local Neo4j: db prepare, start, stop, status, logs, shell-uri, rewrite."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, configured
from graph_memory.cli.output import as_mapping, progress, show, show_fields
from graph_memory.errors import LocalNeo4jError

if TYPE_CHECKING:
    from graph_memory.settings.base import Settings

app = typer.Typer(no_args_is_help=True, help="Start, stop and inspect the local Neo4j.")


@command(app, example="db prepare")
def prepare() -> None:
    """Download Neo4j, and create the startup cache, which shortens its starts by a third."""
    from graph_memory import local_neo4j

    created = local_neo4j.create_startup_cache(_local())
    show_fields({"version": local_neo4j.NEO4J_VERSION, "startup_cache": created})


@command(app, example="db start")
def start() -> None:
    """Start the local Neo4j, and keep it running until `db stop`."""
    from graph_memory import local_neo4j

    instance = local_neo4j.start(_local(), keep=True)
    show_fields({"uri": instance.uri, "pid": instance.pid, "version": instance.version})


@command(app, example="db stop")
def stop() -> None:
    """Stop the local Neo4j at once, even while other processes use it."""
    from graph_memory import local_neo4j

    show_fields({"stopped": local_neo4j.stop(_local())})


@command(app, example="db status --json")
def status() -> None:
    """Show whether the local Neo4j runs, how long it stays, and its version and folders."""
    from graph_memory import local_neo4j

    show_fields(as_mapping(local_neo4j.status(_local())))


@command(app, example="db logs --lines 100")
def logs(
    lines: Annotated[
        int, typer.Option("--lines", "-n", min=1, help="Maximum number of lines.")
    ] = 50,
) -> None:
    """Print the last lines of the log of the local Neo4j."""
    from graph_memory import local_neo4j

    tail = local_neo4j.log_tail(_local(), lines).splitlines()
    show({"lines": tail}, ("",), ([line] for line in tail))


@command(app, example="db shell-uri")
def shell_uri() -> None:
    """Print the URI, user, password and database for Neo4j Browser and cypher-shell."""
    settings = configured()
    if settings.neo4j_uri:
        uri, user = settings.neo4j_uri, settings.neo4j_user
        password, database = settings.neo4j_password.get_secret_value(), settings.neo4j_database
    else:
        from graph_memory import local_neo4j

        instance = local_neo4j.running(settings)
        if instance is None:
            raise LocalNeo4jError(
                "The local Neo4j is not running. Start it with `graph-memory db start`."
            )
        uri, user = instance.uri, instance.user
        password, database = instance.password, instance.database
    show_fields({"uri": uri, "user": user, "password": password, "database": database})


@command(app, example="db rewrite --confirm REWRITE")
async def rewrite(
    confirm: Annotated[str, typer.Option(help="Text REWRITE, as a confirmation.")] = "",
) -> None:
    """Write the local database into new files, which hold nothing of what was deleted."""
    from graph_memory.api.database import rewrite as written

    settings = configured()
    with progress("Rewriting") as advance:
        report = await written(settings, confirm=confirm, on_progress=advance)
    show_fields(as_mapping(report))


def _local() -> "Settings":
    """Return the settings, or raise `LocalNeo4jError` if they name another database."""
    settings = configured()
    if settings.neo4j_uri:
        raise LocalNeo4jError(
            f"GRAPH_MEMORY_NEO4J_URI={settings.neo4j_uri} is used instead of a local Neo4j. "
            "Unset it to manage the local one."
        )
    return settings
