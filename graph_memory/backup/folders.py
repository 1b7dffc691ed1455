"""The folders of backups: one for each server of the placement file."""

from pathlib import Path

from graph_memory.database.graph import Graph
from graph_memory.errors import BackupError
from graph_memory.settings.base import Settings


def server_of(graph: Graph, settings: Settings, path: Path) -> Graph:
    """Return the server whose backup a folder is.

    Args:
        graph: The database; without a placement file it has one server, which takes any backup.
        settings: The settings of the service.
        path: The folder of the backup.

    Raises:
        BackupError: The folder is not below the folder of a server.
    """
    if len(graph.servers) == 1:
        return graph
    folders = {each.own(settings).backup_folder.resolve(): each for each in graph.servers}
    found = folders.get(path.resolve().parent)
    if found is None:
        listed = ", ".join(f"{folder} ({each.name})" for folder, each in folders.items())
        raise BackupError(
            f"The folder of {path} does not name the server of the backup. Move the backup into "
            f"the folder of its server: {listed}."
        )
    return found
