"""The free space that a write to the local Neo4j needs.

Without space for a transaction log, Neo4j closes the whole database, also for reads, and must
restart. A write that is refused before costs nothing.
"""

import shutil

from graph_memory.errors import DiskFullError
from graph_memory.settings.base import Settings

#: A transaction log, which Neo4j allocates whole (64 MiB), and as much for store and indexes.
RESERVE_BYTES = 128 * 2**20


def check_space(settings: Settings) -> None:
    """Check that the disk of the local Neo4j has space for a write.

    Raises:
        DiskFullError: Less than `RESERVE_BYTES` are free.
    """
    try:
        free = shutil.disk_usage(settings.data_dir).free
    except OSError:  # the folder is gone: Neo4j answers for itself
        return
    if free < RESERVE_BYTES:
        raise DiskFullError(settings.data_dir.absolute(), free, RESERVE_BYTES)
