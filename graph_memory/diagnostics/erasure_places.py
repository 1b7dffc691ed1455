"""The places that an erasure has searched, as its receipt names them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from graph_memory.backup import archives
from graph_memory.context import Context
from graph_memory.diagnostics.traces import PLACES, SESSIONS, Trace
from graph_memory.domain.receipts import SearchedPlace
from graph_memory.errors import BackupError
from graph_memory.settings.base import Settings

#: Ids that a place names.
NAMED = 100


def graph_places(
    settings: Settings, before: Iterable[Trace], after: Iterable[Trace]
) -> list[SearchedPlace]:
    """Return what each place of the graph held before an erasure, and holds after it."""
    earlier, later = _by_place(before), _by_place(after)
    return [_place(settings, name, earlier[name], later[name]) for name in PLACES]


def _by_place(traces: Iterable[Trace]) -> defaultdict[str, dict[str, Trace]]:
    """Return traces by place and element; one with words replaces one without."""
    found: defaultdict[str, dict[str, Trace]] = defaultdict(dict)
    for trace in traces:
        if trace.keys or trace.element not in found[trace.place]:
            found[trace.place][trace.element] = trace
    return found


def _place(
    settings: Settings, name: str, earlier: Mapping[str, Trace], later: Mapping[str, Trace]
) -> SearchedPlace:
    found = earlier.keys() | later.keys()
    holding = [each for each in later.values() if each.keys]
    why, until = _reasons(settings, name, holding=bool(holding)) if later else ("", "")
    return SearchedPlace(
        name,
        len(found),
        len(found) - len(later),
        len(holding),
        len(later) - len(holding),
        why,
        until,
        tuple(each.id for each in holding[:NAMED]),
    )


def _reasons(settings: Settings, name: str, *, holding: bool) -> tuple[str, str]:
    """Return why something remains in a place, and until when; `holding`: with erased words."""
    if holding and name != "memories":
        return "it belongs to what was not erased", "that is erased"
    ids_only = "ids of erased memories, without a text of them"
    of_runs = f"the run can no longer be undone ({settings.undo_retention_days:g} days)"
    return {
        SESSIONS: (ids_only, f"the session ends ({settings.session_ttl_days:g} days unused)"),
        "feedback": (ids_only, "newer answers replace them"),
        "records for undo": (ids_only, of_runs),
        "records of learning": (ids_only, of_runs),
        "tombstones": ("keyed digests, which refuse the statement", "the tombstone is lifted"),
        "conversations": (ids_only, "the conversation goes on"),
        "memories": ("other memories hold the words, and were not to be erased", "they are erased"),
    }.get(name, ("it belongs to what was not erased", "that is erased"))


async def old_copy(
    context: Context, group_id: str, memory_ids: Sequence[str]
) -> list[SearchedPlace]:
    """Return what the copy holds that a move of the group has left on its old server."""
    old = context.whole.old_copy(group_id)
    if old is None:
        return []
    ids = list(memory_ids)
    held = await old.one("diagnostics/erasure_places/set_aside", int, memory_ids=ids) or 0
    why = "the copy from before the move of the group; no search finds it" if held else ""
    until = f"`graph-memory groups move {group_id} --finish` erases it" if held else ""
    return [SearchedPlace(f"copy on server {old.name}", held, 0, held, 0, why, until)]


def elsewhere() -> list[SearchedPlace]:
    """Return the places outside the graph that no search of it reaches."""
    return [
        SearchedPlace(
            "cache of this process", why="emptied; it held vectors by digests of questions"
        ),
        SearchedPlace(
            "caches of other processes",
            why="vectors by digests of questions, and counts of tokens; no texts",
            until="newer entries replace them, or the process ends",
        ),
        SearchedPlace("audit log", why="names the caller, the tool and ids; holds no contents"),
        SearchedPlace(
            "store files",
            why="Neo4j marks the space of deleted records as free and keeps the bytes",
            until="new records use the space; `graph-memory db rewrite` leaves none",
        ),
        SearchedPlace(
            "transaction logs",
            why="Neo4j keeps the changes of the last transactions",
            until="a checkpoint after the logs exceed `db.tx_log.rotation.retention_policy`; "
            "`graph-memory db rewrite` leaves none",
        ),
    ]


def backup_places(settings: Settings, ids: Collection[str], *, named: bool) -> list[SearchedPlace]:
    """Return how many erased memories each backup holds.

    Args:
        settings: The folder of the backups.
        ids: The memories.
        named: True to name the folders; False to number them, for a caller of some groups only.
    """
    until = (
        f"{settings.backup_keep} newer backups exist, or `graph-memory backup prune --erased` "
        "rewrites it"
    )
    found: list[SearchedPlace] = []
    for number, backup in enumerate(archives.backups(settings), start=1):
        name = f"backup {backup.path.name if named else number}"
        try:
            held = len(archives.held_ids(backup, ids))
        except BackupError as error:
            found.append(SearchedPlace(name, why=f"it cannot be read: {error}", until=until))
            continue
        why = "it was made before the erasure" if held else ""
        found.append(SearchedPlace(name, held, 0, held, 0, why, until if held else ""))
    return found
