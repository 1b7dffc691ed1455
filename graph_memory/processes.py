"""Identity of processes: the pid and the start time, because a pid is reused."""

import psutil

# Two reads of one start time may differ: the boot time may be corrected by a second in between.
_TOLERANCE_SECONDS = 2.0


def started_at(process: psutil.Process) -> float:
    """Return the start of a process in seconds, independent of changes to the wall clock.

    On Linux that is seconds since boot; psutil adds the boot time, which moves with the wall clock.
    """
    return process.create_time() - (psutil.boot_time() if psutil.LINUX else 0.0)


def is_alive(pid: int, since: float) -> bool:
    """Check whether the process with this pid and start time still runs."""
    try:
        process = psutil.Process(pid)
        same = abs(started_at(process) - since) < _TOLERANCE_SECONDS
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.AccessDenied:
        return True
    except psutil.NoSuchProcess:
        return False
