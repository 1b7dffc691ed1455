"""Which process is which: its id is given to another when it has ended, its beginning is not."""

import psutil

# Read at two instants, between which the time of boot may be corrected by a second.
_SAME_SECONDS = 2.0


def begun(process: psutil.Process) -> float:
    """Return when a process began, by a clock that nobody sets.

    Linux knows it since boot, and psutil adds the time of boot, which moves with the wall clock.
    """
    return process.create_time() - (psutil.boot_time() if psutil.LINUX else 0.0)


def lives(pid: int, since: float) -> bool:
    """Tell whether the process of this id that began then still lives."""
    try:
        process = psutil.Process(pid)
        same = abs(begun(process) - since) < _SAME_SECONDS
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.AccessDenied:
        return True
    except psutil.NoSuchProcess:
        return False
