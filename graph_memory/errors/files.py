"""Errors of files, settings and disks."""

from graph_memory.errors.base import GraphMemoryError


class SourceFormatError(GraphMemoryError):
    """A file or folder to import is not in the given format; nothing was written."""

    code = "format"

    def __init__(self, path: object, expected: str, found: str) -> None:
        self.path, self.expected, self.found = path, expected, found
        super().__init__(f"{path} is not {expected}: found {found}.")


class BackupError(GraphMemoryError):
    """A backup cannot be made, read or restored; the message holds the remedy."""

    code = "backup"


class DiskFullError(GraphMemoryError):
    """The disk of the local Neo4j has too little space for a write; nothing was written."""

    code = "disk_full"

    def __init__(self, folder: object, free: int, needed: int) -> None:
        self.folder, self.free, self.needed = folder, free, needed
        super().__init__(
            f"Only {free >> 20} MiB are free at {folder}, and a write needs {needed >> 20} MiB. "
            "Nothing was written; reads go on. Free some space, or move the data to a larger disk "
            "(GRAPH_MEMORY_DATA_DIR)."
        )


class SettingsError(GraphMemoryError):
    """A setting is malformed; the message names the variable."""

    code = "settings"
