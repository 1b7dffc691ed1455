"""Files that commands write: looked at before the work, and there whole or as they were before."""

import os
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from graph_memory.errors import InvalidArgumentError

#: What is new is its owner's alone: it holds memories.
_PRIVATE = 0o600


def require_writable(file: Path, option: str) -> None:
    """Refuse a path that nothing can be written to, before the work whose result it is for.

    Raises:
        InvalidArgumentError: It is a folder, or in none, or may not be written.
    """
    place = Path(os.path.realpath(file))
    if file.is_dir():
        raise InvalidArgumentError(option, str(file), "it is a folder; name a file")
    if not file.exists() and not place.parent.is_dir():
        raise InvalidArgumentError(option, str(file), "there is no such folder; make it first")
    if not os.access(place.parent if _replaceable(file) else file, os.W_OK):
        raise InvalidArgumentError(option, str(file), "it may not be written; choose another")


def require_drawable(plot: Path | None) -> None:
    """Refuse a path that no picture can be written to; None is none.

    Raises:
        InvalidArgumentError: Its ending is no format, or it cannot be written.
    """
    if plot is not None:
        from graph_memory.reporting.plots import require_format

        require_format(plot, "--plot")
        require_writable(plot, "--plot")


@contextmanager
def replacing(file: Path) -> Generator[Path]:
    """Yield where to write what takes the place of `file` once it is complete.

    The mode stays, and a link remains one. What is no regular file, as a device, is written itself.
    """
    try:
        if _replaceable(file):
            with _beside(Path(os.path.realpath(file)), file.suffix) as partial:
                yield partial
        else:
            yield file
    except OSError as error:  # the caller knows nothing of where it was written meanwhile
        raise OSError(error.errno, error.strerror, str(file)) from error


def _replaceable(file: Path) -> bool:
    return file.is_file() or not file.exists()


@contextmanager
def _beside(place: Path, suffix: str) -> Generator[Path]:
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else _PRIVATE
    descriptor, name = tempfile.mkstemp(suffix, ".graph-memory-", place.parent)
    os.close(descriptor)
    partial = Path(name)
    try:
        yield partial
        partial.chmod(mode)
        partial.replace(place)
    finally:
        partial.unlink(missing_ok=True)
