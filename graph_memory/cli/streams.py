"""The standard streams: open whatever the shell did with them, and written out before the end."""

import contextlib
import os
import sys

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def open_closed_streams() -> None:
    """Let closed ones lead nowhere; else what is opened next gets their numbers, and is written to.

    As an event loop's own descriptors do, which then aborts the process.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def drop_stdout() -> None:
    """Let what could not be written go nowhere, or the interpreter would try again at its end."""
    with contextlib.suppress(OSError, ValueError):  # captured output has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
