"""Commands that inspect the graph: stats, health, browser, report."""

import contextlib
import signal
import sys
import webbrowser
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, configured, note, opened
from graph_memory.cli.output import as_mapping, show_fields
from graph_memory.cli.output_file import replacing, require_writable

if TYPE_CHECKING:
    from graph_memory.settings.base import Settings

app = typer.Typer()


@command(app, example="stats --group demo")
async def stats() -> None:
    """Count the memories of a group by type and tag, and its relations by type."""
    async with opened() as memory:
        show_fields(as_mapping(await memory.stats()))


@command(app, example="health")
async def health() -> None:
    """Show the health of a group: states, mean scores, waiting work and the last run."""
    async with opened() as memory:
        show_fields(as_mapping(await memory.health()))


@command(app, example="browser --open")
def browser(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free port.")
    ] = 7474,
    open_it: Annotated[
        bool, typer.Option("--open", help="Open the page in a web browser.")
    ] = False,
) -> None:
    """Serve Neo4j Browser until Ctrl-C, with saved queries, and print the login."""
    from graph_memory.local_neo4j.browser import browser_address, browser_server
    from graph_memory.local_neo4j.jars import ensure_browser
    from graph_memory.reporting.browser import browser_queries

    settings = configured()
    jar, queries = ensure_browser(settings), browser_queries(settings)
    with _login(settings) as login, browser_server(jar, port, queries) as server:
        address = browser_address(
            server.server_port,
            uri=login["uri"],
            user=login["user"],
            database=login["database"],
            group=settings.group_id,
        )
        show_fields({"address": address, **login})
        sys.stdout.flush()
        note("Neo4j Browser is served until Ctrl-C.")
        if open_it:
            webbrowser.open(address)
        # A shell starts background processes with SIGINT ignored; SIGTERM ends them, too.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


@command(app, example="report --html report.html")
async def report(
    html: Annotated[Path, typer.Option(help="HTML file to write.")],
) -> None:
    """Save the page of a group: states, retention, forecast, connectors and health.

    A server has the living page at /app. The file needs none, and holds what it shows.
    """
    from graph_memory.reporting.html import page
    from graph_memory.reporting.report import report as report_of
    from graph_memory.server.recording import recorded

    require_writable(html, "--html")
    async with opened() as memory:
        found = await report_of(memory)
        answers = await recorded(memory, found.leads, found.group_id)
    with replacing(html) as path:
        path.write_text(page(found, answers), encoding="utf-8")
    show_fields({"file": html.absolute(), "group_id": found.group_id})


@contextlib.contextmanager
def _login(settings: "Settings") -> Generator[dict[str, str]]:
    """Yield the login of the configured database, or of the local one, which stays up."""
    if settings.neo4j_uri:
        yield {
            "uri": settings.neo4j_uri,
            "user": settings.neo4j_user,
            "database": settings.neo4j_database,
            "password": "the value of GRAPH_MEMORY_NEO4J_PASSWORD",
        }
        return
    from graph_memory import local_neo4j
    from graph_memory.local_neo4j.folder import Folder

    instance = local_neo4j.acquire(settings)
    try:
        yield {
            "uri": instance.uri,
            "user": instance.user,
            "database": instance.database,
            "password": f"the content of {Folder.of(settings).password_file}",
        }
    finally:
        local_neo4j.release(settings)
