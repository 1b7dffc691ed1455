"""A sign on a terminal that a command works, shown after half a second."""

import sys
import threading
from collections.abc import Callable

_DELAY_SECONDS = 0.5
_REFRESH_SECONDS = 0.1

_current: "_Waiting | None" = None


def begin(reason: Callable[[], str]) -> None:
    """Show on stderr, if it is a terminal, what the command waits for, until `end`.

    Args:
        reason: Returns the text; an empty one hides the sign.
    """
    global _current
    if _current is None and sys.stderr.isatty():
        _current = _Waiting(reason)


def end() -> None:
    """Remove the sign. Every output on the terminal calls this first."""
    global _current
    shown, _current = _current, None
    if shown:
        shown.stop()


class _Waiting:
    """A thread that shows a spinner; the command itself may block its own thread."""

    def __init__(self, reason: Callable[[], str]) -> None:
        self._reason = reason
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(_DELAY_SECONDS):
            if self._reason():
                self._spin()

    def _spin(self) -> None:
        from rich.console import Console

        with Console(stderr=True).status(self._reason()) as status:
            while not self._ended.wait(_REFRESH_SECONDS) and (reason := self._reason()):
                status.update(reason)
