"""Completion of the values of options in shells.

A completion answers at once: it starts no database, and gives up on a slow one.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable

_SECONDS = 0.8

Complete = Callable[[str], list[str]]


def completing(values: Iterable[str]) -> Complete:
    """Return a function that completes the beginning of a value, in upper or lower case."""
    known = tuple(values)

    def complete(incomplete: str) -> list[str]:
        typed = incomplete.lower()
        found = [value for value in known if value.lower().startswith(typed)]
        # A shell takes only a completion that begins with what is typed.
        return [incomplete + value[len(incomplete) :] for value in found]

    return complete


def complete_policy(incomplete: str) -> list[str]:
    """Complete the name of a decay policy."""
    with contextlib.suppress(Exception):
        from graph_memory.database.statements import policies
        from graph_memory.settings.base import read_settings

        return completing(policies(read_settings().policy_dir))(incomplete)
    return []


def complete_group(incomplete: str) -> list[str]:
    """Complete a group of a database that runs already; else nothing."""
    with contextlib.suppress(Exception):
        return completing(asyncio.run(_groups()))(incomplete)
    return []


def complete_groups(incomplete: str) -> list[str]:
    """Complete the last of several groups with commas between them; see `complete_group`."""
    named, comma, last = incomplete.rpartition(",")
    return [f"{named}{comma}{group}" for group in complete_group(last)]


async def _groups() -> list[str]:
    from graph_memory import local_neo4j
    from graph_memory.api.database import Database
    from graph_memory.settings.base import read_settings

    settings = read_settings()
    if settings.neo4j_uri is None:
        instance = local_neo4j.running(settings)
        if instance is None:
            return []
        # With an address, nothing starts or holds the local Neo4j.
        settings = read_settings(neo4j_uri=instance.uri, neo4j_password=instance.password)
    async with asyncio.timeout(_SECONDS), Database.open(settings) as database:
        return await database.groups()
