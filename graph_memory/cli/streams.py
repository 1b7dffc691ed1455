"""The standard streams: opened if the shell closed them, and flushed before the end."""

import contextlib
import os
import sys

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def open_closed_streams() -> None:
    """Open closed standard streams on the null device.

    Otherwise the next opened file gets the number of a standard stream. An event loop whose
    descriptors get such a number aborts the process.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def drop_stdout() -> None:
    """Redirect stdout to the null device, so that the interpreter does not flush it again."""
    with contextlib.suppress(OSError, ValueError):  # captured output has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
