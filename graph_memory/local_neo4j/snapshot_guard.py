"""The guard of a snapshot: a small process that ends the second Neo4j when its maker has ended.

It is started as `python -m graph_memory.local_neo4j.snapshot_guard FOLDER`. Its input is a pipe of
the maker, which closes when the maker ends, however it ends. A line of it is a command in JSON,
which the guard starts; it answers with the pid. At the end of the input it kills that process, and
removes the folder. Nothing in the folder is worth a slower end.

Both run at a lower priority than the service.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from graph_memory.local_neo4j.folder import Folder

_NICE = 10


def main() -> None:
    """Guard the folder of the command line until the input ends."""
    # The signals that end a service reach its children as well; this one ends after its maker.
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(_NICE)
    folder = Folder(Path(sys.argv[1]))
    started: list[subprocess.Popen[bytes]] = []
    try:
        for line in sys.stdin:
            started.append(_start(json.loads(line), folder))
            sys.stdout.write(f"{started[-1].pid}\n")
            sys.stdout.flush()
    finally:
        for each in started:
            each.kill()
            each.wait()
        shutil.rmtree(folder.root, ignore_errors=True)


def _start(command: list[str], folder: Folder) -> "subprocess.Popen[bytes]":
    with folder.console_log.open("wb") as output:
        return subprocess.Popen(
            command,
            cwd=folder.home,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


if __name__ == "__main__":
    main()
