"""Replacement of the files of a database by rewritten ones, also when it is killed in the middle.

The data moves to `data.old`, the new data takes its place, then the old one is deleted. If a kill
has left no data, the old data comes back; else the new data is complete, and the old one goes.

The caller must hold the lock of the folder.
"""

import contextlib
import os
import shutil
from pathlib import Path

from graph_memory.local_neo4j import instance
from graph_memory.local_neo4j.folder import Folder


def settle(folder: Folder) -> None:
    """Finish a replacement that was killed, or undo it; remove what an unfinished rewrite left."""
    if folder.old_data.exists():
        if folder.data.exists():
            shutil.rmtree(folder.old_data)
        else:
            folder.old_data.rename(folder.data)
    if folder.rewrite.exists():
        discard(Folder(folder.rewrite))


def replace(folder: Folder, by: Folder) -> None:
    """Replace the data of a folder by that of another; neither instance may run."""
    folder.data.rename(folder.old_data)
    by.data.rename(folder.data)
    _sync(folder.home)
    shutil.rmtree(folder.old_data)


def discard(folder: Folder) -> None:
    """End the instance of a folder, and remove the folder."""
    instance.end(folder)
    # Its keeper may write into it for a moment.
    with contextlib.suppress(OSError):
        shutil.rmtree(folder.root)
    shutil.rmtree(folder.root, ignore_errors=True)


def _sync(path: Path) -> None:
    """Write the names in a folder to the disk, before what they replace is deleted."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
